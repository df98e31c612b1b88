// What certify() and check_convexity() refuse, and that they say why.
#include "certify/toys.h"
#include "support/text.h"

namespace arks {

namespace {

using testing::expect_error;
using testing::LinearQuantity;

class CertifyRefuses : public ::testing::Test {
 protected:
  CertifyRefuses() : options_(CertificateOptions::arks().rhos({0.1})) { options_.transform().lipschitz(toy_.norm); }

  void refuses(const CertificateOptions& options, const std::string& part) {
    expect_error([&] { certify(toy_.problem, *toy_.data, options); }, part);
  }
  CertificateOptions population() const {
    return CertificateOptions(options_)
        .label(CertificateLabel::kPopulation)
        .temperatures(std::vector<double>{1})
        .delta(0.1)
        .floor(1e-3)
        .cap(10);
  }

  LinearQuantity toy_{Quantity::kLogLoss};
  CertificateOptions options_;
};

}  // namespace

TEST_F(CertifyRefuses, RadiiAndTemperaturesThatAreNone) {
  refuses(CertificateOptions(options_).rhos({}), "no radius rho given");
  refuses(CertificateOptions(options_).rhos({0.1, -1}), "rho must be finite and not negative, got -1");
  refuses(CertificateOptions(options_).temperatures(std::vector<double>{}), "the list of temperatures is empty");
  refuses(CertificateOptions(options_).temperatures(std::vector<double>{0}), "must be positive, got 0");
  refuses(CertificateOptions(options_).refinements(0), "refinements must be positive, got 0");
  refuses(CertificateOptions(options_).tolerance(0), "tolerance must be positive and finite, got 0");
}

TEST_F(CertifyRefuses, WhatNeedsADomainWithoutOne) {
  refuses(CertificateOptions(options_).temperatures(std::vector<double>{HUGE_VAL}), "needs a declared domain");
  auto envelope = CertificateOptions::kernel_envelope(GaussianKernel(1), Bounds{-9, 9}).rhos({0.1});
  envelope.transform().domain(std::nullopt).lipschitz(1.0);
  refuses(envelope, "declare a domain");
  auto slow = CertificateOptions(options_);
  slow.transform().cost(std::make_shared<LogQuadratic>(1));
  refuses(slow, "log-quadratic grows so slowly");
}

TEST_F(CertifyRefuses, PopulationStatementsWithoutTheirGround) {
  EXPECT_TRUE(std::isfinite(certify(toy_.problem, *toy_.data, population()).curve.front().bound));
  for (const double delta : {0.0, 1.0, -0.1, 1.5, std::nan("")}) {
    refuses(population().delta(delta), "needs delta in (0, 1)");
  }
  refuses(population().delta(std::nullopt), "got none");
  refuses(population().floor(std::nullopt), "needs a floor and a cap");
  refuses(population().cap(std::nullopt), "needs a floor and a cap");
  refuses(population().floor(10), "the floor must be below the cap, got 10 and 10");
  refuses(population().floor(0), "the floor must be positive, since its logarithm is taken, got 0");
  refuses(population().split(Split::kTrain), "not the training split");
  refuses(population().temperatures(std::nullopt), "fixed beforehand");
}

TEST_F(CertifyRefuses, AProofWithoutAConstant) {
  const auto bare = CertificateOptions::arks().rhos({0.1});
  refuses(bare, "neither a Lipschitz constant nor a bound on the curvature is known");
  EXPECT_TRUE(
      std::isfinite(certify(toy_.problem, *toy_.data, CertificateOptions(bare).label(CertificateLabel::kEstimated))
                        .curve.front()
                        .bound));
}

TEST_F(CertifyRefuses, TemperaturesAtWhichTheConstantsProveNothing) {
  auto l2 = CertificateOptions(options_).temperatures(std::vector<double>{2 / toy_.norm});
  l2.transform().cost(std::make_shared<L2>());
  refuses(l2, "needs a temperature of at most " + shortest(1 / toy_.norm));
  auto curved = CertificateOptions::arks().rhos({0.1}).temperatures(std::vector<double>{0.5});
  curved.transform().curvature(4.0);
  refuses(curved, "needs a temperature below 0.25");
}

TEST_F(CertifyRefuses, SamplesOutsideTheDomain) {
  auto outside = CertificateOptions(options_);
  outside.transform().domain(Bounds{0, 0.5});
  refuses(outside, "outside the given range");
}

TEST(CertificateNames, AreReadAndRefused) {
  for (const auto label : {CertificateLabel::kEstimated, CertificateLabel::kVerified, CertificateLabel::kPopulation}) {
    EXPECT_EQ(parse_certificate_label(to_string(label)), label);
  }
  expect_error([] { parse_certificate_label("verifed"); }, "did you mean 'verified'");
  for (const auto quantity : {Quantity::kLoss, Quantity::kLogLoss})
    EXPECT_EQ(parse_quantity(to_string(quantity)), quantity);
  expect_error([] { parse_quantity("log-loss"); }, "did you mean 'log_loss'");
  expect_error([] { temperatures_of_sigmas({0.5}, SquaredL2()); }, "the cost sq-l2 has no bandwidth sigma");
  expect_error([] { temperatures_of_sigmas({-1}, L1()); }, "sigma must be positive, got -1");
  expect_error([] { temperatures_of_gammas({-1}); }, "gamma must be finite and not negative, got -1");
}

TEST(ErrorBound, IsTheCrossEntropyOverLnTwoAndAtMostOne) {
  EXPECT_DOUBLE_EQ(error_bound(0.5 * std::log(2)), 0.5);
  EXPECT_EQ(error_bound(3), 1);
}

TEST(ErrorBound, OfLossesClippedBelowLnTwoIsOverTheCap) {
  // with a cap of 0.3 an error costs 0.3 and no more: a mean of 0.15 allows errors on half of the samples
  EXPECT_DOUBLE_EQ(error_bound(0.15, 0.3), 0.5);
  EXPECT_DOUBLE_EQ(error_bound(0.15, 5), error_bound(0.15));
}

}  // namespace arks
