#include "cli/command.h"
#include "cli/study_flags.h"
#include "data/registry.h"
#include "study/study.h"
#include "support/contains.h"
#include "support/file.h"
#include "support/interrupt.h"
#include "support/json_text.h"
#include "support/stopwatch.h"
#include "support/text.h"

#include <arks/data/data_dir.h>
#include <arks/support/error.h>
#include <arks/version.h>
#include <torch/version.h>

#include <algorithm>
#include <iostream>

namespace arks::cli {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

class ReproduceSettings : public SettingGroup {
 public:
  ReproduceSettings() : SettingGroup("Experiments") {}

  Setting<std::string> scale{this,
                             text("scale", "how much is computed").words(study::scale_names()).otherwise("laptop")};
  Setting<std::string> out{this, text("out", "folder for figures and steps, one for each scale")
                                     .path("DIR")
                                     .default_words("runs/reproduce-SCALE")};
  Setting<int64_t> jobs{this, jobs_setting()};
  Setting<bool> list{
      this, yes_no("list", "what each experiment shows, its data, how long each scale takes").otherwise(false)};
  Setting<bool> dry_run{this, dry_run_setting()};
  Setting<bool> print{this, yes_no("print", "print the TOML of the experiment").otherwise(false)};
  Setting<std::string> benchmark{this, text("benchmark", "fig-speed: the JSON of script/bench")
                                           .path()
                                           .default_words("the one measured for this release")};
  Setting<std::string> config{this,
                              text("config", "run this file instead of the built-in one of ID").path().only_typed()};
};

class ReproduceCommand : public Command {
 public:
  explicit ReproduceCommand(CommandLine& line)
      : Command(line.add_command(
            "reproduce", "Compute the paper's figures and tables, and our own",
            "smoke   seconds each: shows that everything works, proves nothing; made-up images stand in for\n"
            "        CIFAR-10 and CelebA if they are missing\n"
            "laptop  real data, several seeds, an estimated 85 minutes in all on two cores\n"
            "paper   everything as published, up to half a year (--list)\n"
            "OUT/ID holds the figure (SVG, PNG), its numbers (CSV, Markdown), the TOML used, and runs.csv with one\n"
            "line for each step and its time. OUT/steps holds the trained models and attacks. The same command\n"
            "continues after an interruption: what is finished is kept, and training continues from its last epoch.\n"
            "--config FILE runs a changed copy of one experiment; --print shows the built-in file.\n\n"
            "Example:\n"
            "  arks reproduce fig-iris --scale smoke --out runs/example-figures")) {
    flags_.arguments("ID", ids_, "experiments, or all; --list names them", /*required=*/false);
    flags_.add(settings_);
    flags_.add(common_, {"data-dir", "json", "quiet", "verbose"});
  }

  void fill_defaults() override {
    settings_.fill();
    common_.fill();
  }
  /// --config is one experiment here, not a list of flags.
  Given inherited() override { return {}; }
  int run() override;

 private:
  int list() const;
  int print() const;
  std::vector<std::string> chosen() const;
  study::Experiment read(const std::string& id) const;
  void check_folder(const study::Experiment& experiment, const study::StudyOptions& options) const;
  study::StudyOptions options() const;
  void refuse_missing_data(const std::vector<study::Experiment>& experiments, const study::StudyOptions& options) const;
  void report(const study::Experiment& experiment, const study::StudyResult& result) const;

  std::vector<std::string> ids_;
  ReproduceSettings settings_;
};

int ReproduceCommand::list() const {
  const auto folder = common_.data_folder();
  const auto json = common_.json.value_or("");
  std::string text;
  Json rows = Json::array();
  for (const auto& id : study::experiment_ids()) {
    const auto experiment = study::read_experiment(id, study::experiment_toml(id), id + ".toml", "laptop");
    std::vector<std::string> data;
    for (const auto& name : experiment.data) {
      data.push_back(name + (find_dataset(name).status(folder).found ? "" : " (not found)"));
    }
    const auto& takes = experiment.takes;
    text += c10::str(id, "\n  ", experiment.shows, "\n  paper: ", experiment.paper,
                     "; data: ", data.empty() ? "none" : join(data), "\n  smoke ", takes[0], ", laptop ", takes[1],
                     ", paper ", takes[2], "\n");
    rows.push_back({{"id", id},
                    {"shows", experiment.shows},
                    {"paper", experiment.paper},
                    {"data", experiment.data},
                    {"takes", {{"smoke", takes[0]}, {"laptop", takes[1]}, {"paper", takes[2]}}}});
  }
  if (json != "-") std::cout << text;
  if (!json.empty()) write_output(json, json_text({{"experiments", rows}}));
  return kDone;
}

int ReproduceCommand::print() const {
  for (const auto& id : chosen()) std::cout << study::experiment_toml(id);
  return kDone;
}

std::vector<std::string> ReproduceCommand::chosen() const {
  const auto known = study::experiment_ids();
  ARKS_CHECK(!ids_.empty(), "an experiment is needed: all, or some of: ", join(known), "; --list says more");
  if (contains(ids_, "all")) {
    ARKS_CHECK(ids_.size() == 1, "'all' already means every experiment; give it on its own");
    return known;
  }
  std::vector<std::string> different;
  for (const auto& id : ids_) {
    study::experiment_toml(id);  // an unknown one is an error before anything runs
    if (!contains(different, id)) different.push_back(id);
  }
  return different;
}

study::Experiment ReproduceCommand::read(const std::string& id) const {
  const auto& file = settings_.config;
  return study::read_experiment(id, file.has_value() ? read_file(*file) : study::experiment_toml(id),
                                file.value_or(id + ".toml"), *settings_.scale);
}

/// A figure of another scale or of another file in the same place would be lost.
void ReproduceCommand::check_folder(const study::Experiment& experiment, const study::StudyOptions& options) const {
  const auto& out = options.out;
  const auto file = out / experiment.id / "experiment.toml";
  std::error_code ignored;
  ARKS_CHECK(!fs::exists(out, ignored) || fs::is_directory(out, ignored), "--out: ", out.string(), " is not a folder");
  if (!fs::exists(file, ignored)) {
    const auto folder = out / experiment.id;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      const bool ours = entry.path().extension() == ".partial";  // of a run that was killed while it wrote
      ARKS_CHECK(ours, "--out: ", folder.string(), " exists and was not made by arks reproduce; choose another folder");
    }
    return;
  }
  const auto begun = read_file(file);
  const auto first = begun.substr(0, begun.find('\n')), ours = study::heading(experiment.id, options);
  ARKS_CHECK(first == ours, "--out: ", (out / experiment.id).string(), " holds '",
             first.substr(std::min<size_t>(2, first.size())), "'; choose another folder for '", ours.substr(2), "'");
}

