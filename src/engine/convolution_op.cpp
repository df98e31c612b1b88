#include "engine/convolution_op.h"

#include "engine/cache_line.h"

#include <algorithm>

namespace arks::engine {

namespace {

/// Images whose maps are worked on together while they are in the cache.
constexpr int64_t kRawFloats = 40960;

class ConvolutionOp : public Op {
 public:
  ConvolutionOp(const ConvolutionSettings& settings, size_t input, std::optional<size_t> rest, size_t output,
                std::optional<size_t> winner)
      : Op(rest ? std::vector<size_t>{input, *rest} : std::vector<size_t>{input}, output),
        settings_(settings),
        winner_(winner),
        out_map_(output_map(settings)) {
    const auto raw = output_map({settings.layer, {}, {}, {}, settings.in});
    group_ = std::clamp<int64_t>(kRawFloats / raw.size(), 1, 16);
    kernel_ = make_kernel(settings_, group_);
  }

  void forward(const Pass& pass) const override {
    const int64_t from = (*pass.values)[inputs()[0]].size, to = out_map_.size();
    for (int64_t first = 0; first < pass.count; first += group_) {
      const int64_t images = std::min(group_, pass.count - first);
      const float* const x = in(pass) + first * from;
      float* const y = out(pass) + first * to;
      if (settings_.pooling) {
        pool(pass, x, y, first, images);
        if (rest()) add_activate(settings_.activation, y, in(pass, 1) + first * to, images * to);
      } else {
        kernel_->forward(x, y, images, pass.scratch);
        if (rest()) {
          add_activate(settings_.activation, y, in(pass, 1) + first * to, images * to);
        } else {
          activate(settings_.activation, y, images * to);
        }
      }
    }
  }

  void backward(const Pass& pass) const override {
    const int64_t from = (*pass.values)[inputs()[0]].size, to = out_map_.size();
    activate_backward(settings_.activation, out(pass), d_out(pass), pass.count * to);
    for (int64_t first = 0; first < pass.count; first += group_) {
      const int64_t images = std::min(group_, pass.count - first);
      const float* dy = d_out(pass) + first * to;
      const bool input_wanted = wants_gradient(pass);
      if (settings_.pooling && pass.sums == nullptr && kernel_->can_unpool(*settings_.pooling) && !accumulates()) {
        for (int64_t i = 0; input_wanted && i < images; ++i) {
          kernel_->backward_input_unpooling(dy + i * to, winners(pass, first + i), d_in(pass) + (first + i) * from,
                                            pass.scratch);
        }
        continue;
      }
      if (settings_.pooling) dy = unpooled(pass, dy, first, images);
      if (pass.sums != nullptr) {
        float* const sums = pass.sums + sums_offset;
        float* const bias_sums = settings_.layer.bias.defined() ? sums + kernel_->gradient_size() : nullptr;
        kernel_->backward_weights(in(pass) + first * from, dy, images, sums, bias_sums, pass.scratch);
      }
      if (input_wanted) backward_input(pass, dy, first * from, images);
    }
    if (rest()) pass_on(pass, 1, d_out(pass));  // behind input 0: they may be one value
  }

  int64_t scratch_size() const override {
    const int64_t accumulated = accumulates() ? group_ * blocked_input() : 0;
    return whole_lines(kernel_->scratch_size()) + whole_lines(raw_size()) + whole_lines(accumulated);
  }

  std::vector<torch::Tensor> weights() const override {
    if (settings_.folded) return {};
    if (settings_.layer.bias.defined()) return {settings_.layer.weight, settings_.layer.bias};
    return {settings_.layer.weight};
  }

  std::vector<torch::Tensor> sources() const override {
    std::vector<torch::Tensor> all{settings_.layer.weight, settings_.layer.bias};
    if (const auto& norm = settings_.folded) {
      all.insert(all.end(), {norm->mean, norm->variance, norm->weight, norm->bias});
    }
    return all;
  }

