#pragma once
#include <arks/data/dataset.h>
#include <arks/problem/criterion.h>

#include <memory>
#include <string>
#include <vector>

namespace arks::cli {

/// "none", "balanced", or positive numbers. Throws Error for anything else.
void check_class_weights(const std::string& text);

/// One factor for each class; none where losses are not weighted. Throws Error where there are no classes, or not as
/// many as numbers.
std::vector<double> class_weights(const std::string& text, const Dataset& train_set);

}  // namespace arks::cli
