#include "inner/sample_loss.h"

#include "problem/kl_divergence.h"
#include "support/samples.h"

#include <arks/problem/cross_entropy.h>
#include <arks/problem/squared_error.h>
#include <arks/problem/weighted_cross_entropy.h>

#include <algorithm>
#include <cmath>
#include <typeinfo>

namespace arks {

namespace {

/// ln l and its slopes in place of those of l. Below a floor the logarithm is flat, as Criterion::log has it.
void take_log(SampleLoss::Value& value, double* slope, int64_t outputs) {
  constexpr double kFloor = 1e-30;
  value.log_loss = std::log(value.loss > kFloor || std::isnan(value.loss) ? value.loss : kFloor);
  for (int64_t j = 0; j < outputs; ++j) slope[j] = value.loss < kFloor ? 0 : slope[j] / value.loss;
}

/// l = ln(1 + e^m) with m = ln Σ_{j≠y} e^{z_j} − z_y; see CrossEntropy. With weights w_y·l.
class SampleCrossEntropy : public SampleLoss {
 public:
  explicit SampleCrossEntropy(std::vector<double> weights = {}) : weights_(std::move(weights)) {}

  void take_targets(const torch::Tensor& y, int64_t samples, int64_t outputs) override {
    CrossEntropy()(torch::zeros({samples, outputs}), y);
    if (!weights_.empty()) WeightedCrossEntropy{weights_}(torch::zeros({samples, outputs}), y);
    labels_ = y.contiguous();
    label_ = labels_.data_ptr<int64_t>();
    outputs_ = outputs;
  }

  Value operator()(const float* prediction, int64_t sample, bool log, double* slope) const override {
    const int64_t right = label_[sample];
    int64_t first = 0;
    double most = -INFINITY;  // of the others
    for (int64_t j = 0; j < outputs_; ++j) {
      if (prediction[j] > prediction[first]) first = j;
      if (j != right && !(static_cast<double>(prediction[j]) <= most)) most = prediction[j];
    }
    double others = 0;
    for (int64_t j = 0; j < outputs_; ++j) {
      slope[j] = j == right ? 0 : std::exp(static_cast<double>(prediction[j]) - most);
      others += slope[j];
    }
    const double margin = most + std::log(others) - static_cast<double>(prediction[right]);
    const double small = std::exp(-std::abs(margin));
    Value value;
    value.loss = std::max(margin, 0.0) + std::log1p(small);
    if (std::isnan(margin)) value.loss = margin;
    value.wrong = first != right || std::isnan(prediction[right]);
    const double sigmoid = margin > 0 ? 1 / (1 + small) : small / (1 + small);
    double factor = sigmoid;
    if (log) {
      constexpr double kSwitch = -15;  // below it ln softplus(m) = m − e^m/2, as CrossEntropy::log has it
      value.log_loss = margin < kSwitch ? margin - small / 2 : std::log(value.loss);
      factor = margin < kSwitch ? 1 - small / 2 : sigmoid / value.loss;
    }
    for (int64_t j = 0; j < outputs_; ++j) slope[j] *= factor / others;
    slope[right] = -factor;
    if (!weights_.empty()) weigh(value, slope, weights_[static_cast<size_t>(right)], log);
    return value;
  }

  bool counts_errors() const override { return true; }

 private:
  /// Of the logarithm the slope stays as it is.
  void weigh(Value& value, double* slope, double weight, bool log) const {
    value.loss *= weight;
    value.log_loss += std::log(weight);
    for (int64_t j = 0; j < outputs_ && !log; ++j) slope[j] *= weight;
  }

  std::vector<double> weights_;
  torch::Tensor labels_;
  const int64_t* label_ = nullptr;
  int64_t outputs_ = 0;
};

/// l = ‖z − y‖₂²
class SampleSquaredError : public SampleLoss {
 public:
  void take_targets(const torch::Tensor& y, int64_t samples, int64_t outputs) override {
    SquaredError()(torch::zeros({samples, outputs}), y);
    targets_ = rows(y).to(torch::kFloat).contiguous();
    outputs_ = outputs;
  }

  Value operator()(const float* prediction, int64_t sample, bool log, double* slope) const override {
    const float* const target = targets_.data_ptr<float>() + sample * outputs_;
    Value value;
    for (int64_t j = 0; j < outputs_; ++j) {
      const double error = static_cast<double>(prediction[j]) - static_cast<double>(target[j]);
      value.loss += error * error;
      slope[j] = 2 * error;
    }
    if (log) take_log(value, slope, outputs_);
    return value;
  }

  bool counts_errors() const override { return false; }

 private:
  torch::Tensor targets_;
  int64_t outputs_ = 0;
};

/// l = Σ_j p_j (ln p_j − ln q_j) with q = softmax(z); see KlDivergence.
class SampleKlDivergence : public SampleLoss {
 public:
  void take_targets(const torch::Tensor& y, int64_t samples, int64_t outputs) override {
    KlDivergence()(torch::zeros({samples, outputs}), y);
    targets_ = y.to(torch::kFloat).contiguous();
    outputs_ = outputs;
  }

  Value operator()(const float* prediction, int64_t sample, bool log, double* slope) const override {
    const float* const target = targets_.data_ptr<float>() + sample * outputs_;
    double most = -INFINITY;
    for (int64_t j = 0; j < outputs_; ++j) {
      if (!(static_cast<double>(prediction[j]) <= most)) most = prediction[j];
    }
    double sum = 0, mass = 0;
    for (int64_t j = 0; j < outputs_; ++j) {
      slope[j] = std::exp(static_cast<double>(prediction[j]) - most);
      sum += slope[j];
      mass += target[j];
    }
    const double log_sum = most + std::log(sum);
    Value value;
    for (int64_t j = 0; j < outputs_; ++j) {
      const double p = target[j];
      const double log_q = static_cast<double>(prediction[j]) - log_sum;
      value.loss += p > 0 ? p * (std::log(p) - log_q) : p * log_q;  // the product carries NaN along
      slope[j] = mass * slope[j] / sum - p;
    }
    if (log) take_log(value, slope, outputs_);
    return value;
  }

  bool counts_errors() const override { return false; }

 private:
  torch::Tensor targets_;
  int64_t outputs_ = 0;
};

}  // namespace

std::unique_ptr<SampleLoss> SampleLoss::of(const Criterion& criterion) {
  // exactly these: a class derived from one may compute something else
  if (typeid(criterion) == typeid(CrossEntropy)) return std::make_unique<SampleCrossEntropy>();
  if (typeid(criterion) == typeid(WeightedCrossEntropy)) {
    return std::make_unique<SampleCrossEntropy>(dynamic_cast<const WeightedCrossEntropy&>(criterion).weights());
  }
  if (typeid(criterion) == typeid(SquaredError)) return std::make_unique<SampleSquaredError>();
  if (typeid(criterion) == typeid(KlDivergence)) return std::make_unique<SampleKlDivergence>();
  return nullptr;
}

}  // namespace arks
