#include "cli/test_sets.h"

#include "cli/messages.h"
#include "cli/same_rows.h"
#include "data/csv_cell.h"
#include "data/grouped.h"
#include "data/scale.h"
#include "support/contains.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>

namespace arks::cli {

const Dataset& TestSet::samples_of(size_t model) const {
  for (const auto& view : views) {
    if (std::find(view.models.begin(), view.models.end(), model) != view.models.end()) return *view.samples;
  }
  return first();
}

std::string title_of(const std::vector<TestSet>& sets, const std::string& data, const std::string& part) {
  const auto last = std::filesystem::path(data).filename().string();  // of a path; that fits into a title
  const auto name = last.empty() ? data : last;
  if (sets.size() > 1) {
    std::vector<std::string> names;
    for (const auto& set : sets) names.push_back(set.name);
    return join(names);
  }
  const auto& set = sets.front();
  const auto word = samples_word(set.first().info());
  if (set.name.empty()) return c10::str(name, ", ", set.size(), " ", part, " ", word);
  return c10::str(set.name, ", ", set.size(), " ", word);
}

bool reads_alike(const ModelInterface& a, const ModelInterface& b) {
  if (a.input_shape != b.input_shape || a.table.has_value() != b.table.has_value()) return false;
  if (!a.table) return true;
  return a.table->columns == b.table->columns && a.table->decimal == b.table->decimal &&
         a.table->target_units == b.table->target_units;
}

void bring_to_one_scale(TestSet& set) {
  const auto others = set.first().info();
  for (auto& view : set.views) {
    view.unscaled = unscaled_among(others, view.samples->info());
    view.samples = on_scales_of(others, view.samples);
  }
}

void share_groups(TestSet& set) {
  torch::Tensor groups;
  std::string column;
  std::vector<std::string> columns;
  for (const auto& view : set.views) {
    const auto& own = view.samples->info().group;
    if (own.empty() || contains(columns, own)) continue;
    columns.push_back(own);
    const auto found = groups_of(*view.samples);
    if (groups.defined() && found.max().item<int64_t>() >= groups.max().item<int64_t>()) continue;
    groups = found;
    column = own;
  }
  if (!groups.defined()) return;
  for (auto& view : set.views) {
    if (view.samples->info().group == column) continue;
    view.samples = std::make_shared<Grouped>(view.samples, groups, column);
  }
  if (columns.size() > 1) {
    note_of("the models keep rows together by " + join(columns) + "; intervals and tests are over the groups of " +
            shown(column) + ", which are the fewest");
  }
}

void refuse_two_views(const std::string& one, const std::string& other) {
  throw Error(one + " and " + other + " read columns or fill missing cells differently, so they cannot share the " +
              "samples of one attack or certificate; test each alone, or train both with the same --missing, --drop " +
              "and --categorical");
}

std::string trained_on(const std::vector<Run>& runs) {
  if (const auto* trained = first_trained(runs)) return *trained->what->data;
  for (const auto& run : runs) {
    if (run.interface) return run.interface->data;
  }
  return "";
}

namespace {

/// Throws Error where such samples are not what the model takes, or have other classes or targets.
void check_fits(const Run& run, const DatasetInfo& data) {
  if (!run.interface) return;
  const auto own = run.interface->info();
  check_same_inputs(run.name, own, data.name, data);
  check_same_outputs(run.name, own, data.name, data);
}

DatasetPtr load_part(const std::string& part, const std::string& data, const DataOptions& options, const Run* knows) {
  if (part == "test") return load_dataset(data, options, Split::kTest);
  const auto parts = load_parts(data, options);
  if (part == "train") return limited(parts.train, knows != nullptr ? knows->train_limit() : 0);
  ARKS_CHECK(parts.validation, "--split validation: ", knows != nullptr ? knows->name : data,
             " has no validation part; train with --validation-fraction or --folds");
  return parts.validation;
}

/// Models that share their samples.
struct Group {
  const Run* knows = nullptr;  // how these are read and divided; null where the user says it
  std::vector<size_t> models;  // places in the list of runs
};

/// Scales may differ: make_problem goes from one to another.
bool share_samples(const Run& a, const Run& b) {
  if (!a.is_file() && !b.is_file() && prepared_alike(a, b)) return true;
  return a.interface && b.interface && reads_alike(*a.interface, *b.interface);
}

/// The group of a model that does not know its parts. One that says nothing at all takes what the first takes, and so
/// does one of samples that can be made in one way only.
Group& group_of(const Run& model, std::vector<Group>& groups) {
  if (!model.interface || groups.front().knows == nullptr) return groups.front();
  for (auto& group : groups) {
    if (share_samples(*group.knows, model)) return group;
  }
  ARKS_CHECK(!model.interface->table, model.name, " and ", groups.front().knows->name,
             " read columns or fill missing cells differently, and ", model.name,
             " does not say how its data were divided; export it again, or give --test-data FILE");
  return groups.front();
}

/// The first model in the first group: reports are in its units. Throws Error where their rows are not the same.
std::vector<Group> groups_of(const std::vector<Run>& runs, const std::string& part) {
  std::vector<Group> groups;
  const auto add = [&](size_t i) {
    const auto alike = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& group) { return share_samples(*group.knows, runs[i]); });
    if (alike == groups.end()) {
      groups.push_back({&runs[i], {i}});
    } else {
      alike->models.push_back(i);
    }
  };
  for (size_t i = 0; i < runs.size(); ++i) {
    for (size_t other = 0; other < i; ++other) check_same_rows(runs[other], runs[i], /*also_parts=*/part != "test");
    if (!runs[i].is_file()) add(i);
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].is_file() && runs[i].knows_its_parts()) add(i);
  }
  if (groups.empty()) groups.emplace_back();
  for (size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].knows_its_parts()) group_of(runs[i], groups).models.push_back(i);
  }
  for (auto& group : groups) std::sort(group.models.begin(), group.models.end());
  std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.models[0] < b.models[0]; });
  return groups;
}

/// How another group than that of first_that_knows, whose settings are in force, reads the same rows.
DataOptions options_of_other(const Group& group, std::string& data, const SourceSettings& in_force,
                             CommonSettings& common) {
  SourceSettings settings;
  if (const auto& targets = in_force.own.targets; targets.has_value()) settings.own.targets.found(*targets);
  return find_data({*group.knows}, data, settings, common);
}

}  // namespace

TestSet load_own_part(const std::vector<Run>& runs, const std::string& part, bool one_view, std::string& data,
                      SourceSettings& settings, CommonSettings& common) {
  TestSet set;
  const auto groups = groups_of(runs, part);
  if (one_view && groups.size() > 1) refuse_two_views(groups[0].knows->name, groups[1].knows->name);
  const auto of_all = find_data(runs, data, settings, common);
  for (const auto& group : groups) {
    const auto options =
        group.knows == first_that_knows(runs) ? of_all : options_of_other(group, data, settings, common);
    set.views.push_back({load_part(part, data, options, group.knows), group.models, ""});
    ARKS_CHECK(set.views.back().samples->size() == set.size(), groups[0].knows->name, " and ", group.knows->name,
               " make other numbers of rows of ", data, ": ", set.size(), " and ", set.views.back().samples->size());
  }
  bring_to_one_scale(set);
  for (const auto& view : set.views) {
    for (const auto model : view.models) {
      if (runs[model].is_file()) check_fits(runs[model], view.samples->info());
    }
  }
  return set;
}

}  // namespace arks::cli
