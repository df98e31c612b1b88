#pragma once
#include <arks/data/dataset.h>
#include <arks/problem/supervised.h>

#include <string>
#include <vector>

namespace arks {

/// What a model has to be differentiable in.
struct ModelNeeds {
  bool input_gradient = false;   ///< to be attacked, or trained robustly
  bool weight_gradient = false;  ///< to be trained
};

/// What is odd about a model on data, but not wrong.
struct ModelCheck {
  std::vector<std::string> warnings;  ///< results will not mean what they seem to
  std::vector<std::string> notes;     ///< good to know before it is trained
  std::string meaning;                ///< which class an output stands for, where that is not plain; else empty
};

/// Runs the model a few times over the first samples, in evaluation mode, and changes nothing in it. Throws Error when
/// it does not take samples of this shape, returns no tensor [n, outputs] with one output for every class (for a
/// regression: for every target), returns NaN or infinity, or cannot be differentiated in what it needs to be. Weights
/// are tried in training mode. Warns when the gradient in the input is zero everywhere, when predictions are random or
/// depend on the other samples of the batch, when they are probabilities where cross entropy takes logits, and of modes
/// that tracing has fixed (torchscript_notes). `name` stands for the model in messages.
ModelCheck check_model(SupervisedProblem& problem, const Dataset& data, const ModelNeeds& needs,
                       const std::string& name);

/// A network that gives one number for a sample of two classes as one with two logits (two_logits); any other, and one
/// that does not take such samples, as it is.
Model as_classifier(const Model& net, const DatasetInfo& data);

}  // namespace arks
