#pragma once
// Tests on files from the field.
#include "cli/test_sets.h"

#include <vector>

namespace arks::cli {

/// Whether --test-data names files that models were not trained with, and a model knows how to read them.
bool has_field_data(const std::vector<Run>& runs, const SourceSettings& settings);

/// The files of --test-data, each read as the models say themselves: by a run, or by a file of arks export. Models
/// without a word on it get what the first of the others takes. `one_view`: all must take the same inputs, as in an
/// attack by transfer. Notes and warnings go to standard error. Throws Error when models do not predict the same, and
/// for settings that only training data have.
std::vector<TestSet> load_field_data(const std::vector<Run>& runs, bool one_view, SourceSettings& settings,
                                     CommonSettings& common);

}  // namespace arks::cli
