// What the maximisation leaves as it was: weights, their gradients and flags, modes, statistics, the caller's tensors.
#include "support/testing.h"

#include <stdexcept>

namespace arks {

using testing::identical;
using testing::normal;

namespace {

/// Dense, batch norm, dropout; in training mode but for one module; one weight frozen; gradients on all the others.
struct TrickyNet {
  TrickyNet() {
    net->to(torch::kDouble);
    net->train();
    net[4]->eval();
    net->parameters()[0].set_requires_grad(false);
    net->forward(x).pow(2).mean().backward();
  }
  torch::nn::Sequential net{torch::nn::Linear(4, 6), torch::nn::BatchNorm1d(6), torch::nn::Tanh(),
                            torch::nn::Dropout(0.5), torch::nn::BatchNorm1d(6), torch::nn::Linear(6, 3)};
  torch::Tensor x = normal({8, 4});
  torch::Tensor y = torch::arange(8, torch::kLong).remainder(3);
};

struct Snapshot {
  std::vector<torch::Tensor> values, gradients;
  std::vector<bool> flags, modes;
};

Snapshot snapshot(const torch::nn::Sequential& net) {
  Snapshot taken;
  for (const auto& [name, tensor] : Model(net).state()) taken.values.push_back(tensor.detach().clone());
  for (const auto& parameter : net->parameters()) {
    taken.gradients.push_back(parameter.grad().defined() ? parameter.grad().clone() : torch::Tensor());
    taken.flags.push_back(parameter.requires_grad());
  }
  taken.modes = Model(net).training_modes();
  return taken;
}

void expect_same(const std::vector<torch::Tensor>& found, const std::vector<torch::Tensor>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].defined(), expected[i].defined()) << i;
    if (found[i].defined()) EXPECT_TRUE(identical(found[i], expected[i])) << i;
  }
}

void expect_same(const Snapshot& found, const Snapshot& expected) {
  expect_same(found.values, expected.values);
  expect_same(found.gradients, expected.gradients);
  EXPECT_EQ(found.flags, expected.flags);
  EXPECT_EQ(found.modes, expected.modes);
}

/// Fails in its third evaluation.
class Failing : public SupervisedProblem {
 public:
  using SupervisedProblem::SupervisedProblem;
  Evaluation evaluate(const torch::Tensor& u, const torch::Tensor& y, bool with_log_loss) override {
    if (++calls_ == 3) throw std::runtime_error("third evaluation");
    return SupervisedProblem::evaluate(u, y, with_log_loss);
  }

 private:
  int calls_ = 0;
};

/// The same, when the pass over the network is done.
class FailingBehind : public SupervisedProblem {
 public:
  using SupervisedProblem::SupervisedProblem;
  Evaluation evaluate(const torch::Tensor& u, const torch::Tensor& y, bool with_log_loss) override {
    auto found = SupervisedProblem::evaluate(u, y, with_log_loss);
    if (++calls_ == 3) throw std::runtime_error("behind the third evaluation");
    return found;
  }

 private:
  int calls_ = 0;
};

std::unique_ptr<Maximizer> arks_maximizer(Problem& problem, AscentOptions ascent = AscentOptions().steps(5)) {
  return make_maximizer(problem, std::make_shared<KernelProduct>(0.25), make_cost("half-sq-l2"), ascent,
                        std::make_shared<Unconstrained>());
}

std::vector<torch::Tensor> tensors_of(const InnerResult& result) {
  return {result.u, result.values, result.losses, result.costs, result.start_losses, result.start_wrong};
}

}  // namespace

TEST(MaximizerState, LeavesTheModelAsItWas) {
  TrickyNet tricky;
  SupervisedProblem problem(tricky.net, CrossEntropy());
  const auto before = snapshot(tricky.net);
  ASSERT_EQ(before.modes, (std::vector<bool>{true, true, true, true, true, false, true}));
  for (const auto returned : {InnerReturn::kBest, InnerReturn::kLast}) {
    arks_maximizer(problem, AscentOptions().steps(5).returned(returned))->maximize(tricky.x, tricky.y);
    expect_same(snapshot(tricky.net), before);
  }
}

TEST(MaximizerState, LeavesTheModelAsItWasWhenTheProblemThrows) {
  TrickyNet tricky;
  Failing problem(tricky.net, CrossEntropy());
  const auto before = snapshot(tricky.net);
  EXPECT_THROW(arks_maximizer(problem)->maximize(tricky.x, tricky.y), std::runtime_error);
  expect_same(snapshot(tricky.net), before);
  EXPECT_TRUE(torch::GradMode::is_enabled());
}

