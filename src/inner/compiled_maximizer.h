#pragma once
#include <arks/inner/maximizer.h>
#include <arks/problem/supervised.h>

#include <memory>

namespace arks {

/// A maximizer that runs on the problem's plan: every chunk of samples makes all its steps before the next one begins,
/// so that iterates, moments and activations stay in the cache, and a sample that is done leaves its chunk. With batch
/// norm in training mode, which couples the samples, the whole batch goes step by step. What cannot be compiled is left
/// to `otherwise`, and info() says what it was.
std::unique_ptr<Maximizer> make_compiled_maximizer(SupervisedProblem& problem, InnerObjectivePtr objective,
                                                   const CostPtr& cost, const AscentOptions& ascent,
                                                   ConstraintPtr constraint, std::unique_ptr<Maximizer> otherwise);

}  // namespace arks
