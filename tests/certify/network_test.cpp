// Certificates of networks: tight where the inner problem is concave, and not broken by attacks.
#include "certify/loss_bounds.h"
#include "certify/toys.h"

namespace arks {

namespace {

using testing::EluNet;

double mean_of(const torch::Tensor& values) {
  return values.mean().item<double>();
}

torch::Tensor log_losses(EluNet& net, const torch::Tensor& u) {
  return net.problem.evaluate(u, net.y, /*with_log_loss=*/true).log_loss;
}

/// Moves scaled so that mean ½‖u−x‖² is rho, however it is shared between the samples.
torch::Tensor at_cost(const torch::Tensor& x, const torch::Tensor& moves, double rho) {
  const auto spent = mean_of(HalfSquaredL2()(x + moves, x));
  return x + moves * std::sqrt(rho / spent);
}

}  // namespace

class ConcaveNetwork : public ::testing::Test {
 protected:
  /// At σ a little below the largest provable one.
  Certificate certified(const std::vector<double>& rhos, std::optional<std::vector<double>> temperatures) {
    return certify(net_.problem, *net_.data, CertificateOptions::arks().rhos(rhos).temperatures(temperatures));
  }
  double largest_temperature() const {
    return 1 / *bound_loss(net_.problem, net_.data->info().input_shape, /*log=*/true).curvature;
  }

