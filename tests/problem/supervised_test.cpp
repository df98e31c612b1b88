#include "problem/kl_divergence.h"
#include "support/testing.h"

namespace arks {

using testing::identical;
using testing::max_difference;
using testing::normal;

namespace {

torch::nn::Sequential small_net() {
  torch::nn::Sequential net(torch::nn::Linear(3, 5), torch::nn::BatchNorm1d(5), torch::nn::Tanh(),
                            torch::nn::Linear(5, 4));
  net->to(torch::kDouble);
  return net;
}

const torch::Tensor kLabels = torch::tensor({0, 3, 1, 2, 0, 1}, torch::kLong);

}  // namespace

TEST(SupervisedProblem, IsTheCriterionOfTheModel) {
  auto net = small_net();
  net->eval();
  SupervisedProblem problem(net, CrossEntropy());
  const auto u = normal({6, 3});
  const auto logits = net->forward(u);
  EXPECT_TRUE(identical(problem.predict(u), logits));
  EXPECT_TRUE(identical(problem.per_sample_loss(u, kLabels), CrossEntropy()(logits, kLabels)));
  const auto evaluation = problem.evaluate(u, kLabels, /*with_log_loss=*/true);
  EXPECT_EQ(evaluation.loss.sizes(), torch::IntArrayRef({6}));
  EXPECT_TRUE(identical(evaluation.loss, CrossEntropy()(logits, kLabels)));
  EXPECT_TRUE(identical(evaluation.log_loss, CrossEntropy().log(logits, kLabels)));
  EXPECT_TRUE(identical(evaluation.wrong, logits.argmax(1) != kLabels));
}

TEST(SupervisedProblem, SaysInOneLineWhichSamplesItCannotTake) {
  torch::nn::Linear narrow(3, 2);  // float32
  SupervisedProblem problem(narrow, CrossEntropy());
  testing::expect_error(
      [&] {
        problem.per_sample_loss(normal({2, 3}), torch::zeros({2}, torch::kLong));
      },
      "the samples are of type Double, its weights of type Float; convert the samples");
  const auto wide = normal({2, 5}).to(torch::kFloat);
  testing::expect_error([&] { problem.evaluate(wide, torch::zeros({2}, torch::kLong)); },
                        "fails on samples of shape [5]: mat1 and mat2 shapes cannot be multiplied (2x5 and 3x2)");
  testing::expect_error([&] { problem.predict(normal({2, 3})); }, "model torch::nn::LinearImpl");
}

TEST(SupervisedProblem, TakesTheLogarithmOnlyWhenAsked) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  EXPECT_FALSE(problem.evaluate(normal({6, 3}), kLabels).log_loss.defined());
}

TEST(SupervisedProblem, UsesTheStableLogarithmOfItsCriterion) {
  SupervisedProblem problem([](const torch::Tensor& u) { return u; }, CrossEntropy());
  const auto logits = torch::tensor({{500.0f, 0.0f}});
  const auto evaluation = problem.evaluate(logits, torch::zeros({1}, torch::kLong), /*with_log_loss=*/true);
  EXPECT_EQ(evaluation.loss.item<double>(), 0);  // e^−500 is no float32
  EXPECT_EQ(evaluation.log_loss.item<double>(), -500);
}

TEST(SupervisedProblem, TakesALambda) {
  const auto weights = normal({3, 4}, 5);
  SupervisedProblem problem([weights](const torch::Tensor& u) { return u.matmul(weights); }, CrossEntropy());
  const auto u = normal({6, 3});
  EXPECT_TRUE(identical(problem.per_sample_loss(u, kLabels), CrossEntropy()(u.matmul(weights), kLabels)));
  EXPECT_TRUE(problem.parameters().empty());
  EXPECT_EQ(problem.architecture(), "function");
}

