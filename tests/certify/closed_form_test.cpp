// Certificates of linear and quadratic models against their closed forms.
#include "certify/toys.h"

namespace arks {

namespace {

using testing::LinearQuantity;
using testing::QuadraticQuantity;

const std::vector<double> kRhos{0, 0.01, 0.1, 0.5, 2};
constexpr double kClose = 1e-8;

/// The best of several fixed temperatures, value(τ) + ρ/τ each.
double best_of(const std::vector<double>& temperatures, double rho, const std::function<double(double)>& value) {
  double best = HUGE_VAL;
  for (const double temperature : temperatures) best = std::min(best, value(temperature) + rho / temperature);
  return best;
}

}  // namespace

TEST(ClosedForm, ArksSearchedOnALinearLogLossIsTheNormTimesTheRootOfTwiceRho) {
  LinearQuantity toy(Quantity::kLogLoss);
  auto options = CertificateOptions::arks().rhos(kRhos);
  options.transform().lipschitz(toy.norm);
  const auto certificate = certify(toy.problem, *toy.data, options);
  for (const auto& point : certificate.curve) {
    const double expected = toy.mean() + toy.norm * std::sqrt(2 * point.rho);
    EXPECT_NEAR(point.bound, expected, kClose);
    EXPECT_NEAR(point.estimated, expected, 1e-4);
    EXPECT_NEAR(point.attained, expected, 1e-4);
    EXPECT_LE(point.attained, point.bound);
    if (point.rho > 0) EXPECT_NEAR(point.temperature, std::sqrt(2 * point.rho) / toy.norm, kClose);
    EXPECT_GE(*point.bound_paper, point.bound);
  }
  EXPECT_EQ(certificate.curve[0].temperature, 0);
}

TEST(ClosedForm, ArksAtFixedTemperaturesHasBothForms) {
  LinearQuantity toy(Quantity::kLogLoss);
  const std::vector<double> temperatures = temperatures_of_sigmas({0.3, 0.6, 1.2}, HalfSquaredL2());
  auto options = CertificateOptions::arks().rhos(kRhos).temperatures(temperatures);
  options.transform().lipschitz(toy.norm).curvature(0.0);
  const auto q = toy.x.matmul(toy.a) + 4;
  const double log_mean_loss = std::log(q.exp().mean().item<double>());
  for (const auto& point : certify(toy.problem, *toy.data, options).curve) {
    const auto gain = [&](double t) { return t * toy.norm * toy.norm / 2; };
    EXPECT_NEAR(point.bound, best_of(temperatures, point.rho, [&](double t) { return toy.mean() + gain(t); }), kClose);
    EXPECT_NEAR(*point.bound_paper, best_of(temperatures, point.rho, [&](double t) { return log_mean_loss + gain(t); }),
                kClose);
    EXPECT_NEAR(point.estimated, point.bound, kClose);
  }
}

TEST(ClosedForm, WrmOnALinearLossIsTheNormTimesTheRootOfRho) {
  LinearQuantity toy(Quantity::kLoss);
  auto options = CertificateOptions::wrm().rhos(kRhos);
  options.transform().lipschitz(toy.norm);
  for (const auto& point : certify(toy.problem, *toy.data, options).curve) {
    EXPECT_NEAR(point.bound, toy.mean() + toy.norm * std::sqrt(point.rho), kClose);
    EXPECT_FALSE(point.bound_paper.has_value());
  }
  options.temperatures(temperatures_of_gammas({0.5, 2}));
  for (const auto& point : certify(toy.problem, *toy.data, options).curve) {
    const double expected =
        best_of({2, 0.5}, point.rho, [&](double t) { return toy.mean() + t * toy.norm * toy.norm / 4; });
    EXPECT_NEAR(point.bound, expected, kClose);
    EXPECT_NEAR(point.estimated, expected, kClose);
  }
}

TEST(ClosedForm, UnderAnL2CostTheBestStrengthIsTheLipschitzConstant) {
  LinearQuantity toy(Quantity::kLoss);
  auto options = CertificateOptions::c_transform(Quantity::kLoss, std::make_shared<L2>()).rhos({0, 0.1, 2});
  options.transform().lipschitz(toy.norm);
  for (const auto& point : certify(toy.problem, *toy.data, options).curve) {
    EXPECT_NEAR(point.bound, toy.mean() + toy.norm * point.rho, kClose);
  }
  options.temperatures(std::vector<double>{0.5 / toy.norm, 0.9 / toy.norm});
  for (const auto& point : certify(toy.problem, *toy.data, options).curve) {
    EXPECT_NEAR(point.bound, toy.mean() + toy.norm / 0.9 * point.rho, kClose);
    EXPECT_NEAR(point.estimated, point.bound, kClose);
  }
}

TEST(ClosedForm, QuadraticLogLossesBelowTheLargestTemperature) {
  for (const auto& curvatures : {std::vector<double>{1.5, -2.0}, {-1.0, -0.5}, {2.0, 1.0}}) {
    QuadraticQuantity toy(curvatures);
    const double most = *std::max_element(curvatures.begin(), curvatures.end());
    for (const double strength : {std::max(most, 0.0) * 1.1 + 0.1, std::max(most, 0.0) + 5}) {
      auto options = CertificateOptions::arks().rhos(kRhos).temperatures(std::vector<double>{1 / strength});
      options.transform().curvature(most);
      const auto certificate = certify(toy.problem, *toy.data, options);
      const auto transform = toy.transform(strength);
      const double paper = std::log(transform.exp().mean().item<double>());
      for (const auto& point : certificate.curve) {
        EXPECT_NEAR(point.bound, transform.mean().item<double>() + strength * point.rho, kClose);
        EXPECT_NEAR(*point.bound_paper, paper + strength * point.rho, kClose);
        EXPECT_NEAR(point.estimated, point.bound, kClose);
      }
      ASSERT_EQ(certificate.attained.size(), 2U);
      EXPECT_NEAR(certificate.attained[1].rho, toy.moved(strength), 1e-6);
    }
  }
}

TEST(ClosedForm, SearchedTemperaturesTouchWhatIsAttained) {
  QuadraticQuantity toy({1.5, -2.0});
  auto options = CertificateOptions::arks().rhos(kRhos);
  options.transform().curvature(1.5);
  for (const auto& point : certify(toy.problem, *toy.data, options).curve) {
    EXPECT_NEAR(point.bound, point.attained, 1e-4) << "rho " << point.rho;
    EXPECT_LE(point.attained, point.bound);
  }
}

TEST(ClosedForm, RadiiThatTheCurvatureForbidsTakeTheSmallestStrengthItAllows) {
  QuadraticQuantity toy({-1.0, -1.0});
  auto options = CertificateOptions::arks().rhos({0.001, 50});
  options.transform().curvature(4.0);  // true, but far too large
  const auto certificate = certify(toy.problem, *toy.data, options);
  EXPECT_NEAR(certificate.curve[0].bound, certificate.curve[0].attained, 1e-4);
  EXPECT_NEAR(certificate.curve[1].temperature, 1 / 4.0, 1e-3);
  EXPECT_NEAR(certificate.curve[1].bound, toy.transform(4.004).mean().item<double>() + 4.004 * 50, 1e-6);
}

TEST(ClosedForm, AConstantLossIsCertifiedAtItsValue) {
  FunctionProblem problem([](const torch::Tensor& u, const torch::Tensor&) { return 0 * u.sum(1) + 2; });
  auto options = CertificateOptions::wrm().rhos({0, 1});
  options.transform().lipschitz(0.0);
  for (const auto& point : certify(problem, *testing::float64_samples(testing::normal({3, 2})), options).curve) {
    EXPECT_NEAR(point.bound, 2, kClose);
    EXPECT_NEAR(point.attained, 2, kClose);
  }
}

TEST(ClosedForm, AMethodOfOnesOwnIsReportedUnderItsNameAndByGamma) {
  LinearQuantity toy(Quantity::kLoss);
  auto options = CertificateOptions::c_transform(Quantity::kLoss, std::make_shared<HalfSquaredL2>())
                     .method("mine")
                     .rhos({0.1})
                     .temperatures(std::vector<double>{0.5});
  options.transform().lipschitz(toy.norm);
  const auto report = certify(toy.problem, *toy.data, options).full_report();
  EXPECT_NE(report.find("verified mine certificate"), std::string::npos) << report;
  EXPECT_NE(report.find("gamma 2\n"), std::string::npos) << report;
}

}  // namespace arks
