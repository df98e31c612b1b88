// Inner maximisations on the plan against those on libtorch: every rule, objective, cost and constraint set.
#include "engine/climbs.h"
#include "problem/kl_divergence.h"

#include <limits>

namespace arks {

using testing::identical;
using testing::normal;

namespace {

namespace nn = torch::nn;

struct Case {
  std::string name;
  Model model;
  Samples samples;
};

std::vector<Case> smooth_networks() {
  return {{"perceptron", Mlp(MlpOptions(5, 3)), labelled({19, 5}, 3)},
          {"conv net", small_conv_net(), labelled(small_images(11), 4)}};
}

AscentOptions ascent(AscentRule rule) {
  return AscentOptions().rule(rule).steps(15).learning_rate(rule == AscentRule::kNormalized ? 0.2 : 0.05);
}

const std::vector<AscentRule> kRules{AscentRule::kSgd, AscentRule::kAdam, AscentRule::kAmsgrad, AscentRule::kSign,
                                     AscentRule::kNormalized};

std::vector<InnerObjectivePtr> objectives() {
  return {std::make_shared<KernelProduct>(40.0), std::make_shared<LogKernelProduct>(40.0),
          std::make_shared<LinearPenalty>(0.02), std::make_shared<KernelDistance>(0.4, 40.0),
          std::make_shared<LossAlone>()};
}

}  // namespace

TEST(EngineMaximizer, ClimbsAsLibtorchByEveryRuleAndObjective) {
  for (const auto& [name, model, samples] : smooth_networks()) {
    for (const auto rule : kRules) {
      const auto all = objectives();
      for (size_t i = 0; i < all.size(); ++i) {
        SCOPED_TRACE(c10::str(name, ", rule ", static_cast<int>(rule), ", objective ", i));
        Climb climb;
        climb.objective = all[i];
        climb.ascent = ascent(rule);
        expect_same_climb(climb, model, CrossEntropy(), samples);
      }
    }
  }
}

TEST(EngineMaximizer, ClimbsAsLibtorchWithEveryCost) {
  const std::vector<CostPtr> costs{make_cost("half-sq-l2"), make_cost("sq-l2"), make_cost("l2"), make_cost("l1"),
                                   std::make_shared<LogQuadratic>(1.5)};
  for (const auto& [name, model, samples] : smooth_networks()) {
    for (const auto& cost : costs) {
      for (const auto rule : {AscentRule::kSgd, AscentRule::kAmsgrad}) {
        SCOPED_TRACE(c10::str(name, ", ", cost->name(), ", rule ", static_cast<int>(rule)));
        Climb climb;
        climb.cost = cost;
        // the longest costs would hold a sample where it is
        climb.objective = std::make_shared<LinearPenalty>(cost->name() == "l1" ? 0.01 : 0.05);
        climb.ascent = ascent(rule);
        expect_same_climb(climb, model, CrossEntropy(), samples);
        climb.objective = std::make_shared<KernelProduct>(cost->name() == "l1" ? 400.0 : 40.0);
        expect_same_climb(climb, model, CrossEntropy(), samples);
      }
    }
  }
}

TEST(EngineMaximizer, StaysInEveryConstraintSetAsLibtorch) {
  for (const auto& [name, model, samples] : smooth_networks()) {
    auto x = samples.x.clamp(-1, 1);
    const int64_t features = x[0].numel();
    const auto low = torch::linspace(-1.2, -1, features), high = torch::linspace(1, 1.5, features);
    const std::vector<ConstraintPtr> sets{
        std::make_shared<Box>(Bounds(-1.1, 1.1)),
        std::make_shared<Box>(Bounds(low, high)),
        std::make_shared<LinfBall>(0.3),
        std::make_shared<LinfBall>(0.3, Bounds(-1.1, 1.1)),
        std::make_shared<LinfBall>(torch::linspace(0, 0.4, features), Bounds(low, high)),
        std::make_shared<L2Ball>(0.4),
        std::make_shared<L2Ball>(0.4, Bounds(-1.1, 1.1)),
        make_ball(Norm::kLinf, 0.2, Bounds(-1.1, 1.1), torch::linspace(0.5, 2, features)),
    };
    for (size_t i = 0; i < sets.size(); ++i) {
      for (const auto rule : kRules) {
        SCOPED_TRACE(c10::str(name, ", set ", i, ", rule ", static_cast<int>(rule)));
        Climb climb;
        climb.objective = std::make_shared<LossAlone>();
        climb.cost = nullptr;
        climb.constraint = sets[i];
        // the last: on the edge of a set the best of several that are as good but for rounding may be another one
        climb.ascent = ascent(rule).returned(InnerReturn::kLast);
        const auto found = expect_same_climb(climb, model, CrossEntropy(), {x, samples.y});
        EXPECT_LE(testing::max_difference(sets[i]->project(found.u, x), found.u), 1e-6);
      }
    }
  }
}

TEST(EngineMaximizer, TakesStepScalesDecayAndStarts) {
  for (const auto& [name, model, samples] : smooth_networks()) {
    SCOPED_TRACE(name);
    Climb climb;
    climb.ascent = ascent(AscentRule::kSign).step_scale(torch::linspace(0.1, 2, samples.x[0].numel()));
    expect_same_climb(climb, model, CrossEntropy(), samples);
    for (const auto rule : kRules) {
      climb.ascent = ascent(rule).learning_rate_decay(true).momentum(0.5);
      const auto start = samples.x + normal(samples.x.sizes().vec(), 7).mul(0.2).to(torch::kFloat);
      expect_same_climb(climb, model, CrossEntropy(), samples, start);
    }
  }
}

TEST(EngineMaximizer, ReturnsTheBestOrTheLastIterate) {
  // steps so long that many samples end below where they have been
  for (const auto& [name, model, samples] : smooth_networks()) {
    SCOPED_TRACE(name);
    Climb climb;
    climb.objective = std::make_shared<LinearPenalty>(1.0);
    climb.ascent = ascent(AscentRule::kSgd).learning_rate(0.3);
    const auto best = expect_same_climb(climb, model, CrossEntropy(), samples);
    climb.ascent.returned(InnerReturn::kLast);
    const auto last = expect_same_climb(climb, model, CrossEntropy(), samples, {}, 1e-4);
    EXPECT_TRUE((best.values >= last.values).all().item<bool>());
    EXPECT_TRUE((best.values > last.values).any().item<bool>());
    for (const auto returned : {InnerReturn::kBest, InnerReturn::kLast}) {
      climb.ascent.steps(0).returned(returned);
      const auto found = expect_same_climb(climb, model, CrossEntropy(), samples);
      EXPECT_TRUE(identical(found.u, samples.x));
      EXPECT_TRUE(identical(found.losses, found.start_losses));
    }
  }
}

TEST(EngineMaximizer, FindsTheSameLastPointWithoutMeasuringIt) {
  for (const auto mode : {InnerMode::kEval, InnerMode::kTrain}) {
    for (const int64_t steps : {1, 4}) {
      const auto found = [&](bool measured) {
        torch::manual_seed(4);
        nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(3, 10, 3)), nn::BatchNorm2d(10), nn::ELU(), nn::Flatten(),
                           nn::Linear(150, 4));
        SupervisedProblem problem(net, CrossEntropy());
        Climb climb;
        climb.ascent = AscentOptions().rule(AscentRule::kSign).steps(steps).learning_rate(0.1).mode(mode);
        climb.ascent.returned(InnerReturn::kLast).measures_last(measured);
        climb.objective = std::make_shared<LossAlone>();
        climb.cost = nullptr;
        climb.constraint = std::make_shared<LinfBall>(0.2);
        const auto samples = labelled(small_images(13), 4);
        const auto compiled = climb.on(problem);
        const auto result = compiled->maximize(samples.x, samples.y);
        EXPECT_TRUE(compiled->info().compiled) << compiled->info().why_not;
        EXPECT_EQ(net->buffers()[2].item<int64_t>(), mode == InnerMode::kTrain ? steps : 0);
        return result;
      };
      const auto measured = found(true), unmeasured = found(false);
      EXPECT_TRUE(identical(unmeasured.u, measured.u)) << steps;
      EXPECT_EQ(unmeasured.terminations, measured.terminations);
      EXPECT_TRUE(identical(unmeasured.start_losses, measured.start_losses));
      if (steps == 1) EXPECT_TRUE(identical(unmeasured.losses, unmeasured.start_losses)) << "those before the step";
    }
  }
}

