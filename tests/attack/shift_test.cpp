// Attacks that look at no model, and what all attacks have in common.
#include "attack/samples.h"

#include <cmath>

namespace arks {

using testing::classes;
using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;
using testing::perturbed;
using testing::small_problem;
using testing::unit_inputs;

namespace {

/// Must not be asked.
FunctionProblem nobody() {
  return FunctionProblem([](const torch::Tensor&, const torch::Tensor&) -> torch::Tensor {
    throw std::logic_error("a shift looked at the model");
  });
}

torch::Tensor shifted(const Attack& attack, const torch::Tensor& x, const std::optional<Bounds>& bounds = std::nullopt,
                      uint64_t seed = 0) {
  auto problem = nobody();
  return perturbed(attack, problem, x, torch::zeros({x.size(0)}), bounds, seed);
}

UniformNoise noise(double eps) {
  return UniformNoise(UniformNoiseOptions().eps(eps));
}

Scaling scaling(double eps) {
  return Scaling(ScalingOptions().eps(eps));
}

}  // namespace

TEST(UniformNoise, IsUniformAroundTheSample) {
  const auto x = normal({20000, 3});
  const auto delta = shifted(noise(0.4), x) - x;
  EXPECT_LE(delta.abs().max().item<double>(), 0.4 + 1e-15);
  EXPECT_GT(delta.abs().max().item<double>(), 0.4 * 0.999);
  // standard errors for 60000 draws: mean 0.4·0.577/√60000 = 0.001, variance 0.16·0.298/√60000 = 0.0002
  EXPECT_NEAR(delta.mean().item<double>(), 0, 0.004);
  EXPECT_NEAR(delta.var().item<double>(), 0.16 / 3, 0.0008);
  // a quarter of the draws in each quarter of the range
  for (const double edge : {-0.2, 0.0, 0.2}) {
    EXPECT_NEAR((delta < edge).to(torch::kDouble).mean().item<double>(), (edge + 0.4) / 0.8, 0.008) << edge;
  }
  // no value depends on its neighbour: correlation with standard error 1/√20000 = 0.007
  const auto pair = delta.select(1, 0) * delta.select(1, 1);
  EXPECT_NEAR(pair.mean().item<double>() / (0.16 / 3), 0, 0.03);
}

TEST(UniformNoise, IsTheSameDrawForEveryStrength) {
  const auto x = normal({50, 4});
  const auto unit = shifted(noise(1), x) - x;
  for (const double eps : {0.0, 0.1, 0.5, 3.0}) {
    EXPECT_LT(max_difference(shifted(noise(eps), x) - x, eps * unit), 1e-14) << eps;
  }
  EXPECT_FALSE(identical(shifted(noise(1), x, {}, 1), shifted(noise(1), x, {}, 2)));
  EXPECT_TRUE(identical(shifted(noise(0), x), x));
}

TEST(UniformNoise, DoesNotDependOnTheBatchesItIsDrawnIn) {
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    const auto x = normal({40, 3}).to(type);
    auto generator = make_generator(0, Stream::kAttack);
    auto problem = nobody();
    std::vector<torch::Tensor> parts;
    for (const auto& part : x.split(17)) {
      parts.push_back(noise(0.5).perturb(problem, part, torch::zeros({part.size(0)}), {}, generator).inputs);
    }
    EXPECT_TRUE(identical(torch::cat(parts), shifted(noise(0.5), x)));
  }
}

TEST(UniformNoise, FollowsTheValuesWhateverTheLayout) {
  const auto x = normal({5, 3, 4, 4});
  EXPECT_TRUE(identical(shifted(noise(0.5), x.contiguous(torch::MemoryFormat::ChannelsLast)).contiguous(),
                        shifted(noise(0.5), x)));
}

TEST(UniformNoise, HasAStrengthPerFeature) {
  const auto x = normal({100, 3});
  const auto scale = torch::tensor({1.0, 0.0, 5.0}, torch::kDouble);
  const UniformNoise scaled(UniformNoiseOptions().eps(0.2).eps_scale(scale));
  EXPECT_LT(max_difference(shifted(scaled, x) - x, scale * (shifted(noise(0.2), x) - x)), 1e-14);
}

TEST(UniformNoise, RefusesStrengthsThatAreNone) {
  expect_error([] { noise(-0.1); }, "eps must be finite and not negative, got -0.1");
  expect_error([] { noise(std::nan("")); }, "eps must be finite");
  expect_error([] { UniformNoise attack(UniformNoiseOptions().eps_scale(-torch::ones({2}))); }, "not negative");
}