  EluNet net_{{4, 8, 3}, 0.5, 20, 30};
};

TEST_F(ConcaveNetwork, VerifiedAndEstimatedBoundsTouchTheAttainedCurve) {
  const double temperature = 0.9 * largest_temperature();
  const auto first = certified({0}, std::vector<double>{temperature});
  const auto& attained = first.attained.back();
  EXPECT_GT(attained.rho, 1e-4);
  const auto certificate = certified({attained.rho}, std::vector<double>{temperature});
  const auto& point = certificate.curve.front();
  EXPECT_NEAR(point.bound, attained.value, 1e-6);
  EXPECT_GE(point.bound, attained.value);
  EXPECT_NEAR(point.estimated, attained.value, 1e-8);
  EXPECT_GT(*point.bound_paper, point.bound);

  std::vector<double> rhos;
  for (int i = 0; i < 4; ++i) rhos.push_back(attained.rho * (i + 1) / 5);
  for (const auto& searched : certified(rhos, std::nullopt).curve) {
    EXPECT_NEAR(searched.bound, searched.attained, 1e-4);
    EXPECT_GE(searched.bound, searched.attained);
    EXPECT_LT(searched.temperature, largest_temperature());
  }
}

TEST_F(ConcaveNetwork, ThousandsOfAttacksDoNotBreakTheBound) {
  const double temperature = 0.9 * largest_temperature();
  const double rho = certified({0}, std::vector<double>{temperature}).attained.back().rho;
  const double bound = certified({rho}, std::vector<double>{temperature}).curve.front().bound;
  double strongest = -HUGE_VAL;
  const auto attack = [&](const torch::Tensor& moves) {
    const auto u = at_cost(net_.x, moves, rho);
    ASSERT_NEAR(mean_of(HalfSquaredL2()(u, net_.x)), rho, 1e-12);
    strongest = std::max(strongest, mean_of(log_losses(net_, u)));
  };
  auto x = net_.x.clone().set_requires_grad(true);
  const auto gradient = torch::autograd::grad({log_losses(net_, x).sum()}, {x})[0];
  torch::NoGradGuard no_grad;
  for (uint64_t i = 0; i < 2000; ++i) {
    const auto budgets = testing::normal({30, 1}, 3 * i).abs();
    const auto noise = testing::normal({30, 4}, 3 * i + 1);
    attack(i % 2 == 0 ? budgets * noise : budgets * gradient + 0.1 * noise * static_cast<double>(i % 3));
  }
  // and a gradient attack with many steps, the budget shared by all samples
  auto u = at_cost(net_.x, gradient, rho);
  for (int step = 0; step < 300; ++step) {
    torch::Tensor slope;
    {
      const torch::AutoGradMode grad_on(true);
      auto at = u.clone().set_requires_grad(true);
      slope = torch::autograd::grad({log_losses(net_, at).sum()}, {at})[0];
    }
    u = at_cost(net_.x, u - net_.x + 0.1 * slope, rho);
    attack(u - net_.x);
  }
  EXPECT_LE(strongest, bound);
  EXPECT_GT(strongest, bound - 1e-3) << "the attacks were too weak to break anything";
}

TEST_F(ConcaveNetwork, ALossIsCertifiedLikewise) {
  const double curvature = *bound_loss(net_.problem, net_.data->info().input_shape, /*log=*/false).curvature;
  auto options = CertificateOptions::wrm().rhos({0}).temperatures(temperatures_of_gammas({0.6 * curvature}));
  const auto attained = certify(net_.problem, *net_.data, options).attained.back();
  const auto point = certify(net_.problem, *net_.data, options.rhos({attained.rho})).curve.front();
  EXPECT_NEAR(point.bound, attained.value, 1e-6);
  EXPECT_GE(point.bound, attained.value);
}

TEST(NetworkCertificate, OfTheFashionCnnIsEstimatedWhereAttained) {
  const auto data = testing::toy_dataset(3);
  SupervisedProblem problem(FashionCnn(FashionCnnOptions().seed(3)), CrossEntropy());
  auto options = CertificateOptions::arks().rhos({0.1}).label(CertificateLabel::kEstimated);
  options.transform().starts(1).ascent().steps(20);
  const auto estimated = certify(problem, *data, options);
  const auto& point = estimated.curve.front();
  EXPECT_NEAR(point.estimated, point.attained, 1e-3);
  EXPECT_LE(point.attained, point.estimated);
  ASSERT_TRUE(estimated.lipschitz.has_value());
  EXPECT_FALSE(estimated.curvature.has_value());
  EXPECT_NE(estimated.full_report().find("Lipschitz constant G = "), std::string::npos) << estimated.full_report();

  // the proof by G alone is true and loose
  const auto verified = certify(problem, *data, options.label(CertificateLabel::kVerified)).curve.front();
  const double mean = estimated.attained.front().value;
  EXPECT_NEAR(verified.bound, mean + *estimated.lipschitz * std::sqrt(2 * 0.1), 1e-6);
  EXPECT_GT(verified.bound, point.estimated);
}

TEST(NetworkCertificate, NamesTheLayerThatCannotBeBounded) {
  torch::nn::Sequential net(torch::nn::Linear(4, 6), torch::nn::GELU(), torch::nn::Linear(6, 3));
  SupervisedProblem problem(net, CrossEntropy());
  const auto data = testing::toy_dataset(6, {4}, 3);
  const auto options = CertificateOptions::arks().rhos({0.1});
  testing::expect_error([&] { certify(problem, *data, options); }, "GELU");
  testing::expect_error([&] { certify(problem, *data, options); }, "--label estimated works without a proof");
  const auto estimated = certify(problem, *data, CertificateOptions(options).label(CertificateLabel::kEstimated));
  EXPECT_TRUE(std::isfinite(estimated.curve.front().bound));
  EXPECT_NE(estimated.why_no_lipschitz.find("GELU"), std::string::npos);
}

/// Its constants are not those of its model and criterion.
struct Tenfold : SupervisedProblem {
  using SupervisedProblem::SupervisedProblem;
  Evaluation evaluate(const torch::Tensor& u, const torch::Tensor& y, bool with_log) override {
    auto found = SupervisedProblem::evaluate(u, y, with_log);
    found.loss = 10 * found.loss;
    return found;
  }
};

TEST(NetworkCertificate, IsNotProvedForAClassThatMayComputeAnotherLoss) {
  Tenfold problem(Mlp(MlpOptions(4, 3)), CrossEntropy());
  const auto data = testing::toy_dataset(6, {4}, 3);
  testing::expect_error([&] { certify(problem, *data, CertificateOptions::wrm().rhos({0.1})); },
                        "a problem without layers has no other");
}

TEST(NetworkCertificate, KernelEnvelopeOnADomainIsAboveWhatIsAttained) {
  EluNet net({2, 6, 3}, 0.8, 30, 10);
  auto options = CertificateOptions::kernel_envelope(GaussianKernel(0.8), Bounds{-3, 3}).rhos({0, 0.05, 0.2, 0.9});
  const auto certificate = certify(net.problem, *net.data, options);
  double previous = -HUGE_VAL;
  for (const auto& point : certificate.curve) {
    EXPECT_GE(point.bound, point.attained);
    EXPECT_NEAR(point.estimated, point.attained, 1e-3) << point.rho;
    EXPECT_GE(point.attained, previous);
    previous = point.attained;
  }
  EXPECT_EQ(certificate.parameter(), "gamma");
}

TEST(NetworkCertificate, OfTheResNetIsEstimatedWhereAttainedAndProvedByItsLipschitzConstant) {
  const auto data = testing::toy_dataset(3, {3, 32, 32});
  ResNet20 net;
  net->forward(data->get(torch::arange(3)).inputs);  // moves the statistics; the model stays in training mode
  SupervisedProblem problem(net, CrossEntropy());
  std::vector<torch::Tensor> before;
  for (const auto& [name, tensor] : problem.state()) before.push_back(tensor.detach().clone());
  auto options = CertificateOptions::arks()
                     .rhos({0.01})
                     .temperatures(std::vector<double>{0.01})  // one, for the time it takes
                     .label(CertificateLabel::kEstimated);
  options.transform().starts(1).ascent().steps(5);
  const auto estimated = certify(problem, *data, options);
  const auto& point = estimated.curve.front();
  EXPECT_LE(point.attained, point.estimated);
  ASSERT_TRUE(estimated.lipschitz.has_value());
  EXPECT_FALSE(estimated.curvature.has_value()) << "ReLU is not smooth";

  // true, and useless: the norms of 28 convolutions and batch norms are multiplied
  const auto verified = certify(problem, *data, options.label(CertificateLabel::kVerified)).curve.front();
  const double mean = estimated.attained.front().value;
  const double proved = mean + 0.01 * *estimated.lipschitz * *estimated.lipschitz / 2 + 0.01 / 0.01;
  EXPECT_NEAR(verified.bound / proved, 1, 1e-9);
  EXPECT_GT(verified.bound, 100 * std::abs(point.estimated));
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_TRUE(testing::identical(problem.state()[i].second.detach(), before[i])) << problem.state()[i].first;
  }
}

}  // namespace arks
