#pragma once
#include <arks/data/dataset.h>
#include <arks/inner/maximizer.h>
#include <arks/problem/problem.h>

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

struct MajorantValue {
  torch::Tensor value;  ///< scalar, differentiable in θ: the mean surrogate of the batch
  BatchSums sums;
  torch::Tensor adversarial;  ///< [n,...] u*, no graph; undefined for methods without an inner maximisation
};

/// An objective bound to a problem: the surrogate of the loss on a batch.
class Majorant {
 public:
  virtual ~Majorant() = default;
  /// Random numbers, where a method needs any, come from the generator.
  virtual MajorantValue operator()(const Batch& batch, torch::Generator& generator) = 0;
  /// What its inner maximisation runs on, known after the first batch; none for a method without one.
  virtual std::optional<MaximizerInfo> maximizer_info() const { return std::nullopt; }
};

/// What is minimised over θ, as a description: a method and its options. Immutable; bind() makes it work on a problem.
class Objective {
 public:
  virtual ~Objective() = default;
  /// The name after --method.
  virtual std::string name() const = 0;
  /// The problem must outlive what is returned.
  virtual std::unique_ptr<Majorant> bind(Problem& problem) const = 0;
};

}  // namespace arks
