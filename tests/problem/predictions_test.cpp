#include "problem/predictions.h"

#include "support/testing.h"

namespace arks::testing {

TEST(Predictions, AreProbabilitiesOfClasses) {
  DatasetInfo info;
  info.num_classes = 2;
  const auto outputs = torch::tensor({{0.0, std::log(3.0)}, {5.0, 5.0}}, torch::kDouble);
  const auto expected = torch::tensor({{0.25, 0.75}, {0.5, 0.5}}, torch::kDouble);
  EXPECT_TRUE(torch::allclose(predictions_of(outputs, info), expected));
  EXPECT_EQ(digits_of_predictions(info, 2), (std::vector<int>{9, 9}));
}

TEST(Predictions, AreNumbersInTheUsersUnits) {
  DatasetInfo info;
  const auto outputs = torch::tensor({{1.0, -2.0}}, torch::kDouble);
  EXPECT_TRUE(predictions_of(outputs, info).equal(outputs)) << "nothing was scaled";
  EXPECT_EQ(digits_of_predictions(info, 2), (std::vector<int>{9, 9}));
  info.target_mean = torch::tensor({10.0, 1e6}, torch::kDouble);
  info.target_deviation = torch::tensor({2.0, 0.5}, torch::kDouble);
  const auto expected = torch::tensor({{12.0, 999999.0}}, torch::kDouble);
  EXPECT_TRUE(predictions_of(outputs, info).equal(expected));
  EXPECT_EQ(digits_of_predictions(info, 2), (std::vector<int>{10, 16}));
  info.target_deviation[1] = 1e-9;
  EXPECT_EQ(digits_of_predictions(info, 2).back(), 17) << "a float64 has no more";
}

}  // namespace arks::testing
