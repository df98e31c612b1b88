#pragma once
// A study (a figure of the paper, a search for hyper-parameters) is a set of steps: models to train, attacks on them,
// points of a curve. A step is done once: its folder is found by what it does, and what is finished there is kept.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace arks::study {

/// One piece of work. Either a command of the tool, run as a process of its own, or a function of this process.
struct Step {
  std::string name;  ///< readable, for folders and progress: "fashion-mnist-arks-sigma-0.5-seed-0"
  /// "train", "evaluate" or "certify" and its flags, without those that say where the output goes. "@{KEY}" in a word
  /// stands for the run folder of the train step with that key, "@{here}" for the folder of the step itself and
  /// "@{root}" for that of the whole study, so that a study can be moved to another place.
  std::vector<std::string> command;
  /// Instead of a command: returns the result, a JSON document.
  std::function<std::string()> work;
  /// What decides the result besides the command: which data, or for a function everything.
  std::string what;

  double cost = 1;          ///< expected time, in any unit: long steps are begun first
  double memory_bytes = 0;  ///< expected; steps that do not fit into memory together wait for each other
};

/// What identifies a step: its name and a checksum of the command and of `what`. Two steps with the same key are one.
std::string key_of(const Step& step);

/// How a step stands.
enum class StepState {
  kMissing,  ///< never begun
  kPartial,  ///< begun and not finished
  kFailed,   ///< ended with an error; tried again the next time
  kDone,
};

/// "done", "failed", "not run", …
std::string describe(StepState state);

struct StepOutcome {
  std::string key;
  StepState state = StepState::kMissing;
  std::string reason;  ///< of a failure, in one line
  double seconds = 0;  ///< wall time, of earlier attempts too unless they were killed
  bool kept = false;   ///< it was finished before this call
  int64_t attempts = 0;

  bool done() const { return state == StepState::kDone; }
};

/// Where the steps of a study live: ROOT/steps/KEY/ with step.json (what it is and how it stands), log.txt (what the
/// command printed) and the result: the run folder `run` of a train step, else result.json. A result counts only once
/// step.json says so, and that is written last, so that a killed process leaves nothing half-done that looks done.
class StepStore {
 public:
  explicit StepStore(std::filesystem::path root) : root_(std::move(root)) {}

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path folder(const std::string& key) const { return root_ / "steps" / key; }
  std::filesystem::path run_folder(const std::string& key) const { return folder(key) / "run"; }
  std::filesystem::path result_file(const std::string& key) const { return folder(key) / "result.json"; }

  /// As step.json has it; a step whose result is gone is missing.
  StepOutcome outcome(const Step& step) const;
  /// The JSON document that a finished step left: of train the line of metrics.jsonl of the
  /// epoch whose weights were taken (taken_epoch), else result.json.
  std::string result(const std::string& key) const;
  /// Takes over from another store what is finished there, and neither here nor being run here by
  /// another process. Returns how many steps.
  int64_t take_from(const StepStore& other, const std::vector<Step>& steps) const;

 private:
  std::filesystem::path root_;
};

struct StepProgress {
  std::string name;
  StepOutcome outcome;
  int64_t finished = 0, total = 0;    ///< steps of this call, those kept included
  double elapsed = 0, remaining = 0;  ///< seconds; remaining is an estimate, < 0 while there is none
};

struct RunOptions {
  std::string tool;                                      ///< the program that runs commands
  int64_t jobs = 1;                                      ///< steps side by side
  std::function<bool()> stop_requested;                  ///< asked often; true ends what runs, which saves itself
  std::function<void(const StepProgress&)> on_finished;  ///< after each step, one call at a time
  std::function<void(const std::string&)> on_begun;      ///< with the name of the step
};

/// Runs what is not finished, `jobs` at a time, long ones first, each after the steps whose "@{KEY}" it names. A step
/// that fails stops none but those that need it. Steps with the same key run once. Returns the outcomes in the order of
/// the steps. Throws RunError when stopped or when the store cannot be written; what was finished until then is kept.
std::vector<StepOutcome> run_steps(const StepStore& store, const std::vector<Step>& steps, const RunOptions& options);

}  // namespace arks::study
