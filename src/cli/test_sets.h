#pragma once
// What models are tested on: the test part of their data, or files from the field.
#include "cli/load_data.h"
#include "cli/load_run.h"

#include <arks/data/dataset.h>

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
  /// As this model takes them; `model` is its place in the list of runs.
  const Dataset& samples_of(size_t model) const;
};

/// For figures: "t.csv, 60 test rows", "winter, 100 rows", of several sets "winter, summer". `data` is the data behind
/// the models, and `part` what was asked for of them.
std::string title_of(const std::vector<TestSet>& sets, const std::string& data, const std::string& part);

/// A part of the data that the models were trained on, "test", "validation" or "train", or of `data`, where they are
/// files that do not say. Models that prepared the same rows differently, runs or files of arks export, get a view
/// each. `data` becomes the name of the set, and the settings what is in force. Throws Error where the models have not
/// the same rows, inputs or classes, and where they need several views but `one_view` is asked for.
TestSet load_own_part(const std::vector<Run>& runs, const std::string& part, bool one_view, std::string& data,
                      SourceSettings& settings, CommonSettings& common);

/// Both make the same numbers of a file, up to their scale.
bool reads_alike(const ModelInterface& a, const ModelInterface& b);

/// Losses and lengths of all views in the units of the first.
void bring_to_one_scale(TestSet& set);

/// All views in the groups of one: which rows belong together does not depend on who reads them. Where models know
/// several groupings, the one with the fewest groups counts, as its intervals are the most careful, and a note says so.
void share_groups(TestSet& set);

/// Throws Error: such models cannot be shown the same samples.
[[noreturn]] void refuse_two_views(const std::string& one, const std::string& other);

/// The name of the data behind the models, for reports.
std::string trained_on(const std::vector<Run>& runs);

}  // namespace arks::cli
