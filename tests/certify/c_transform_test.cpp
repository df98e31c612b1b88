// The proved supremum of small networks against brute force, and what a transform leaves behind.
#include "certify/c_transform.h"
#include "certify/kernel_cost.h"
#include "certify/toys.h"

namespace arks {

namespace {

using testing::EluNet;

/// ‖W‖₂ of the dense layers: Lipschitz constant and smoothness of the network by the chain rule, here in a few lines of
/// its own. The quantity is ln CE: √2 and ½ in the logits.
struct Constants {
  double lipschitz, curvature;
};

Constants constants_of(const EluNet& net) {
  double lipschitz = 1, smoothness = 0;
  for (const auto& parameter : net.net->parameters()) {
    if (parameter.dim() != 2) continue;
    const double norm = std::get<1>(torch::svd(parameter.to(torch::kDouble))).max().item<double>();
    // the layer, then an ELU (1-Lipschitz, slope 1-Lipschitz); none follows the last, where it does no harm
    smoothness = norm * smoothness + norm * norm * lipschitz * lipschitz;
    lipschitz *= norm;
  }
  return {std::sqrt(2) * lipschitz, 0.5 * lipschitz * lipschitz + std::sqrt(2) * smoothness};
}

/// All points of a box, [m^d, d].
torch::Tensor grid(int64_t dimension, double low, double high, int64_t points) {
  const auto axis = torch::linspace(low, high, points, torch::kDouble);
  if (dimension == 1) return axis.unsqueeze(1);
  const auto axes = torch::meshgrid({axis, axis}, "ij");
  return torch::stack({axes[0].flatten(), axes[1].flatten()}, 1);
}

/// q of every sample's target at every point, [n,m].
torch::Tensor on_grid(EluNet& net, Quantity quantity, const torch::Tensor& points) {
  torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> found;
  for (int64_t i = 0; i < net.x.size(0); ++i) {
    const auto evaluation = net.problem.evaluate(points, net.y[i].expand({points.size(0)}), /*with_log_loss=*/true);
    found.push_back(quantity == Quantity::kLogLoss ? evaluation.log_loss : evaluation.loss);
  }
  return torch::stack(found);
}

}  // namespace

TEST(CTransform, NoPointOfAGridExceedsTheProvedSupremum) {
  const std::vector<CostPtr> costs{std::make_shared<HalfSquaredL2>(),
                                   std::make_shared<SquaredL2>(),
                                   std::make_shared<L2>(),
                                   std::make_shared<L1>(),
                                   std::make_shared<Linf>(),
                                   std::make_shared<LogQuadratic>(0.5),
                                   std::make_shared<KernelCost>(GaussianKernel(0.5)),
                                   std::make_shared<KernelCost>(LaplacianKernel(0.5, LaplacianNorm::kL2))};
  int64_t proved = 0;
  for (const int64_t dimension : {1, 2}) {
    const auto points = grid(dimension, -4, 4, dimension == 1 ? 2001 : 61);
    for (const uint64_t seed : {1, 2}) {
      EluNet net({dimension, 6, 3}, 1.2, seed, 4);
      const auto known = constants_of(net);
      for (const auto quantity : {Quantity::kLogLoss, Quantity::kLoss}) {
        const auto q = on_grid(net, quantity, points);
        for (const auto& cost : costs) {
          const auto moved = cost->pairwise(net.x, points);
          for (const bool bounded : {false, true}) {
            // a bound may not depend on how exact the ascent was
            auto options = CTransformOptions().quantity(quantity).cost(cost).starts(1);
            options.lipschitz(known.lipschitz).curvature(known.curvature).ascent().steps(3);
            if (bounded) options.domain(Bounds{-4, 4});
            CTransform transform(net.problem, *net.data, options);
            for (const double strength : {0.3, known.curvature * 1.2, 3 * known.lipschitz}) {
              const auto verified = transform.at(strength).verified;
              const auto best = (q - strength * moved).amax(1);
              EXPECT_LE((best - verified).max().item<double>(), 0)
                  << cost->name() << ", strength " << strength << ", dimension " << dimension << ", seed " << seed;
              proved += verified.isfinite().sum().item<int64_t>();
            }
          }
        }
      }
    }
  }
  EXPECT_GT(proved, 1000) << "most of the bounds were infinite, and proved nothing";
}

TEST(CTransform, TheProvedSupremumOfAConcaveProblemIsTheOneOfTheGrid) {
  EluNet net({2, 6, 3}, 0.8, 4, 4);
  const auto known = constants_of(net);
  CTransform transform(net.problem, *net.data, CTransformOptions().curvature(known.curvature));
  const double strength = 1.2 * known.curvature;
  const auto verified = transform.at(strength).verified;
  for (int64_t i = 0; i < 4; ++i) {
    double half_width = 4;
    auto centre = torch::zeros({2}, torch::kDouble);
    for (int zoom = 0; zoom < 4; ++zoom, half_width /= 10) {
      const auto points = centre + grid(2, -half_width, half_width, 41);
      const auto moved = HalfSquaredL2().pairwise(net.x.slice(0, i, i + 1), points)[0];
      const auto values = on_grid(net, Quantity::kLogLoss, points)[i] - strength * moved;
      centre = points[values.argmax().item<int64_t>()];
      if (zoom == 3) EXPECT_NEAR(values.max().item<double>(), verified[i].item<double>(), 1e-6);
      EXPECT_LE(values.max().item<double>(), verified[i].item<double>());
    }
  }
}

TEST(CTransform, ABoxIsUsedCoordinateByCoordinate) {
  // q = a·u with a curvature that is allowed but not there: over a box the bound is finite for every strength
  testing::LinearQuantity toy(Quantity::kLoss);
  toy.data = testing::float64_samples(toy.x.clamp(-1, 1));
  auto options = CTransformOptions().quantity(Quantity::kLoss).curvature(0.0).domain(Bounds{-1, 1});
  CTransform transform(toy.problem, *toy.data, options);
  const auto worst = transform.at(0);  // the corner: Σ|a_i| + 4
  EXPECT_LT(testing::max_difference(worst.verified, torch::full({6}, toy.a.abs().sum().item<double>() + 4)), 1e-8);
  EXPECT_LT(testing::max_difference(worst.estimated, worst.verified), 1e-8);
}

TEST(CTransform, LeavesTheModelAsItWas) {
  EluNet net({4, 5, 3}, 1);
  net.net->train();
  net.net->to(torch::kFloat);
  std::vector<torch::Tensor> before;
  std::vector<void*> memory;
  for (auto& parameter : net.net->parameters()) {
    before.push_back(parameter.detach().clone());
    memory.push_back(parameter.data_ptr());
  }
  {
    CTransform transform(net.problem, *net.data, CTransformOptions().lipschitz(100.0));
    EXPECT_EQ(net.net->parameters()[0].scalar_type(), torch::kDouble);
    EXPECT_FALSE(net.net->is_training());
    transform.at(2);
    testing::expect_error([&] { transform.at(-1); }, "must be finite and not negative, got -1");
  }
  EXPECT_TRUE(net.net->is_training());
  for (size_t i = 0; i < before.size(); ++i) {
    const auto parameter = net.net->parameters()[i];
    EXPECT_TRUE(testing::identical(parameter.detach(), before[i]));
    EXPECT_EQ(parameter.data_ptr(), memory[i]);
    EXPECT_TRUE(parameter.requires_grad());
    EXPECT_FALSE(parameter.grad().defined());
  }
  // and it can be trained as before
  net.problem.per_sample_loss(net.x.to(torch::kFloat), net.y).sum().backward();
  EXPECT_EQ(net.net->parameters()[0].grad().scalar_type(), torch::kFloat);
}

TEST(CTransform, AnExceptionFromTheListenerPassesAndTheModelIsAsBefore) {
  EluNet net({4, 5, 3}, 1);
  net.net->to(torch::kFloat);
  const auto stop = [](int64_t) { throw RunError("interrupted"); };
  auto options = CertificateOptions::arks().rhos({0.1});
  options.transform().on_samples(stop);
  testing::expect_run_error([&] { certify(net.problem, *net.data, options); }, "interrupted");
  EXPECT_EQ(net.net->parameters()[0].scalar_type(), torch::kFloat);
  EXPECT_TRUE(net.net->is_training());
}

TEST(CTransform, AConstantThatIsTooSmallIsContradictedByTheAscent) {
  testing::LinearQuantity toy(Quantity::kLoss);
  CTransform transform(toy.problem, *toy.data, CTransformOptions().quantity(Quantity::kLoss).lipschitz(0.5 * toy.norm));
  testing::expect_error([&] { transform.at(1); }, "a constant, given or computed, is too small");
}

TEST(CTransform, SamplesDoNotDependOnTheirBatch) {
  EluNet net({4, 5, 3}, 1);
  const auto options = CTransformOptions().lipschitz(100.0).starts(1);
  CTransform together(net.problem, *net.data, options);
  const auto all = together.at(1);
  CTransform apart(net.problem, *net.data, CTransformOptions(options).batch_size(3));
  EXPECT_LT(testing::max_difference(apart.at(1).estimated, all.estimated), 1e-10);
}

TEST(CTransform, RefusesWhatItCannotUse) {
  testing::LinearQuantity toy(Quantity::kLoss);
  const auto make = [&](const CTransformOptions& options) { CTransform(toy.problem, *toy.data, options); };
  testing::expect_error([&] { make(CTransformOptions().cost(nullptr)); }, "no cost given");
  testing::expect_error([&] { make(CTransformOptions().starts(0)); }, "starts must be positive, got 0");
  testing::expect_error([&] { make(CTransformOptions().batch_size(0)); }, "batch size must be positive, got 0");
  testing::expect_error([&] { make(CTransformOptions().lipschitz(-1.0)); }, "not negative, got -1");
  testing::expect_error([&] { make(CTransformOptions().curvature(HUGE_VAL)); }, "must be finite, got inf");
  testing::expect_error([&] { make(CTransformOptions().domain(Bounds{0, 0.1})); }, "outside the given range");
  CTransform transform(toy.problem, *toy.data, CTransformOptions());
  testing::expect_error([&] { transform.at(0); }, "needs a declared domain");
}

TEST(CTransform, RefusesAProblemThatComputesInFloat32) {
  const auto a = torch::ones({3});
  FunctionProblem problem([a](const torch::Tensor& u, const torch::Tensor&) { return u.matmul(a); });
  const auto data = testing::float64_samples(torch::ones({2, 3}, torch::kFloat));
  testing::expect_error([&] { CTransform(problem, *data, CTransformOptions()); }, "does not compute in float64");
  FunctionProblem narrowing(
      [a](const torch::Tensor& u, const torch::Tensor&) { return u.to(torch::kFloat).matmul(a); });
  testing::expect_error([&] { CTransform(narrowing, *data, CTransformOptions()); }, "a proof needs float64");
}

}  // namespace arks