TEST(MaximizerState, RunsTheModelInEvaluationMode) {
  TrickyNet tricky;
  SupervisedProblem problem(tricky.net, CrossEntropy());
  const auto found = arks_maximizer(problem)->maximize(tricky.x, tricky.y);
  tricky.net->eval();
  EXPECT_TRUE(identical(found.start_losses, problem.per_sample_loss(tricky.x, tricky.y).detach()));
}

TEST(MaximizerState, FreezesTheWeightsOnTheWay) {
  const auto weights = normal({3}).set_requires_grad(true);
  int frozen = 0, evaluations = 0;
  FunctionProblem problem(
      [&](const torch::Tensor& u, const torch::Tensor&) {
        ++evaluations;
        if (!weights.requires_grad()) ++frozen;
        return u.matmul(weights).pow(2) + 1;
      },
      {weights});
  arks_maximizer(problem)->maximize(normal({4, 3}), {});
  EXPECT_EQ(evaluations, 6);
  EXPECT_EQ(frozen, evaluations);
  EXPECT_TRUE(weights.requires_grad());
}

TEST(MaximizerState, MovesTheStatisticsOnlyWhenAskedTo) {
  TrickyNet tricky;
  SupervisedProblem problem(tricky.net, CrossEntropy());
  const auto before = snapshot(tricky.net);
  arks_maximizer(problem, AscentOptions().steps(5).mode(InnerMode::kTrain))->maximize(tricky.x, tricky.y);
  const auto after = snapshot(tricky.net);
  expect_same(after.gradients, before.gradients);
  EXPECT_EQ(after.flags, before.flags);
  EXPECT_EQ(after.modes, before.modes);
  size_t i = 0;
  for (const auto& [name, tensor] : problem.state()) {
    const bool statistics = name.find("running") != std::string::npos || name.find("tracked") != std::string::npos;
    EXPECT_EQ(identical(after.values[i], before.values[i]), !statistics) << name;
    if (name.find("tracked") != std::string::npos) {
      EXPECT_EQ((after.values[i] - before.values[i]).item<int64_t>(), 5) << name << ": once with every step";
    }
    ++i;
  }
}

TEST(MaximizerState, MovesTheStatisticsAsThePublishedLoopDoes) {
  for (const int64_t steps : {0, 1, 4}) {
    TrickyNet found, expected;
    torch::NoGradGuard no_grad;
    for (size_t i = 0; i < found.net->parameters().size(); ++i) {
      expected.net->parameters()[i].copy_(found.net->parameters()[i]);
    }
    for (size_t i = 0; i < found.net->buffers().size(); ++i) {
      expected.net->buffers()[i].copy_(found.net->buffers()[i]);
    }
    SupervisedProblem problem(found.net, CrossEntropy()), reference(expected.net, CrossEntropy());
    const auto ascent =
        AscentOptions().rule(AscentRule::kSgd).momentum(0).learning_rate(0.1).steps(steps).mode(InnerMode::kTrain);
    torch::manual_seed(3);  // of dropout
    const auto u =
        arks_maximizer(problem, AscentOptions(ascent).returned(InnerReturn::kLast))->maximize(found.x, found.y).u;
    const auto next = torch::rand({2});

    torch::manual_seed(3);
    expected.net->train();
    auto v = expected.x.clone();
    for (int64_t step = 0; step < steps; ++step) {
      const torch::AutoGradMode grad_on(true);
      auto at = v.clone().set_requires_grad(true);
      const auto cost = HalfSquaredL2()(at, expected.x);
      const auto value = reference.per_sample_loss(at, expected.y) * (cost / -0.25).exp();
      v = v + 0.1 * torch::autograd::grad({value.sum()}, {at})[0];
    }
    EXPECT_LT(testing::max_difference(u, v), 1e-13) << steps;
    for (size_t i = 0; i < found.net->buffers().size(); ++i) {
      EXPECT_LT(testing::max_difference(found.net->buffers()[i], expected.net->buffers()[i]), 1e-13) << steps;
    }
    EXPECT_TRUE(identical(next, torch::rand({2}))) << "dropout has drawn as often";
  }
}

TEST(MaximizerState, MeasuringTheLastIterateLeavesNoTraceWhenItThrows) {
  TrickyNet tricky;
  FailingBehind problem(tricky.net, CrossEntropy());  // in its third evaluation, the one that makes no step
  const int64_t tracked = tricky.net->buffers()[2].item<int64_t>();
  EXPECT_THROW(arks_maximizer(problem, AscentOptions().steps(2).mode(InnerMode::kTrain))->maximize(tricky.x, tricky.y),
               std::runtime_error);
  EXPECT_EQ(tricky.net->buffers()[2].item<int64_t>(), tracked + 2);
}