TEST(SupervisedProblem, TakesACallableWithParameters) {
  const auto weights = normal({3, 4}, 5).set_requires_grad(true);
  SupervisedProblem problem(Model([weights](const torch::Tensor& u) { return u.matmul(weights); }, {weights}),
                            CrossEntropy());
  problem.per_sample_loss(normal({6, 3}), kLabels).mean().backward();
  EXPECT_TRUE(problem.parameters()[0].grad().defined());
  EXPECT_EQ(problem.state()[0].first, "parameter0");
}

TEST(SupervisedProblem, SharesTheModelAndKeepsItsOwnCriterion) {
  auto net = small_net();
  net->eval();
  std::unique_ptr<SupervisedProblem> problem;
  {
    const CrossEntropy criterion;
    problem = std::make_unique<SupervisedProblem>(net, criterion);
  }
  torch::NoGradGuard no_grad;
  for (auto& parameter : net->parameters()) parameter.mul_(2);
  const auto u = normal({6, 3});
  EXPECT_TRUE(identical(problem->per_sample_loss(u, kLabels), CrossEntropy()(net->forward(u), kLabels)));
}

TEST(SupervisedProblem, NamesItsStateAsTheModuleDoes) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  std::vector<std::string> names;
  for (const auto& [name, tensor] : problem.state()) names.push_back(name);
  const std::vector<std::string> expected{"0.weight",       "0.bias",        "1.weight",
                                          "1.bias",         "3.weight",      "3.bias",
                                          "1.running_mean", "1.running_var", "1.num_batches_tracked"};
  EXPECT_EQ(names, expected);
  EXPECT_EQ(problem.parameters().size(), 6u);
  EXPECT_NE(problem.architecture().find("Sequential"), std::string::npos);
}

TEST(SupervisedProblem, PassesTheModesThrough) {
  auto net = small_net();
  SupervisedProblem problem(net, CrossEntropy());
  problem.train(false);
  EXPECT_FALSE(net->is_training());
  EXPECT_EQ(problem.training_modes(), std::vector<bool>(5, false));
  problem.set_training_modes({true, false, true, false, true});
  EXPECT_EQ(problem.training_modes(), (std::vector<bool>{true, false, true, false, true}));
}

TEST(SupervisedProblem, DerivativesReachTheInput) {
  auto net = small_net();
  net->eval();
  SupervisedProblem problem(net, CrossEntropy());
  const auto u = normal({6, 3});
  testing::expect_derivative_matches([&](const torch::Tensor& v) { return problem.per_sample_loss(v, kLabels); }, u);
  testing::expect_derivative_matches(
      [&](const torch::Tensor& v) { return problem.evaluate(v, kLabels, /*with_log_loss=*/true).log_loss; }, u);
}

TEST(SupervisedProblem, IsSeenUnderAnotherCriterionWithTheSameModel) {
  auto net = small_net();
  SupervisedProblem problem(net, CrossEntropy());
  const auto view = problem.with_criterion(KlDivergence());
  EXPECT_TRUE(problem.has_classes());
  EXPECT_FALSE(view->has_classes());
  problem.train(false);
  EXPECT_EQ(view->training_modes(), problem.training_modes());
  const auto u = normal({6, 3}), p = normal({6, 4}, 2).softmax(1);
  EXPECT_TRUE(identical(view->per_sample_loss(u, p), KlDivergence()(net->forward(u), p)));
  EXPECT_FALSE(view->evaluate(u, p).wrong.defined());
  ASSERT_EQ(view->parameters().size(), problem.parameters().size());
  EXPECT_TRUE(view->parameters()[0].is_same(problem.parameters()[0]));
  // and with the same plans
  EXPECT_EQ(&dynamic_cast<SupervisedProblem&>(*view).network().plans(), &problem.network().plans());
}

TEST(SupervisedProblem, KnowsWhetherItHasClasses) {
  EXPECT_FALSE(SupervisedProblem(small_net(), SquaredError()).has_classes());
  FunctionProblem function([](const torch::Tensor& u, const torch::Tensor&) { return u.sum(1); });
  EXPECT_FALSE(function.has_classes());
  testing::expect_error([&] { function.with_criterion(CrossEntropy()); }, "has a loss but no model");
}

}  // namespace arks
