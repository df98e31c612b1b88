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

ModelCheck checked(const Model& model, const ModelNeeds& needs = {/*input_gradient=*/true}) {
  SupervisedProblem problem(model, CrossEntropy());
  return check_model(problem, *data(), needs, "net.pt");
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

/// Weights are tried in training mode, which moves the statistics of batch norm; what is asked afterwards must not see
/// that.
TEST(CheckModel, HasNothingToSayOfBatchNormThatIsToBeTrained) {
  const auto model = load_torchscript(testing::bytes_of(testing::scripted_net()), "net.pt");
  model.train(true);
  const auto found = checked(model, {/*input_gradient=*/true, /*weight_gradient=*/true});
  EXPECT_TRUE(found.warnings.empty() && found.notes.empty()) << join(found.warnings);
}

TEST(CheckModel, RefusesAnotherShape) {
  const auto model = load_torchscript(testing::bytes_of(testing::scripted_linear(5, 3, 1)), "net.pt");
  expect_error([&] { checked(model); }, "mat1 and mat2 shapes cannot be multiplied (2x6 and 5x3)");
  expect_error([&] { checked(model); }, "have shape [6]");
  expect_error([&] { checked(Model(torch::nn::Linear(5, 3))); }, "fails on samples of shape [6]: mat1 and mat2");
}

TEST(CheckModel, RefusesOtherOutputs) {
  expect_error([] { checked(of("(x, x)")); }, "net.pt returns a (Tensor, Tensor)");
  expect_error([] { checked(of("x[:, :2]")); }, "net.pt returns [2, 2]");
  expect_error([] { checked(of("x[:, :2]")); }, "its classes need 3 outputs each, [2, 3]");
  expect_error([] { checked(of("x.mean(0)")); }, "returns [6]");
  expect_error([] { checked(of("x.argmax(1)")); }, "of type Long");
  expect_error([] { checked(of("x")); },
               "net.pt returns [2, 6] of type Float for 2 samples of toy; its classes need 3 outputs each, [2, 3]; "
               "replace its last layer by one for these classes");
  expect_error([] { checked(of("x[:, :3].t()")); }, "its classes need 3 outputs each, [2, 3]; transpose them");
  expect_error([] { checked(of("x.argmax(1)")); }, "return the numbers before argmax or round");
}

/// Of two samples of two classes a transposed answer has the right shape.
TEST(CheckModel, SeesThatRowsAndColumnsAreExchanged) {
  SupervisedProblem problem(of("x[:, :2].t()"), CrossEntropy());
  expect_error([&] { check_model(problem, *testing::toy_dataset(8, {6}, 2), {}, "net.pt"); }, "transpose them");
}

TEST(CheckModel, RefusesPredictionsThatAreNotFinite) {
  expect_error([] { checked(of("x[:, :3] / 0 - x[:, :3] / 0")); }, "net.pt returns NaN for one of the first samples");
  expect_error([] { checked(of("x[:, :3] + float(\"inf\")")); }, "net.pt returns an infinite number");
  EXPECT_NO_THROW(checked(of("x[:, :3]")));
}

TEST(CheckModel, OneLogitMustBeANumberAndNotAClass) {
  DatasetInfo info;
  info.num_classes = 2;
  info.input_shape = {6};
  info.name = "toy";
  const auto twos = testing::toy_dataset(8, {6}, 2);
  const auto check = [&](const std::string& expression) {
    SupervisedProblem problem(as_classifier(of(expression), info), CrossEntropy());
    return check_model(problem, *twos, {}, "net.pt");
  };
  EXPECT_EQ(check("x.sum(1)").meaning, "net.pt gives one number for two classes: class 1 is where it is above 0");
  expect_error([&] { check("x[:, :2].argmax(1)"); }, "of type Long");
}

TEST(CheckModel, RefusesToTrainWhatHasNoGradientInItsWeights) {
  const auto net = [](const std::string& expression) {
    auto script = testing::script_module("__torch__.Net");
    script.register_parameter("weight", torch::ones({6, 3}).set_requires_grad(true), /*is_buffer=*/false);
    script.define("def forward(self, x):\n    y = x.mm(self.weight)\n    return " + expression + "\n");
    return load_torchscript(testing::bytes_of(script), "net.pt");
  };
  const ModelNeeds training{/*input_gradient=*/false, /*weight_gradient=*/true};
  EXPECT_NO_THROW(checked(net("y"), training));
  expect_error([&] { checked(net("y.detach()"), training); },
               "net.pt cannot be trained: no gradient comes back to its weights (no_grad, detach or argmax inside?)");
  expect_error([&] { checked(net("x[:, :3]"), training); }, "net.pt cannot be trained");
  EXPECT_NO_THROW(checked(net("y.detach()"), {})) << "noise needs none";
}

TEST(CheckModel, ARegressionNeedsOneNumber) {
  DatasetInfo info;
  info.name = "line";
  const TensorDataset line(torch::rand({4, 2}), torch::rand({4}), info);
  const auto check = [&](const Model& model) {
    SupervisedProblem problem(model, SquaredError());
    return check_model(problem, line, {/*input_gradient=*/true}, "net.pt");
  };
  EXPECT_TRUE(check(of("x.sum(1)")).warnings.empty());
  EXPECT_TRUE(check(of("x.sum(1, True)")).warnings.empty());
  expect_error([&] { check(of("x")); }, "this regression needs one number each, [2, 1]");
  expect_error([&] { check(of("x.sum(1).mean()")); }, "a squeeze or a mean over the batch inside?");
}

TEST(CheckModel, RefusesWhatHasNoGradientInTheInput) {
  for (const char* source : {"x[:, :3].detach()", "torch.zeros_like(x[:, :3])", "torch.argsort(x[:, :3], 1).float()"}) {
    expect_error([&] { checked(of(source)); }, "net.pt is not differentiable in its input");
    EXPECT_NO_THROW(checked(of(source), {})) << "noise needs none";
  }
  EXPECT_TRUE(speaks_of(checked(of("torch.round(x[:, :3])")).warnings, "gradient in the input is zero"));
  EXPECT_TRUE(checked(of("torch.log_softmax(x[:, :3], 1)")).warnings.empty()) << "outputs whose sum is fixed have one";
}

TEST(CheckModel, WarnsOfRandomAndOfMixedPredictions) {
  EXPECT_TRUE(speaks_of(checked(of("torch.dropout(x[:, :3], 0.5, True)")).warnings, "random in evaluation mode"));
  EXPECT_TRUE(speaks_of(checked(of("(x - x.mean(0))[:, :3]")).warnings, "depends on the others in its batch"));
  EXPECT_TRUE(speaks_of(checked(of("x[:, :3].squeeze(0)")).warnings, "a batch of one sample"));
}

TEST(CheckModel, WarnsOfProbabilities) {
  EXPECT_TRUE(speaks_of(checked(of("torch.softmax(x[:, :3], 1)")).warnings, "look like probabilities"));
}

TEST(CheckModel, LeavesStatisticsAloneThatMoveInEveryPass) {
  auto script = testing::script_module("__torch__.Net");
  script.register_buffer("mean", torch::zeros({6}));
  script.register_buffer("var", torch::ones({6}));
  script.define(
      "def forward(self, x):\n    return torch.batch_norm(x, None, None, self.mean, self.var, True, 0.1, 1e-5, "
      "True)[:, :3]\n");
  const auto model = load_torchscript(testing::bytes_of(script), "net.pt");
  EXPECT_TRUE(speaks_of(checked(model).warnings, "batch norm was traced in training mode"));
  EXPECT_EQ(model.state()[0].second.abs().sum().item<float>(), 0);
}

}  // namespace arks
