#pragma once
#include "data/tabular.h"

namespace arks {

/// Fisher's irises: 150 flowers, sepal length and width, petal length and width in cm; 3 species of 50 each. Built in.
/// Not standardised unless asked for; divided by split_table. Fisher, "The use of multiple measurements in taxonomic
/// problems", 1936.
DataSplits load_iris(const TabularOptions& options = TabularOptions());

}  // namespace arks
