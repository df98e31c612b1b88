#pragma once
#include <arks/problem/criterion.h>
#include <torch/types.h>

#include <memory>

namespace arks {

/// The criterion on one sample, with its gradient in the prediction, without tensors.
class SampleLoss {
 public:
  struct Value {
    double loss = 0;
    double log_loss = 0;  // when it was asked for
    bool wrong = false;
  };

  /// Null for a criterion of another kind than cross entropy, squared error and Kullback–Leibler divergence.
  static std::unique_ptr<SampleLoss> of(const Criterion& criterion);
  virtual ~SampleLoss() = default;

  /// The targets of the batch; the criterion's own errors when they do not go with predictions [samples, outputs].
  virtual void take_targets(const torch::Tensor& y, int64_t samples, int64_t outputs) = 0;

  /// prediction [outputs] of sample i; `slope` [outputs] ← ∂loss/∂prediction, or of ln loss.
  virtual Value operator()(const float* prediction, int64_t sample, bool log, double* slope) const = 0;

  /// Whether there is right and wrong.
  virtual bool counts_errors() const = 0;
};

}  // namespace arks
