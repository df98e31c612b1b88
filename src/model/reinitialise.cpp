#include "model/reinitialise.h"

#include <arks/model/graph_module.h>
#include <arks/support/error.h>
#include <arks/support/random.h>

#include <algorithm>
#include <map>
#include <optional>

namespace arks {

namespace {

/// What a parameter of this name starts from in torch, where that is one number.
std::optional<double> start_of(const torch::nn::Module& module, const std::string& name) {
  const auto is_called = [&](const char* part) { return module.name().find(part) != std::string::npos; };
  if (is_called("Norm") && name == "bias") return 0;
  if (is_called("Norm") && name == "weight") return 1;
  if (is_called("PReLU") && name == "weight") return 0.25;
  return std::nullopt;
}

/// True when the parameter was given new values.
bool draw(const torch::nn::Module& module, const std::string& name, torch::Tensor& parameter,
          torch::Generator& generator) {
  if (!parameter.requires_grad()) return false;
  const auto own = module.named_parameters(/*recurse=*/false);
  const auto* weight = own.find("weight");
  const auto& drawn_as = name == "bias" && weight != nullptr ? *weight : parameter;
  if (const auto start = start_of(module, name)) {
    parameter.fill_(*start);
  } else if (parameter.numel() > 0) {
    if (drawn_as.dim() < 2) return false;
    draw_uniform(parameter, drawn_as.numel() / std::max<int64_t>(drawn_as.size(0), 1), generator);
  }
  return true;
}

}  // namespace

std::vector<std::string> reinitialise(const Model& model, uint64_t seed) {
  ARKS_CHECK(model.module() && !model.parameters().empty(), "model ", model.architecture(),
             " has no parameters that could be redrawn");
  torch::NoGradGuard no_grad;
  auto generator = make_generator(seed, Stream::kInitialisation);
  const std::map<std::string, double> statistics{{"running_mean", 0}, {"running_var", 1}, {"num_batches_tracked", 0}};
  std::vector<std::string> left;
  for (const auto& item : model.module()->named_modules("", /*include_self=*/true)) {
    const auto prefix = item.key().empty() ? std::string() : item.key() + ".";
    for (auto& parameter : item.value()->named_parameters(/*recurse=*/false)) {
      if (!draw(*item.value(), parameter.key(), parameter.value(), generator)) left.push_back(prefix + parameter.key());
    }
    for (auto& buffer : item.value()->named_buffers(/*recurse=*/false)) {
      const auto start = statistics.find(buffer.key());
      if (start != statistics.end()) {
        buffer.value().fill_(start->second);
      } else {
        left.push_back(prefix + buffer.key());
      }
    }
  }
  return left;
}

}  // namespace arks
