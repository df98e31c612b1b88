#include "support/testing.h"

#include <arks/problem/supervised.h>
#include <torch/script.h>

#include <sstream>

namespace arks {

using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;

namespace {

torch::jit::Module loaded(const Model& model) {
  std::istringstream bytes(to_torchscript(model));
  return torch::jit::load(bytes);
}

DatasetInfo images() {
  return testing::info_for("fashion-cnn");
}

}  // namespace

TEST(TorchScript, GivesTheSameLogits) {
  for (const auto& name : model_names()) {
    const auto info = testing::info_for(name);
    auto shape = info.input_shape;
    shape.insert(shape.begin(), 3);
    const auto x = normal(shape).to(torch::kFloat);
    const auto model = make_model(name, info, 4);
    model.train(false);  // as it is saved
    auto script = loaded(model);
    // the same operations on the same numbers; a fused one may round otherwise
    EXPECT_LT(max_difference(script.forward({x}).toTensor(), model(x)), 1e-5) << name;
  }
}

TEST(TorchScript, KeepsNamesAndBitsOfTheWeights) {
  for (const auto& name : model_names()) {
    const auto model = make_model(name, testing::info_for(name), 4);
    auto script = loaded(model);
    std::map<std::string, torch::Tensor> found;
    for (const auto& item : script.named_parameters()) found[item.name] = item.value;
    EXPECT_EQ(found.size(), model.parameters().size()) << name;
    for (const auto& item : script.named_buffers()) found[item.name] = item.value;
    ASSERT_EQ(found.size(), model.state().size()) << name;
    for (const auto& [weight, tensor] : model.state()) {
      EXPECT_TRUE(identical(found[weight], tensor)) << name << " " << weight;
      EXPECT_EQ(found[weight].requires_grad(), tensor.requires_grad()) << "it can be trained further";
    }
  }
}

TEST(TorchScript, SavesEvaluationModeAndCanChangeIt) {
  auto script = loaded(make_model("fashion-cnn", images(), 0));
  for (const auto& module : script.modules()) EXPECT_FALSE(module.is_training());
  script.train();
  for (const auto& module : script.modules()) EXPECT_TRUE(module.is_training());
}

TEST(TorchScript, LeavesTheModelAsItWas) {
  const auto model = make_model("linear", images(), 0);
  model.train(true);
  const auto before = model.state()[0].second.detach().clone();
  auto script = loaded(model);
  {
    torch::NoGradGuard no_grad;
    for (const auto& item : script.named_parameters()) item.value.zero_();
  }
  EXPECT_TRUE(identical(model.state()[0].second.detach(), before)) << "the script must own a copy";
  for (const bool training : model.training_modes()) EXPECT_TRUE(training);
}

TEST(TorchScript, CarriesWeightsThatAreNotTrainedAsBuffers) {
  const char* const source = R"(
def forward(self, x):
    h = self.norm
    return (x - h.running_mean) / torch.sqrt(h.running_var + 1e-5) * h.weight + h.bias
)";
  struct Wrapped : torch::nn::Module {
    Wrapped() : norm(register_module("norm", torch::nn::BatchNorm1d(3))) {}
    torch::Tensor forward(const torch::Tensor& x) { return norm(x); }
    torch::nn::BatchNorm1d norm;
  };
  torch::nn::ModuleHolder<Wrapped> holder;
  holder->forward(normal({8, 3}).to(torch::kFloat));  // moves the running statistics
  holder->eval();
  const auto x = normal({4, 3}, 2).to(torch::kFloat);
  auto script = loaded(Model(holder).with_script(source));
  EXPECT_LT(max_difference(script.forward({x}).toTensor(), holder->forward(x)), 1e-6);
}

TEST(TorchScript, RefusesAModelWithoutASource) {
  expect_error([] { to_torchscript(Model([](const torch::Tensor& x) { return x; })); },
               "model function has no TorchScript source");
  torch::nn::Sequential random(torch::nn::Linear(3, 2), torch::nn::Dropout(0.5));
  expect_error([&] { to_torchscript(Model(random)); },
               "has no TorchScript source, and none can be written: torch::nn::DropoutImpl draws random numbers");
  torch::nn::Sequential unknown(torch::nn::Linear(3, 2), torch::nn::Softmax(1));
  expect_error([&] { to_torchscript(Model(unknown)); }, "layer 1 (torch::nn::SoftmaxImpl) is not a layer");
}

