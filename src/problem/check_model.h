#pragma once
#include <arks/data/dataset.h>
#include <arks/problem/supervised.h>

#include <string>
#include <vector>

namespace arks {

/// What is odd about a model on data, but not wrong.
struct ModelCheck {
  std::vector<std::string> warnings;  ///< results will not mean what they seem to
  std::vector<std::string> notes;     ///< good to know
};

/// Runs the model once or twice over the first two samples, in evaluation mode, and changes nothing in it. Throws Error
/// when it does not take samples of this shape, returns no tensor [n, outputs] with an output for every class (for a
/// regression: one), or, with `needs_gradient`, cannot be differentiated in its input. Warns when that gradient is zero
/// everywhere, when predictions are random or depend on the other samples of the batch, when they are probabilities
/// where cross entropy takes logits, and of modes that tracing has fixed (torchscript_notes). `name` stands for the
/// model in messages.
ModelCheck check_model(SupervisedProblem& problem, const Dataset& data, bool needs_gradient, const std::string& name);

}  // namespace arks
