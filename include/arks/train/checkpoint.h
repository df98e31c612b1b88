#pragma once
#include <arks/objective/objective.h>
#include <arks/problem/problem.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace arks {

/// All state of a training, so that going on from it ends in the same weights as never having stopped.
struct Checkpoint {
  std::string architecture;          ///< of the model
  std::string config;                ///< config.toml of the run, word for word; empty when there is none
  std::string interface;             ///< what the model takes and gives, as JSON; empty when nobody said
  NamedTensors weights;              ///< parameters and buffers
  int64_t epoch = 0;                 ///< finished epochs
  int64_t batch = 0;                 ///< finished batches of the next epoch (an interrupted run stops in mid-epoch)
  BatchSums sums;                    ///< of those batches
  double seconds = 0;                ///< spent on those batches
  torch::Tensor optimizer;           ///< uint8, the optimiser's own serialisation
  torch::Tensor generator;           ///< state of the objective's random numbers
  std::vector<std::string> metrics;  ///< the lines of metrics.jsonl so far
  NamedTensors average;              ///< mean of the weights so far, float64; empty without weight averaging
  int64_t averaged_epochs = 0;       ///< how many epochs are in it
  std::optional<int64_t> data;       ///< fingerprint of the training set
  NamedTensors method;               ///< what the method carries from batch to batch; empty for most
  NamedTensors before;               ///< weights before the running epoch, for a method that may take it back
  NamedTensors best;                 ///< weights of the epoch that is taken (taken_epoch); empty without validation
  std::optional<double> start_surrogate;  ///< of the first batch of the training; older checkpoints have none
  std::optional<double> start_loss;       ///< likewise, on the clean samples
  std::string ended;                      ///< why the method ended the training; empty while it goes on
};

/// Written atomically: a crash leaves the old file.
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// Throws Error naming the file when it is missing, damaged (it carries a CRC-32 of itself) or no checkpoint.
Checkpoint read_checkpoint(const std::filesystem::path& path);

/// Throws Error when the architecture, a name or a shape differs; `what` names the checkpoint in the message.
void check_weights(const Checkpoint& checkpoint, Problem& problem, const std::string& what);

/// Copies the weights, those with which training goes on, into the problem; throws Error, and changes nothing, when
/// check_weights does.
void load_weights(const Checkpoint& checkpoint, Problem& problem, const std::string& what);

/// Likewise the weights that are the result so far: those of the best epoch on the validation
/// part, else the averaged ones, where there are any.
void load_trained_weights(const Checkpoint& checkpoint, Problem& problem, const std::string& what);

}  // namespace arks
