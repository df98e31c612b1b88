#include "support/testing.h"

#include <cmath>

namespace arks {

using testing::expect_error;
using testing::max_difference;
using testing::normal;

TEST(Transport, IsTheMeanCostOfMatchedSamples) {
  const auto u = normal({6, 2, 3}, 1), x = normal({6, 2, 3}, 2);
  for (const char* name : {"half-sq-l2", "sq-l2", "l2", "l1"}) {
    const auto cost = make_cost(name);
    double sum = 0;
    for (int64_t i = 0; i < 6; ++i) sum += (*cost)(u[i].unsqueeze(0), x[i].unsqueeze(0)).item<double>();
    EXPECT_NEAR(transport_cost(*cost, u, x), sum / 6, 1e-14) << name;
    EXPECT_EQ(transport_costs(*cost, u, x).sizes(), torch::IntArrayRef({6})) << name;
  }
}

TEST(Transport, KnowsAPlainNumber) {
  const auto x = torch::zeros({2, 2}, torch::kDouble), u = torch::tensor({{3., 4.}, {0., 0.}}, torch::kDouble);
  EXPECT_EQ(transport_cost(L2(), u, x), 2.5);
  EXPECT_EQ(transport_cost(HalfSquaredL2(), u, x), 6.25);
  EXPECT_EQ(max_difference(transport_costs(L1(), u, x), torch::tensor({7., 0.}, torch::kDouble)), 0);
}

TEST(Transport, KeepsNoGraph) {
  const auto u = normal({6, 3}, 1).set_requires_grad(true);
  EXPECT_FALSE(transport_costs(L2(), u, normal({6, 3}, 2)).requires_grad());
}

TEST(Transport, TakesTheMeanOfFloatsInFloat64) {
  const auto u = torch::full({1 << 22, 1}, 0.1f), x = torch::zeros({1 << 22, 1});
  EXPECT_NEAR(transport_cost(L1(), u, x), static_cast<double>(0.1f), 1e-15);
}

TEST(Transport, RefusesSamplesThatAreNotMatched) {
  expect_error([] { transport_cost(L2(), normal({3, 2}), normal({4, 2})); }, "matched samples of the same shape");
  expect_error([] { transport_cost(L2(), normal({0, 2}), normal({0, 2})); }, "n > 0");
  auto u = normal({3, 2});
  u[1][0] = std::nan("");
  expect_error([&] { transport_cost(L2(), u, normal({3, 2})); }, "1 of 3 samples have a cost that is not finite");
}

}  // namespace arks
