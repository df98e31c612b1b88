#include "start.h"

namespace arks {

Start uniform_start(ConstraintPtr set) {
  return [set = std::move(set)](const torch::Tensor& x, torch::Generator& generator) {
    return set->random_point(x, generator);
  };
}

Start noisy_start(ConstraintPtr set) {
  constexpr double kNoise = 0.001;
  return [set = std::move(set)](const torch::Tensor& x, torch::Generator& generator) {
    return set->project(x + kNoise * torch::empty_like(x).normal_(0, 1, generator), x);
  };
}

}  // namespace arks
