#include "cli/field_data.h"

#include "cli/messages.h"
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
  for (const auto& warning : loaded.warnings) {
    if (said.insert(warning).second) warn_of(file.path + ": " + warning);
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
    if (!one_view) continue;
    check_same_inputs(first.run->name, first.interface.info(), other.run->name, other.interface.info());
    if (!reads_alike(first.interface, other.interface)) refuse_two_views(first.run->name, other.run->name);
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
    share_groups(set);
    sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace arks::cli
