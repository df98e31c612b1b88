#include "problem/state_guard.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <mutex>

namespace arks {

FrozenParametersGuard::FrozenParametersGuard(Problem& problem) {
  for (auto& parameter : problem.parameters()) {
    // only a leaf can change the flag; what is no leaf belongs to a graph of the caller's
    if (parameter.requires_grad() && parameter.is_leaf()) {
      parameter.set_requires_grad(false);
      unfrozen_.push_back(parameter);
    }
  }
}

FrozenParametersGuard::~FrozenParametersGuard() {
  for (auto& parameter : unfrozen_) parameter.set_requires_grad(true);
}

namespace {

/// State that is not trained, by name; the tensors are the problem's own.
NamedTensors buffers_of(Problem& problem) {
  const auto parameters = problem.parameters();
  NamedTensors buffers;
  for (const auto& [name, tensor] : problem.state()) {
    const auto same = [&state = tensor](const torch::Tensor& parameter) { return parameter.is_same(state); };
    if (std::none_of(parameters.begin(), parameters.end(), same)) buffers.emplace_back(name, tensor);
  }
  return buffers;
}

}  // namespace

BuffersGuard::BuffersGuard(Problem& problem) : problem_(problem) {
  for (const auto& [name, tensor] : buffers_of(problem)) values_.emplace_back(name, tensor.detach().clone());
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  random_stream_ = generator.get_state();
}

BuffersGuard::~BuffersGuard() {
  torch::NoGradGuard no_grad;
  // asked for anew and found by name: a scripted batch norm puts a new tensor where its counter was
  for (auto& [name, tensor] : buffers_of(problem_)) {
    for (const auto& [saved, value] : values_) {
      if (saved == name) tensor.copy_(value);
    }
  }
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_state(random_stream_);
}

}  // namespace arks
