#include "certify/toys.h"

namespace arks {

namespace {

/// l(u) = u on the line, samples 0 or 1 with probability p, losses clipped to [0,1], c = ½(u−x)². The clipped loss of a
/// sample at 0 is min(u,1), that of one at 1 stays 1, so mean Λ_τ is p + (1−p)·Λ_τ(0) with Λ_τ(0) = min(τ/2, 1 − 1/(2τ)
/// for τ > 1). The worst case within rho moves samples from 0 only.
struct TwoPoints {
  double p = 0.3;
  std::vector<double> temperatures{0.05, 0.1, 0.2, 0.4, 0.8};

  /// sup over W_c ≤ rho of E[clip(l)] for rho ≤ (1−p)/2: every sample at 0 moves by t, (1−p)·t²/2 = rho.
  double truth(double rho) const { return p + (1 - p) * std::sqrt(2 * rho / (1 - p)); }

  DatasetPtr draw(int64_t count, uint64_t seed) const {
    auto generator = make_generator(seed, Stream::kAttack);
    const auto ones = torch::empty({count, 1}, torch::kDouble).uniform_(0, 1, generator) < p;
    return testing::float64_samples(ones.to(torch::kDouble));
  }
};

}  // namespace

TEST(Population, StatementsHoldAsOftenAsTheySay) {
  const TwoPoints toy;
  FunctionProblem problem([](const torch::Tensor& u, const torch::Tensor&) { return u.squeeze(1); });
  const std::vector<double> rhos{0, 0.01, 0.05, 0.1};
  auto options = CertificateOptions::c_transform(Quantity::kLoss, std::make_shared<HalfSquaredL2>())
                     .rhos(rhos)
                     .temperatures(toy.temperatures);
  options.transform().lipschitz(1.0).starts(1).ascent().steps(2);
  int wrong = 0, wrong_without = 0;
  const int trials = 100, count = 25;
  for (int trial = 0; trial < trials; ++trial) {
    const auto data = toy.draw(count, static_cast<uint64_t>(trial));
    auto population = CertificateOptions(options).label(CertificateLabel::kPopulation).delta(0.1).floor(0).cap(1);
    const auto certificate = certify(problem, *data, population);
    const auto samples_only = certify(problem, *data, options);
    bool holds = true, holds_without = true;
    for (size_t i = 0; i < rhos.size(); ++i) {
      holds = holds && certificate.curve[i].bound >= toy.truth(rhos[i]);
      holds_without = holds_without && samples_only.curve[i].bound >= toy.truth(rhos[i]);
    }
    wrong += holds ? 0 : 1;
    wrong_without += holds_without ? 0 : 1;
  }
  EXPECT_LE(wrong, trials / 10);
  EXPECT_GT(wrong_without, trials / 10) << "without concentration it must fail, else this shows nothing";
}

TEST(Population, AddsHoeffdingsTermForAllTemperaturesAndKeepsToTheCap) {
  testing::LinearQuantity toy(Quantity::kLogLoss);
  const std::vector<double> temperatures{0.1, 0.2, 0.4};
  auto options = CertificateOptions::arks().rhos({0, 0.01, 50}).temperatures(temperatures);
  options.transform().lipschitz(toy.norm);
  const auto verified = certify(toy.problem, *toy.data, options);
  options.label(CertificateLabel::kPopulation).delta(0.05).floor(std::exp(-20)).cap(std::exp(20));
  const auto population = certify(toy.problem, *toy.data, options);
  const double deviation = 40 * std::sqrt(std::log(3 / 0.05) / (2 * 6));
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(population.curve[i].bound, std::min(verified.curve[i].bound + deviation, 20.0), 1e-8);
  }
  EXPECT_NEAR(population.curve[2].bound, 20, 1e-12);
  EXPECT_EQ(population.delta, 0.05);
  EXPECT_NE(population.brief_report().find("except with probability 0.05"), std::string::npos);
}

TEST(Population, LossesCountAsTheFloorOrTheCap) {
  testing::LinearQuantity toy(Quantity::kLoss);
  auto options = CertificateOptions::wrm().rhos({0}).temperatures(std::vector<double>{1e-6});
  options.label(CertificateLabel::kPopulation).delta(0.1).floor(4).cap(4.5);
  options.transform().lipschitz(toy.norm);
  const auto clipped = (toy.x.matmul(toy.a) + 4).clamp(4, 4.5).mean().item<double>();
  const auto found = certify(toy.problem, *toy.data, options);
  EXPECT_NEAR(found.curve[0].bound, std::min(4.5, clipped + 0.5 * std::sqrt(std::log(10.0) / 12)), 1e-5);
  EXPECT_NEAR(found.attained.front().value, clipped, 1e-12);
}

}  // namespace arks
