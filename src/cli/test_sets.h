#pragma once
// What models are tested on: the test part of their data, or files from the field.
#include "cli/load_data.h"
#include "cli/load_run.h"

#include <arks/data/dataset.h>

#include <functional>
#include <string>
#include <vector>

namespace arks::cli {

/// The samples as some of the models take them. Models that read a file in the same way share a view, whatever their
/// scales are.
struct TestView {
  DatasetPtr samples;          // on the scales of the first view, as far as that has the same inputs
  std::vector<size_t> models;  // places in the list of runs
  std::string unscaled;        // a quantity that only these models have, and as it is, where others are scaled
};

/// A test set and how reports call it: no name for the test part of the models' own data.
struct TestSet {
  std::string name;
  std::vector<TestView> views;  // all of the same rows, in the same order; at least one

  const Dataset& first() const { return *views.front().samples; }
  int64_t size() const { return first().size(); }
};

/// Whether --test-data names files that models were not trained with, and a model knows how to read them.
bool has_field_data(const std::vector<Run>& runs, const SourceSettings& settings);

/// The files of --test-data, each read as the models say themselves: by a run, or by a file of arks export. Models
/// without a word on it get what the first of the others takes. `one_view`: all must take the same inputs, as in an
/// attack by transfer. Notes and warnings go to standard error. Throws Error when models do not predict the same, and
/// for settings that only training data have.
std::vector<TestSet> load_field_data(const std::vector<Run>& runs, bool one_view, SourceSettings& settings,
                                     CommonSettings& common);

/// A part of the data that the models were trained on, "test", "validation" or "train", or of `data`, where they are
/// files that do not say. Runs that prepared the same rows differently get a view each. `data` becomes the name of the
/// set, and the settings what is in force. Throws Error where the models have not the same rows, inputs or classes.
TestSet load_own_part(const std::vector<Run>& runs, const std::string& part, bool one_view, std::string& data,
                      SourceSettings& settings, CommonSettings& common);

/// The name of the data behind the models, for reports.
std::string trained_on(const std::vector<Run>& runs);

}  // namespace arks::cli
