#include "cli/class_weights.h"
#include "cli/command.h"
#include "cli/load_run.h"
#include "cli/messages.h"
#include "cli/model_names.h"
#include "cli/progress.h"
#include "cli/train_folder.h"
#include "cli/train_inputs.h"
#include "cli/train_resume.h"
#include "cli/train_watch.h"
#include "objective/method_settings.h"
#include "settings/toml_file.h"
#include "support/contains.h"
#include "support/file.h"
#include "support/interrupt.h"
#include "support/json_text.h"
#include "support/stopwatch.h"
#include "support/text.h"
#include "train/run_folder.h"

#include <arks/model/torchscript.h>
#include <arks/problem/supervised.h>
#include <arks/problem/weighted_cross_entropy.h>
#include <arks/support/error.h>
#include <arks/train/epoch_metrics.h>
#include <arks/train/trainer.h>
#include <arks/version.h>
#include <torch/version.h>

#include <iostream>

namespace arks::cli {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

class RunSettings : public SettingGroup {
 public:
  RunSettings() : SettingGroup("Run folder") {}

  Setting<std::string> out{this, text("out", "run folder to make")
                                     .path("DIR")
                                     .default_words("runs/DATA-METHOD-seedSEED")
                                     .output()
                                     .changes_on_resume(false)};
  Setting<bool> force{
      this, yes_no("force", "replace the run in --out: its files, nothing else there").otherwise(false).output()};
  Setting<double> save_seconds{this, real("save-seconds", "save after an epoch if the last save is at least this old")
                                         .unit("seconds")
                                         .not_negative()
                                         .otherwise(TrainOptions().save_seconds())
                                         .of_machine()};
  Setting<std::string> resume{
      this, text("resume", "continue the run in this folder; --epochs, machine and outputs may change")
                .path("DIR")
                .output()
                .only_typed()
                .not_in_studies("unfinished runs are continued anyway")};
};

class TrainCommand : public Command {
 public:
  explicit TrainCommand(CommandLine& line)
      : Command(line.add_command(
            "train", "Train a model, robustly or not, into a run folder",
            "A run folder holds config.toml (repeats the run), metrics.jsonl (one line per epoch),\n"
            "checkpoint.pt (all state, for --resume) and, when done, model.pt (TorchScript, for torch.jit.load).\n"
            "If you train your own network, --model FILE.pt, the folder keeps a copy (initial.pt), and model.pt is\n"
            "the same program with new weights. To make such a file in Python: "
            "torch.jit.script(net).save(\"net.pt\").\n\n"
            "Methods:\n" +
                table_text(methods()) + "\nOn top of any method:\n" + table_text(method_wrappers()) +
                "\nSettings that are not given take the paper's value for the data set and method.\n"
                "The defaults shown are those for the flags you give with --help,\n"
                "such as arks train --method wrm --data cifar10 --help. A flag without one is optional, must be\n"
                "given for this method and data, or is not used by them. --sigma, --gamma and --eps of your own data\n"
                "follow from the distances between samples, or from the drift that you --expect. --inner-lr of your\n"
                "own images follows from them.\n\n"
                "Example:\n"
                "  arks train --method arks --sigma 1 --epochs 2 --batch-size 64 --train-limit 1024 --limit 500 --out "
                "runs/example")) {
    settings_.add_to(flags_);
    flags_.add(run_);
    flags_.add(common_);
  }

  Given inherited() override;
  std::string inherited_from() const override;
  void fill_defaults() override;
  void check_together() override { inputs_.check_settings(); }
  int run() override;

 private:
  /// `for_other_seeds`: without what follows --seed, so that it can be used with another one.
  std::string config_text(bool for_other_seeds = false) const;
  const Method& method() const { return *settings_.method; }
  bool resumes() const { return run_.resume.has_value(); }
  void say_engine(const SupervisedProblem& problem, const Dataset& train_set) const;
  void say_epoch(const EpochMetrics& metrics) const;
  void announce(const std::string& name, const Samples& samples, const fs::path& folder, bool resumed) const;
  void announce_result(const Samples& samples) const;
  TrainSummary train_in(const fs::path& folder, SupervisedProblem& problem, const Objective& objective,
                        const Samples& samples);
  std::string json(const TrainSummary& summary, const Samples& samples, const fs::path& folder,
                   double wall_seconds) const;

