#include "engine/batch_norm_op.h"

#include "engine/normalise.h"

#include <arks/support/error.h>

#include <cmath>

namespace arks::engine {

namespace {

class BatchNormOp : public Op {
 public:
  BatchNormOp(const BatchNormSettings& settings, size_t input, std::optional<size_t> rest, size_t output,
              size_t statistics, size_t gradient_statistics)
      : Op(rest ? std::vector<size_t>{input, *rest} : std::vector<size_t>{input}, output),
        layer_(settings.layer),
        activation_(settings.activation),
        map_(settings.map),
        channels_(in_blocks(map_.channels)),
        statistics_(statistics),
        gradient_statistics_(gradient_statistics) {}

  bool couples() const override { return true; }

  void measure(const Pass& pass) const override {
    for (int64_t i = 0; i < pass.count; ++i) {
      float* const row = statistics(pass) + i * stride();
      channel_moments(map_, in(pass) + i * map_.size(), row, row + channels_);
    }
  }

  void settle(const Pass& batch, bool move_statistics) const override;

  void forward(const Pass& pass) const override {
    const float* const settled = first_row(pass, statistics_);
    for (int64_t i = 0; i < pass.count; ++i) {
      const int64_t at = i * map_.size();
      scale_shift(map_, settled + kScale * channels_, settled + kShift * channels_, activation_, in(pass) + at,
                  rest() ? in(pass, 1) + at : nullptr, out(pass) + at);
    }
  }

  void measure_backward(const Pass& pass) const override {
    const float* const settled = first_row(pass, statistics_);
    for (int64_t i = 0; i < pass.count; ++i) {
      const int64_t at = i * map_.size();
      float* const row = pass.value(gradient_statistics_) + i * stride();
      scale_shift_backward(map_, settled + kMean * channels_, activation_, out(pass) + at, in(pass) + at,
                           d_out(pass) + at, row, row + channels_);
    }
  }

  void settle_backward(const Pass& batch) const override;

  void backward(const Pass& pass) const override {
    if (wants_gradient(pass)) {
      const float* const settled = first_row(pass, gradient_statistics_);
      for (int64_t i = 0; i < pass.count; ++i) {
        const int64_t at = i * map_.size();
        float* const dx = accumulates() ? pass.scratch : d_in(pass) + at;
        combine(map_, settled + kByGradient * channels_, settled + kByInput * channels_,
                settled + kConstant * channels_, d_out(pass) + at, in(pass) + at, dx);
        if (accumulates()) add(d_in(pass) + at, dx, map_.size());
      }
    }
    if (rest()) pass_on(pass, 1, d_out(pass));  // behind input 0: they may be one value
  }

  int64_t scratch_size() const override { return accumulates() ? map_.size() : 0; }

  std::vector<torch::Tensor> weights() const override {
    std::vector<torch::Tensor> trained;
    if (layer_.weight.defined()) trained.push_back(layer_.weight);
    if (layer_.bias.defined()) trained.push_back(layer_.bias);
    return trained;
  }

  std::vector<torch::Tensor> gradients(const float* /*sums*/, const Pass& batch) const override {
    const auto copied = [&](int64_t which) {
      float* const row = batch.value(gradient_statistics_) + which * channels_;
      return torch::from_blob(row, {map_.channels}).clone();
    };
    std::vector<torch::Tensor> found;
    if (layer_.weight.defined()) found.push_back(copied(kWeightGradient));
    if (layer_.bias.defined()) found.push_back(copied(kBiasGradient));
    return found;
  }

 private:
  // what a settled row holds, in units of channels_
  enum : int64_t { kMean, kScale, kShift, kInverse };
  enum : int64_t { kByGradient, kByInput, kConstant, kWeightGradient, kBiasGradient };

  bool rest() const { return inputs().size() > 1; }
  int64_t stride() const { return kStatistics * channels_; }
  float* statistics(const Pass& pass) const { return pass.value(statistics_); }
  static float* first_row(const Pass& pass, size_t value) { return pass.arena->value(value); }
  static float at(const torch::Tensor& values, int64_t channel, float otherwise) {
    return values.defined() ? values.data_ptr<float>()[channel] : otherwise;
  }
  void move(int64_t channel, double mean, double variance, double numbers) const;

