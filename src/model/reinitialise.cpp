#include "model/reinitialise.h"

#include <arks/model/graph_module.h>
#include <arks/support/error.h>
#include <arks/support/random.h>

#include <algorithm>

namespace arks {

namespace {

int64_t fan_in(const torch::Tensor& weight) {
  return weight.numel() / std::max<int64_t>(weight.size(0), 1);
}

bool is_called(const torch::nn::Module& module, const char* part) {
  return module.name().find(part) != std::string::npos;
}

/// True when the parameter was given new values.
bool draw(const torch::nn::Module& module, const std::string& name, torch::Tensor& parameter,
          torch::Generator& generator) {
  const auto own = module.named_parameters(/*recurse=*/false);
  const auto* weight = own.find("weight");
  const bool norm = is_called(module, "Norm"), bias = name == "bias" && weight != nullptr;
  const auto& drawn_as = bias ? *weight : parameter;
  if (!parameter.requires_grad()) return false;
  if (parameter.numel() == 0) return true;
  if (norm && (bias || name == "weight")) {
    parameter.fill_(bias ? 0 : 1);
  } else if (name == "weight" && is_called(module, "PReLU")) {
    parameter.fill_(0.25);
  } else if (drawn_as.dim() >= 2) {
    draw_uniform(parameter, fan_in(drawn_as), generator);
  } else {
    return false;
  }
  return true;
}

bool reset_statistics(const std::string& name, torch::Tensor& buffer) {
  if (name == "running_mean" || name == "num_batches_tracked") {
    buffer.zero_();
  } else if (name == "running_var") {
    buffer.fill_(1);
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> reinitialise(const Model& model, uint64_t seed) {
  ARKS_CHECK(model.module() && !model.parameters().empty(), "model ", model.architecture(),
             " has no parameters that could be redrawn");
  torch::NoGradGuard no_grad;
  auto generator = make_generator(seed, Stream::kInitialisation);
  std::vector<std::string> left;
  for (const auto& item : model.module()->named_modules("", /*include_self=*/true)) {
    const auto prefix = item.key().empty() ? std::string() : item.key() + ".";
    for (auto& parameter : item.value()->named_parameters(/*recurse=*/false)) {
      if (!draw(*item.value(), parameter.key(), parameter.value(), generator)) left.push_back(prefix + parameter.key());
    }
    for (auto& buffer : item.value()->named_buffers(/*recurse=*/false)) {
      if (!reset_statistics(buffer.key(), buffer.value())) left.push_back(prefix + buffer.key());
    }
  }
  return left;
}

}  // namespace arks