TEST(EngineMaximizer, DoesNotTakeALastPointThatIsNotFinite) {
  for (const auto mode : {InnerMode::kEval, InnerMode::kTrain}) {  // in chunks, and all at once
    torch::manual_seed(4);
    nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(3, 10, 3)), nn::BatchNorm2d(10), nn::ELU(), nn::Flatten(),
                       nn::Linear(150, 4));
    SupervisedProblem problem(net, CrossEntropy());
    Climb climb;
    climb.objective = std::make_shared<LossAlone>();
    climb.cost = nullptr;
    climb.ascent = AscentOptions().rule(AscentRule::kSign).steps(1).learning_rate(1e39).mode(mode);  // not in float32
    climb.ascent.returned(InnerReturn::kLast).measures_last(false);
    const auto samples = labelled(small_images(3), 4);
    const auto compiled = climb.on(problem);
    const auto result = compiled->maximize(samples.x, samples.y);
    EXPECT_TRUE(compiled->info().compiled) << compiled->info().why_not;
    EXPECT_TRUE(identical(result.u, samples.x));
    EXPECT_EQ(result.count(Termination::kNotFinite), 3);
  }
}

TEST(EngineMaximizer, TakesTheSquaredError) {
  for (const int64_t outputs : {1, 3, 70}) {
    SCOPED_TRACE(outputs);
    Samples samples{normal({9, 6}, 2).to(torch::kFloat), normal({9, outputs}, 3).to(torch::kFloat)};
    if (outputs == 1) samples.y = samples.y.squeeze(1);
    for (const auto& objective : objectives()) {
      Climb climb;
      climb.objective = objective;
      climb.ascent = AscentOptions().rule(AscentRule::kSgd).steps(10).learning_rate(0.002);
      const auto found = expect_same_climb(climb, Mlp(MlpOptions(6, outputs)), SquaredError(), samples);
      EXPECT_FALSE(found.start_wrong.defined());
    }
  }
}

