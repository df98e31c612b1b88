#pragma once
#include <arks/data/dataset.h>
#include <arks/model/model.h>

#include <string>
#include <vector>

namespace arks {

/// A built-in network by the name after --model, sized for the data set (an output for each class; one for a
/// regression, num_classes 0) and initialised from the seed. Throws Error for an unknown name (with the nearest one)
/// and for a network that does not take this data set's inputs.
Model make_model(const std::string& name, const DatasetInfo& data, uint64_t seed);

std::vector<std::string> model_names();

}  // namespace arks
