#pragma once
#include <arks/data/dataset.h>
#include <arks/inner/maximizer.h>
#include <arks/problem/problem.h>
#include <arks/support/named_tensors.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace arks {

/// What one batch adds to the epoch's metrics: sums over its samples.
struct BatchSums {
  int64_t samples = 0;
  double loss = 0;                         ///< l(θ,x), on the clean samples
  double surrogate = 0;                    ///< what is minimised
  std::optional<double> wrong;             ///< misclassified clean samples
  std::optional<double> adversarial_loss;  ///< l(θ,u*)
  std::optional<double> kernel;            ///< k(u*,x)
  std::optional<double> cost;              ///< c(u*,x)
  std::optional<double> mmd;  ///< between x and u* of the epoch's first batch; no sum, filled by the trainer

  BatchSums& operator+=(const BatchSums& other);
};

/// What a search for the worst points of a batch found, without a graph.
struct WorstPoints {
  torch::Tensor u;      ///< [n,...] u*; undefined for methods without an inner maximisation
  torch::Tensor costs;  ///< [n] c(u*,x); undefined for methods that do not look at it
  Evaluation clean;     ///< at the samples themselves; undefined where the value measures it anyway
};

struct MajorantValue {
  torch::Tensor value;  ///< scalar: the mean surrogate of the batch
  BatchSums sums;
  torch::Tensor adversarial;  ///< [n,...] u*, no graph; undefined for methods without an inner maximisation
};

/// The surrogate of a batch at the weights as they are when it is called, differentiable in θ.
using Evaluate = std::function<MajorantValue()>;

/// One step of the weights: evaluates, runs one backward pass from the value, lets the optimiser step. Returns what was
/// evaluated, its value without the graph. Gradients for other leaves of the graph than θ add up in their .grad. Throws
/// RunError, and steps nowhere, when the value is not finite.
using Descend = std::function<MajorantValue(const Evaluate& evaluate)>;

/// An epoch that has just been trained on.
struct TrainedEpoch {
  int64_t batches = 0;                  ///< in it
  std::function<Batch(int64_t)> batch;  ///< the i-th of them, as it was trained on
};

/// What a method that watches says of an epoch.
struct EpochVerdict {
  std::optional<double> accuracy;  ///< what it measured, a fraction; for the metrics
  std::string taken_back;          ///< why the epoch must be undone and the training ended; empty: go on
};

/// An objective bound to a problem: the surrogate of the loss on a batch, and how a batch is trained on.
class Majorant {
 public:
  virtual ~Majorant() = default;

  /// The worst points at the weights as they are. Random numbers, where a method needs any, come from the generator.
  virtual WorstPoints find(const Batch& batch, torch::Generator& generator);

  /// The surrogate with these points held fixed, differentiable in θ. Apart from find, so that the same points can be
  /// looked at again with other weights.
  virtual MajorantValue value(const Batch& batch, const WorstPoints& points) = 0;

  /// Both, one after the other.
  MajorantValue operator()(const Batch& batch, torch::Generator& generator) {
    return value(batch, find(batch, generator));
  }

  /// Trains on one batch; the sums count every sample once. The default finds the worst points and descends once. A
  /// method may descend several times, or hand on a `descend` that does more than step. The weights move nowhere else.
  virtual MajorantValue step(const Batch& batch, torch::Generator& generator, const Descend& descend);

  /// True for a method that looks back at its epochs: then what after_epoch() says counts, and the trainer keeps the
  /// weights of the epoch before.
  virtual bool watches() const { return false; }
  /// Asked when the weights have seen the whole epoch.
  virtual EpochVerdict after_epoch(const TrainedEpoch& epoch, torch::Generator& generator);

  /// What a method carries from batch to batch, for the checkpoint; empty for most. load_state takes it over as it was
  /// (empty: from the beginning); throws Error, and changes nothing, when it is another method's.
  virtual NamedTensors state() const { return {}; }
  virtual void load_state(const NamedTensors& state);

  /// What its inner maximisation runs on, known after the first batch; none for a method without one.
  virtual std::optional<MaximizerInfo> maximizer_info() const { return std::nullopt; }

 protected:
  /// Throws Error unless the state is empty or one tensor of this name; the name begins with that of the method.
  static void check_state(const NamedTensors& state, const std::string& own);
};

/// What is minimised over θ, as a description: a method and its options. Immutable; bind() makes it work on a problem.
class Objective {
 public:
  virtual ~Objective() = default;
  /// The name after --method, and what is on top of it: pgd+awp.
  virtual std::string name() const = 0;
  /// What may help, beside a smaller learning rate, when its loss is no longer finite: "a smaller sigma or a compact
  /// domain"; empty when nothing is known.
  virtual std::string remedy() const { return ""; }
  /// The problem must outlive what is returned.
  virtual std::unique_ptr<Majorant> bind(Problem& problem) const = 0;
};

}  // namespace arks
