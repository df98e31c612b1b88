#include "support/samples.h"
#include "support/testing.h"

#include <cmath>
#include <limits>

namespace arks {

using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;

namespace {

const std::vector<std::vector<int64_t>> kShapes{{40}, {40, 7}, {40, 2, 5}, {40, 2, 3, 4}};
constexpr double kFar = std::numeric_limits<double>::infinity();

torch::Tensor uniform(const std::vector<int64_t>& shape, uint64_t seed = 3) {
  auto generator = make_generator(seed, Stream::kInitialisation);
  return torch::empty(shape, torch::kDouble).uniform_(0, 1, generator);
}

/// Rounding of x + δ − x in the type of the samples, |x| ≤ 4.
double rounding(const torch::Tensor& u) {
  return u.scalar_type() == torch::kFloat ? 2e-6 : 4e-15;
}

double largest_distance(Norm norm, const torch::Tensor& u, const torch::Tensor& x) {
  const auto delta = u - x;
  return (norm == Norm::kLinf ? delta.abs().max() : sample_norms(delta).max()).item<double>();
}

void expect_in_set(Norm norm, double eps, const std::optional<Bounds>& bounds, const torch::Tensor& u,
                   const torch::Tensor& x) {
  EXPECT_EQ(u.sizes(), x.sizes());
  EXPECT_EQ(u.scalar_type(), x.scalar_type());
  EXPECT_LE(largest_distance(norm, u, x), eps + rounding(x));
  if (bounds) {
    EXPECT_GE(u.min().item<double>(), bounds->low());
    EXPECT_LE(u.max().item<double>(), bounds->high());
  }
}

/// Calls with every ball, bounds, shape and type.
void for_every_set(const std::function<void(Norm, double eps, std::optional<Bounds>, const torch::Tensor& x)>& call) {
  for (const auto norm : {Norm::kLinf, Norm::kL2}) {
    for (const double eps : {0.0, 1e-3, 0.3, 2.0}) {
      for (const bool bounded : {false, true}) {
        for (const auto& shape : kShapes) {
          for (const auto type : {torch::kFloat, torch::kDouble}) {
            const auto bounds = bounded ? std::optional<Bounds>(Bounds{0, 1}) : std::nullopt;
            call(norm, eps, bounds, uniform(shape).to(type));
          }
        }
      }
    }
  }
}

}  // namespace

TEST(Constraint, HoldsPointsFromFarOut) {
  for_every_set([](Norm norm, double eps, std::optional<Bounds> bounds, const torch::Tensor& x) {
    const auto set = make_ball(norm, eps, bounds);
    for (const double scale : {1e-3, 1.0, 1e3, 1e25}) {  // in float32 the square of 1e25 is infinite
      const auto u = x + scale * normal(x.sizes().vec(), 9).to(x.scalar_type());
      expect_in_set(norm, eps, bounds, set->project(u, x), x);
    }
  });
}

TEST(Constraint, HoldsRandomStarts) {
  for_every_set([](Norm norm, double eps, std::optional<Bounds> bounds, const torch::Tensor& x) {
    auto generator = make_generator(4, Stream::kAttack);
    const auto u = make_ball(norm, eps, bounds)->random_point(x, generator);
    expect_in_set(norm, eps, bounds, u, x);
    if (eps > 0) {
      EXPECT_GT(largest_distance(norm, u, x), 0.2 * eps);  // of 40 samples at least one goes far
    }
  });
}

TEST(Constraint, LeavesPointsOfTheSetWhereTheyAre) {
  for_every_set([](Norm norm, double eps, std::optional<Bounds> bounds, const torch::Tensor& x) {
    const auto set = make_ball(norm, eps, bounds);
    EXPECT_TRUE(identical(set->project(x, x), x));
    auto inside = x + 0.99 * eps * unit_samples(normal(x.sizes().vec(), 5)).to(x.scalar_type());
    if (bounds) inside = inside.clamp(bounds->low(), bounds->high());
    EXPECT_TRUE(identical(set->project(inside, x), inside));
  });
}

TEST(Constraint, ProjectsOnceAndForAll) {
  for_every_set([](Norm norm, double eps, std::optional<Bounds> bounds, const torch::Tensor& x) {
    const auto set = make_ball(norm, eps, bounds);
    const auto once = set->project(x + 3 * normal(x.sizes().vec(), 9).to(x.scalar_type()), x);
    EXPECT_LE(max_difference(set->project(once, x), once), rounding(x));
  });
}

TEST(Constraint, OfLinfClampsEveryCoordinate) {
  const auto x = torch::tensor({{0.5, 0.1, 0.9}}, torch::kDouble);
  const auto u = torch::tensor({{5.0, -5.0, 0.95}}, torch::kDouble);
  EXPECT_LT(max_difference(LinfBall(0.2).project(u, x), torch::tensor({{0.7, -0.1, 0.95}}, torch::kDouble)), 1e-15);
  const auto bounded = LinfBall(0.2, Bounds{0, 1}).project(u, x);
  EXPECT_LT(max_difference(bounded, torch::tensor({{0.7, 0.0, 0.95}}, torch::kDouble)), 1e-15);
}

TEST(Constraint, OfL2ScalesTheSampleIntoTheBall) {
  const auto x = torch::tensor({{1.0, 1.0}, {1.0, 1.0}}, torch::kDouble);
  const auto u = torch::tensor({{4.0, -3.0}, {1.1, 1.0}}, torch::kDouble);  // (3,−4) away, and inside
  const auto expected = torch::tensor({{1.3, 0.6}, {1.1, 1.0}}, torch::kDouble);
  EXPECT_LT(max_difference(L2Ball(0.5).project(u, x), expected), 1e-15);
}

TEST(Constraint, OfL2KeepsTheDirectionFromAnyDistance) {
  const auto x = torch::zeros({1, 2});
  for (const float distance : {1e2f, 1e18f, 1e30f}) {
    const auto found = L2Ball(1).project(torch::tensor({{3 * distance, -4 * distance}}), x);
    EXPECT_LT(max_difference(found, torch::tensor({{0.6, -0.8}}, torch::kDouble)), 1e-6) << distance;  // float32
  }
}

TEST(Constraint, OfRadiusZeroIsThePointItself) {
  const auto x = uniform({5, 3});
  auto generator = make_generator(4, Stream::kAttack);
  for (const auto norm : {Norm::kLinf, Norm::kL2}) {
    EXPECT_TRUE(identical(make_ball(norm, 0, std::nullopt)->project(x + 1, x), x));
    EXPECT_TRUE(identical(make_ball(norm, 0, std::nullopt)->random_point(x, generator), x));
  }
}

TEST(Constraint, OfABoxClampsToTheBounds) {
  const Box box({-1, 2});
  for (const auto& shape : kShapes) {
    const auto x = uniform(shape);
    const auto u = 10 * normal(shape);
    EXPECT_TRUE(identical(box.project(u, x), u.clamp(-1, 2)));
    EXPECT_TRUE(identical(box.project(x, x), x));
  }
}

TEST(Constraint, OfAllOfSpaceMovesNothing) {
  const auto u = 1e9 * normal({4, 3});
  EXPECT_TRUE(identical(Unconstrained().project(u, normal({4, 3}, 2)), u));
}

TEST(Constraint, WithoutABallStartsAtX) {
  const auto x = uniform({4, 3});
  auto generator = make_generator(4, Stream::kAttack);
  const auto start = Unconstrained().random_point(x, generator);
  EXPECT_TRUE(identical(start, x));
  EXPECT_NE(start.data_ptr(), x.data_ptr());
}

TEST(Constraint, OfABoxStartsUniformlyInAllOfIt) {
  auto generator = make_generator(4, Stream::kAttack);
  const auto starts = Box({-2, 6}).random_point(torch::zeros({20000, 2}, torch::kDouble), generator);
  EXPECT_GE(starts.min().item<double>(), -2);
  EXPECT_LE(starts.max().item<double>(), 6);
  // mean 2, variance 64/12; four deviations of the mean of 40000 numbers
  EXPECT_NEAR(starts.mean().item<double>(), 2, 4 * std::sqrt(64.0 / 12 / 40000));
  EXPECT_NEAR(starts.var().item<double>(), 64.0 / 12, 0.1);
}

TEST(Constraint, OfL2StartsUniformlyInTheBall) {
  // uniform in the ball of d dimensions means (r/eps)^d uniform in [0,1]: mean 1/2, standard error 0.29/√20000 = 0.002
  for (const int64_t dimension : {1, 2, 3, 10}) {
    auto generator = make_generator(4, Stream::kAttack);
    const auto x = torch::full({20000, dimension}, 0.5, torch::kDouble);
    const auto delta = L2Ball(0.3).random_point(x, generator) - x;
    const auto filled = (sample_norms(delta) / 0.3).pow(static_cast<double>(dimension));
    EXPECT_NEAR(filled.mean().item<double>(), 0.5, 0.01) << dimension;
    EXPECT_NEAR(filled.var().item<double>(), 1.0 / 12, 0.005) << dimension;
    EXPECT_LT(delta.mean(0).abs().max().item<double>(), 0.01 * 0.3 * 3) << dimension;  // no direction preferred
  }
}

TEST(Constraint, OfLinfStartsUniformlyInTheBall) {
  auto generator = make_generator(4, Stream::kAttack);
  const auto x = torch::full({20000, 3}, 0.5, torch::kDouble);
  const auto delta = (LinfBall(0.3).random_point(x, generator) - x) / 0.3;
  EXPECT_LT(delta.mean(0).abs().max().item<double>(), 0.02);                      // standard error 0.004
  EXPECT_LT((delta.var(0) - 1.0 / 3).abs().max().item<double>(), 0.02);           // of [−1,1]
  EXPECT_GT((delta.abs() > 0.9).to(torch::kDouble).mean().item<double>(), 0.08);  // 0.1 expected
}

TEST(Constraint, RepeatsItsStartsFromTheSameGenerator) {
  const auto x = uniform({5, 2, 3});
  for (const auto norm : {Norm::kLinf, Norm::kL2}) {
    auto first = make_generator(4, Stream::kAttack), second = make_generator(4, Stream::kAttack);
    auto other = make_generator(5, Stream::kAttack);
    const auto set = make_ball(norm, 0.1, std::nullopt);
    const auto start = set->random_point(x, first);
    EXPECT_TRUE(identical(start, set->random_point(x, second)));
    EXPECT_FALSE(identical(start, set->random_point(x, other)));
    EXPECT_FALSE(identical(start, set->random_point(x, first)));
  }
}

TEST(Constraint, StartsWithoutAGraph) {
  auto x = uniform({5, 3}).set_requires_grad(true);
  auto generator = make_generator(4, Stream::kAttack);
  for (const auto norm : {Norm::kLinf, Norm::kL2}) {
    EXPECT_FALSE(make_ball(norm, 0.1, Bounds{0, 1})->random_point(x, generator).requires_grad());
  }
}

TEST(Constraint, RefusesARadiusThatIsNegativeOrNotFinite) {
  for (const double eps : {-0.1, std::nan(""), kFar}) {
    expect_error([&] { LinfBall{eps}; }, "eps must be finite and not negative, got ");
    expect_error([&] { L2Ball{eps}; }, "eps must be finite and not negative, got ");
  }
  expect_error([] { LinfBall(-0.1); }, "got -0.1");
}

TEST(Constraint, RefusesBoundsWithoutRoom) {
  expect_error([] { Box({1, 0}); }, "bounds: need low < high, got 1,0");
  expect_error([] { Box({0.5, 0.5}); }, "bounds: need low < high, got 0.5,0.5");
  expect_error([] { LinfBall(0.1, Bounds{1, 0}); }, "bounds: need low < high");
  expect_error([] { L2Ball(0.1, Bounds{1, 0}); }, "bounds: need low < high");
  expect_error([] { Box({std::nan(""), 1}); }, "bounds: need low < high");
  expect_error([] { Box({0, kFar}); }, "bounds: need low < high");
}

TEST(Constraint, LeavesOfAGradientWhatCanBeFollowed) {
  const auto row = [](std::vector<double> values) { return torch::tensor(values, torch::kDouble).unsqueeze(0); };
  const auto x = row({0.5, 0.5, 0.5, 0.95}), u = row({0.7, 0.7, 0.6, 1.0}), g = row({3, -3, 3, 3});
  const auto left = [&](const Constraint& set) { return set.followable(g, u, x); };
  EXPECT_TRUE(identical(left(Unconstrained()), g));
  EXPECT_TRUE(identical(left(Box({0, 1})), row({3, -3, 3, 0})));
  EXPECT_TRUE(identical(left(Box({0.7, 1})), row({3, 0, 3, 0})));
  EXPECT_TRUE(identical(LinfBall(0.25).followable(g, x + 0.25, x), row({0, -3, 0, 0})));
  EXPECT_TRUE(identical(LinfBall(0.25).followable(g, x - 0.25, x), row({3, 0, 3, 3})));
  EXPECT_TRUE(identical(left(LinfBall(0.25, Bounds{0, 1})), row({3, -3, 3, 0})));
}

TEST(Constraint, LeavesTheGradientAlongTheSurfaceOfTheL2Ball) {
  const auto x = torch::zeros({3, 2}, torch::kDouble);
  const auto u = torch::tensor({{2.0, 0.0}, {2.0, 0.0}, {1.0, 0.0}}, torch::kDouble);
  const auto g = torch::tensor({{5.0, 7.0}, {-5.0, 7.0}, {5.0, 7.0}}, torch::kDouble);
  const auto expected = torch::tensor({{0.0, 7.0}, {-5.0, 7.0}, {5.0, 7.0}}, torch::kDouble);
  EXPECT_LT(max_difference(L2Ball(2).followable(g, u, x), expected), 1e-14);
}

TEST(Constraint, OfLinfWithARadiusPerFeatureClampsEachByItsOwn) {
  const auto x = torch::tensor({{0.5, 0.1, 0.9}, {1.0, 2.0, 3.0}}, torch::kDouble);
  const auto radii = torch::tensor({0.2, 0.0, 1.5}, torch::kDouble);
  const auto far = 100 * normal({2, 3}, 5).sign();
  EXPECT_TRUE(identical(LinfBall(radii).project(x + far, x), x + radii * far.sign()));
  EXPECT_TRUE(identical(LinfBall(radii).project(x, x), x));
  const auto u = torch::tensor({{0.6, 0.4, 0.0}, {1.0, 2.0, 5.0}}, torch::kDouble);
  EXPECT_TRUE(
      identical(LinfBall(radii).project(u, x), torch::tensor({{0.6, 0.1, 0.0}, {1.0, 2.0, 4.5}}, torch::kDouble)));
  EXPECT_TRUE(identical(LinfBall(radii, Bounds{0, 3}).project(u, x),
                        torch::tensor({{0.6, 0.1, 0.0}, {1.0, 2.0, 3.0}}, torch::kDouble)));
}

TEST(Constraint, OfLinfWithEqualRadiiIsTheOneOfOneRadius) {
  for (const auto& shape : kShapes) {
    const auto x = uniform(shape), u = x + normal(shape, 9), g = normal(shape, 7);
    const LinfBall one(0.3), each(torch::full(torch::IntArrayRef(shape).slice(1), 0.3, torch::kDouble));
    EXPECT_TRUE(identical(each.project(u, x), one.project(u, x)));
    EXPECT_TRUE(identical(each.followable(g, one.project(u, x), x), one.followable(g, one.project(u, x), x)));
  }
}

TEST(Constraint, OfLinfWithARadiusPerFeatureStartsUniformlyInIt) {
  auto generator = make_generator(4, Stream::kAttack);
  const auto x = torch::full({20000, 3}, 0.5, torch::kDouble);
  const auto radii = torch::tensor({0.1, 0.0, 2.0}, torch::kDouble);
  const auto delta = LinfBall(radii).random_point(x, generator) - x;
  EXPECT_TRUE((delta.abs() <= radii + 1e-15).all().item<bool>());
  // standard error of the variance of [−1,1]: √(4/45/20000) = 0.002
  EXPECT_NEAR((delta.select(1, 0) / 0.1).var().item<double>(), 1.0 / 3, 0.01);
  EXPECT_NEAR((delta.select(1, 2) / 2.0).var().item<double>(), 1.0 / 3, 0.01);
}

TEST(Constraint, OfLinfWithARadiusPerFeatureLeavesWhatCanBeFollowed) {
  const auto x = torch::zeros({1, 4}, torch::kDouble), g = torch::tensor({{3.0, -3.0, 3.0, 3.0}}, torch::kDouble);
  const auto radii = torch::tensor({0.2, 0.2, 0.0, 1.0}, torch::kDouble);
  const auto u = torch::tensor({{0.2, 0.2, 0.0, 0.2}}, torch::kDouble);
  EXPECT_TRUE(identical(LinfBall(radii).followable(g, u, x), torch::tensor({{0.0, -3.0, 0.0, 3.0}}, torch::kDouble)));
}

TEST(Constraint, HoldsBoundsPerFeature) {
  const Bounds bounds(torch::tensor({0.0, -5.0, 2.0}, torch::kDouble), torch::tensor({1.0, 5.0, 2.0}, torch::kDouble));
  const auto x = torch::tensor({{0.9, -4.9, 2.0}, {0.1, 0.0, 2.0}}, torch::kDouble);
  auto generator = make_generator(4, Stream::kAttack);
  for (const auto norm : {Norm::kLinf, Norm::kL2}) {
    const auto set = make_ball(norm, 0.5, bounds);
    for (const auto& u : {set->project(x + 10 * normal({2, 3}, 9), x), set->random_point(x, generator)}) {
      EXPECT_TRUE(((u >= bounds.lows()) & (u <= bounds.highs())).all().item<bool>()) << u;
      EXPECT_LE(largest_distance(norm, u, x), 0.5 + 1e-15);
    }
    EXPECT_TRUE(identical(set->project(x, x), x));
  }
  const auto u = torch::tensor({{5.0, 5.5, 5.0}, {0.5, -9.0, 2.0}}, torch::kDouble);
  EXPECT_TRUE(identical(Box(bounds).project(u, x), torch::tensor({{1.0, 5.0, 2.0}, {0.5, -5.0, 2.0}}, torch::kDouble)));
}

TEST(Constraint, OfABoxPerFeatureStartsUniformlyInIt) {
  const Bounds bounds(torch::tensor({-2.0, 0.0, 3.0}, torch::kDouble), torch::tensor({6.0, 0.1, 3.0}, torch::kDouble));
  auto generator = make_generator(4, Stream::kAttack);
  const auto u = Box(bounds).random_point(torch::zeros({20000, 3}, torch::kDouble), generator);
  EXPECT_TRUE(((u >= bounds.lows()) & (u <= bounds.highs())).all().item<bool>());
  const auto middle = torch::tensor({2.0, 0.05, 3.0}, torch::kDouble);
  const auto width = bounds.highs() - bounds.lows();
  // standard errors of mean and variance of [0,1]: 0.002 and 0.0005
  EXPECT_TRUE(((u.mean(0) - middle).abs() <= 0.01 * width).all().item<bool>()) << u.mean(0);
  EXPECT_TRUE(((u.var(0) - width.square() / 12).abs() <= 0.003 * width.square()).all().item<bool>()) << u.var(0);
}

TEST(Constraint, ScalesTheRadiusPerFeature) {
  const auto scale = torch::tensor({1.0, 0.0, 3.0}, torch::kFloat);
  const auto x = torch::zeros({1, 3}, torch::kDouble);
  const auto ball = make_ball(Norm::kLinf, 0.5, std::nullopt, scale);
  EXPECT_TRUE(identical(ball->project(x + 9, x), torch::tensor({{0.5, 0.0, 1.5}}, torch::kDouble)));
}

TEST(Constraint, RefusesRadiiThatAreNone) {
  const auto row = [](std::vector<double> values) { return torch::tensor(values, torch::kDouble); };
  const auto scaled = [](Norm norm, const torch::Tensor& scale) { make_ball(norm, 0.1, std::nullopt, scale); };
  expect_error(
      [&] {
        LinfBall{row({0.1, -0.2})};
      },
      "eps must be finite and not negative in every feature, got -0.2 to 0.1");
  expect_error([&] { LinfBall{row({0.1, std::nan("")})}; }, "eps must be finite");
  expect_error([&] { LinfBall{torch::empty({0})}; }, "eps: one value per feature is needed, got none");
  expect_error([&] { scaled(Norm::kLinf, row({1, -1})); }, "eps scale must be finite and not negative");
  expect_error([&] { scaled(Norm::kLinf, row({0, 0})); }, "eps scale: all factors are 0, so nothing could move");
  expect_error([&] { scaled(Norm::kL2, row({1, 1})); }, "a radius per feature needs norm linf, not l2");
  const auto x = torch::zeros({2, 3}, torch::kDouble);
  expect_error(
      [&] {
        LinfBall(row({1, 1})).project(x, x);
      },
      "eps: shape [2] does not fit samples of shape [3]; expected that shape");
}

}  // namespace arks
