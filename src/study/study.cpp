#include "study/study.h"

#include "data/registry.h"
#include "study/kinds.h"
#include "study/result_table.h"
#include "study/stand_in.h"
#include "study/step_memory.h"
#include "study/train_step.h"
#include "support/contains.h"
#include "support/file.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <set>

namespace arks::study {

namespace fs = std::filesystem;

namespace {

constexpr const char* kStandIn = "stand-in";
constexpr const char* kSeedWord = "{seed}";

/// How an experiment is computed. One line for each kind.
using Kind = void (*)(Study& study);
const std::vector<std::pair<std::string, Kind>>& kinds() {
  // clang-format off
  static const std::vector<std::pair<std::string, Kind>> kKinds{
      {"curves", study_curves},
      {"pictures", study_pictures},
      {"landscape", study_landscape},
      {"tradeoff", study_tradeoff},
      {"histogram", study_histogram},
      {"certificates", study_certificates},
      {"search", study_search},
      {"speed", study_speed},
  };
  // clang-format on
  return kKinds;
}

bool can_stand_in(const std::string& name, const StudyOptions& options) {
  const auto made_up = stand_in_names();
  return options.scale == "smoke" && contains(made_up, name);
}

/// Where made-up data are, when the real ones may be missing and are; empty when all are there.
std::string find_data(const Experiment& experiment, const StudyOptions& options) {
  const auto missing = missing_data(experiment, options);
  ARKS_CHECK(missing.empty(), experiment.id, " needs ", missing);
  std::string folder;
  for (const auto& name : experiment.data) {
    const auto status = find_dataset(name).status(options.data_dir);
    if (status.found) continue;
    options.say(experiment.id + ": " + name + " was not found, so small made-up images stand in for it (" +
                status.detail + ")");
    folder = std::string("@{root}/") + kStandIn;
  }
  return folder;
}

void make_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) throw RunError("cannot create the folder " + folder.string() + ": " + failure.message());
}

}  // namespace

Study::Study(const Experiment& experiment, const StudyOptions& options)
    : experiment_(experiment), options_(options), store_(options.out), stand_in_(find_data(experiment, options)) {
  if (!stand_in_.empty()) stand_in_note_ = "made-up images stand in for " + experiment.data.front();
}

std::string missing_data(const Experiment& experiment, const StudyOptions& options) {
  for (const auto& name : experiment.data) {
    const auto status = find_dataset(name).status(options.data_dir);
    if (!status.found && !can_stand_in(name, options)) return name + ": " + status.detail;
  }
  return "";
}

std::vector<int64_t> Study::seeds() const {
  const auto seeds = settings().whole_numbers("seeds");
  const std::set<int64_t> different(seeds.begin(), seeds.end());
  ARKS_CHECK(different.size() == seeds.size(), settings().what(), ": seeds: a seed is listed twice");
  return seeds;
}

const std::string& Study::data() const {
  ARKS_CHECK(!experiment_.data.empty(), settings().what(), ": 'data' is missing");
  return experiment_.data.front();
}

FlagValues Study::flags(const Settings& table, const std::string& command) const {
  auto found = table.flags(command, options_.known_flags);
  ask(options_.check_values, table.what(), command, found);
  return found;
}

void Study::ask(const FlagCheck& check, const std::string& where, const std::string& command, FlagValues flags) const {
  if (!check) return;
  for (auto& [name, value] : flags) value = value == kSeedWord ? "0" : value;
  try {
    check(command, flags);
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

void Study::check_step(const std::string& command, const FlagValues& flags) const {
  if (checked_.emplace(command, flags).second) ask(options_.check_together, settings().what(), command, flags);
}

Step Study::train_step(FlagValues flags, int64_t seed) const {
  if (flags.count("data") == 0 && !experiment_.data.empty()) flags["data"] = experiment_.data.front();
  check_step("train", flags);
  for (auto& [name, value] : flags) {
    if (value == kSeedWord) value = std::to_string(seed);
  }
  const auto identity = stand_in_.empty() ? data_identity(flags["data"], options_.data_dir) : "";
  if (!stand_in_.empty()) flags["data-dir"] = stand_in_;
  return make_train_step(std::move(flags), seed, identity, options_.defaults);
}

Step Study::model_step(const std::string& command, const std::vector<std::string>& models, FlagValues flags,
                       const std::string& name) const {
  check_step(command, flags);
  // also where the environment names another folder, which would win over that of the run
  if (!stand_in_.empty()) flags["data-dir"] = stand_in_;
  Step step;
  step.name = name;
  step.command.push_back(command);
  for (const auto& model : models) step.command.push_back("@{" + model + "}");
  for (auto& argument : as_arguments(flags)) step.command.push_back(std::move(argument));
  step.cost = 0.1 * static_cast<double>(models.size());
  step.memory_bytes = experiment_.data.empty() ? 0 : memory_of(experiment_.data.front());
  return step;
}

/// What an experiment writes, by its name; anything else in the folder is the user's own.
bool Study::is_output(const std::string& name) const {
  const auto begins = [&](const std::string& with) { return name.rfind(with, 0) == 0; };
  return begins(experiment_.id + ".") || begins("points-") || begins("figure-") || name == "runs.csv";
}

/// A figure beside the description of another would mislead; what it was made of is kept in the steps.
void Study::remove_outputs_of_another(const std::string& text) const {
  std::error_code ignored;
  const auto file = folder() / "experiment.toml";
  if (!fs::exists(file, ignored) || read_file(file) == text) return;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder(), ignored)) {
    if (entry.is_regular_file(ignored) && is_output(entry.path().filename().string())) files.push_back(entry.path());
  }
  for (const auto& old : files) fs::remove(old, ignored);
}

