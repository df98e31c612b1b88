#include "problem/kl_divergence.h"
#include "support/testing.h"

#include <cmath>

namespace arks {

using testing::expect_derivative_matches;
using testing::expect_error;
using testing::max_difference;
using testing::normal;

namespace {

torch::Tensor probabilities(int64_t n, int64_t classes, uint64_t seed) {
  return normal({n, classes}, seed).softmax(1);
}

}  // namespace

TEST(KlDivergence, OfTwoClassesHasAClosedForm) {
  // q = softmax(ln 3, 0) = (3/4, 1/4)
  const auto logits = torch::tensor({{std::log(3.0), 0.0}}, torch::kDouble);
  const auto half = torch::tensor({{0.5, 0.5}}, torch::kDouble);
  EXPECT_NEAR(KlDivergence()(logits, half).item<double>(), std::log(2.0 / std::sqrt(3.0)), 1e-15);
  const auto sure = torch::tensor({{0.0, 1.0}}, torch::kDouble);
  EXPECT_NEAR(KlDivergence()(logits, sure).item<double>(), std::log(4.0), 1e-15);
}

TEST(KlDivergence, IsCrossEntropyLessTheEntropyOfTheTargets) {
  const auto logits = normal({7, 4}), p = probabilities(7, 4, 3);
  torch::Tensor expected = (p * p.log()).sum(1);
  for (int64_t j = 0; j < 4; ++j) {
    expected = expected + p.select(1, j) * CrossEntropy()(logits, torch::full({7}, j, torch::kLong));
  }
  EXPECT_LT(max_difference(KlDivergence()(logits, p), expected), 1e-14);
}

TEST(KlDivergence, IsZeroWhereBothAreTheSameAndPositiveElsewhere) {
  const auto logits = normal({50, 5});
  EXPECT_LT(KlDivergence()(logits, logits.softmax(1)).abs().max().item<double>(), 1e-15);
  EXPECT_GT(KlDivergence()(logits, probabilities(50, 5, 4)).min().item<double>(), 0);
}

TEST(KlDivergence, DerivativeMatchesDifferences) {
  const auto p = torch::cat({probabilities(4, 3, 5), torch::eye(3, torch::kDouble)});  // also where p_j = 0
  expect_derivative_matches([&](const torch::Tensor& z) { return KlDivergence()(z, p); }, normal({7, 3}, 6));
  const auto z = normal({7, 3}, 7);
  expect_derivative_matches([&](const torch::Tensor& other) { return kl_divergence(z, other); }, normal({7, 3}, 8));
  expect_derivative_matches([&](const torch::Tensor& first) { return kl_divergence(first, z); }, normal({7, 3}, 8));
  EXPECT_LT(max_difference(kl_divergence(z, 2 * z), KlDivergence()(2 * z, z.softmax(1))), 1e-14);
}

TEST(KlDivergence, StaysFiniteForExtremeLogits) {
  const auto logits = torch::tensor({{1e4, 0.0, -1e4}}, torch::kDouble);
  const auto third = torch::full({1, 3}, 1.0 / 3, torch::kDouble);
  EXPECT_NEAR(KlDivergence()(logits, third).item<double>(), 1e4 - std::log(3.0), 1e-9);
  EXPECT_NEAR(kl_divergence(logits, -logits).item<double>(), 2e4, 1e-9);
}

TEST(KlDivergence, OfADivergedModelIsNotANumber) {
  const auto p = torch::full({2, 3}, NAN, torch::kDouble);
  EXPECT_TRUE(KlDivergence()(normal({2, 3}), p).isnan().all().item<bool>());
}

TEST(KlDivergence, RefusesWhatIsNoDistribution) {
  const auto logits = normal({2, 3});
  const auto p = probabilities(2, 3, 2);
  expect_error([&] { KlDivergence()(logits, torch::zeros({2}, torch::kLong)); },
               "targets must be probabilities of shape [2, 3], got [2]");
  expect_error([&] { KlDivergence()(logits, 2 * p); }, "targets must be probabilities that sum to 1 in every row");
  expect_error(
      [&] {
        KlDivergence()(logits, torch::tensor({{1.5, -0.5, 0.0}, {1.0, 0.0, 0.0}}, torch::kDouble));
      },
      "the least is -0.5");
  expect_error([&] { KlDivergence()(normal({2, 1}), torch::ones({2, 1}, torch::kDouble)); }, "[n, classes >= 2]");
}

}  // namespace arks
