#include "cli/test_sets.h"

#include "cli/messages.h"
#include "data/scale.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <set>

namespace arks::cli {

namespace {

struct KnownRun {
  const Run* run = nullptr;
  size_t place = 0;
  ModelInterface interface;
};

/// Both make the same numbers of a file, up to their scale.
bool reads_alike(const ModelInterface& a, const ModelInterface& b) {
  if (a.input_shape != b.input_shape || a.table.has_value() != b.table.has_value()) return false;
  if (!a.table) return true;
  return a.table->columns == b.table->columns && a.table->decimal == b.table->decimal &&
         a.table->target_units == b.table->target_units;
}

/// Only these say something about files from the field; all else the models know.
void check_settings(const SourceSettings& settings) {
  const auto& own = settings.own;
  std::set<std::string> used{"--no-header"};
  for (const AnySetting* setting : std::initializer_list<const AnySetting*>{
           &own.test_data, &own.test_targets, &own.separator, &own.decimal, &own.header}) {
    used.insert(setting->flag());
  }
  std::vector<std::string> unused;
  for (const auto& flag : settings.given_flags()) {
    if (used.count(flag) == 0) unused.push_back(flag);
  }
  ARKS_CHECK(unused.empty(), join(unused), ": the models know how the files of --test-data are read; leave ",
             unused.size() == 1 ? "it" : "them", " out");
}

/// Losses and lengths of all views in the units of the first.
void bring_to_one_scale(TestSet& set) {
  const auto others = set.first().info();
  for (auto& view : set.views) {
    view.unscaled = unscaled_among(others, view.samples->info());
    view.samples = on_scales_of(others, view.samples);
  }
}

/// The file of targets that goes with a file of inputs: by its name where they have names, else by its place.
std::string targets_for(const std::vector<NamedFile>& targets, const std::vector<NamedFile>& files, size_t i) {
  if (targets.empty()) return "";
  const bool named = std::any_of(targets.begin(), targets.end(), [](const auto& file) { return file.given_name; });
  if (!named) return targets[i].path;
  const auto found =
      std::find_if(targets.begin(), targets.end(), [&](const auto& file) { return file.name == files[i].name; });
  ARKS_CHECK(found != targets.end(), "--test-targets names no file for '", files[i].name, "' of --test-data");
  return found->path;
}

/// How a group reads a file. Where one of them takes no missing cells, none of them gets any: whichever is named first
/// decides nothing.
const ModelInterface& strictest(const std::vector<KnownRun>& models) {
  const auto refuses = std::find_if(models.begin(), models.end(), [](const auto& model) {
    return model.interface.table && model.interface.table->missing == Missing::kError;
  });
  return (refuses == models.end() ? models.front() : *refuses).interface;
}

/// One file for one group of models, on the scale of the first.
TestView view_of(const std::vector<KnownRun>& models, const NamedFile& file, const LikeOptions& options,
                 std::set<std::string>& said) {
  auto interface = models.front().interface;
  if (interface.table) interface.table->missing = strictest(models).table->missing;
  const auto loaded = load_like(interface, file.path, options);
  for (const auto& note : loaded.notes) {
    if (said.insert(note).second) note_of(file.path + ": " + note);
  }
  TestView view{loaded.samples, {}, ""};
  for (const auto& model : models) view.models.push_back(model.place);
  return view;
}

/// Models that read a file alike, the first model in the first group. Those that do not say how are in that, too.
std::vector<std::vector<KnownRun>> grouped(const std::vector<Run>& runs, CommonSettings& common) {
  std::vector<std::vector<KnownRun>> groups;
  std::vector<size_t> silent;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].is_silent()) {
      silent.push_back(i);
      continue;
    }
    KnownRun known{&runs[i], i, interface_of_run(runs[i], common)};
    const auto alike = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return reads_alike(group.front().interface, known.interface);
    });
    if (!groups.empty()) {
      const auto& reference = groups.front().front();
      check_same_outputs(reference.run->name, reference.interface.info(), known.run->name, known.interface.info());
    }
    if (alike == groups.end()) {
      groups.push_back({known});
    } else {
      alike->push_back(known);
    }
  }
  for (const auto i : silent) groups.front().push_back({&runs[i], i, groups.front().front().interface});
  return groups;
}

/// Whether a model was trained on rows of the file: the same one, or a copy.
bool holds_training_rows(const Run& run, const std::string& path, const std::string& targets) {
  if (!run.is_file() && resolved_data(path) == *run.what->data) return true;
  std::error_code ignored;
  if (run.checksum().empty() || !std::filesystem::exists(path, ignored)) return false;
  DataSettings there;
  if (!targets.empty()) there.targets.found(targets);
  try {
    check_unchanged(there, path);
  } catch (const Error&) {  // whoever reads it says what is wrong with it
    return false;
  }
  return there.checksum.value_or("") == run.checksum();
}

void warn_of_training_rows(const std::vector<Run>& runs, const std::string& path, const std::string& targets) {
  for (const auto& run : runs) {
    if (!holds_training_rows(run, path, targets)) continue;
    warn_of(c10::str(path, ": ", run.name, " was trained on rows of it, so its figures there are better ",
                     "than on new data; ",
                     run.is_file() ? "--data " + path + " instead uses the test part"
                                   : "without --test-data the test part is used"));
  }
}

}  // namespace