study::StudyOptions ReproduceCommand::options() const {
  study::StudyOptions options;
  options.out = fs::absolute(settings_.out.value_or("runs/reproduce-" + *settings_.scale)).lexically_normal();
  options.scale = *settings_.scale;
  options.data_dir = common_.data_folder();
  const auto commands = std::make_shared<const StepCommands>();
  options.known_flags = commands->known_flags();
  options.defaults = StepCommands::defaults();
  options.run = step_options(common_, *settings_.jobs);
  options.plan_only = *settings_.dry_run;
  options.benchmark = settings_.benchmark.value_or("");
  options.config = settings_.config.value_or("");
  options.check_values = [commands](const std::string& command, const study::FlagValues& flags) {
    commands->check_values(command, flags);
  };
  options.check_together = StepCommands::check_together;
  const bool quiet = *common_.quiet;
  options.say = [quiet](const std::string& line) {
    if (!quiet) std::cerr << line << "\n";
  };
  return options;
}

/// Of several experiments it says which can be run without what is missing.
void ReproduceCommand::refuse_missing_data(const std::vector<study::Experiment>& experiments,
                                           const study::StudyOptions& options) const {
  std::string problem;
  std::vector<std::string> possible;
  for (const auto& experiment : experiments) {
    const auto missing = study::missing_data(experiment, options);
    if (missing.empty()) possible.push_back(experiment.id);
    if (!missing.empty() && problem.find(missing) == std::string::npos)
      problem += (problem.empty() ? "" : "; ") + missing;
  }
  const bool some = !problem.empty() && !possible.empty();
  ARKS_CHECK(problem.empty(), "data are missing: ", problem,
             some ? "; these can run without it: arks reproduce " + join(possible, " ") : "");
}

void ReproduceCommand::report(const study::Experiment& experiment, const study::StudyResult& result) const {
  if (common_.json.value_or("") == "-") return;
  if (*settings_.dry_run) {
    std::cout << experiment.id << ": " << result.steps << " steps, " << result.kept << " of them finished\n";
    return;
  }
  for (const auto& line : result.lines) std::cout << line << (line.empty() || line.back() != '\n' ? "\n" : "");
  std::cout << experiment.id << ": " << result.steps << " steps, " << result.kept << " kept";
  if (result.failed > 0) std::cout << ", " << result.failed << " failed";
  std::cout << ", " << human_seconds(result.seconds) << " of computing; " << result.files.front().parent_path().string()
            << "\n";
}

int ReproduceCommand::run() {
  apply(common_);
  settings_.fill();
  const auto json = common_.json.value_or("");
  check_output_file(json, /*force=*/false, "--json");
  if (*settings_.list) return list();
  if (*settings_.print) return print();
  const auto ids = chosen();
  ARKS_CHECK(!settings_.config.has_value() || ids.size() == 1,
             "--config is the file of one experiment; give one ID with it");
  say_of_engine("chosen by every step for itself; its command says with -v what runs on it");
  const auto chosen_options = options();
  std::vector<study::Experiment> experiments;
  for (const auto& id : ids) {
    experiments.push_back(read(id));
    check_folder(experiments.back(), chosen_options);
  }
  // what is wrong with any of them shows before the first begins
  auto plan = chosen_options;
  plan.plan_only = true;
  plan.say = [](const std::string&) {};
  refuse_missing_data(experiments, plan);
  for (const auto& experiment : experiments) study::run_experiment(experiment, plan);
  catch_interrupts();
  Json found = Json::array();
  int64_t failed = 0;
  const Stopwatch watch;
  for (const auto& experiment : experiments) {
    chosen_options.say(experiment.id + ": " + experiment.shows);
    const auto result = study::run_experiment(experiment, chosen_options);
    report(experiment, result);
    failed += *settings_.dry_run ? 0 : result.failed;
    std::vector<std::string> files;
    for (const auto& file : result.files) files.push_back(file.string());
    found.push_back({{"id", experiment.id},
                     {"scale", *settings_.scale},
                     {"files", files},
                     {"steps", result.steps},
                     {"kept", result.kept},
                     {"failed", result.failed},
                     {"seconds", result.seconds}});
  }
  if (!json.empty()) {
    const double wall = watch.seconds();
    const Json document{{"command", "reproduce"},
                        {"experiments", found},
                        {"versions", {{"arks", kVersion}, {"libtorch", TORCH_VERSION}}},
                        {"wall_seconds", wall}};
    write_output(json, json_text(document));
  }
  return failed > 0 ? kFailed : kDone;
}

}  // namespace

std::unique_ptr<Command> make_reproduce_command(CommandLine& line) {
  return std::make_unique<ReproduceCommand>(line);
}

}  // namespace arks::cli
