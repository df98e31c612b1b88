#pragma once
#include <arks/data/augmented.h>
#include <arks/data/dataset.h>
#include <arks/objective/objective.h>
#include <arks/problem/problem.h>
#include <arks/train/checkpoint.h>
#include <arks/train/epoch_metrics.h>
#include <arks/train/optimizer.h>
#include <torch/arg.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace arks {

class Training;

/// Where a training is, told after every batch.
struct BatchProgress {
  int64_t epoch = 0;  ///< the running one, 1 …
  int64_t epochs = 0;
  int64_t batch = 0;                   ///< finished in this epoch
  int64_t batches = 0;                 ///< in an epoch
  double value = 0;                    ///< mean surrogate of the batch; for free training of its last pass
  std::optional<MaximizerInfo> inner;  ///< with the first batch of a run: what the inner maximisation runs on, if any
};

struct TrainOptions {
  TrainOptions() = default;
  TORCH_ARG(int64_t, epochs) = 45;       // > 0
  TORCH_ARG(int64_t, batch_size) = 256;  // > 0
  TORCH_ARG(OptimizerOptions, optimizer);
  TORCH_ARG(uint64_t, seed) = 0;  // of the order of the samples, their augmentation and the objective's random numbers
  TORCH_ARG(std::optional<CropFlipOptions>, augmentation);      // of the training images, drawn anew in every epoch
  TORCH_ARG(DatasetPtr, test_set);                              // measured after every epoch when given
  TORCH_ARG(std::shared_ptr<const Criterion>, test_criterion);  // instead of the problem's own, on the test set
  TORCH_ARG(DatasetPtr, validation_set);     // measured after every epoch; the weights of the best one are the result
  TORCH_ARG(int64_t, patience) = 0;          // ≥ 0; ends after so many epochs without a better one on it; 0: never
  TORCH_ARG(int64_t, average_from) = 0;      // weight averaging from this epoch on; 0: none. See WeightAverage
  TORCH_ARG(std::filesystem::path, folder);  // where checkpoint.pt and metrics.jsonl go; empty: nothing is written
  TORCH_ARG(double, save_seconds) = 1;       // ≥ 0; after an epoch nothing is written when the last time is less ago
  TORCH_ARG(std::string, config);            // kept in the checkpoint, word for word
  TORCH_ARG(std::string, interface);         // likewise: what the model takes and gives (data/model_interface.h)
  TORCH_ARG(std::function<void(const BatchProgress&)>, on_batch);
  TORCH_ARG(std::function<void(const EpochMetrics&)>, on_epoch);
  TORCH_ARG(std::function<bool()>, stop_requested);  // asked before every batch; true: save and return
};

/// How a training ended. One that diverged ends with a RunError instead, and the last checkpoint is kept. Only figures
/// of training say that it did:
/// - a surrogate that is not finite, or a million times that of the first batch and at least 1e6;
/// - a clean training loss of an epoch, or of the weights that are the result, that is not finite or over a thousand
///   times both that of the first batch and that of the best constant prediction: the entropy of the classes, or the
///   variance of numbers. So a bad start is no divergence, however large its loss, as long as the loss does not grow.
/// With a validation set the result is the best epoch, so what the last steps of a training did to later weights does
/// not count. A validation loss must be finite, since it decides. The test loss may be anything.
enum class TrainTermination {
  kCompleted,    ///< all epochs are done; the parameters are the trained ones, averaged if that was asked for, those of
                 ///< the best epoch with a validation set
  kInterrupted,  ///< stop_requested said so; the parameters are those after the last finished batch, and saved
  kTakenBack,    ///< the method took its last epoch back (Majorant::after_epoch); the parameters are those before it,
                 ///< averaged if that was asked for, or those of the best epoch with a validation set
  kStoppedEarly,  ///< no better epoch on the validation set for `patience` epochs, before all were done; the parameters
                  ///< are those of the best
};

/// What figures were measured on.
struct PartSize {
  int64_t samples = 0;
  int64_t groups = 0;  ///< of samples that belong together; 0: none
};

struct TrainSummary {
  TrainTermination termination = TrainTermination::kCompleted;
  std::string ended;  ///< with kTakenBack: why, in one sentence
  std::string method;
  std::vector<EpochMetrics> epochs;  ///< all of them, also those before a resume
  std::optional<size_t> taken;       ///< place in `epochs` of the one whose weights were taken; with a validation set
  PartSize validation, test;
  std::vector<std::string> warnings;  ///< what makes figures of the weights that were taken mean something else
  double seconds = 0;                 ///< the training parts, summed

  /// One line: how the training ended, and the figures of the weights that are the result. `samples` is what they are
  /// called.
  std::string brief_report(const std::string& samples = "samples") const;
  /// The same after one line per epoch.
  std::string full_report() const;
};

/// Minimises an objective over the parameters of a problem. At the start, after an epoch (when the last time is at
/// least save_seconds ago), at the end and when stopped, all state goes to folder/checkpoint.pt atomically, and then
/// the lines of folder/metrics.jsonl, so that a run that was killed at any moment goes on from the last checkpoint and
/// ends in the same weights bit for bit (same thread count). With average_from the problem holds the weights of the
/// optimiser while the training runs and the averaged ones at its end; test figures are those of the averaged weights
/// from the first epoch that has them. A method that watches its epochs can take one back: then it is in no metrics,
/// the problem has the weights it had before, and the training is over, also when it is resumed.
///
/// With a validation set the result is the best epoch on it (taken_epoch). What is compared are the weights that would
/// be the result if the training ended there: the averaged ones as soon as there are some. They are in the checkpoint,
/// too. An epoch that was taken back is not among those compared. No decision looks at the test set.
class Trainer {
 public:
  Trainer(Problem& problem, DatasetPtr train_set, const Objective& objective, TrainOptions options);
  ~Trainer();

  /// Takes over weights, the optimiser's state, random state and metrics; the options stay those of this run. Throws
  /// Error, and changes nothing, when they do not fit the problem or the optimiser, or the training set is another.
  void resume(const Checkpoint& checkpoint, const std::string& what);

  TrainSummary run();

 private:
  std::unique_ptr<Training> training_;
};

/// Trains and returns; see Trainer.
TrainSummary train(Problem& problem, const DatasetPtr& train_set, const Objective& objective,
                   const TrainOptions& options = TrainOptions());

/// The names of the files in a run folder.
namespace run_files {
constexpr const char* kConfig = "config.toml";
constexpr const char* kMetrics = "metrics.jsonl";
constexpr const char* kCheckpoint = "checkpoint.pt";
constexpr const char* kModel = "model.pt";
constexpr const char* kParts = "parts.json";    // how many samples each part has; of the tool
constexpr const char* kInitial = "initial.pt";  // the TorchScript file that a run began with
}  // namespace run_files

}  // namespace arks
