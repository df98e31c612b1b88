#pragma once
#include <arks/data/dataset.h>

#include <string>
#include <vector>

namespace arks {

/// The targets of all samples, in their order; read a few at a time, since the inputs come with them.
torch::Tensor labels_of(const Dataset& dataset);

/// How many samples each class has; empty without classes.
std::vector<int64_t> class_counts(const Dataset& dataset);

/// The names of the classes; their numbers where they have none.
std::vector<std::string> class_names_of(const DatasetInfo& info);

}  // namespace arks
