#include <arks/problem/state_guard.h>

namespace arks {

ModeGuard::ModeGuard(Problem& problem, bool training) : problem_(problem), modes_(problem.training_modes()) {
  problem_.train(training);
}

ModeGuard::~ModeGuard() {
  problem_.set_training_modes(modes_);
}

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

}  // namespace arks