/// Not before the settings are known to be good.
void Study::begin() {
  if (begun_) return;
  begun_ = true;
  make_folder(folder());
  const auto text = heading(experiment_.id, options_) + "\n" +
                    (stand_in_note_.empty() ? "" : "# " + stand_in_note_ + "\n") + experiment_.toml;
  remove_outputs_of_another(text);
  write("experiment.toml", text);
  if (stand_in_.empty()) return;
  for (const auto& name : experiment_.data) {
    if (!find_dataset(name).status(options_.data_dir).found) make_stand_in(name, options_.out / kStandIn);
  }
}

std::vector<StepOutcome> Study::run(const std::vector<Step>& steps) {
  std::vector<StepOutcome> outcomes;
  if (plan_only()) {
    for (const auto& step : steps) {
      options_.say("  " + step.name + ": " + (step.command.empty() ? step.what : "arks " + join(step.command, " ")));
      outcomes.push_back(store_.outcome(step));
      outcomes.back().kept = outcomes.back().done();
    }
  } else {
    begin();
    outcomes = run_steps(store_, steps, options_.run);
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto same = [&](const auto& entry) { return entry.second.key == outcomes[i].key; };
    if (std::none_of(account_.begin(), account_.end(), same)) account_.emplace_back(steps[i], outcomes[i]);
  }
  return outcomes;
}

void Study::write(const std::string& name, const std::string& content) {
  if (plan_only()) return;
  begin();
  write_file_atomically(folder() / name, content);
  result_.files.push_back(folder() / name);
}

void Study::draw(const std::function<void(const fs::path& file)>& draw) {
  if (plan_only()) return;
  for (const char* extension : {".svg", ".png"}) {
    const auto file = folder() / (experiment_.id + extension);
    draw(file);
    result_.files.push_back(file);
  }
}

void Study::draw_into(const std::string& name,
                      const std::function<std::vector<fs::path>(const fs::path& folder)>& draw) {
  make_folder(folder() / name);
  for (auto& file : draw(folder() / name)) result_.files.push_back(std::move(file));
}

void Study::tell(const std::string& line) {
  result_.lines.push_back(line);
}

StudyResult Study::finish() {
  ResultTable runs({"step", "state", "seconds", "attempts", "reason"});
  for (const auto& [step, outcome] : account_) {
    runs.add_row({outcome.key, describe(outcome.state), shortest(outcome.seconds), std::to_string(outcome.attempts),
                  outcome.reason});
    ++result_.steps;
    result_.kept += outcome.kept ? 1 : 0;
    result_.failed += outcome.done() ? 0 : 1;
    result_.seconds += outcome.seconds;
    if (!plan_only() && !outcome.done()) {
      tell(step.name + ": " + describe(outcome.state) + (outcome.reason.empty() ? "" : ": " + outcome.reason));
    }
  }
  write("runs.csv", runs.csv());
  return std::move(result_);
}

std::string heading(const std::string& id, const StudyOptions& options) {
  return "# arks reproduce " + id + " --scale " + options.scale +
         (options.config.empty() ? "" : " --config " + options.config);
}

StudyResult run_experiment(const Experiment& experiment, const StudyOptions& options) {
  const auto found =
      std::find_if(kinds().begin(), kinds().end(), [&](const auto& entry) { return entry.first == experiment.kind; });
  if (found == kinds().end()) {
    std::vector<std::string> known;
    for (const auto& [name, kind] : kinds()) known.push_back(name);
    throw Error(experiment.settings.what() + ": unknown kind '" + experiment.kind + "'" +
                did_you_mean(experiment.kind, known) + "; known: " + join(known));
  }
  Study study(experiment, options);
  found->second(study);
  return study.finish();
}

}  // namespace arks::study