TEST(EngineMaximizer, TakesDistributionsAsTargets) {
  for (auto& [name, model, samples] : smooth_networks()) {
    SCOPED_TRACE(name);
    const auto shape = samples.x.sizes().vec();
    const auto p = normal({shape[0], model(samples.x).size(1)}, 5).to(torch::kFloat).softmax(1);
    for (const auto& objective : objectives()) {
      Climb climb;
      climb.objective = objective;
      climb.ascent = ascent(AscentRule::kNormalized);  // no entry moves far by the sign of next to nothing
      expect_same_climb(climb, model, KlDivergence(), {samples.x, p});
    }
    // away from a distribution that the network itself gives, as TRADES climbs
    Climb climb;
    climb.objective = std::make_shared<LossAlone>();
    climb.cost = nullptr;
    climb.ascent = ascent(AscentRule::kSign).steps(5);
    climb.constraint = std::make_shared<LinfBall>(0.1);
    const auto start = samples.x + 0.01 * normal(shape, 6).to(torch::kFloat);
    expect_same_climb(climb, model, KlDivergence(), {samples.x, model(samples.x).detach().softmax(1)}, start);
  }
}

TEST(EngineMaximizer, KeepsSmallLossesAndTheirLogarithms) {
  // confident right and wrong: losses from 1e-20 to 60
  auto net = Mlp(MlpOptions(5, 3).hidden({}));
  {
    torch::NoGradGuard no_grad;
    for (auto& parameter : net->parameters()) parameter.mul_(20);
  }
  for (const InnerObjectivePtr& objective : {InnerObjectivePtr(std::make_shared<LogKernelProduct>(1.0)),
                                             InnerObjectivePtr(std::make_shared<KernelProduct>(1.0))}) {
    Climb climb;
    climb.objective = objective;
    climb.ascent = AscentOptions().steps(5).learning_rate(0.01);
    const auto found = expect_same_climb(climb, net, CrossEntropy(), labelled({40, 5}, 3));
    EXPECT_LT(found.start_losses.min().item<double>(), 1e-8);
    EXPECT_GT(found.start_losses.max().item<double>(), 20);
  }
}

