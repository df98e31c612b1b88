#include "problem/check_model.h"
#include "model/scripts.h"
#include "support/testing.h"
#include "support/text.h"

namespace arks {

using testing::expect_error;
using testing::program;

namespace {

/// Three classes, six numbers each.
DatasetPtr data(int64_t count = 8) {
  return testing::toy_dataset(count, {6}, 3);
}

ModelCheck checked(const Model& model, bool needs_gradient = true) {
  SupervisedProblem problem(model, CrossEntropy());
  return check_model(problem, *data(), needs_gradient, "net.pt");
}

Model of(const std::string& expression) {
  return program("def forward(self, x):\n    return " + expression + "\n");
}

bool speaks_of(const std::vector<std::string>& sentences, const std::string& part) {
  for (const auto& sentence : sentences) {
    if (sentence.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST(CheckModel, HasNothingToSayOfAGoodModel) {
  const auto model = load_torchscript(testing::bytes_of(testing::scripted_net()), "net.pt");
  model.train(true);
  const auto found = checked(model);
  EXPECT_TRUE(found.warnings.empty() && found.notes.empty()) << join(found.warnings);
  for (const bool training : model.training_modes()) EXPECT_TRUE(training) << "modes are as before";
}

TEST(CheckModel, RefusesAnotherShape) {
  const auto model = load_torchscript(testing::bytes_of(testing::scripted_linear(5, 3, 1)), "net.pt");
  expect_error([&] { checked(model); }, "mat1 and mat2 shapes cannot be multiplied (2x6 and 5x3)");
  expect_error([&] { checked(model); }, "have shape [6]");
  expect_error([&] { checked(Model(torch::nn::Linear(5, 3))); }, "net.pt does not take samples of");
}

TEST(CheckModel, RefusesOtherOutputs) {
  expect_error([] { checked(of("(x, x)")); }, "net.pt returns a (Tensor, Tensor)");
  expect_error([] { checked(of("x[:, :2]")); }, "net.pt returns [2, 2]");
  expect_error([] { checked(of("x[:, :2]")); }, "its classes need 3 outputs each, [2, 3]");
  expect_error([] { checked(of("x.mean(0)")); }, "returns [6]");
  expect_error([] { checked(of("x.argmax(1)")); }, "of type Long");
  EXPECT_TRUE(checked(of("x")).warnings.empty()) << "more outputs than classes are no error";
}

TEST(CheckModel, ARegressionNeedsOneNumber) {
  DatasetInfo info;
  info.name = "line";
  const TensorDataset line(torch::rand({4, 2}), torch::rand({4}), info);
  const auto check = [&](const Model& model) {
    SupervisedProblem problem(model, SquaredError());
    return check_model(problem, line, true, "net.pt");
  };
  EXPECT_TRUE(check(of("x.sum(1)")).warnings.empty());
  EXPECT_TRUE(check(of("x.sum(1, True)")).warnings.empty());
  expect_error([&] { check(of("x")); }, "a regression needs one number each, [2, 1]");
}

TEST(CheckModel, RefusesWhatHasNoGradientInTheInput) {
  for (const char* source : {"x.detach()", "torch.zeros_like(x)", "torch.argsort(x, 1).float()"}) {
    expect_error([&] { checked(of(source)); }, "net.pt is not differentiable in its input");
    EXPECT_NO_THROW(checked(of(source), /*needs_gradient=*/false)) << "noise needs none";
  }
  EXPECT_TRUE(speaks_of(checked(of("torch.round(x)")).warnings, "gradient in the input is zero"));
  EXPECT_TRUE(checked(of("torch.log_softmax(x, 1)")).warnings.empty()) << "outputs whose sum is fixed have one";
}

TEST(CheckModel, WarnsOfRandomAndOfMixedPredictions) {
  EXPECT_TRUE(speaks_of(checked(of("torch.dropout(x, 0.5, True)")).warnings, "random in evaluation mode"));
  EXPECT_TRUE(speaks_of(checked(of("x - x.mean(0)")).warnings, "depends on the others in its batch"));
  EXPECT_TRUE(speaks_of(checked(of("x.reshape(2, -1)")).warnings, "a batch of one sample"));
}

TEST(CheckModel, WarnsOfProbabilities) {
  EXPECT_TRUE(speaks_of(checked(of("torch.softmax(x, 1)")).warnings, "look like probabilities"));
}

TEST(CheckModel, LeavesStatisticsAloneThatMoveInEveryPass) {
  auto script = testing::script_module("__torch__.Net");
  script.register_buffer("mean", torch::zeros({6}));
  script.register_buffer("var", torch::ones({6}));
  script.define(
      "def forward(self, x):\n    return torch.batch_norm(x, None, None, self.mean, self.var, True, 0.1, 1e-5, "
      "True)\n");
  const auto model = load_torchscript(testing::bytes_of(script), "net.pt");
  EXPECT_TRUE(speaks_of(checked(model).warnings, "batch norm was traced in training mode"));
  EXPECT_EQ(model.state()[0].second.abs().sum().item<float>(), 0);
}

}  // namespace arks
