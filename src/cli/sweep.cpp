#include "cli/command.h"
#include "cli/messages.h"
#include "cli/study_flags.h"
#include "cli/sweep_text.h"
#include "data/registry.h"
#include "study/sweep_figure.h"
#include "support/file.h"
#include "support/file_lock.h"
#include "support/interrupt.h"
#include "support/json_text.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <set>

namespace arks::cli {

namespace fs = std::filesystem;
using study::StepState;

namespace {

class SweepSettings : public SettingGroup {
 public:
  SweepSettings() : SettingGroup("Search") {}

  Setting<std::string> rule{this, text("rule", "choice of a point: paper or best:METRIC")
                                      .type("RULE")
                                      .default_words("best:validation_error or _loss")};
  Setting<std::string> shard{
      this, text("shard", "run part i of n, 0 <= i < n, such as 0/4").type("I/N").default_words("0/1")};
  Setting<int64_t> jobs{this, jobs_setting()};
  Setting<std::string> from{
      this,
      text("from", "reuse finished runs from these folders of the same search, separated by commas").paths("DIR")};
  Setting<bool> dry_run{this, dry_run_setting()};
  Setting<std::string> out{
      this, text("out", "folder of the search, new or to continue").path("DIR").default_words("runs/sweep-FILE")};
  Setting<bool> force{this, yes_no("force", "replace the file of --json, whatever it is").otherwise(false)};
};

/// What an earlier call with --json left.
bool is_report(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return false;
  const auto document = try_parse_json(read_file(file));
  return document.is_object() && document.contains("command") && document["command"] == "sweep";
}

class SweepCommand : public Command {
 public:
  explicit SweepCommand(CommandLine& line);
  void fill_defaults() override {
    settings_.fill();
    common_.fill();
  }
  int run() override;

 private:
  void read_plan();
  void check_points();
  void check_data() const;
  void check_folders() const;
  std::vector<std::string> files_of_points() const;
  void prepare_folder() const;
  void take_finished() const;
  /// False when interrupted.
  bool run_shard(const std::vector<study::SweepRun>& runs);
  void write_results();
  int exit_code(const std::vector<study::SweepRun>& runs) const;
  std::vector<std::string> finished_elsewhere() const { return split(settings_.from.value_or(""), ','); }

  std::string file_, out_, rule_text_;
  SweepSettings settings_;