TEST(EngineMaximizer, RunsBatchNormInEvaluationModeWithoutMovingIt) {
  torch::manual_seed(3);
  nn::Sequential net(nn::BatchNorm2d(3), nn::Conv2d(nn::Conv2dOptions(3, 10, 3)), nn::BatchNorm2d(10), nn::ELU(),
                     nn::AvgPool2d(2), nn::Flatten(), nn::Linear(20, 4));
  move_statistics(net, small_images(8));
  const auto before = Model(net).state();
  std::vector<torch::Tensor> copies;
  for (const auto& [name, tensor] : before) copies.push_back(tensor.detach().clone());
  net->train();
  Climb climb;
  expect_same_climb(climb, net, CrossEntropy(), labelled(small_images(13), 4));
  EXPECT_TRUE(net->is_training());
  for (size_t i = 0; i < copies.size(); ++i) EXPECT_TRUE(identical(before[i].second, copies[i])) << before[i].first;
  for (const auto& parameter : net->parameters()) {
    EXPECT_TRUE(parameter.requires_grad());
    EXPECT_FALSE(parameter.grad().defined());
  }
}

TEST(EngineMaximizer, RunsBatchNormInTrainingModeAsLibtorch) {
  for (const auto returned : {InnerReturn::kBest, InnerReturn::kLast}) {
    for (const int64_t steps : {0, 7}) {
      const auto make_net = [] {
        torch::manual_seed(4);
        return nn::Sequential(nn::Conv2d(nn::Conv2dOptions(3, 10, 3)), nn::BatchNorm2d(10), nn::ELU(),
                              nn::Conv2d(nn::Conv2dOptions(10, 9, 3).padding(1)), nn::Tanh(), nn::BatchNorm2d(9),
                              nn::Flatten(), nn::Linear(135, 4));
      };
      auto one = make_net(), two = make_net();
      SupervisedProblem on_plan(one, CrossEntropy()), on_libtorch(two, CrossEntropy(), Engine::kLibtorch);
      one->eval();
      two->eval();
      Climb climb;
      climb.ascent = AscentOptions().rule(AscentRule::kSgd).steps(steps).learning_rate(0.5).returned(returned);
      climb.ascent.mode(InnerMode::kTrain);
      const auto samples = labelled(small_images(13), 4);
      const auto compiled = climb.on(on_plan);
      const auto found = compiled->maximize(samples.x, samples.y);
      EXPECT_TRUE(compiled->info().compiled) << compiled->info().why_not;
      expect_same(found, climb.on(on_libtorch)->maximize(samples.x, samples.y), 1e-5);
      EXPECT_FALSE(one->is_training());
      for (size_t i = 0; i < one->buffers().size(); ++i) {
        EXPECT_LE(relative_difference(one->buffers()[i], two->buffers()[i]), 1e-5) << "buffer " << i;
      }
      EXPECT_EQ(one->buffers()[2].item<int64_t>(), steps);
    }
  }
}

