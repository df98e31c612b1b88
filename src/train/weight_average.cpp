#include "train/weight_average.h"

#include "train/weights.h"

#include <arks/support/error.h>

#include <algorithm>

namespace arks {

void WeightAverage::check_applies(Problem& problem) {
  const auto parameters = problem.parameters();
  for (const auto& [name, tensor] : problem.state()) {
    const auto same = [&state = tensor](const torch::Tensor& parameter) { return parameter.is_same(state); };
    ARKS_CHECK(std::any_of(parameters.begin(), parameters.end(), same), "weight averaging: ", name,
               " is state that is not trained (statistics of batch norm?); averaged weights would need their own; "
               "train this model without averaging");
  }
}

void WeightAverage::add(Problem& problem) {
  torch::NoGradGuard no_grad;
  ++epochs_;
  const auto state = problem.state();
  if (mean_.empty()) {
    for (const auto& [name, tensor] : state) mean_.emplace_back(name, tensor.detach().to(torch::kDouble, false, true));
    return;
  }
  for (size_t i = 0; i < state.size(); ++i) {
    auto& mean = mean_[i].second;
    mean += (state[i].second - mean) / static_cast<double>(epochs_);
  }
}

void WeightAverage::copy_to(Problem& problem) const {
  if (!mean_.empty()) copy_into(mean_, problem.state());
}

AveragedWeightsGuard::AveragedWeightsGuard(Problem& problem, const WeightAverage& average) {
  if (average.epochs() == 0) return;
  for (const auto& [name, tensor] : problem.state()) own_.emplace_back(tensor, tensor.detach().clone());
  average.copy_to(problem);
}

AveragedWeightsGuard::~AveragedWeightsGuard() {
  torch::NoGradGuard no_grad;
  for (auto& [weight, value] : own_) weight.copy_(value);
}

}  // namespace arks
