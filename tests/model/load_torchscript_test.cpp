#include "model/scripts.h"
#include "problem/state_guard.h"
#include "support/testing.h"

#include <torch/csrc/jit/serialization/import.h>
#include <torch/csrc/jit/serialization/pickle.h>

namespace arks {

using testing::bytes_of;
using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::program;
using testing::script_module;
using testing::scripted_linear;
using testing::scripted_net;
using testing::six_numbers;

namespace {

torch::jit::Module reread(const std::string& bytes) {
  std::istringstream stream(bytes);
  return torch::jit::load(stream);
}

std::vector<std::string> names_of(const NamedTensors& state) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : state) names.push_back(name);
  return names;
}

}  // namespace

TEST(LoadTorchScript, ComputesWhatTheProgramComputes) {
  auto script = scripted_net();
  const auto model = load_torchscript(bytes_of(script), "net.pt");
  script.eval();
  model.train(false);
  const auto x = six_numbers(4);
  EXPECT_TRUE(identical(model(x), script.forward({x}).toTensor()));
  EXPECT_EQ(model.architecture(), "torchscript Sequential");
}

TEST(LoadTorchScript, NamesWeightsAsStateDictDoes) {
  const auto model = load_torchscript(bytes_of(scripted_net()), "net.pt");
  const std::vector<std::string> expected{"0.weight", "0.bias", "1.weight",       "1.bias",
                                          "4.weight", "4.bias", "1.running_mean", "1.running_var"};
  EXPECT_EQ(names_of(model.state()), expected);
  EXPECT_EQ(model.parameters().size(), 6U);
}

TEST(LoadTorchScript, TrainingModeReachesTheProgram) {
  const auto model = load_torchscript(bytes_of(scripted_net()), "net.pt");
  const auto x = six_numbers(8);
  const auto mean = model.state()[6].second;
  model.train(false);
  const auto before = mean.clone();
  const auto calm = model(x);
  EXPECT_TRUE(identical(model(x), calm));
  EXPECT_TRUE(identical(mean, before));
  model.train(true);
  EXPECT_GT(max_difference(model(x), calm), 1e-3) << "batch norm and dropout see the batch";
  EXPECT_FALSE(identical(mean, before)) << "the statistics move, and the state holds the very tensor that moves";
}

TEST(LoadTorchScript, GuardsRestoreModesAndGradientsOfThePrograms) {
  const auto model = load_torchscript(bytes_of(scripted_net()), "net.pt");
  SupervisedProblem problem(model, CrossEntropy());
  model.train(true);
  {
    const ModeGuard mode(problem, false);
    const FrozenParametersGuard frozen(problem);
    EXPECT_FALSE(model(six_numbers(2)).requires_grad()) << "the program computes with the frozen weights";
  }
  for (const bool training : model.training_modes()) EXPECT_TRUE(training);
  EXPECT_TRUE(model(six_numbers(2)).requires_grad());
}

TEST(LoadTorchScript, GradientsOfWeightsAndInputsMatchDifferences) {
  const auto model = load_torchscript(bytes_of(scripted_net()), "net.pt");
  model.train(false);
  for (const auto& [name, tensor] : model.state()) tensor.set_data(tensor.detach().to(torch::kDouble));
  const auto x = testing::normal({3, 6}, 11);
  testing::expect_derivative_matches([&](const torch::Tensor& u) { return model(u).square().sum(1); }, x);
  auto weight = model.state()[0].second;
  const auto loss = [&] { return model(x).square().sum(); };
  loss().backward();
  const double step = 1e-5;
  auto entry = weight.detach()[2][3];
  const auto shifted = [&](double by) {
    entry.add_(by);
    const double value = loss().item<double>();
    entry.sub_(by);
    return value;
  };
  EXPECT_NEAR(weight.grad()[2][3].item<double>(), (shifted(step) - shifted(-step)) / (2 * step), 1e-6);
}

TEST(LoadTorchScript, SavesTheSameProgramWithNewWeights) {
  auto script = scripted_net();
  script.register_attribute("classes", c10::ListType::ofStrings(),
                            c10::IValue(c10::List<std::string>({"cat", "dog", "emu"})));
  script.define("def twice(self, x):\n    return self.forward(2 * x)\n");
  auto dropout = script.attr("3").toModule();
  dropout.setattr("training", false);  // modes that differ, as a user may have left them
  const auto model = load_torchscript(bytes_of(script), "net.pt");
  {
    torch::NoGradGuard no_grad;
    for (auto& parameter : model.parameters()) parameter.mul_(2);
  }
  model.train(false);
  const auto x = six_numbers(4);
  const auto expected = model(x);
  auto saved = reread(to_torchscript(model));
  EXPECT_TRUE(saved.is_training()) << "modes are those of the file";
  EXPECT_FALSE(saved.attr("3").toModule().is_training());
  for (const bool training : model.training_modes()) EXPECT_FALSE(training) << "and the model keeps its own";
  EXPECT_EQ(saved.attr("classes").toListRef()[2].toStringRef(), "emu");
  saved.eval();
  EXPECT_TRUE(identical(saved.forward({x}).toTensor(), expected));
  EXPECT_TRUE(identical(saved.run_method("twice", x).toTensor(), saved.forward({2 * x}).toTensor()));
  for (const auto& item : saved.named_parameters()) EXPECT_TRUE(item.value.requires_grad()) << item.name;
}

