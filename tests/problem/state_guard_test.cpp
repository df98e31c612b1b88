#include "problem/state_guard.h"
#include "support/testing.h"

#include <stdexcept>

namespace arks {

using testing::normal;

namespace {

/// A module with children that can itself stand in a Sequential (which cannot).
struct BlockImpl : torch::nn::Module {
  explicit BlockImpl(torch::nn::BatchNorm1d norm_) : norm(norm_), dropout(0.5), linear(4, 4) {
    register_module("norm", norm);
    register_module("dropout", dropout);
    register_module("linear", linear);
  }
  torch::Tensor forward(const torch::Tensor& x) { return linear(dropout(norm(x))); }

  torch::nn::BatchNorm1d norm;
  torch::nn::Dropout dropout;
  torch::nn::Linear linear;
};
TORCH_MODULE(Block);

torch::nn::Sequential nested_net() {
  return torch::nn::Sequential(torch::nn::Linear(3, 4), Block(torch::nn::BatchNorm1d(4)), torch::nn::Linear(4, 2));
}

constexpr int64_t kModules = 7;

std::vector<bool> flags(Problem& problem) {
  std::vector<bool> found;
  for (const auto& parameter : problem.parameters()) found.push_back(parameter.requires_grad());
  return found;
}

}  // namespace

TEST(ModeGuard, SetsEveryModuleAndRestoresEachItsOwnMode) {
  SupervisedProblem problem(nested_net(), CrossEntropy());
  for (const bool guarded : {false, true}) {
    for (unsigned pattern = 0; pattern < (1u << kModules); ++pattern) {
      std::vector<bool> modes(kModules);
      for (size_t i = 0; i < modes.size(); ++i) modes[i] = ((pattern >> i) & 1u) != 0;
      problem.set_training_modes(modes);
      {
        const ModeGuard guard(problem, guarded);
        ASSERT_EQ(problem.training_modes(), std::vector<bool>(kModules, guarded));
      }
      ASSERT_EQ(problem.training_modes(), modes);
    }
  }
}

TEST(ModeGuard, RestoresWhenAnExceptionPasses) {
  SupervisedProblem problem(nested_net(), CrossEntropy());
  const std::vector<bool> modes{true, true, false, false, true, true, false};
  problem.set_training_modes(modes);
  try {
    const ModeGuard guard(problem, false);
    throw std::runtime_error("passing");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(problem.training_modes(), modes);
}

TEST(ModeGuard, RestoresInTheOrderOfNesting) {
  SupervisedProblem problem(nested_net(), CrossEntropy());
  const std::vector<bool> modes{false, true, false, true, true, false, true};
  problem.set_training_modes(modes);
  {
    const ModeGuard outer(problem, true);
    { const ModeGuard inner(problem, false); }
    EXPECT_EQ(problem.training_modes(), std::vector<bool>(kModules, true));
  }
  EXPECT_EQ(problem.training_modes(), modes);
}

TEST(ModeGuard, RestoresAModuleThatIsUsedTwice) {
  torch::nn::BatchNorm1d shared(4);
  SupervisedProblem problem(torch::nn::Sequential(shared, Block(shared)), CrossEntropy());
  shared->eval();
  const auto modes = problem.training_modes();
  {
    const ModeGuard guard(problem, true);
    EXPECT_TRUE(shared->is_training());
  }
  EXPECT_EQ(problem.training_modes(), modes);
  EXPECT_FALSE(shared->is_training());
}

TEST(ModeGuard, IsHarmlessWithoutModes) {
  FunctionProblem problem([](const torch::Tensor& u, const torch::Tensor&) { return u.sum(1); });
  const ModeGuard guard(problem, true);
  EXPECT_TRUE(problem.training_modes().empty());
}

TEST(FrozenParametersGuard, FreezesAllAndRestoresMixedFlags) {
  SupervisedProblem problem(nested_net(), CrossEntropy());
  auto parameters = problem.parameters();
  for (size_t i = 0; i < parameters.size(); i += 3) parameters[i].set_requires_grad(false);
  const auto before = flags(problem);
  {
    const FrozenParametersGuard guard(problem);
    EXPECT_EQ(flags(problem), std::vector<bool>(parameters.size(), false));
  }
  EXPECT_EQ(flags(problem), before);
}

TEST(FrozenParametersGuard, RestoresWhenAnExceptionPasses) {
  SupervisedProblem problem(nested_net(), CrossEntropy());
  problem.parameters()[1].set_requires_grad(false);
  const auto before = flags(problem);
  try {
    const FrozenParametersGuard guard(problem);
    throw std::runtime_error("passing");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(flags(problem), before);
}

TEST(FrozenParametersGuard, KeepsTheGradientsThatAreThere) {
  SupervisedProblem problem(nested_net(), CrossEntropy());
  problem.train(false);
  const auto u = normal({4, 3}).to(torch::kFloat);
  const auto y = torch::tensor({0, 1, 1, 0}, torch::kLong);
  problem.per_sample_loss(u, y).mean().backward();
  std::vector<torch::Tensor> before;
  for (const auto& parameter : problem.parameters()) before.push_back(parameter.grad().clone());
  {
    const FrozenParametersGuard guard(problem);
    auto v = u.clone().set_requires_grad(true);
    problem.per_sample_loss(v, y).sum().backward();
    EXPECT_TRUE(v.grad().defined());
  }
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_TRUE(testing::identical(problem.parameters()[i].grad(), before[i])) << i;
  }
}

TEST(BuffersGuard, PutsStatisticsAndTheRandomStreamBackAndKeepsTheWeights) {
  SupervisedProblem problem(nested_net(), CrossEntropy());
  problem.train(true);
  const auto u = normal({4, 3}).to(torch::kFloat);
  problem.predict(u);
  const auto copy = [&] {
    std::vector<torch::Tensor> values;
    for (const auto& [name, tensor] : problem.state()) values.push_back(tensor.detach().clone());
    return values;
  };
  const auto before = copy();
  torch::manual_seed(5);
  const auto drawn = torch::rand({3});
  torch::manual_seed(5);
  for (const bool throws : {false, true}) {
    try {
      const BuffersGuard guard(problem);
      problem.predict(u);
      torch::NoGradGuard no_grad;
      for (auto& parameter : problem.parameters()) parameter.add_(1);
      EXPECT_FALSE(testing::identical(copy()[before.size() - 1], before.back())) << "the pass moved a statistic";
      if (throws) throw std::runtime_error("passing");
    } catch (const std::runtime_error&) {
    }
    const auto after = copy();
    const size_t weights = problem.parameters().size();
    for (size_t i = 0; i < before.size(); ++i) {
      const bool is_weight = i < weights;  // state() has them first
      EXPECT_EQ(testing::identical(after[i], before[i]), !is_weight) << problem.state()[i].first;
    }
  }
  EXPECT_TRUE(testing::identical(torch::rand({3}), drawn)) << "dropout has drawn nothing";
}

TEST(BuffersGuard, FindsABufferThatWasReplaced) {
  // as a scripted batch norm of Python does with its counter
  class Counting : public FunctionProblem {
   public:
    Counting()
        : FunctionProblem([this](const torch::Tensor& u, const torch::Tensor&) {
            count = count + 1;
            return u.sum(1);
          }) {}
    NamedTensors state() override { return {{"count", count}}; }
    torch::Tensor count = torch::zeros({1}, torch::kLong);
  };
  Counting problem;
  {
    const BuffersGuard guard(problem);
    problem.per_sample_loss(normal({2, 2}), {});
    EXPECT_EQ(problem.count.item<int64_t>(), 1);
  }
  EXPECT_EQ(problem.count.item<int64_t>(), 0);
}

TEST(FrozenParametersGuard, LeavesWhatIsNoLeafToItsOwner) {
  const auto leaf = normal({3}).set_requires_grad(true);
  const auto derived = 2 * leaf;
  FunctionProblem problem([derived](const torch::Tensor& u, const torch::Tensor&) { return u.matmul(derived); },
                          {leaf, derived});
  {
    const FrozenParametersGuard guard(problem);
    EXPECT_FALSE(leaf.requires_grad());
    EXPECT_TRUE(derived.requires_grad());
  }
  EXPECT_TRUE(leaf.requires_grad());
}

}  // namespace arks
