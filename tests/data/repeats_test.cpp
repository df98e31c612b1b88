#include "data/repeats.h"

#include "support/testing.h"

namespace arks {

namespace {

TensorDataset set_of(const torch::Tensor& inputs, const torch::Tensor& targets) {
  DatasetInfo info;
  info.name = "x";
  return {inputs, targets, info};
}

}  // namespace

TEST(Repeats, CountSamplesThatAreInBothSets) {
  const auto inputs = testing::normal({9000, 3}), targets = testing::normal({9000}, 2);
  const auto all = set_of(inputs, targets);
  EXPECT_EQ(repeated_samples(all, all), 9000);
  const auto part = set_of(inputs.slice(0, 5000, 5010), targets.slice(0, 5000, 5010));
  EXPECT_EQ(repeated_samples(part, all), 10);
  EXPECT_EQ(repeated_samples(all, part), 10);
  EXPECT_EQ(repeated_samples(set_of(inputs + 1, targets), all), 0);
}

/// The same inputs with another target are another sample, and a sample that is there twice counts twice.
TEST(Repeats, CompareTargetsAndCountEachSample) {
  const auto inputs = torch::tensor({{1.0, 2.0}, {1.0, 2.0}, {3.0, 4.0}}), targets = torch::tensor({0.0, 0.0, 1.0});
  const auto other = set_of(torch::tensor({{1.0, 2.0}, {3.0, 4.0}}), torch::tensor({0.0, 0.0}));
  EXPECT_EQ(repeated_samples(set_of(inputs, targets), other), 2);
}

}  // namespace arks
