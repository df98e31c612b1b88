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
  TORCH_ARG(int64_t, width) = 0;                    // of cnn; 0: its own
  TORCH_ARG(bool, batch_norm) = false;              // of cnn
};

/// A built-in network by the name after --model, sized for the data set (an output for each class, or for each number
/// of a regression) and initialised from the seed. Throws Error for an unknown name (with the nearest one), for a
/// network that does not take this data set's inputs, and for an activation, a width or batch norm where there is no
/// choice.
Model make_model(const std::string& name, const DatasetInfo& data, const ModelOptions& options = {});

std::vector<std::string> model_names();

/// A network that fits images of any size, whose width and batch norm can be chosen; false for names that there are
/// not.
bool fits_any_images(const std::string& name);

}  // namespace arks
