#pragma once
// TorchScript files made in C++, as Python would have written them.
#include "support/testing.h"

#include <torch/csrc/jit/api/module.h>

#include <sstream>

namespace arks::testing {

inline std::string bytes_of(const torch::jit::Module& module) {
  std::ostringstream bytes;
  module.save(bytes);
  return std::move(bytes).str();
}

/// A module with the attribute `training`.
inline torch::jit::Module script_module(const std::string& class_name, bool training = true) {
  torch::jit::Module module(class_name);
  module.register_attribute("training", c10::BoolType::get(), training);
  return module;
}

/// Samples that the small programs here take.
inline torch::Tensor six_numbers(int64_t count, uint64_t seed = 3) {
  return normal({count, 6}, seed).to(torch::kFloat);
}

/// torch.nn.Linear as torch.jit.script saves it.
inline torch::jit::Module scripted_linear(int64_t in, int64_t out, uint64_t seed) {
  auto module = script_module("__torch__.torch.nn.modules.linear.Linear");
  module.register_parameter("weight", (0.3 * normal({out, in}, seed)).to(torch::kFloat).set_requires_grad(true), false);
  module.register_parameter("bias", normal({out}, seed + 1).to(torch::kFloat).set_requires_grad(true), false);
  module.define("def forward(self, input):\n    return torch.linear(input, self.weight, self.bias)\n");
  return module;
}

/// torch.nn.ReLU.
inline torch::jit::Module scripted_relu() {
  auto module = script_module("__torch__.torch.nn.modules.activation.ReLU");
  module.define("def forward(self, input):\n    return torch.relu(input)\n");
  return module;
}

/// torch.nn.BatchNorm1d with statistics that are not those of a new one.
inline torch::jit::Module scripted_batch_norm(int64_t features) {
  auto module = script_module("__torch__.torch.nn.modules.batchnorm.BatchNorm1d");
  module.type()->addConstant("eps", c10::IValue(1e-5));
  module.register_parameter("weight", torch::full({features}, 1.5F).set_requires_grad(true), false);
  module.register_parameter("bias", torch::full({features}, 0.25F).set_requires_grad(true), false);
  module.register_buffer("running_mean", torch::linspace(-1, 1, features));
  module.register_buffer("running_var", torch::linspace(0.5, 2, features));
  module.define(R"(
def forward(self, input):
    return torch.batch_norm(input, self.weight, self.bias, self.running_mean, self.running_var, self.training, 0.1,
                            1e-5, True)
)");
  return module;
}

/// torch.nn.Dropout.
inline torch::jit::Module scripted_dropout() {
  auto module = script_module("__torch__.torch.nn.modules.dropout.Dropout");
  module.define("def forward(self, input):\n    return torch.dropout(input, 0.5, self.training)\n");
  return module;
}

/// torch.nn.Sequential of these.
inline torch::jit::Module scripted_sequential(const std::vector<torch::jit::Module>& layers) {
  auto module = script_module("__torch__.torch.nn.modules.container.Sequential");
  std::string source = "def forward(self, input):\n    x = input\n";
  for (size_t i = 0; i < layers.size(); ++i) {
    const auto name = std::to_string(i);
    module.register_module(name, layers[i]);
    source += "    x = getattr(self, \"" + name + "\").forward(x)\n";
  }
  module.define(source + "    return x\n");
  return module;
}

/// x [n,6] → [n,3] through a dense layer, batch norm, ReLU, dropout and a dense layer.
inline torch::jit::Module scripted_net() {
  return scripted_sequential({scripted_linear(6, 5, 1), scripted_batch_norm(5), scripted_relu(), scripted_dropout(),
                              scripted_linear(5, 3, 7)});
}

/// A program without weights.
inline Model program(const std::string& source, const std::string& name = "net.pt") {
  auto module = script_module("__torch__.Net");
  module.define(source);
  return load_torchscript(bytes_of(module), name);
}

}  // namespace arks::testing