  std::string toml_;
  study::SweepPlan plan_;
  std::vector<study::SweepRun> runs_;
  study::SelectionRule rule_;
  study::Shard shard_;
  std::string why_undecided_;
  bool undecided_ = false;  // all is finished, and yet a group has no choice
  int64_t split_off_ = 0;   // points without a validation part in the file
};

SweepCommand::SweepCommand(CommandLine& line)
    : Command(line.add_command(
          "sweep", "Search for hyper-parameters: a grid or random points, several seeds, in shards",
          "FILE.toml:\n"
          "  seeds = [0, 10, 20]\n"
          "  [train]                    # flags of arks train, for every point\n"
          "  data = \"iris\"\n"
          "  [evaluate]                 # optional: flags of arks evaluate; error@EPS and loss@EPS become metrics\n"
          "  eps = [0.1]\n"
          "  [[search]]                 # a group; there may be several\n"
          "  name = \"arks\"              # [the method]\n"
          "  [search.train]             # flags of this group\n"
          "  method = \"arks\"\n"
          "  [search.grid]              # every combination\n"
          "  sigma = [0.1, 0.5, 1]\n"
          "  [search.random]            # and/or random draws, each with the whole grid\n"
          "  points = 20\n"
          "  seed = 0\n"
          "  lr = {log = [1e-4, 0.2]}   # or {uniform = [a, b]}, {whole = [a, b]}, a list = one of them\n"
          "A single group may be written as [grid] and [random] at the top.\n\n"
          "The same command continues where it was interrupted: what is finished is kept, what failed is tried again.\n"
          "A folder gets results.csv (a row per point), runs.csv, results.json, figures, and the runs in steps/.\n"
          "Shards may share one --out, or have one each, to be combined by --from.\n"
          "A point is chosen by its validation part, a part of the training samples (validation-fraction, 0.2 if not\n"
          "given, or folds = K: cross-validation, K models for each point, folds 0 to K - 1); attacks of [evaluate] "
          "use\n"
          "that part, too. The test error is reported once, of the point chosen. Of points that are as good, the\n"
          "lower clean error, loss, error under attack decides, then the order.\n"
          "--rule paper: erm with the lowest clean test error, then for every other method the point closest to it.\n"
          "It chooses by the test part, as published, so the test errors of its points are too low.\n\n"
          "Example: the first of four jobs, then the whole search once they are done:\n"
          "  arks sweep search.toml --shard 0/4 --out runs/search-0\n"
          "  arks sweep search.toml --from runs/search-0,runs/search-1,runs/search-2,runs/search-3")) {
  flags_.argument("FILE", file_, "the search, a TOML file", true);
  flags_.add(settings_);
  flags_.add(common_, {"data-dir", "json", "quiet", "verbose"});
}

void SweepCommand::read_plan() {
  toml_ = read_file(file_);
  const StepCommands commands;
  plan_ = study::read_sweep_plan(toml_, file_, commands.known_flags(), StepCommands::defaults());
  rule_text_ = settings_.rule.value_or("");
  plan_.on_test = rule_text_ == "paper";
  check_points();
  runs_ = study::runs_of(plan_, common_.data_folder());
  const auto metrics = study::metrics_of(plan_);
  rule_ = study::parse_rule(rule_text_.empty() ? "best:validation_error" : rule_text_, metrics);
  study::check_rule(rule_, study::groups_of(plan_, /*regression=*/false));
  for (const auto& group : study::groups_of(plan_, /*regression=*/true)) {
    if (!group.predicts_numbers) continue;  // of which there are no errors
    auto rule = rule_;
    if (study::is_error_metric(rule.metric)) rule.metric = plan_.on_test ? "test_loss" : "validation_loss";
    study::check_rule({study::SelectionRule::Kind::kBest, rule.metric}, {group});
  }
  if (settings_.shard.has_value()) shard_ = study::parse_shard(*settings_.shard);
}

/// What a method or an attack refuses is found before anything runs; what only the run can know makes a failed point.
void SweepCommand::check_points() {
  try {
    split_off_ = plan_.validate_points();
    study::metrics_of(plan_);
    study::check_points(plan_, StepCommands::check_together);
  } catch (const Error& error) {
    throw Error(file_ + ": " + error.what());
  }
}

void SweepCommand::check_data() const {
  std::set<std::string> names;
  for (const auto& group : plan_.groups) {
    for (const auto& point : group.points) names.insert(study::value_or(point.flags, "data", plan_.defaults.data));
  }
  for (const auto& name : names) {
    if (data_kind(name) != DataKind::kOfficial) continue;
    const auto status = find_dataset(name).status(common_.data_folder());
    ARKS_CHECK(status.found, file_, ": data set ", name, " was not found: ", status.detail);
  }
}

void SweepCommand::check_folders() const {
  std::error_code ignored;
  ARKS_CHECK(!fs::exists(out_, ignored) || fs::is_directory(out_, ignored), "--out: ", out_, " is not a folder");
  const auto has = [&](const char* name) { return fs::exists(fs::path(out_) / name, ignored); };
  ARKS_CHECK(
      has("sweep.toml") || has("steps") || has(".lock") || !fs::exists(out_, ignored) || fs::is_empty(out_, ignored),
      "--out: ", out_, " is not the folder of a search; choose a new one");
  for (const auto& folder : finished_elsewhere()) {
    // a shard that no point fell to has no steps
    ARKS_CHECK(
        fs::is_directory(fs::path(folder) / "steps", ignored) || fs::exists(fs::path(folder) / "sweep.toml", ignored),
        "--from: ", folder, " is not the folder of a search: it has neither steps nor sweep.toml");
  }
  // a search that goes on writes its results again; they are in results.json, too
  check_outputs({&common_.json}, *settings_.force || is_report(common_.json.value_or("")), files_of_points());
}

/// The file, whatever the runs of its points read, and these runs.
std::vector<std::string> SweepCommand::files_of_points() const {
  std::set<std::string> files{file_, plan_.defaults.data, (fs::path(out_) / "steps").string()};
  const auto known = StepCommands().known_flags();
  const auto add = [&](const char* command, const study::FlagValues& flags) {
    for (const auto& [name, value] : flags) {
      if (known.at(command).paths.count(name) > 0) files.insert(value);
    }
  };
  for (const auto& group : plan_.groups) {
    for (const auto& point : group.points) add("train", point.flags);
  }
  if (plan_.evaluate) add("evaluate", *plan_.evaluate);
  return {files.begin(), files.end()};
}

void SweepCommand::prepare_folder() const {
  std::error_code failure;
  fs::create_directories(out_, failure);
  ARKS_CHECK(!failure, "--out: cannot create ", out_, ": ", failure.message());
  ARKS_CHECK(::access(out_.c_str(), W_OK | X_OK) == 0, "--out: cannot write into ", out_);
  const auto copy = fs::path(out_) / "sweep.toml";
  const FileLock lock(fs::path(out_) / ".lock", FileLock::kWait);
  if (fs::exists(copy) && read_file(copy) == toml_) return;
  if (fs::exists(copy)) say("arks: note: " + file_ + " has changed; points that are still in it are kept");
  write_file_atomically(copy, toml_);
}

/// A run is taken whole or not at all.
void SweepCommand::take_finished() const {
  const study::StepStore store(out_);
  for (const auto& folder : finished_elsewhere()) {
    const study::StepStore other(folder);
    std::vector<study::SweepRun> finished;
    for (const auto& run : runs_) {
      if (other.outcome(run.train).done() && (!run.evaluate || other.outcome(*run.evaluate).done())) {
        finished.push_back(run);
      }
    }
    const auto taken = store.take_from(other, study::steps_of(finished));
    say(c10::str(folder, ": ", finished.size(), " of ", runs_.size(), " runs are finished, ", taken, " steps copied",
                 finished.empty() ? "; another search file or --rule makes other runs" : ""));
  }
}

bool SweepCommand::run_shard(const std::vector<study::SweepRun>& runs) {
  const study::StepStore store(out_);
  std::map<std::string, std::string> labels;
  int64_t finished = 0;
  for (const auto& run : runs) {
    const auto label = study::describe(plan_, run);
    finished += labels.emplace(key_of(run.train), label).second && store.outcome(run.train).done() ? 1 : 0;
    if (!run.evaluate) continue;
    finished += labels.emplace(key_of(*run.evaluate), label + ", attack").second && store.outcome(*run.evaluate).done();
  }
  say(c10::str(file_, ": ", brief(plan_),
               shard_.count > 1 ? c10::str("; shard ", *settings_.shard, ": ", runs.size()) : "", "; ", finished,
               " of ", labels.size(), " steps already finished; writing to ", out_));
  if (split_off_ > 0) {
    say(c10::str("arks: note: points are chosen by a validation part, ", study::kSearchValidation,
                 " of the training samples; validation-fraction or folds in [train] says otherwise"));
  }
  auto options = step_options(common_, *settings_.jobs);
  options.on_finished = [&](study::StepProgress progress) {
    progress.name = labels.at(progress.outcome.key);  // says more than the name of the step
    if (!progress.outcome.kept) say(describe(progress));
  };
  catch_interrupts();
  try {
    study::run_steps(store, study::steps_of(runs), options);
  } catch (const RunError&) {
    if (!interrupted()) throw;
  }
  return !interrupted();
}

/// Under a lock: of two shards that end together the second sees what the first has found, and writes all of it.
void SweepCommand::write_results() {
  const fs::path folder(out_);
  const FileLock lock(folder / ".lock", FileLock::kWait);
  const auto results = study::collect(plan_, runs_, study::StepStore(folder));
  // tables of numbers have no classes: their clean error is a loss
  const bool clean = rule_text_.empty() || rule_.kind == study::SelectionRule::Kind::kPaper;
  const std::string part = plan_.on_test ? "test" : "validation";
  if (clean && !results.has(part + "_error") && results.has(part + "_loss")) rule_.metric = part + "_loss";
  const auto candidates = results.candidates(plan_);
  const auto choices = study::select(rule_, candidates);
  try {
    study::check_rule(rule_, candidates);
  } catch (const Error& error) {  // only now is it known that there are no classes
    why_undecided_ = error.what();
  }
  undecided_ = results.count(StepState::kMissing) + results.count(StepState::kPartial) == 0 &&
               std::any_of(choices.begin(), choices.end(), [](const auto& choice) { return !choice.point; });
  const auto json =
      study::results_json(plan_, runs_, results, rule_text_.empty() ? "best:" + rule_.metric : rule_text_, rule_);
  write_file_atomically(folder / "results.csv", study::results_csv(plan_, results));
  write_file_atomically(folder / "runs.csv", study::runs_csv(plan_, runs_, results));
  write_file_atomically(folder / "results.json", json);
  try {
    study::write_sweep_figures(folder, plan_, results, rule_.metric);
  } catch (const std::exception& error) {  // the numbers are what was computed for
    warn_of(std::string("no figures: ") + error.what());
  }
  if (plan_.on_test) {
    warn_of(
        "--rule paper chooses by the test part, as published: the test errors of the points chosen are lower than "
        "on new data; without it a validation part decides");
  }
  const auto json_file = common_.json.value_or("");
  if (!json_file.empty()) write_output(json_file, json);
  if (json_file == "-") return;
  std::cout << results_table(plan_, results, rule_, choices) << "\n" << chosen_lines(plan_, results, rule_, choices);
  const auto failed = results.count(StepState::kFailed), done = results.count(StepState::kDone);
  std::cout << c10::str(done, " of ", plan_.num_points(), " points done",
                        failed > 0 ? c10::str(", ", failed, " failed") : "", "; tables and figures in ", out_, "\n");
}

int SweepCommand::exit_code(const std::vector<study::SweepRun>& runs) const {
  const study::StepStore store(out_);
  int64_t elsewhere = 0;
  bool done = true;
  for (const auto& step : study::steps_of(runs)) {
    const auto state = store.outcome(step).state;
    done = done && state == StepState::kDone;
    elsewhere += state == StepState::kPartial ? 1 : 0;
  }
  if (elsewhere > 0) say(c10::str("arks: note: ", elsewhere, " steps are being run by another process"));
  if (done && !why_undecided_.empty()) throw RunError("nothing was chosen: " + why_undecided_);
  if (done && undecided_) throw RunError("nothing was chosen: no finished point of a group has " + rule_.metric);
  return done ? kDone : kFailed;
}

int SweepCommand::run() {
  settings_.fill();
  read_plan();
  out_ = settings_.out.value_or("runs/sweep-" + fs::path(file_).stem().string());
  check_folders();
  check_data();
  const auto runs = study::runs_in(shard_, runs_);
  if (*settings_.dry_run) {
    std::cout << commands_of(runs, study::StepStore(out_));
    say(c10::str(file_, ": ", brief(plan_), "; ", runs.size(), " in shard ", shard_.index, "/", shard_.count));
    return kDone;
  }
  say_of_engine("chosen by every run for itself; the commands of --dry-run say with -v what runs on it");
  prepare_folder();
  take_finished();
  const bool finished = run_shard(runs);
  write_results();
  if (!finished) throw RunError("interrupted; what is finished is kept, and the same command continues");
  return exit_code(runs);
}

}  // namespace

std::unique_ptr<Command> make_sweep_command(CommandLine& line) {
  return std::make_unique<SweepCommand>(line);
}

}  // namespace arks::cli
