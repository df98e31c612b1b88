#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/load_run.h"
#include "cli/progress.h"
#include "cli/toml_text.h"
#include "cli/train_settings.h"

#include <ATen/Parallel.h>
#include <arks/data/fashion_mnist.h>
#include <arks/data/registry.h>
#include <arks/model/registry.h>
#include <arks/model/reinitialise.h>
#include <arks/model/torchscript.h>
#include <arks/problem/check_model.h>
#include <arks/problem/supervised.h>
#include <arks/support/error.h>
#include <arks/support/file.h>
#include <arks/support/samples.h>
#include <arks/support/text.h>
#include <arks/train/published.h>
#include <arks/train/trainer.h>
#include <arks/version.h>
#include <torch/version.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>

namespace arks::cli {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

struct Samples {
  DatasetPtr train, test;
};

class TrainCommand : public Command {
 public:
  explicit TrainCommand(CommandLine& line)
      : Command(line.add_command(
            "train", "Train a model, robustly or not, into a run folder",
            "A run folder holds config.toml (repeats the run), metrics.jsonl (one line per epoch),\n"
            "checkpoint.pt (all state, for --resume) and, when done, model.pt (TorchScript, for torch.jit.load).\n"
            "Of your own network, --model FILE.pt, it keeps a copy (initial.pt); model.pt is then the same program "
            "with\n"
            "new weights. Python makes such a file: torch.jit.script(net).save(\"net.pt\").\n"
            "Flags that are not given take the paper's value for the data set and method.\n\n"
            "Example:\n"
            "  arks train --method arks --sigma 1 --epochs 2 --batch-size 64 --train-limit 1024 --limit 500 --out "
            "runs/example")) {
    add_train_settings(flags_, settings_);
    flags_.group("Run folder");
    flags_.option("--out", out_, "run folder to make [runs/DATA-METHOD-seedSEED]", "DIR");
    flags_.flag("--force", force_, "replace the run in --out if there is one");
    flags_.option("--save-seconds", save_seconds_,
                  "after an epoch write checkpoint.pt and metrics.jsonl when the last time is so long ago [1]");
    flags_.option("--resume", resume_, "go on with this run folder; only --epochs may change", "DIR");
    add_common_options(flags_, common_);
  }

  Arguments inherited(const Arguments& given) const override;
  int run() override;

 private:
  void prepare_folder(const fs::path& folder) const;
  void check_out_of_data(const fs::path& folder) const;
  std::string config_text() const;
  fs::path data_dir() const { return common_.data_dir.empty() ? default_data_dir() : fs::path(common_.data_dir); }
  void say(const std::string& line) const {
    if (!common_.quiet) std::cerr << line << "\n";
  }
  Samples load_own_samples();
  Samples load_official_samples();
  Samples load_samples();
  Model load_model(const DatasetInfo& data, const fs::path& folder);
  void check_own_model(SupervisedProblem& problem, const Dataset& train_set);
  void drop_averaging(const Model& model);
  void say_engine(const SupervisedProblem& problem, const Dataset& train_set) const;
  void say_epoch(const EpochMetrics& metrics) const;
  void announce(const Dataset& train_set, const Dataset& test_set, const fs::path& folder, bool resumed) const;
  TrainSummary train_in(const fs::path& folder, SupervisedProblem& problem, const Objective& objective,
                        const DatasetPtr& train_set, const DatasetPtr& test_set,
                        const std::optional<Checkpoint>& checkpoint);
  std::string json(const TrainSummary& summary, const fs::path& folder, double wall_seconds) const;

