#pragma once
#include "support/modes_guard.h"

#include <arks/problem/problem.h>

namespace arks {

/// Puts a problem into evaluation or training mode and restores the mode of every module when it goes, also when an
/// exception passes.
using ModeGuard = ModesGuard<Problem>;

/// Switches requires_grad of all parameters off, so that a backward pass costs nothing for the weights and cannot touch
/// their .grad; restores each flag when it goes, also when an exception passes.
class FrozenParametersGuard {
 public:
  explicit FrozenParametersGuard(Problem& problem);
  ~FrozenParametersGuard();
  FrozenParametersGuard(const FrozenParametersGuard&) = delete;
  FrozenParametersGuard& operator=(const FrozenParametersGuard&) = delete;

 private:
  std::vector<torch::Tensor> unfrozen_;  // those that had requires_grad
};

/// Puts back what forward passes in training mode leave behind: the buffers of a problem (batch-norm statistics and
/// everything else in its state that is no parameter) and the place in torch's own random stream, from which dropout
/// draws. It does so when it goes, also when an exception passes.
class BuffersGuard {
 public:
  explicit BuffersGuard(Problem& problem);
  ~BuffersGuard();
  BuffersGuard(const BuffersGuard&) = delete;
  BuffersGuard& operator=(const BuffersGuard&) = delete;

 private:
  Problem& problem_;
  NamedTensors values_;  // copies
  torch::Tensor random_stream_;
};

}  // namespace arks