TEST(EngineMaximizer, StopsSamplesThatConvergeAsLibtorch) {
  const auto samples = labelled({40, 5}, 3);
  for (const auto rule : {AscentRule::kSgd, AscentRule::kAmsgrad}) {
    for (const ConstraintPtr& set :
         {ConstraintPtr(std::make_shared<Unconstrained>()), ConstraintPtr(std::make_shared<Box>(Bounds(-1.0, 1.0)))}) {
      Climb climb;
      climb.objective = std::make_shared<LinearPenalty>(1.0);
      climb.cost = make_cost("sq-l2");
      climb.constraint = set;
      climb.ascent = rule == AscentRule::kSgd
                         ? AscentOptions().rule(rule).momentum(0).learning_rate(0.2).steps(7).tolerance(3e-2)
                         : AscentOptions().rule(rule).learning_rate(0.02).steps(12).tolerance(5e-2);
      const Samples within{samples.x.clamp(-1, 1), samples.y};
      const auto found = expect_same_climb(climb, Mlp(MlpOptions(5, 3)), CrossEntropy(), within);
      const auto converged = found.count(Termination::kGradientTolerance);
      EXPECT_GT(converged, 5);
      EXPECT_LT(converged, 35);
      // the others do not feel it
      climb.ascent.tolerance(1e-30);
      SupervisedProblem problem(Mlp(MlpOptions(5, 3)), CrossEntropy());
      const auto all = climb.on(problem)->maximize(within.x, within.y);
      EXPECT_EQ(all.count(Termination::kGradientTolerance), 0);
      for (size_t i = 0; i < found.terminations.size(); ++i) {
        if (found.terminations[i] != Termination::kStepLimit) continue;
        const auto sample = static_cast<int64_t>(i);
        EXPECT_TRUE(identical(found.u[sample], all.u[sample])) << "sample " << i;
        EXPECT_TRUE(identical(found.values[sample], all.values[sample])) << "sample " << i;
      }
    }
  }
}

TEST(EngineMaximizer, StopsSamplesThatAreNotFiniteAsLibtorch) {
  auto samples = labelled(small_images(20), 4);
  samples.x[3][0][2][2] = std::numeric_limits<float>::quiet_NaN();
  samples.x[11][2][0][1] = std::numeric_limits<float>::infinity();
  SupervisedProblem on_plan(small_conv_net(), CrossEntropy());
  SupervisedProblem on_libtorch(small_conv_net(), CrossEntropy(), Engine::kLibtorch);
  for (const auto returned : {InnerReturn::kBest, InnerReturn::kLast}) {
    Climb climb;
    climb.ascent.returned(returned);
    const auto found = climb.on(on_plan)->maximize(samples.x, samples.y);
    const auto expected = climb.on(on_libtorch)->maximize(samples.x, samples.y);
    EXPECT_EQ(found.terminations, expected.terminations);
    EXPECT_EQ(found.count(Termination::kNotFinite), 2);
    EXPECT_EQ(found.terminations[3], Termination::kNotFinite);
    EXPECT_EQ(found.terminations[11], Termination::kNotFinite);
    const auto others = torch::tensor({0, 1, 2, 4, 5, 10, 12, 19});
    EXPECT_LE(testing::max_difference(found.u.index_select(0, others), expected.u.index_select(0, others)), 1e-5);
    EXPECT_LE(testing::max_difference(found.values.index_select(0, others), expected.values.index_select(0, others)),
              1e-5);
  }
}

TEST(EngineMaximizer, StopsWhereTheGradientIsZero) {
  nn::Sequential net(nn::Linear(5, 6), nn::ReLU(), nn::Linear(6, 3));
  {
    torch::NoGradGuard no_grad;
    net->parameters()[1].fill_(-100);  // every unit is dead
  }
  Climb climb;
  climb.objective = std::make_shared<LossAlone>();
  SupervisedProblem problem(net, CrossEntropy());
  const auto samples = labelled({9, 5}, 3);
  const auto found = climb.on(problem)->maximize(samples.x, samples.y);
  EXPECT_EQ(found.count(Termination::kZeroGradient), 9);
  EXPECT_TRUE(identical(found.u, samples.x));
}

}  // namespace arks
