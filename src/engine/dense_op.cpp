#include "engine/dense_op.h"

#include "engine/gemm.h"
#include "engine/team.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstring>

namespace arks::engine {

namespace {

class DenseOp : public Op {
 public:
  DenseOp(const DenseSettings& settings, size_t input, size_t output, size_t kept)
      : Op({input}, output),
        settings_(settings),
        kept_(kept),
        from_(static_cast<int64_t>(settings.order.size())),
        to_(settings.layer.weight.size(0)),
        to_stride_(in_blocks(to_)),
        ordered_(static_cast<size_t>(to_ * from_)),
        forward_(static_cast<size_t>(packed_size(from_, to_))),
        backward_(static_cast<size_t>(packed_size(to_, from_))),
        bias_(static_cast<size_t>(to_stride_)) {}

  void forward(const Pass& pass) const override {
    float* const y = out(pass);
    for (int64_t i = 0; i < pass.count; ++i) {
      std::memcpy(y + i * to_stride_, bias_.data(), static_cast<size_t>(to_stride_) * sizeof(float));
    }
    GemmLayout layout;
    layout.a_row = from_;
    layout.b_panel = 16 * from_;
    layout.c_row = to_stride_;
    gemm(in(pass), forward_.data(), y, pass.count, to_stride_, from_, layout, /*accumulate=*/true);
    activate(settings_.activation, y, pass.count * to_stride_);
  }

  void backward(const Pass& pass) const override {
    float* const dy = d_out(pass);
    activate_backward(settings_.activation, out(pass), dy, pass.count * to_stride_);
    if (pass.sums != nullptr) {
      std::memcpy(pass.value(kept_), dy, static_cast<size_t>(pass.count * to_stride_) * sizeof(float));
    }
    if (!wants_gradient(pass)) return;
    GemmLayout layout;
    layout.a_row = to_stride_;
    layout.b_panel = 16 * to_;
    layout.c_row = from_;
    gemm(dy, backward_.data(), d_in(pass), pass.count, from_, to_, layout, accumulates());
  }

  std::vector<torch::Tensor> weights() const override {
    if (settings_.layer.bias.defined()) return {settings_.layer.weight, settings_.layer.bias};
    return {settings_.layer.weight};
  }

  void load() override {
    const auto weight = settings_.layer.weight.contiguous();
    const int64_t features = weight.size(1);
    for (int64_t row = 0; row < to_; ++row) {
      const float* const source = weight.data_ptr<float>() + row * features;
      float* const target = ordered_.data() + row * from_;
      for (int64_t p = 0; p < from_; ++p) target[p] = settings_.order[p] < 0 ? 0 : source[settings_.order[p]];
    }
    pack(ordered_.data(), 1, from_, from_, to_, forward_.data());
    pack(ordered_.data(), from_, 1, to_, from_, backward_.data());
    if (!settings_.layer.bias.defined()) return;
    const auto bias = settings_.layer.bias.contiguous();
    std::copy(bias.data_ptr<float>(), bias.data_ptr<float>() + to_, bias_.begin());
  }

  std::vector<torch::Tensor> gradients(const float* /*sums*/, const Pass& batch) const override {
    const auto x = torch::from_blob(const_cast<float*>(in(batch)), {batch.count, from_});
    const auto dy = torch::from_blob(batch.value(kept_), {batch.count, to_}, {to_stride_, 1});
    auto product = torch::empty({to_, from_});
    // rows by rows on all threads: the BLAS itself may be held to one
    const int64_t parts = std::clamp<int64_t>(to_ / 16, 1, at::get_num_threads());
    on_threads(parts, [&](int64_t part) {
      const int64_t first = to_ * part / parts, last = to_ * (part + 1) / parts;
      auto rows = product.narrow(0, first, last - first);
      at::mm_out(rows, dy.narrow(1, first, last - first).t(), x);
    });
    auto weight = torch::empty({to_, settings_.layer.weight.size(1)});
    for (int64_t row = 0; row < to_; ++row) {
      const float* const source = product.data_ptr<float>() + row * from_;
      float* const target = weight.data_ptr<float>() + row * weight.size(1);
      for (int64_t p = 0; p < from_; ++p) {
        if (settings_.order[p] >= 0) target[settings_.order[p]] = source[p];
      }
    }
    if (!settings_.layer.bias.defined()) return {weight};
    return {weight, dy.sum(0)};
  }

 private:
  DenseSettings settings_;
  size_t kept_;
  int64_t from_, to_, to_stride_;
  std::vector<float> ordered_, forward_, backward_, bias_;
};

}  // namespace

OpPtr make_dense(const DenseSettings& settings, size_t input, size_t output, size_t kept) {
  return std::make_unique<DenseOp>(settings, input, output, kept);
}

}  // namespace arks::engine