  TrainSettings settings_;
  RunSettings run_;
  TrainInputs inputs_{settings_, common_};
  std::optional<Checkpoint> checkpoint_;  // of the run that goes on
  bool has_batch_norm_ = false;           // that knows two modes
  std::vector<double> class_weights_;     // none: losses are not weighted
  std::string samples_ = "samples";       // what they are called
};

std::string TrainCommand::inherited_from() const {
  const auto resume = flags_.given("resume");
  return resume.empty() ? Command::inherited_from() : (fs::path(resume) / run_files::kCheckpoint).string();
}

Given TrainCommand::inherited() {
  const auto resume = flags_.given("resume");
  if (resume.empty()) return Command::inherited();
  const auto file = inherited_from();
  std::error_code ignored;
  ARKS_CHECK(!fs::is_regular_file(resume, ignored), "--resume: ", resume,
             " is a file; give the run folder that holds it");
  ARKS_CHECK(fs::exists(resume, ignored), "--resume: ", resume, " does not exist");
  ARKS_CHECK(fs::exists(file, ignored), "--resume: ", resume, " is not a run folder: it has no ",
             run_files::kCheckpoint);
  checkpoint_ = read_checkpoint(file);
  return read_config(checkpoint_->config, file, flags_);
}

void TrainCommand::fill_defaults() {
  settings_.fill_for_help();
  run_.fill();
  common_.fill();
}

std::string inner_engine(const MaximizerInfo& info) {
  if (info.compiled) return "engine: the inner maximisation runs on a plan with " + human_bytes(info.workspace_bytes);
  return "engine: the inner maximisation runs on libtorch: " +
         (info.why_not.empty() ? "this kind of problem or ascent is not compiled" : info.why_not);
}

/// What the machine had stands at the end, so that --resume takes the same.
std::string TrainCommand::config_text(bool for_other_seeds) const {
  const auto follows = for_other_seeds ? settings_.followers_of_seed() : std::vector<const AnySetting*>{};
  std::string text = std::string(kConfigMark) + kVersion + "; arks train --config THIS --out NEW repeats the run\n";
  auto groups = settings_.groups();
  groups.push_back(&common_);
  for (const auto* group : groups) {
    for (const auto* setting : group->in_force()) {
      if (!contains(follows, setting)) text += setting->name() + " = " + setting->toml() + "\n";
    }
  }
  return text;
}

void TrainCommand::announce(const std::string& name, const Samples& samples, const fs::path& folder,
                            bool resumed) const {
  const auto& what = settings_.what;
  for (const auto& sentence : inputs_.warnings) warn_of(sentence);
  for (const auto& sentence : inputs_.findings) note_of(sentence);
  for (const auto& sentence : inputs_.notes) say("arks: note: " + sentence);
  for (const auto& sentence : settings_.unused()) say("arks: note: " + sentence);
  if (const auto sentence = method().advice(); !sentence.empty()) warn_of(sentence);
  if (!resumed && !inputs_.published.empty()) {
    say("defaults: " + join(inputs_.published));
  }
  const auto threads = *common_.threads;
  say(c10::str(name, " on ", *what.data, ": ", samples.train->size(), " training",
               samples.validation ? c10::str(", ", samples.validation->size(), " validation") : "", " and ",
               samples.test->size(), " test ", samples_, ", model ", *what.model, ", ", threads,
               threads == 1 ? " thread, into " : " threads, into ", folder.string()));
  if (!inputs_.summary.empty()) say(inputs_.summary);
  if (!resumed && !inputs_.guard.empty()) say(inputs_.guard);
  if (has_batch_norm_ && climbs_in_evaluation_mode(*settings_.method)) {
    say("batch norm: train error and loss are measured in evaluation mode, adversarial and surrogate in training mode; "
        "they differ while the statistics still move; with --inner-mode train all are in the same mode");
  }
  if (!class_weights_.empty()) {
    std::vector<std::string> weights;
    for (const double weight : class_weights_) weights.push_back(six_digits(weight));
    say("class weights " + join(weights) + ": losses of training are weighted; test figures are not");
  }
  announce_result(samples);
}

/// Which weights the result will be.
void TrainCommand::announce_result(const Samples& samples) const {
  const auto& validation = settings_.data.validation;
  const bool averages = *settings_.refinement.swa;
  const auto patience = samples.validation ? settings_.outer.patience.value_or(0) : 0;
  if (validation.folds.has_value()) {
    const auto folds = *validation.folds;
    say(c10::str("this trains with one fold: --fold ", validation.fold.value_or(0), " of 0 to ", folds - 1,
                 " is the validation part; arks sweep does the cross-validation, with all ", folds));
  }
  if (averages) {
    say(c10::str(patience > 0 ? "if training gets there, weights" : "weights", " are averaged from epoch ",
                 *settings_.refinement.swa_start, " on; test figures are then those of the averaged weights"));
  }
  if (!samples.validation) return;
  say(c10::str("the result is the epoch with the lowest ", class_weights_.empty() ? "" : "weighted ", "validation loss",
               averages ? ", of averaged weights where there are some" : "",
               patience > 0 ? c10::str("; training stops after ", patience, " epochs without a lower one") : ""));
}

/// What runs the network, and for what reason not a compiled plan.
void TrainCommand::say_engine(const SupervisedProblem& problem, const Dataset& train_set) const {
  for (const bool training : {true, false}) say(engine_line("", problem, train_set.info(), training));
}

/// Of thousands of epochs about twenty; metrics.jsonl has them all.
void TrainCommand::say_epoch(const EpochMetrics& metrics) const {
  constexpr int64_t kAll = 50, kSome = 20;
  const int64_t epochs = *settings_.outer.epochs;
  const int64_t every = epochs <= kAll || *common_.verbose ? 1 : (epochs + kSome - 1) / kSome;
  if (metrics.epoch % every != 0 && metrics.epoch != 1 && metrics.epoch != epochs) return;
  say(describe(metrics, samples_));
}

TrainSummary TrainCommand::train_in(const fs::path& folder, SupervisedProblem& problem, const Objective& objective,
                                    const Samples& samples) {
  const auto& [train_set, test_set, validation_set] = samples;
  ProgressBar bar(samples_, !*common_.quiet);
  const auto& outer = settings_.outer;
  const auto& refinement = settings_.refinement;
  const bool verbose = *common_.verbose;
  int64_t images = 0;
  TrainWatch watch(settings_, samples, has_batch_norm_);
  auto options =
      TrainOptions()
          .epochs(*outer.epochs)
          .batch_size(*outer.batch_size)
          .optimizer(outer.optimizer())
          .seed(static_cast<uint64_t>(*settings_.what.seed))
          .augmentation(refinement.augmentation())
          .test_set(test_set)
          .validation_set(validation_set)
          .patience(validation_set ? outer.patience.value_or(0) : 0)
          .test_criterion(class_weights_.empty() ? nullptr : criterion_for(test_set->info()))
          .average_from(*refinement.swa ? *refinement.swa_start : 0)
          .save_seconds(*run_.save_seconds)
          .folder(folder)
          .config(config_text())
          .interface(inputs_.interface)
          .stop_requested(interrupted)
          .on_batch([&](const BatchProgress& progress) {
            images += *outer.batch_size;
            bar.update((progress.epoch - 1) * progress.batches + progress.batch, progress.epochs * progress.batches,
                       images, c10::str("epoch ", progress.epoch, "/", progress.epochs));
            if (verbose && progress.inner) {
              bar.clear();
              say(inner_engine(*progress.inner));
            }
            if (verbose && progress.batch % 10 == 0) {
              bar.clear();
              say(c10::str("  batch ", progress.batch, "/", progress.batches, ": surrogate ", progress.value));
            }
          })
          .on_epoch([&](const EpochMetrics& metrics) {
            bar.clear();
            watch.look_at(metrics);
            say_epoch(metrics);
          });
  Trainer trainer(problem, train_set, objective, options);
  if (checkpoint_) trainer.resume(*checkpoint_, (folder / run_files::kCheckpoint).string());
  if (checkpoint_) {
    check_writable(folder);
  } else {
    check_new_folder(folder, *run_.force);
  }
  parse_toml(config_text(), "the configuration of this run");  // names that TOML cannot hold show here, not on --resume
  // only now is everything known to be good: the run is announced, and an older one in the same place may go
  announce(objective.name(), samples, folder, checkpoint_.has_value());
  if (const auto old = files_of_run(folder); !checkpoint_ && !old.empty()) {
    say(c10::str("--force: replaces the run in ", folder.string(), ": ", join(old)));
  }
  if (verbose) say_engine(problem, *train_set);
  std::error_code failure;
  fs::create_directories(folder, failure);
  ARKS_CHECK(!failure, "--out: cannot create the folder ", folder.string(), ": ", failure.message());
  fs::remove(folder / run_files::kModel);  // of other weights; written again when the run is complete
  clear_run_folder(folder, /*unfinished_only=*/checkpoint_.has_value());
  // first: it says that the folder is a run
  write_file_atomically(folder / run_files::kConfig, config_text(/*for_other_seeds=*/true));
  write_file_atomically(folder / run_files::kParts, study::to_json(parts_of(samples)));
  if (!checkpoint_ && !inputs_.model_file.empty()) {
    write_file_atomically(folder / run_files::kInitial, inputs_.model_file);
  }
  catch_interrupts();
  auto summary = trainer.run();
  watch.look_at_end(summary);
  watch.look_at_result(summary, !class_weights_.empty());
  return summary;
}

std::string TrainCommand::json(const TrainSummary& summary, const Samples& samples, const fs::path& folder,
                               double wall_seconds) const {
  Json document;
  document["command"] = "train";
  document["run"] = folder.string();
  document["method"] = summary.method;
  document["completed"] =
      summary.termination == TrainTermination::kCompleted || summary.termination == TrainTermination::kStoppedEarly;
  if (summary.taken) document["taken_epoch"] = summary.epochs[*summary.taken].epoch;
  document["stopped_early"] = summary.termination == TrainTermination::kStoppedEarly;
  if (!summary.ended.empty()) document["ended"] = summary.ended;
  document["parts"] = parse_json(study::to_json(parts_of(samples)));
  document["epochs"] = Json::array();
  for (const auto& metrics : summary.epochs) document["epochs"].push_back(parse_json(to_json(metrics)));
  document["config"] = parse_json(toml_as_json(config_text(), "config"));
  document["seed"] = *settings_.what.seed;
  document["versions"] = {{"arks", kVersion}, {"libtorch", TORCH_VERSION}};
  document["wall_seconds"] = wall_seconds;
  return json_text(document);
}

int TrainCommand::run() {
  const Stopwatch watch;
  if (checkpoint_) check_goes_on(*checkpoint_, flags_, settings_);
  apply(common_);
  common_.data_dir.found(fs::absolute(common_.data_folder()).string());
  run_.fill();
  const auto json_file = common_.json.value_or("");
  check_outputs({&common_.json}, *run_.force, files_read({run_.resume.value_or(""), run_.out.value_or("")}));
  if (checkpoint_) inputs_.goes_on();
  if (checkpoint_ && checkpoint_->interface.empty()) inputs_.keep_targets();
  const auto samples = inputs_.load_samples();
  const auto& [train_set, test_set, validation_set] = samples;
  const auto& what = settings_.what;
  const auto usual = c10::str("runs/", fs::path(*what.data).stem().string(), "-", *what.method, "-seed", *what.seed);
  const fs::path folder = resumes() ? *run_.resume : run_.out.value_or(usual);

  auto bounds = train_set->info().bounds;
  if (what.bounds.has_value()) {
    bounds = to_bounds(*what.bounds, "--bounds");
    check_inputs(*train_set, *bounds);
    check_inputs(*test_set, *bounds);
    if (validation_set) check_inputs(*validation_set, *bounds);
  }
  method().check_samples(*train_set);
  check_out_of_data(folder, *settings_.what.data);
  check_out_of_data(folder, settings_.data.own.test_data.value_or(""));
  const auto objective = make_objective(method(), settings_.wrappers, {*train_set, bounds});
  const auto model = inputs_.load_model(train_set->info(), resumes() ? folder : fs::path());
  samples_ = samples_word(train_set->info());
  class_weights_ = class_weights(*settings_.outer.class_weights, *train_set);
  auto criterion = criterion_for(train_set->info());
  if (!class_weights_.empty()) criterion = std::make_shared<WeightedCrossEntropy>(class_weights_);
  SupervisedProblem problem(model, *criterion, parse_engine(*common_.engine));
  fit_threads(common_, train_set->info(), problem);
  inputs_.check_own_model(problem, *train_set);
  inputs_.drop_averaging(model);
  const bool fixed = torchscript_notes(model).fixed_batch_norm;  // it is in one mode all the time
  for (const auto& [name, tensor] : model.state()) {
    has_batch_norm_ = has_batch_norm_ || (!fixed && name.find("running_mean") != std::string::npos);
  }
  auto& epochs = settings_.outer.epochs;
  if (checkpoint_ && stopped_early(*checkpoint_, settings_)) {
    say(c10::str(folder.string(), " is complete: it stopped early, after ", checkpoint_->epoch, " epochs"));
  } else if (checkpoint_ && checkpoint_->epoch >= *epochs) {
    // gone through all the same: a run that was killed after its last epoch may lack model.pt or a line of metrics
    say(c10::str(folder.string(), " is complete: ", checkpoint_->epoch, " epochs; give a larger --epochs to continue"));
    epochs.found(checkpoint_->epoch);
  }

  const auto summary = train_in(folder, problem, *objective, samples);
  const bool completed = summary.termination != TrainTermination::kInterrupted;
  if (completed) write_file_atomically(folder / run_files::kModel, to_torchscript(model, inputs_.interface));
  for (const auto& sentence : summary.warnings) warn_of(sentence);
  const double wall = watch.seconds();
  if (!json_file.empty()) write_output(json_file, json(summary, samples, folder, wall));
  if (json_file != "-") std::cout << summary.brief_report(samples_);
  if (!completed) {
    std::cerr << "arks: interrupted and saved; continue with: arks train --resume " << folder.string() << "\n";
    return kFailed;
  }
  return kDone;
}

}  // namespace

std::unique_ptr<Command> make_train_command(CommandLine& line) {
  return std::make_unique<TrainCommand>(line);
}

}  // namespace arks::cli