TEST(Scaling, MakesAllInputsLargerByOneFactor) {
  const auto x = normal({6, 3});
  for (const double eps : {-1.0, -0.5, 0.0, 0.5, 4.0}) {
    EXPECT_TRUE(identical(shifted(scaling(eps), x), (1 + eps) * x)) << eps;
  }
}

TEST(Scaling, RefusesStrengthsThatAreNone) {
  expect_error([] { scaling(-1.5); }, "scale: eps must be finite and at least -1, got -1.5");
  expect_error([] { scaling(INFINITY); }, "scale: eps must be finite");
}

TEST(Shift, TellsWhatItIs) {
  EXPECT_EQ(noise(0.3).name(), "uniform");
  EXPECT_EQ(noise(0.3).eps(), 0.3);
  EXPECT_TRUE(noise(0.3).is_shift());
  EXPECT_EQ(scaling(0.7).name(), "scale");
  EXPECT_EQ(scaling(0.7).eps(), 0.7);
  EXPECT_TRUE(scaling(0.7).is_shift());
  EXPECT_FALSE(PgdAttack().is_shift());
  EXPECT_FALSE(FgsmAttack().is_shift());
}

TEST(Shift, ClampsOnlyWhereBoundsAreDeclared) {
  const auto x = unit_inputs(40, 3);
  for (const Attack* attack : std::vector<const Attack*>{new UniformNoise(noise(2)), new Scaling(scaling(2))}) {
    const std::unique_ptr<const Attack> owned(attack);
    const auto free = shifted(*attack, x);
    EXPECT_GT(free.max().item<double>(), 1);
    EXPECT_TRUE(identical(shifted(*attack, x, Bounds{0, 1}), free.clamp(0, 1)));
    expect_error([&] { shifted(*attack, x + 1, Bounds{0, 1}); }, "attack: inputs are outside the given range [0, 1]");
  }
}

TEST(Shift, TakesAnyShapeOfSample) {
  for (const auto& shape : std::vector<std::vector<int64_t>>{{5}, {5, 1}, {5, 4}, {5, 2, 3}, {5, 1, 2, 2}}) {
    EXPECT_EQ(shifted(noise(1), normal(shape)).sizes(), shape);
    EXPECT_EQ(shifted(scaling(1), normal(shape)).sizes(), shape);
  }
}

TEST(Attack, OfEveryKindRespectsBoundsPerFeature) {
  auto problem = small_problem();
  const auto x = unit_inputs(40, 8), y = classes(40);
  auto low = torch::full({8}, -0.1, torch::kDouble), high = torch::full({8}, 1.05, torch::kDouble);
  low[3] = -9;
  high[3] = 9;
  high[5] = 1;
  const Bounds bounds(low, high);
  std::vector<std::unique_ptr<Attack>> attacks;
  attacks.push_back(std::make_unique<UniformNoise>(noise(2)));
  attacks.push_back(std::make_unique<Scaling>(scaling(3)));
  for (const auto norm : {Norm::kLinf, Norm::kL2}) {
    attacks.push_back(std::make_unique<FgsmAttack>(FgsmOptions().eps(3).norm(norm)));
    for (const bool project : {false, true}) {
      const auto options = PgdOptions().eps(3).alpha(1).steps(5).norm(norm).project_bounds(project);
      attacks.push_back(std::make_unique<PgdAttack>(options));
      attacks.push_back(std::make_unique<PgdAttack>(PgdOptions(options).random_start(true).restarts(2)));
    }
  }
  for (const auto& attack : attacks) {
    const auto u = perturbed(*attack, problem, x, y, bounds);
    EXPECT_TRUE(((u >= low) & (u <= high)).all().item<bool>()) << attack->name();
    EXPECT_GT((u == high).sum().item<int64_t>(), 10) << attack->name() << " should press against the edges";
    EXPECT_GT(u.select(1, 3).max().item<double>(), 1.05) << attack->name() << " may go far in feature 3";
    expect_error([&] { perturbed(*attack, problem, x - 1, y, bounds); }, "its range is [-0.1, 1.05]");
    expect_error([&] { perturbed(*attack, problem, x, y, Bounds(low.slice(0, 0, 7), high.slice(0, 0, 7))); },
                 "bounds: shape [7] does not fit samples of shape [8]");
  }
}

}  // namespace arks