TEST(LoadTorchScript, KeepsTheFilesBesideTheProgram) {
  std::ostringstream given;
  scripted_net().save(given, {{"labels.txt", "cat dog emu"}});
  const auto model = load_torchscript(given.str(), "net.pt");
  std::istringstream saved(to_torchscript(normalised(model, {0}, {1}, {6})));
  torch::jit::ExtraFilesMap files{{"labels.txt", ""}};
  torch::jit::load(saved, c10::nullopt, files);
  EXPECT_EQ(files["labels.txt"], "cat dog emu");
}

TEST(LoadTorchScript, RegistersTiedWeightsOnce) {
  auto script = script_module("__torch__.Tied");
  const auto weight = testing::normal({6, 6}).to(torch::kFloat).set_requires_grad(true);
  auto first = script_module("__torch__.Half"), second = script_module("__torch__.Other");
  first.register_parameter("weight", weight, false);
  second.register_parameter("weight", weight, false);
  script.register_module("first", first);
  script.register_module("second", second);
  script.define(
      "def forward(self, x):\n    return torch.matmul(torch.matmul(x, self.first.weight), self.second.weight)\n");
  const auto model = load_torchscript(bytes_of(script), "net.pt");
  EXPECT_EQ(names_of(model.state()), std::vector<std::string>{"first.weight"});
  {
    torch::NoGradGuard no_grad;
    model.parameters()[0].copy_(2 * torch::eye(6));
  }
  const auto x = six_numbers(2);
  EXPECT_TRUE(identical(model(x), 4 * x)) << "both ends are one tensor";
}

TEST(LoadTorchScript, FollowsABufferThatTheProgramReplaces) {
  auto script = script_module("__torch__.Net");
  script.register_buffer("count", torch::zeros({1}, torch::kLong));
  script.define("def forward(self, x):\n    self.count = self.count + 1\n    return x\n");
  const auto model = load_torchscript(bytes_of(script), "net.pt");
  const auto count = model.state()[0].second;
  for (int i = 0; i < 3; ++i) model(six_numbers(1));
  EXPECT_EQ(count.item<int64_t>(), 3) << "the tensor that checkpoints and guards know";
  model.state()[0].second.zero_();
  model(six_numbers(1));
  EXPECT_EQ(reread(to_torchscript(model)).attr("count").toTensor().item<int64_t>(), 1) << "and the program's own";
}

TEST(LoadTorchScript, KeepsParametersThatAreNotTrained) {
  auto script = scripted_net();
  script.attr("0").toModule().attr("weight").toTensor().set_requires_grad(false);
  const auto model = load_torchscript(bytes_of(script), "net.pt");
  EXPECT_EQ(model.parameters().size(), 6U);
  EXPECT_FALSE(model.parameters()[0].requires_grad());
  EXPECT_TRUE(model.parameters()[1].requires_grad());
}

TEST(LoadTorchScript, AProgramWithoutWeightsCanBeAttacked) {
  const auto model = program("def forward(self, x):\n    return torch.cat([x.sum(1, True), -x.sum(1, True)], 1)\n");
  EXPECT_TRUE(model.parameters().empty());
  SupervisedProblem problem(model, CrossEntropy());
  const auto data = testing::toy_dataset(16, {6}, 2);
  const auto clean = evaluate(problem, data, FgsmAttack(FgsmOptions().eps(0)));
  const auto attacked = evaluate(problem, data, FgsmAttack(FgsmOptions().eps(0.1)));
  EXPECT_GT(attacked.loss, clean.loss);
}

TEST(LoadTorchScript, TrainsAsAnyModel) {
  const auto model = load_torchscript(bytes_of(scripted_net()), "net.pt");
  SupervisedProblem problem(model, CrossEntropy());
  const auto data = testing::toy_dataset(64, {6}, 3);
  const Arks objective(GaussianKernel(0.5), AscentOptions().steps(3).learning_rate(0.05));
  const auto options = TrainOptions().epochs(15).batch_size(16).optimizer(OptimizerOptions().learning_rate(0.02));
  const auto summary = train(problem, data, objective, options);
  EXPECT_LT(summary.epochs.back().surrogate, 0.8 * summary.epochs.front().surrogate);
}