TEST(MaximizerState, LeavesNoGraphInTheResult) {
  TrickyNet tricky;
  SupervisedProblem problem(tricky.net, CrossEntropy());
  const std::vector<InnerObjectivePtr> objectives{std::make_shared<KernelProduct>(0.25),
                                                  std::make_shared<LogKernelProduct>(0.25),
                                                  std::make_shared<LinearPenalty>(1), std::make_shared<LossAlone>()};
  for (const auto& objective : objectives) {
    for (const auto returned : {InnerReturn::kBest, InnerReturn::kLast}) {
      for (const int64_t steps : {0, 1, 4}) {
        auto maximizer =
            make_maximizer(problem, objective, make_cost("half-sq-l2"), AscentOptions().steps(steps).returned(returned),
                           std::make_shared<Unconstrained>());
        for (const auto& tensor : tensors_of(maximizer->maximize(tricky.x, tricky.y))) {
          EXPECT_FALSE(tensor.requires_grad());
          EXPECT_TRUE(tensor.grad_fn() == nullptr);
        }
      }
    }
  }
}

TEST(MaximizerState, WorksWhereGradientsAreSwitchedOff) {
  TrickyNet tricky;
  SupervisedProblem problem(tricky.net, CrossEntropy());
  const auto expected = arks_maximizer(problem)->maximize(tricky.x, tricky.y);
  torch::NoGradGuard no_grad;
  const auto found = arks_maximizer(problem)->maximize(tricky.x, tricky.y);
  EXPECT_TRUE(identical(found.u, expected.u));
  EXPECT_TRUE(identical(found.values, expected.values));
  EXPECT_FALSE(identical(found.u, tricky.x));
  EXPECT_FALSE(torch::GradMode::is_enabled());
}

TEST(MaximizerState, LeavesInputsThatRequireGradientsAlone) {
  TrickyNet tricky;
  SupervisedProblem problem(tricky.net, CrossEntropy());
  const auto expected = arks_maximizer(problem)->maximize(tricky.x, tricky.y, tricky.x + 0.1);
  auto x = tricky.x.clone().set_requires_grad(true);
  const auto start = x + 0.1;
  const auto found = arks_maximizer(problem)->maximize(x, tricky.y, start);
  EXPECT_TRUE(identical(found.u, expected.u));
  EXPECT_FALSE(x.grad().defined());
  EXPECT_TRUE(x.requires_grad());
  EXPECT_TRUE(identical(x.detach(), tricky.x));
  for (const auto& tensor : tensors_of(found)) EXPECT_FALSE(tensor.requires_grad());
  start.sum().backward();  // the caller's graph is whole
  EXPECT_TRUE(identical(x.grad(), torch::ones_like(x)));
}

TEST(MaximizerState, GivesTensorsOfItsOwn) {
  TrickyNet tricky;
  SupervisedProblem problem(tricky.net, CrossEntropy());
  const auto start = tricky.x + 0.1, copy = start.clone();
  for (const int64_t steps : {0, 3}) {
    auto found = arks_maximizer(problem, AscentOptions().steps(steps))->maximize(tricky.x, tricky.y, start);
    found.u.zero_();
    EXPECT_TRUE(identical(start, copy));
    EXPECT_TRUE(identical(tricky.x, normal({8, 4})));
  }
}

TEST(MaximizerState, NeedsNoParameters) {
  FunctionProblem problem([](const torch::Tensor& u, const torch::Tensor&) { return 1 + u.pow(2).sum(1); });
  const auto x = normal({4, 3});
  const auto found = arks_maximizer(problem)->maximize(x, {});
  EXPECT_TRUE((found.values > found.start_losses).all().item<bool>());
}

TEST(MaximizerState, TakesParametersThatAreNoLeaves) {
  const auto leaf = normal({3}).set_requires_grad(true);
  const auto derived = 2 * leaf;
  FunctionProblem problem([&](const torch::Tensor& u, const torch::Tensor&) { return u.matmul(derived).pow(2) + 1; },
                          {derived});
  const auto found = arks_maximizer(problem)->maximize(normal({4, 3}), {});
  for (const auto& tensor : {found.u, found.values, found.losses, found.costs, found.start_losses}) {
    EXPECT_FALSE(tensor.requires_grad());
  }
  derived.sum().backward();  // the caller's graph is whole
  EXPECT_TRUE(leaf.grad().defined());
}

TEST(MaximizerState, StartsAfreshEveryTime) {
  TrickyNet tricky;
  SupervisedProblem problem(tricky.net, CrossEntropy());
  auto maximizer = arks_maximizer(problem);
  const auto first = maximizer->maximize(tricky.x, tricky.y), second = maximizer->maximize(tricky.x, tricky.y);
  EXPECT_TRUE(identical(first.u, second.u));
  EXPECT_TRUE(identical(first.values, second.values));
}

}  // namespace arks
