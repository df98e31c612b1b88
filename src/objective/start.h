#pragma once
#include <arks/inner/constraint.h>

#include <functional>

namespace arks {

/// Where an ascent begins: a point of its set near x [n,...], drawn from the generator.
using Start = std::function<torch::Tensor(const torch::Tensor& x, torch::Generator& generator)>;

/// Anywhere in the set: Constraint::random_point.
Start uniform_start(ConstraintPtr set);

/// x + 0.001·N(0,1), projected: for what has no slope at x itself.
Start noisy_start(ConstraintPtr set);

}  // namespace arks
