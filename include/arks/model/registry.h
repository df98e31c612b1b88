#pragma once
#include <arks/data/dataset.h>
#include <arks/model/model.h>
#include <torch/arg.h>

#include <string>
#include <vector>

namespace arks {

struct ModelOptions {
  ModelOptions(uint64_t seed = 0) : seed_(seed) {}  // NOLINT: a seed is often all there is to say
  TORCH_ARG(uint64_t, seed);                        // of the initial weights
  TORCH_ARG(std::string, activation);               // see activation_names(); empty: the network's own
};

/// A built-in network by the name after --model, sized for the data set (an output for each class; one for a
/// regression, num_classes 0) and initialised from the seed. Throws Error for an unknown name (with the nearest one),
/// for a network that does not take this data set's inputs, and for an activation where there is no choice.
Model make_model(const std::string& name, const DatasetInfo& data, const ModelOptions& options = {});

std::vector<std::string> model_names();

}  // namespace arks