bool has_field_data(const std::vector<Run>& runs, const SourceSettings& settings) {
  const auto knows = [](const Run& run) { return !run.is_file() || run.interface; };
  return settings.own.test_data.given() && std::any_of(runs.begin(), runs.end(), knows);
}

std::vector<TestSet> load_field_data(const std::vector<Run>& runs, bool one_view, SourceSettings& settings,
                                     CommonSettings& common) {
  check_settings(settings);
  const auto& own = settings.own;
  const auto files = named_files(*own.test_data, own.test_data.flag());
  const auto targets =
      own.test_targets.has_value() ? named_files(*own.test_targets, own.test_targets.flag()) : std::vector<NamedFile>();
  ARKS_CHECK(targets.empty() || targets.size() == files.size(), "--test-targets: ", targets.size(), " files for ",
             files.size(), " of --test-data");
  const auto groups = grouped(runs, common);
  for (const auto& group : groups) {
    const auto &first = groups.front().front(), &other = group.front();
    if (one_view) check_same_inputs(first.run->name, first.interface.info(), other.run->name, other.interface.info());
    ARKS_CHECK(!one_view || reads_alike(first.interface, other.interface), first.run->name, " and ", other.run->name,
               " read columns or fill missing cells differently, so an attack on one says nothing of the other");
  }
  std::vector<TestSet> sets;
  for (size_t i = 0; i < files.size(); ++i) {
    auto options = like_options(own.separator, own.decimal, own.header, common);
    options.targets_file = targets_for(targets, files, i);
    warn_of_training_rows(runs, files[i].path, options.targets_file.string());
    TestSet set{files[i].name, {}};
    std::set<std::string> said;
    for (const auto& group : groups) set.views.push_back(view_of(group, files[i], options, said));
    bring_to_one_scale(set);
    sets.push_back(std::move(set));
  }
  return sets;
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

/// Data by name for files alone.
TestView view_for_files(const std::vector<Run>& runs, const std::string& part, std::string& data,
                        SourceSettings& settings, CommonSettings& common) {
  const auto options = find_data(runs, data, settings, common);
  const auto knows = std::find_if(runs.begin(), runs.end(), [](const Run& run) { return run.knows_its_parts(); });
  TestView view{load_part(part, data, options, knows == runs.end() ? nullptr : &*knows), {}, ""};
  for (size_t i = 0; i < runs.size(); ++i) view.models.push_back(i);
  return view;
}

/// Scales may differ: make_problem goes from one to another.
bool share_samples(const Run& a, const Run& b) {
  return prepared_alike(a, b) || (a.interface && b.interface && reads_alike(*a.interface, *b.interface));
}

/// Places of runs that can share samples, the first run in the first group.
std::vector<std::vector<size_t>> groups_of_runs(const std::vector<Run>& runs, const std::string& part) {
  std::vector<std::vector<size_t>> groups;
  for (size_t i = 0; i < runs.size(); ++i) {
    for (size_t other = 0; other < i; ++other) check_same_rows(runs[other], runs[i], /*also_parts=*/part != "test");
    if (runs[i].is_file()) continue;
    const auto alike = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& group) { return share_samples(runs[group[0]], runs[i]); });
    if (alike == groups.end()) {
      groups.push_back({i});
    } else {
      alike->push_back(i);
    }
  }
  return groups;
}

/// The view whose runs read files as this one does; else the first.
TestView& view_for(const Run& file, const std::vector<Run>& runs, TestSet& set) {
  for (auto& view : set.views) {
    const auto& other = runs[view.models[0]].interface;
    if (file.interface && other && reads_alike(*file.interface, *other)) return view;
  }
  return set.views.front();
}

}  // namespace

TestSet load_own_part(const std::vector<Run>& runs, const std::string& part, bool one_view, std::string& data,
                      SourceSettings& settings, CommonSettings& common) {
  TestSet set;
  const auto groups = groups_of_runs(runs, part);
  if (groups.empty()) {
    set.views.push_back(view_for_files(runs, part, data, settings, common));
  }
  for (const auto& group : groups) {
    const auto& first = runs[group[0]];
    const bool others = &group != &groups.front();
    ARKS_CHECK(!one_view || !others, runs[groups[0][0]].name, " and ", first.name,
               " prepare the data differently, so they cannot share the samples of one attack or certificate");
    SourceSettings own;
    const auto options = find_data(others ? std::vector<Run>{first} : runs, data, others ? own : settings, common);
    set.views.push_back({load_part(part, data, options, &first), group, ""});
  }
  bring_to_one_scale(set);
  for (size_t i = 0; i < runs.size(); ++i) {
    auto& view = view_for(runs[i], runs, set);
    if (runs[i].is_file()) check_fits(runs[i], view.samples->info());
    if (runs[i].is_file() && !groups.empty()) view.models.push_back(i);
  }
  return set;
}

}  // namespace arks::cli
