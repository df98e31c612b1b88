#pragma once
#include <arks/data/dataset.h>

#include <string>

namespace arks {

/// What the loss of a model on such samples counts, for the line below a table: "cross entropy", "squared error, in
/// squared standard deviations of the training target", "squared error, in squared units of 'price'".
std::string loss_unit(const DatasetInfo& info);

}  // namespace arks