TEST(LoadTorchScript, SaysWhatAFileIsThatIsNoTorchScript) {
  const testing::TemporaryFolder folder;
  expect_error([] { load_torchscript("hello", "notes.txt"); },
               "notes.txt is not a TorchScript file; in Python: torch.jit");
  expect_error([] { load_torchscript("", "empty.pt"); }, "empty.pt is not a TorchScript file");
  expect_error([] { load_torchscript("\x80\x02}q\x01.", "old.pt"); },
               "old.pt is a pickle (torch.save), perhaps a state_dict");
  const auto pickled = torch::jit::pickle_save(torch::ones({2}));
  expect_error([&] { load_torchscript({pickled.begin(), pickled.end()}, "state.pt"); }, "state.pt is a pickle");
  const auto whole = bytes_of(scripted_net());
  expect_error([&] { load_torchscript(whole.substr(0, whole.size() / 2), "half.pt"); }, "half.pt is damaged");
  expect_error([&] { load_torchscript(folder / "none.pt"); }, "none.pt");

  SupervisedProblem problem(Model(torch::nn::Linear(2, 2)), CrossEntropy());
  const auto options = TrainOptions().epochs(1).folder(folder.path());
  train(problem, testing::toy_dataset(8, {2}, 2), Erm(), options);
  expect_error([&] { load_torchscript(folder / "checkpoint.pt"); }, "is a checkpoint of arks train, not TorchScript");
}

TEST(LoadTorchScript, RefusesWeightsThatAreNotFloat32) {
  auto script = script_module("__torch__.Net");
  script.register_parameter("weight", testing::normal({6, 2}).set_requires_grad(true), false);
  script.define("def forward(self, x):\n    return torch.matmul(x, self.weight)\n");
  expect_error([&] { load_torchscript(bytes_of(script), "net.pt"); },
               "net.pt: weight is of type Double; arks computes in float32: save the module after .float()");
}

TEST(LoadTorchScript, RefusesOtherInterfaces) {
  expect_error([] { program("def forward(self, x, y):\n    return x + y\n"); }, "forward takes 2 arguments");
  expect_error([] { program("def forward(self, n: int):\n    return torch.ones([n])\n"); }, "forward takes a int");
  expect_error([] { program("def predict(self, x):\n    return x\n"); }, "has no method forward");
  const auto scaled = program("def forward(self, x, factor: float = 2.0):\n    return x * factor\n");
  EXPECT_EQ(scaled(torch::ones({1})).item<float>(), 2) << "an argument with a default may stay away";
}

TEST(LoadTorchScript, AFailureInsideIsOneLine) {
  const auto model = load_torchscript(bytes_of(scripted_linear(6, 2, 1)), "net.pt");
  expect_error(
      [&] {
        model(torch::ones({4, 5}));
      },
      "net.pt fails on inputs [4, 5]: mat1 and mat2 shapes cannot be multiplied (4x5 and 6x2)");
  const auto pair = program("def forward(self, x):\n    return x, x\n");
  expect_error([&] { pair(torch::ones({1})); }, "net.pt returns a (Tensor, Tensor); a model must return one tensor");
  const auto nothing = program("def forward(self, x):\n    y = x + 1\n");
  expect_error([&] { nothing(torch::ones({1})); }, "net.pt returns nothing");
}

TEST(LoadTorchScript, SaysWhatTracingHasFixed) {
  const auto noted = [](const std::string& call) {
    auto script = script_module("__torch__.Net");
    for (const char* name : {"a", "b"}) script.register_buffer(name, torch::ones({6}));
    script.define("def forward(self, x):\n    return " + call + "\n");
    return torchscript_notes(load_torchscript(bytes_of(script), "net.pt"));
  };
  const std::string norm = "torch.batch_norm(x, None, None, self.a, self.b, ";
  EXPECT_NE(noted(norm + "False, 0.1, 1e-5, True)").notes.at(0).find("batch norm was traced in evaluation mode"),
            std::string::npos);
  EXPECT_NE(noted(norm + "True, 0.1, 1e-5, True)").warnings.at(0).find("batch norm was traced in training mode"),
            std::string::npos);
  EXPECT_NE(noted("torch.dropout(x, 0.5, False)").notes.at(0).find("dropout was traced in evaluation"),
            std::string::npos);
  EXPECT_NE(noted("torch.dropout(x, 0.5, True)").warnings.at(0).find("predictions are random"), std::string::npos);
  const auto scripted = torchscript_notes(load_torchscript(bytes_of(scripted_net()), "net.pt"));
  EXPECT_TRUE(scripted.notes.empty() && scripted.warnings.empty());
}

}  // namespace arks