  BatchNorm layer_;
  Activation activation_;
  FeatureMap map_;
  int64_t channels_;
  size_t statistics_, gradient_statistics_;
};

void BatchNormOp::settle(const Pass& batch, bool move_statistics) const {
  float* const rows = statistics(batch);
  const auto cells = static_cast<double>(map_.plane());
  const auto images = static_cast<double>(batch.count);
  ARKS_CHECK(map_.plane() * batch.count > 1, "batch norm cannot be trained on one number per channel");
  if (move_statistics && layer_.batches_tracked.defined()) {
    torch::NoGradGuard no_grad;
    torch::Tensor(layer_.batches_tracked).add_(1);
  }
  for (int64_t c = 0; c < channels_; ++c) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < batch.count; ++i) sum += static_cast<double>(rows[i * stride() + c]);
    const double mean = sum / images;
    for (int64_t i = 0; i < batch.count; ++i) {
      const double apart = static_cast<double>(rows[i * stride() + c]) - mean;
      squares += static_cast<double>(rows[i * stride() + channels_ + c]) + cells * apart * apart;
    }
    const double variance = squares / (cells * images);
    const bool real = c < map_.channels;
    const double inverse = real ? 1 / std::sqrt(variance + layer_.eps) : 0;
    const double scale = inverse * static_cast<double>(real ? at(layer_.weight, c, 1) : 0);
    rows[kMean * channels_ + c] = static_cast<float>(mean);
    rows[kScale * channels_ + c] = static_cast<float>(scale);
    rows[kShift * channels_ + c] = static_cast<float>((real ? at(layer_.bias, c, 0) : 0) - mean * scale);
    rows[kInverse * channels_ + c] = static_cast<float>(inverse);
    if (real && move_statistics) move(c, mean, variance, cells * images);
  }
}

void BatchNormOp::move(int64_t channel, double mean, double variance, double numbers) const {
  double share = layer_.momentum.value_or(0);
  if (!layer_.momentum) share = 1 / layer_.batches_tracked.item<double>();  // the mean over all batches
  const auto towards = [&](const torch::Tensor& running, double seen) {
    float& kept = running.data_ptr<float>()[channel];
    kept = static_cast<float>((1 - share) * static_cast<double>(kept) + share * seen);
  };
  towards(layer_.mean, mean);
  towards(layer_.variance, variance * numbers / (numbers - 1));
}

void BatchNormOp::settle_backward(const Pass& batch) const {
  const float* const settled = first_row(batch, statistics_);
  float* const rows = batch.value(gradient_statistics_);
  const double numbers = static_cast<double>(map_.plane()) * static_cast<double>(batch.count);
  for (int64_t c = 0; c < channels_; ++c) {
    double sum = 0, product = 0;
    for (int64_t i = 0; i < batch.count; ++i) {
      sum += static_cast<double>(rows[i * stride() + c]);
      product += static_cast<double>(rows[i * stride() + channels_ + c]);
    }
    const double mean = settled[kMean * channels_ + c], scale = settled[kScale * channels_ + c];
    const double inverse = settled[kInverse * channels_ + c];
    const double by_input = -scale * inverse * inverse * product / numbers;
    rows[kByGradient * channels_ + c] = static_cast<float>(scale);
    rows[kByInput * channels_ + c] = static_cast<float>(by_input);
    rows[kConstant * channels_ + c] = static_cast<float>(-scale * sum / numbers - by_input * mean);
    rows[kWeightGradient * channels_ + c] = static_cast<float>(product * inverse);
    rows[kBiasGradient * channels_ + c] = static_cast<float>(sum);
  }
}

}  // namespace

OpPtr make_batch_norm(const BatchNormSettings& settings, size_t input, std::optional<size_t> rest, size_t output,
                      size_t statistics, size_t gradient_statistics) {
  return std::make_unique<BatchNormOp>(settings, input, rest, output, statistics, gradient_statistics);
}

}  // namespace arks::engine