  void load() override {
    auto weight = settings_.layer.weight;
    auto bias = settings_.layer.bias;
    if (const auto& norm = settings_.folded) {
      auto scale = (norm->variance.to(torch::kDouble) + norm->eps).rsqrt();
      if (norm->weight.defined()) scale = scale * norm->weight;
      auto shift = (bias.defined() ? bias - norm->mean : -norm->mean) * scale;
      if (norm->bias.defined()) shift = shift + norm->bias;
      weight = (weight * scale.view({-1, 1, 1, 1})).to(torch::kFloat);
      bias = shift.to(torch::kFloat);
    }
    weight = weight.contiguous();
    if (bias.defined()) bias = bias.contiguous();
    kernel_->load(weight.data_ptr<float>(), bias.defined() ? bias.data_ptr<float>() : nullptr);
  }

  int64_t sums_size() const override { return whole_lines(kernel_->gradient_size() + in_blocks(out_map_.channels)); }

  std::vector<torch::Tensor> gradients(const float* sums, const Pass& /*batch*/) const override {
    auto weight = torch::empty_like(settings_.layer.weight, torch::MemoryFormat::Contiguous);
    kernel_->finish_gradient(sums + sums_offset, weight.data_ptr<float>());
    if (!settings_.layer.bias.defined()) return {weight};
    auto bias = torch::empty({out_map_.channels});
    const float* const from = sums + sums_offset + kernel_->gradient_size();
    std::copy(from, from + out_map_.channels, bias.data_ptr<float>());
    return {weight, bias};
  }

 private:
  bool rest() const { return inputs().size() > 1; }
  int64_t blocked_input() const { return (settings_.in.size() + kBlock) / kBlock * kBlock; }
  /// Floats for the maps of a group before the pooling.
  int64_t raw_size() const { return settings_.pooling ? group_ * kernel_->out().size() : 0; }
  float* raw(const Pass& pass) const { return pass.scratch + whole_lines(kernel_->scratch_size()); }
  /// Winners lie in a value of their own, four bytes to a float.
  uint8_t* winners(const Pass& pass, int64_t image) const {
    const int64_t stride = (*pass.values)[*winner_].size;
    return reinterpret_cast<uint8_t*>(pass.value(*winner_) + image * stride);
  }

  void pool(const Pass& pass, const float* x, float* y, int64_t first, int64_t images) const {
    kernel_->forward(x, raw(pass), images, pass.scratch);
    const Activation f = rest() ? Activation() : settings_.activation;
    for (int64_t i = 0; i < images; ++i) {
      max_pool(*settings_.pooling, kernel_->out(), f, raw(pass) + i * kernel_->out().size(), y + i * out_map_.size(),
               winners(pass, first + i));
    }
  }

  const float* unpooled(const Pass& pass, const float* dy, int64_t first, int64_t images) const {
    for (int64_t i = 0; i < images; ++i) {
      max_unpool(*settings_.pooling, kernel_->out(), dy + i * out_map_.size(), winners(pass, first + i),
                 raw(pass) + i * kernel_->out().size());
    }
    return raw(pass);
  }

  void backward_input(const Pass& pass, const float* dy, int64_t offset, int64_t images) const {
    float* const dx = d_in(pass) + offset;
    if (!accumulates()) return kernel_->backward_input(dy, dx, images, pass.scratch);
    float* const part = raw(pass) + whole_lines(raw_size());
    kernel_->backward_input(dy, part, images, pass.scratch);
    add(dx, part, images * (*pass.values)[inputs()[0]].size);
  }

  ConvolutionSettings settings_;
  std::optional<size_t> winner_;
  FeatureMap out_map_;
  int64_t group_ = 1;
  std::unique_ptr<ConvolutionKernel> kernel_;
};

}  // namespace

OpPtr make_convolution(const ConvolutionSettings& settings, size_t input, std::optional<size_t> rest, size_t output,
                       std::optional<size_t> winner) {
  return std::make_unique<ConvolutionOp>(settings, input, rest, output, winner);
}

}  // namespace arks::engine