TEST(TorchScript, OfASequentialOfKnownLayersIsWritten) {
  const Model model(torch::nn::Sequential(torch::nn::Linear(3, 5), torch::nn::BatchNorm1d(5), torch::nn::ReLU(),
                                          torch::nn::Linear(5, 2)));
  const auto x = normal({8, 3}).to(torch::kFloat);
  model(x);  // moves the running statistics
  model.train(false);
  auto script = loaded(model);
  EXPECT_LT(max_difference(script.forward({x}).toTensor(), model(x)), 1e-5);
  std::map<std::string, torch::Tensor> found;
  for (const auto& item : script.named_parameters()) found[item.name] = item.value;
  for (const auto& item : script.named_buffers()) found[item.name] = item.value;
  ASSERT_EQ(found.size(), model.state().size());
  for (const auto& [name, tensor] : model.state()) EXPECT_TRUE(identical(found[name], tensor)) << name;
  script.train();
  model.train(true);
  EXPECT_LT(max_difference(script.forward({x}).toTensor(), model(x)), 1e-5) << "it trains as the module does";
  const Model alone(torch::nn::Linear(3, 2));
  EXPECT_LT(max_difference(loaded(alone).forward({x}).toTensor(), alone(x)), 1e-6) << "a layer by itself";
}

TEST(TorchScript, RefusesLayersWhoseNamesItCannotSay) {
  const auto called = [](const std::string& name) {
    return Model(torch::nn::Sequential({{name, torch::nn::Linear(3, 2)}}));
  };
  EXPECT_NO_THROW(loaded(called("first_1")));
  expect_error([&] { to_torchscript(called("conv-1")); }, "a layer cannot be called 'conv-1'");
  expect_error([&] { to_torchscript(called("in")); }, "is not valid TorchScript: ");
}

TEST(TorchScript, KeepsTiedLayersTied) {
  const torch::nn::Linear tied(3, 3);
  auto script = loaded(Model(torch::nn::Sequential(tied, torch::nn::ReLU(), tied)));
  const auto first = script.attr("0").toModule().attr("weight").toTensor();
  const auto second = script.attr("2").toModule().attr("weight").toTensor();
  EXPECT_TRUE(identical(first, tied->weight));
  EXPECT_EQ(first.data_ptr(), second.data_ptr());
}

/// Says what it computes in evaluation mode only.
struct TwiceInTraining : torch::nn::Module, GraphSource {
  torch::Tensor forward(const torch::Tensor& x) { return is_training() ? 2 * x : x; }
  Graph graph() const override { return {}; }
};

TEST(TorchScript, IsNotWrittenOfWhatTrainsOtherwise) {
  const Model model(std::make_shared<TwiceInTraining>());
  expect_error([&] { to_torchscript(model); }, "does not say what it computes in training mode");
  SupervisedProblem problem(model, CrossEntropy());
  const auto found = problem.network().compilation({3}, /*training=*/true);
  EXPECT_FALSE(found.compiled);
  EXPECT_NE(found.why_not.find("does not say what it computes in training mode"), std::string::npos) << found.why_not;
}

TEST(TorchScript, NestsModulesAsTheNamesDo) {
  struct Block : torch::nn::Module {
    Block() {
      const auto body = register_module("0", torch::nn::Sequential(torch::nn::Linear(3, 3), torch::nn::BatchNorm1d(3)));
      scale = register_parameter("scale", torch::full({3}, 2.0F));
    }
    torch::Tensor forward(const torch::Tensor& x) {
      return scale * named_children()["0"]->as<torch::nn::Sequential>()->forward(x);
    }
    torch::Tensor scale;
  };
  const char* const source = R"(
def forward(self, x):
    body = getattr(self, "0")
    dense = getattr(body, "0")
    norm = getattr(body, "1")
    h = torch.matmul(x, dense.weight.t()) + dense.bias
    h = (h - norm.running_mean) / torch.sqrt(norm.running_var + 1e-5) * norm.weight + norm.bias
    return self.scale * h
)";
  torch::nn::ModuleHolder<Block> block;
  block->forward(normal({8, 3}).to(torch::kFloat));  // moves the running statistics
  block->eval();
  const Model model = Model(block).with_script(source);
  auto script = loaded(model);
  const auto x = normal({4, 3}, 2).to(torch::kFloat);
  EXPECT_LT(max_difference(script.forward({x}).toTensor(), model(x)), 1e-5);

  std::map<std::string, torch::Tensor> found;
  for (const auto& item : script.named_parameters()) found[item.name] = item.value;
  EXPECT_EQ(found.size(), 5U);
  for (const auto& item : script.named_buffers()) found[item.name] = item.value;
  for (const auto& [name, tensor] : model.state()) EXPECT_TRUE(identical(found[name], tensor)) << name;
  EXPECT_EQ(found.at("0.1.num_batches_tracked").item<int64_t>(), 1);
  EXPECT_TRUE(found.count("scale"));
}

TEST(TorchScript, PutsAWeightWithoutALayerOnTheRoot) {
  Model model([](const torch::Tensor& x) { return 3 * x; }, {torch::full({1}, 3.0F).set_requires_grad(true)});
  auto script = loaded(model.with_script("def forward(self, x):\n    return self.parameter0 * x\n"));
  EXPECT_EQ(script.forward({torch::ones({1})}).toTensor().item<float>(), 3);
}

}  // namespace arks
