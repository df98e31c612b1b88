#pragma once
#include <arks/data/load.h>

#include <string>
#include <vector>

namespace arks {

/// Numbers to predict that are the same in all training samples teach nothing. Throws Error where all of them are, one
/// sample alone apart. Where one of several targets is, a sentence says so. Classes are another matter: there are
/// always two of them.
std::vector<std::string> check_targets_differ(const DataSplits& splits);

}  // namespace arks