  TrainSettings settings_;
  bool has_batch_norm_ = false;
  bool averaging_was_chosen_ = false;            // by --swa or --no-swa
  std::vector<std::string> unused_, published_;  // sentences about flags without effect and the like; values filled in
  std::string out_, resume_;
  std::string model_file_;  // content of --model FILE.pt; empty for a built-in network
  std::string found_;       // in a table or in own data, in one line; empty for other data
  double save_seconds_ = 1;
  bool force_ = false;
};

Arguments TrainCommand::inherited(const Arguments& given) const {
  const auto resume = find_value(given, "--resume");
  if (!resume) return Command::inherited(given);
  static const std::vector<std::string> kMayChange{
      "--resume", "--force", "--help",    "-h",       "--epochs",   "--threads",      "--json",
      "--quiet",  "-v",      "--verbose", "--device", "--data-dir", "--save-seconds", "--no-cache"};
  for (const auto& argument : given) {
    const auto flag = argument.substr(0, argument.find('='));
    ARKS_CHECK(flag.rfind("--", 0) != 0 || std::find(kMayChange.begin(), kMayChange.end(), flag) != kMayChange.end(),
               "--resume: ", flag, " cannot be changed in a run that has begun; only --epochs can");
  }
  const auto checkpoint = fs::path(*resume) / run_files::kCheckpoint;
  std::error_code ignored;
  ARKS_CHECK(!fs::is_regular_file(*resume, ignored), "--resume: ", *resume,
             " is a file; give the run folder that holds it");
  ARKS_CHECK(fs::exists(checkpoint, ignored), "--resume: ", *resume, " is no run folder: it has no ",
             run_files::kCheckpoint);
  return toml_as_arguments(read_checkpoint(checkpoint).config, checkpoint.string(), flags_);
}

std::string inner_engine(const MaximizerInfo& info) {
  if (info.compiled) return "engine: the inner maximisation runs on a plan with " + human_bytes(info.workspace_bytes);
  return "engine: the inner maximisation runs on libtorch: " +
         (info.why_not.empty() ? "this kind of problem or ascent is not compiled" : info.why_not);
}

void check_writable(const fs::path& folder) {
  // the nearest folder that exists decides
  fs::path existing = fs::absolute(folder);
  std::error_code ignored;
  while (!fs::exists(existing, ignored) && existing.has_relative_path()) existing = existing.parent_path();
  ARKS_CHECK(fs::is_directory(existing, ignored), "--out: ", existing.string(), " is not a folder");
  ARKS_CHECK(::access(existing.c_str(), W_OK | X_OK) == 0, "--out: cannot write into ", existing.string());
}

/// A run among the images would be taken for images the next time.
void TrainCommand::check_out_of_data(const fs::path& folder) const {
  std::error_code ignored;
  if (!fs::is_directory(settings_.data, ignored)) return;
  const auto within = fs::weakly_canonical(folder).lexically_relative(fs::weakly_canonical(settings_.data));
  ARKS_CHECK(within.empty() || *within.begin() == "..", "--out: ", folder.string(), " lies inside the data, ",
             settings_.data, "; choose a place outside of it");
}

void TrainCommand::prepare_folder(const fs::path& folder) const {
  check_writable(folder);
  std::error_code failure;
  ARKS_CHECK(force_ || !fs::exists(folder, failure) || fs::is_empty(folder, failure), "--out: ", folder.string(),
             " exists; --force replaces it, --resume goes on with it");
}

std::string TrainCommand::config_text() const {
  std::string text = std::string("# arks ") + kVersion + "; arks train --config THIS --out NEW repeats the run\n";
  for (const auto& [key, value] : as_toml(settings_)) text += key + " = " + value + "\n";
  text += "data-dir = " + quoted(fs::absolute(data_dir()).string()) + "\n";
  text += "threads = " + std::to_string(at::get_num_threads()) + "\n";
  text += "engine = " + quoted(common_.engine) + "\n";
  return text;
}

void TrainCommand::announce(const Dataset& train_set, const Dataset& test_set, const fs::path& folder,
                            bool resumed) const {
  for (const auto& sentence : unused_) say("arks: note: " + sentence);
  if (const auto sentence = advice(settings_); !sentence.empty()) say("arks: warning: " + sentence);
  if (!resumed && !published_.empty()) {
    say((has_published_settings(settings_.data) ? "published values: " : "default values: ") + join(published_));
  }
  say(c10::str(settings_.method, " on ", settings_.data, ": ", train_set.size(), " training and ", test_set.size(),
               " test samples, model ", *settings_.model, ", ", at::get_num_threads(), " threads, into ",
               folder.string()));
  if (!found_.empty()) say(found_);
  if (has_batch_norm_ && maximizes(settings_) && settings_.inner_mode == "eval") {
    say("batch norm: train error and loss are taken in evaluation mode, adversarial and surrogate in training mode; "
        "they "
        "differ while the statistics still move, and agree in mode with --inner-mode train");
  }
  if (settings_.swa.value_or(false)) {
    say(c10::str("weights are averaged from epoch ", *settings_.swa_start,
                 " on; test figures are then those of the averaged weights"));
  }
}

/// What runs the network, and for what reason not a compiled plan.
void TrainCommand::say_engine(const SupervisedProblem& problem, const Dataset& train_set) const {
  const auto sample = train_set.get(torch::zeros({1}, torch::kLong)).inputs;
  for (const bool training : {true, false}) {
    const auto found = problem.network().compilation(sample.sizes().slice(1), training);
    say(c10::str("engine: in ", training ? "training" : "evaluation", " mode the network runs on ",
                 found.compiled ? "a compiled plan, " + found.instructions : "libtorch: " + found.why_not));
  }
}

/// Of thousands of epochs about twenty; metrics.jsonl has them all.
void TrainCommand::say_epoch(const EpochMetrics& metrics) const {
  constexpr int64_t kAll = 50, kSome = 20;
  const int64_t epochs = *settings_.epochs;
  const int64_t every = epochs <= kAll || common_.verbose ? 1 : (epochs + kSome - 1) / kSome;
  if (metrics.epoch % every != 0 && metrics.epoch != 1 && metrics.epoch != epochs) return;
  say(describe(metrics));
  if (metrics.mean_cost == 0.0) {
    say(std::string("arks: note: no sample moved in this epoch, so it was one of erm; usual at the very start, else ") +
        (has_kernel(settings_) ? "raise --sigma" : "lower --gamma") + " or change --inner-lr");
  }
}

/// Loaded before the published values are filled in, so that what was found can be recorded and decide the network.
Samples TrainCommand::load_own_samples() {
  const bool images = data_kind(settings_.data) == DataKind::kImages;
  check_fit(settings_.table, settings_.data);
  if (!images && settings_.model && is_model_file(*settings_.model)) {
    // so that what is saved takes what the file took
    settings_.table.standardise = settings_.table.standardise.value_or(false);
  }
  if (images) {
    auto tried = settings_;
    fill_published(tried);  // images may be large: what is wrong with the flags comes first
  }
  const auto options = data_options(settings_.table, data_dir(), settings_.train_limit);
  const auto splits = load_splits(settings_.data, DataOptions(options).image_files(image_files_options(common_)));
  check_unchanged(settings_.table, settings_.data);
  if (settings_.table.test_fraction && !splits.divided) {
    unused_.emplace_back("--test-fraction is not used: the test samples are given apart");
  }
  settings_.table.found(splits, settings_.data);
  found_ = splits.summary;
  const auto& info = splits.train->info();
  if (images && !settings_.model && published_settings(settings_.data, info).model == "linear") {
    unused_.emplace_back(c10::str("no network of the paper takes inputs of ", c10::Join("x", info.input_shape),
                                  ", so the model is linear; --model chooses another"));
  }
  published_ = fill_published(settings_, &info);
  return {splits.train, splits.test};
}

/// The known sets are large, so that they come after all flags were found good.
Samples TrainCommand::load_official_samples() {
  published_ = fill_published(settings_);
  if (settings_.data == "celeba") settings_.celeba.fill();
  const auto options =
      DataOptions(data_dir()).celeba(celeba_options(settings_.celeba)).image_files(image_files_options(common_));
  return {load_dataset(settings_.data, options, Split::kTrain), load_dataset(settings_.data, options, Split::kTest)};
}

Samples TrainCommand::load_samples() {
  settings_.data = resolved_data(settings_.data);
  averaging_was_chosen_ = settings_.swa.has_value();
  const bool official = data_kind(settings_.data) == DataKind::kOfficial;
  const auto samples = official ? load_official_samples() : load_own_samples();
  return {limited(samples.train, settings_.train_limit), limited(samples.test, settings_.limit)};
}

/// A run that goes on takes the file from its own folder; the one it was copied from may have changed since.
Model TrainCommand::load_model(const DatasetInfo& data, const fs::path& folder) {
  const auto seed = static_cast<uint64_t>(settings_.seed);
  const auto activation = settings_.activation.value_or("");
  if (!is_model_file(*settings_.model)) {
    return scaled(make_model(*settings_.model, data, ModelOptions(seed).activation(activation)), settings_.network,
                  data);
  }
  ARKS_CHECK(activation.empty(), "--activation is for built-in networks; ", *settings_.model, " has its own");
  const auto file = resume_.empty() ? fs::path(*settings_.model) : folder / run_files::kInitial;
  model_file_ = read_model_file(file, settings_.network);
  settings_.model = fs::absolute(*settings_.model).lexically_normal().string();
  const auto net = load_torchscript(model_file_, file.string());
  const auto parameters = net.parameters();
  ARKS_CHECK(std::any_of(parameters.begin(), parameters.end(), [](const auto& p) { return p.requires_grad(); }),
             "model ", file.string(),
             " has no parameters to train (frozen, or requires_grad is false for all); it can be attacked with ",
             "arks evaluate");
  if (settings_.network.reinit) {
    const auto left = reinitialise(net, seed);
    if (!left.empty()) say("arks: note: --reinit leaves as they are in the file: " + join(left));
  }
  return scaled(net, settings_.network, data);
}

void TrainCommand::check_own_model(SupervisedProblem& problem, const Dataset& train_set) {
  if (model_file_.empty()) return;
  const auto found = check_model(problem, train_set, maximizes(settings_), *settings_.model);
  for (const auto& sentence : found.warnings) say("arks: warning: " + sentence);
  for (const auto& sentence : found.notes) say("arks: note: " + sentence);
}

/// Weight averaging, the default for tables, does not go with batch norm: averaged weights would need statistics of
/// their own. Unless it was asked for, a network of the user's that has some is trained without.
void TrainCommand::drop_averaging(const Model& model) {
  if (model_file_.empty() || averaging_was_chosen_ || !settings_.swa.value_or(false)) return;
  if (model.module()->buffers().empty()) return;
  settings_.swa = false;
  settings_.swa_start.reset();
  const auto of_averaging = [](const std::string& text) { return text.rfind("swa-start", 0) == 0; };
  published_.erase(std::remove_if(published_.begin(), published_.end(), of_averaging), published_.end());
  say("arks: note: trained without --swa, since the network has state that is not trained (statistics of batch norm?)");
}

TrainSummary TrainCommand::train_in(const fs::path& folder, SupervisedProblem& problem, const Objective& objective,
                                    const DatasetPtr& train_set, const DatasetPtr& test_set,
                                    const std::optional<Checkpoint>& checkpoint) {
  ProgressBar bar("images", !common_.quiet);
  int64_t images = 0;
  auto options =
      TrainOptions()
          .epochs(*settings_.epochs)
          .batch_size(*settings_.batch_size)
          .optimizer(optimizer_options(settings_))
          .seed(static_cast<uint64_t>(settings_.seed))
          .augmentation(augmentation_options(settings_))
          .test_set(test_set)
          .average_from(settings_.swa.value_or(false) ? *settings_.swa_start : 0)
          .save_seconds(save_seconds_)
          .folder(folder)
          .config(config_text())
          .stop_requested(interrupted)
          .on_batch([&](const BatchProgress& progress) {
            images += *settings_.batch_size;
            bar.update((progress.epoch - 1) * progress.batches + progress.batch, progress.epochs * progress.batches,
                       images, c10::str("epoch ", progress.epoch, "/", progress.epochs));
            if (common_.verbose && progress.inner) {
              bar.clear();
              say(inner_engine(*progress.inner));
            }
            if (common_.verbose && progress.batch % 10 == 0) {
              bar.clear();
              say(c10::str("  batch ", progress.batch, "/", progress.batches, ": surrogate ", progress.value));
            }
          })
          .on_epoch([&](const EpochMetrics& metrics) {
            bar.clear();
            say_epoch(metrics);
          });
  Trainer trainer(problem, train_set, objective, options);
  if (checkpoint) trainer.resume(*checkpoint, (folder / run_files::kCheckpoint).string());
  if (checkpoint) {
    check_writable(folder);
  } else {
    prepare_folder(folder);
  }
  read_toml(config_text(), "the configuration of this run");  // names that TOML cannot hold show here, not on --resume
  // only now is everything known to be good: the run is announced, and an older one in the same place may go
  announce(*train_set, *test_set, folder, checkpoint.has_value());
  if (common_.verbose) say_engine(problem, *train_set);
  std::error_code failure;
  fs::create_directories(folder, failure);
  ARKS_CHECK(!failure, "--out: cannot make the folder ", folder.string(), ": ", failure.message());
  fs::remove(folder / run_files::kModel);  // of other weights; written again when the run is complete
  if (!checkpoint) {
    for (const auto* name : {run_files::kCheckpoint, run_files::kMetrics, run_files::kInitial}) {
      fs::remove(folder / name);
    }
    if (!model_file_.empty()) write_file_atomically(folder / run_files::kInitial, model_file_);
  }
  write_file_atomically(folder / run_files::kConfig, config_text());
  catch_interrupts();
  return trainer.run();
}

std::string TrainCommand::json(const TrainSummary& summary, const fs::path& folder, double wall_seconds) const {
  Json document;
  document["command"] = "train";
  document["run"] = folder.string();
  document["method"] = summary.method;
  document["completed"] = summary.termination != TrainTermination::kInterrupted;
  if (!summary.ended.empty()) document["ended"] = summary.ended;
  document["epochs"] = Json::array();
  for (const auto& metrics : summary.epochs) document["epochs"].push_back(Json::parse(to_json(metrics)));
  document["config"] = Json::parse(toml_as_json(config_text(), "config"));
  document["seed"] = settings_.seed;
  document["versions"] = {{"arks", kVersion}, {"libtorch", TORCH_VERSION}};
  document["wall_seconds"] = wall_seconds;
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

int TrainCommand::run() {
  const auto start = std::chrono::steady_clock::now();
  apply(common_);
  ARKS_CHECK(resume_.empty() || out_.empty(), "--resume goes on in its own folder: --out cannot be given with it");
  check_output_file(common_.json, force_, "--json");
  unused_ = unused_flags(settings_);
  const auto [train_set, test_set] = load_samples();
  const fs::path folder = !resume_.empty() ? resume_
                          : !out_.empty()  ? out_
                                           : c10::str("runs/", fs::path(settings_.data).stem().string(), "-",
                                                      settings_.method, "-seed", settings_.seed);
  std::optional<Checkpoint> checkpoint;
  if (!resume_.empty()) checkpoint = read_checkpoint(folder / run_files::kCheckpoint);

  auto bounds = train_set->info().bounds;
  if (settings_.bounds) {
    bounds = parse_bounds(*settings_.bounds);
    check_inputs(*train_set, *bounds);
    check_inputs(*test_set, *bounds);
  }
  if (!settings_.eps_scale.empty()) {
    const auto one = train_set->get(torch::zeros({1}, torch::kLong)).inputs;
    per_feature(parse_factors(settings_.eps_scale, "--eps-scale"), one, "--eps-scale");  // checks the number of them
  }
  if (const auto domain = domain_of(settings_.kernel)) {
    try {
      check_inputs(*train_set, *domain);
    } catch (const Error& error) {
      throw Error(std::string("--domain: ") + error.what());
    }
  }
  check_out_of_data(folder);
  const auto objective = make_objective(settings_, bounds, *train_set);
  const auto model = load_model(train_set->info(), folder);
  SupervisedProblem problem(model, *criterion_for(train_set->info()), parse_engine(common_.engine));
  check_own_model(problem, *train_set);
  drop_averaging(model);
  for (const auto& [name, tensor] : model.state()) {
    has_batch_norm_ = has_batch_norm_ || name.find("running_mean") != std::string::npos;
  }
  if (checkpoint && checkpoint->epoch >= *settings_.epochs) {
    // gone through all the same: a run that was killed after its last epoch may lack model.pt or a line of metrics
    say(c10::str(folder.string(), " is complete: ", checkpoint->epoch, " epochs; --epochs N goes on to more"));
    settings_.epochs = checkpoint->epoch;
  }

  const auto summary = train_in(folder, problem, *objective, train_set, test_set, checkpoint);
  const bool completed = summary.termination != TrainTermination::kInterrupted;
  if (completed) write_file_atomically(folder / run_files::kModel, to_torchscript(model));
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!common_.json.empty()) write_output(common_.json, json(summary, folder, wall));
  if (common_.json != "-") std::cout << summary.brief_report();
  if (!completed) {
    std::cerr << "arks: interrupted and saved; go on with: arks train --resume " << folder.string() << "\n";
    return kFailed;
  }
  return kDone;
}

}  // namespace

std::unique_ptr<Command> make_train_command(CommandLine& line) {
  return std::make_unique<TrainCommand>(line);
}

}  // namespace arks::cli
