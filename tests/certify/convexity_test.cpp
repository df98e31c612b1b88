#include "certify/loss_bounds.h"
#include "certify/toys.h"

namespace arks {

TEST(Convexity, OfAnEluNetworkIsProvedBelowTheLargestSigma) {
  testing::EluNet net({4, 8, 3}, 0.5, 20, 10);
  const auto report = check_convexity(net.problem, *net.data, ConvexityOptions());
  const auto known = bound_loss(net.problem, net.data->info().input_shape, /*log=*/true);
  EXPECT_EQ(report.lipschitz, known.lipschitz);
  EXPECT_EQ(report.curvature, known.curvature);
  EXPECT_DOUBLE_EQ(*report.largest_sigma(), std::sqrt(1 / *known.curvature));
  ASSERT_EQ(report.agreements.size(), 1U);
  EXPECT_DOUBLE_EQ(report.agreements[0].temperature, 0.5 / *known.curvature);
  EXPECT_EQ(report.agreements[0].values, 1);
  EXPECT_EQ(report.agreements[0].maximisers, 1);
  EXPECT_NE(report.full_report().find("same value on 100.0 % of 10 samples"), std::string::npos)
      << report.full_report();
}

TEST(Convexity, StartsDisagreeWhereThereAreTwoMaxima) {
  // q = 2·cos(3u): many maxima when moving is nearly free, one when it is dear
  FunctionProblem problem(
      [](const torch::Tensor& u, const torch::Tensor&) { return (2 * (3 * u).cos()).exp().squeeze(1); });
  const auto data = testing::float64_samples(torch::full({40, 1}, 0.9, torch::kDouble));
  auto options = ConvexityOptions().temperatures({0.04, 30});
  options.transform().curvature(18.0);
  const auto report = check_convexity(problem, *data, options);
  EXPECT_NEAR(*report.largest_temperature, 1 / 18.0, 1e-12);
  EXPECT_EQ(report.agreements[0].maximisers, 1);
  EXPECT_LT(report.agreements[1].values, 0.5);
}

TEST(Convexity, ALinearModelIsConcaveAtEveryTemperature) {
  testing::LinearQuantity toy(Quantity::kLogLoss);
  auto options = ConvexityOptions();
  options.transform().curvature(0.0);
  const auto report = check_convexity(toy.problem, *toy.data, options);
  EXPECT_TRUE(std::isinf(*report.largest_sigma()));
  EXPECT_NE(report.brief_report().find("at every temperature"), std::string::npos);
}

TEST(Convexity, ComparesStartsOnlyAtGivenTemperaturesWhereNothingIsProved) {
  SupervisedProblem problem{FashionCnn(), CrossEntropy()};
  const auto data = testing::toy_dataset(2);
  const auto without = check_convexity(problem, *data, ConvexityOptions());
  EXPECT_TRUE(without.lipschitz.has_value());
  EXPECT_TRUE(without.agreements.empty());
  EXPECT_NE(without.brief_report().find("no temperature is provably concave"), std::string::npos);
  auto options = ConvexityOptions().temperatures({0.25});
  options.transform().starts(2).ascent().steps(3);
  const auto report = check_convexity(problem, *data, options);
  EXPECT_FALSE(report.largest_temperature.has_value());
  EXPECT_NE(report.brief_report().find("max pool"), std::string::npos) << report.brief_report();
}

TEST(Convexity, RefusesOneStart) {
  testing::LinearQuantity toy(Quantity::kLogLoss);
  auto options = ConvexityOptions();
  options.transform().starts(1);
  testing::expect_error([&] { check_convexity(toy.problem, *toy.data, options); }, "at least 2 are needed, got 1");
}

}  // namespace arks
