#include "engine/simple_ops.h"

#include "engine/normalise.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace arks::engine {

namespace {

class ActivationOp : public Op {
 public:
  ActivationOp(const Activation& activation, size_t input, size_t output) : Op({input}, output), f_(activation) {}

  void forward(const Pass& pass) const override {
    const int64_t n = size(pass);
    std::memcpy(out(pass), in(pass), static_cast<size_t>(n) * sizeof(float));
    activate(f_, out(pass), n);
  }

  void backward(const Pass& pass) const override {
    activate_backward(f_, out(pass), d_out(pass), size(pass));
    if (wants_gradient(pass)) pass_on(pass, 0, d_out(pass));
  }

 private:
  int64_t size(const Pass& pass) const { return pass.count * (*pass.values)[output()].size; }
  Activation f_;
};

class SumOp : public Op {
 public:
  SumOp(const Activation& activation, size_t a, size_t b, size_t output) : Op({a, b}, output), f_(activation) {}

  void forward(const Pass& pass) const override {
    std::memcpy(out(pass), in(pass), static_cast<size_t>(size(pass)) * sizeof(float));
    add_activate(f_, out(pass), in(pass, 1), size(pass));
  }

  void backward(const Pass& pass) const override {
    activate_backward(f_, out(pass), d_out(pass), size(pass));
    for (size_t i = 0; i < 2; ++i) {
      if (wants_gradient(pass, i)) pass_on(pass, i, d_out(pass));
    }
  }

 private:
  int64_t size(const Pass& pass) const { return pass.count * (*pass.values)[output()].size; }
  Activation f_;
};

/// An operation on every image by itself; `back` writes the gradient of the input, overwriting.
class ImageOp : public Op {
 public:
  using Op::Op;

  void backward(const Pass& pass) const override {
    if (!wants_gradient(pass)) return;
    const int64_t from = (*pass.values)[inputs()[0]].size, to = (*pass.values)[output()].size;
    for (int64_t i = 0; i < pass.count; ++i) {
      float* const target = d_in(pass) + i * from;
      float* const dx = accumulates() ? pass.scratch : target;
      back(pass, i, d_out(pass) + i * to, dx);
      if (accumulates()) add(target, dx, from);
    }
  }

 private:
  virtual void back(const Pass& pass, int64_t image, float* dy, float* dx) const = 0;
};

class MaxPoolOp : public ImageOp {
 public:
  MaxPoolOp(const Pooling& pooling, const FeatureMap& in, const Activation& activation, size_t input, size_t output,
            size_t winner)
      : ImageOp({input}, output), pooling_(pooling), in_(in), out_(pooling.out(in)), f_(activation), winner_(winner) {}

  void forward(const Pass& pass) const override {
    for (int64_t i = 0; i < pass.count; ++i) {
      max_pool(pooling_, in_, f_, in(pass) + i * in_.size(), out(pass) + i * out_.size(), winners(pass, i));
    }
  }
  int64_t scratch_size() const override { return accumulates() ? in_.size() : 0; }

 private:
  void back(const Pass& pass, int64_t image, float* dy, float* dx) const override {
    activate_backward(f_, out(pass) + image * out_.size(), dy, out_.size());
    max_unpool(pooling_, in_, dy, winners(pass, image), dx);
  }
  uint8_t* winners(const Pass& pass, int64_t image) const {
    return reinterpret_cast<uint8_t*>(pass.value(winner_) + image * (*pass.values)[winner_].size);
  }

  Pooling pooling_;
  FeatureMap in_, out_;
  Activation f_;
  size_t winner_;
};

class AveragePoolOp : public ImageOp {
 public:
  AveragePoolOp(const Pooling& pooling, const FeatureMap& in, size_t input, size_t output)
      : ImageOp({input}, output), pooling_(pooling), in_(in), out_(pooling.out(in)) {}

  void forward(const Pass& pass) const override {
    for (int64_t i = 0; i < pass.count; ++i) {
      average_pool(pooling_, in_, in(pass) + i * in_.size(), out(pass) + i * out_.size());
    }
  }
  int64_t scratch_size() const override { return accumulates() ? in_.size() : 0; }

 private:
  void back(const Pass& /*pass*/, int64_t /*image*/, float* dy, float* dx) const override {
    average_unpool(pooling_, in_, dy, dx);
  }

  Pooling pooling_;
  FeatureMap in_, out_;
};

class FixedNormOp : public ImageOp {
 public:
  FixedNormOp(const BatchNorm& layer, const FeatureMap& map, bool plain, size_t input, size_t output)
      : ImageOp({input}, output),
        layer_(layer),
        map_(map),
        plain_(plain),
        scale_(static_cast<size_t>(in_blocks(map.channels))),
        shift_(scale_.size()),
        zeros_(scale_.size()) {}

  std::vector<torch::Tensor> sources() const override {
    return {layer_.mean, layer_.variance, layer_.weight, layer_.bias};
  }

  void load() override {
    auto scale = (layer_.variance.to(torch::kDouble) + layer_.eps).rsqrt();
    if (layer_.weight.defined()) scale = scale * layer_.weight;
    auto shift = -layer_.mean * scale;
    if (layer_.bias.defined()) shift = shift + layer_.bias;
    for (int64_t c = 0; c < map_.channels; ++c) {
      scale_[static_cast<size_t>(c)] = scale[c].item<float>();
      shift_[static_cast<size_t>(c)] = shift[c].item<float>();
    }
  }

  void forward(const Pass& pass) const override {
    const int64_t stride = (*pass.values)[output()].size;
    for (int64_t i = 0; i < pass.count; ++i) {
      apply(in(pass) + i * stride, shift_, out(pass) + i * stride);
    }
  }
  int64_t scratch_size() const override { return accumulates() ? map_.size() : 0; }

 private:
  void back(const Pass& /*pass*/, int64_t /*image*/, float* dy, float* dx) const override { apply(dy, zeros_, dx); }

  void apply(const float* x, const std::vector<float>& shift, float* y) const {
    if (!plain_) return scale_shift(map_, scale_.data(), shift.data(), Activation(), x, nullptr, y);
    for (int64_t c = 0; c < map_.channels; ++c) {
      const float a = scale_[static_cast<size_t>(c)], b = shift[static_cast<size_t>(c)];
      for (int64_t i = c * map_.plane(); i < (c + 1) * map_.plane(); ++i) y[i] = a * x[i] + b;
    }
  }

  BatchNorm layer_;
  FeatureMap map_;
  bool plain_;
  std::vector<float> scale_, shift_, zeros_;
};

class ConcatenationOp : public Op {
 public:
  ConcatenationOp(const std::vector<int64_t>& channels, const FeatureMap& whole, const std::vector<size_t>& inputs,
                  size_t output)
      : Op(inputs, output), whole_(whole) {
    int64_t first = 0;
    for (const int64_t count : channels) {
      parts_.push_back({first, {count, whole.height, whole.width}});
      first += count;
    }
  }

  void forward(const Pass& pass) const override {
    for (size_t i = 0; i < parts_.size(); ++i) {
      for (int64_t image = 0; image < pass.count; ++image) {
        const float* const x = in(pass, i) + image * parts_[i].map.size();
        float* const y = out(pass) + image * whole_.size();
        if (parts_[i].of_blocks()) {
          std::copy_n(x, parts_[i].map.size(), y + parts_[i].offset());
        } else {
          for_lanes(parts_[i], [&](int64_t part, int64_t whole) { y[whole] = x[part]; });
        }
      }
    }
  }

  void backward(const Pass& pass) const override {
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (!wants_gradient(pass, i)) continue;
      const int64_t size = parts_[i].map.size();
      for (int64_t image = 0; image < pass.count; ++image) {
        const float* const dy = d_out(pass) + image * whole_.size();
        float* const dx = d_in(pass, i) + image * size;
        if (parts_[i].of_blocks() && accumulates(i)) {
          add(dx, dy + parts_[i].offset(), size);
        } else if (parts_[i].of_blocks()) {
          std::copy_n(dy + parts_[i].offset(), size, dx);
        } else {
          if (!accumulates(i)) std::fill(dx, dx + size, 0.0F);  // channels that only pad too
          for_lanes(parts_[i], [&](int64_t part, int64_t whole) { dx[part] += dy[whole]; });
        }
      }
    }
  }

 private:
  struct Part {
    int64_t first;  // channel
    FeatureMap map;

    /// Whether it is whole blocks of the whole: then it lies in one piece, from the offset on.
    bool of_blocks() const { return first % kBlock == 0 && map.channels % kBlock == 0; }
    int64_t offset() const { return first * map.plane(); }
  };

  /// Where every number of the part lies, in it and in the whole.
  template <typename Function>
  void for_lanes(const Part& part, const Function& function) const {
    const int64_t plane = whole_.plane();
    const auto lane = [&](int64_t channel) { return channel / kBlock * plane * kBlock + channel % kBlock; };
    for (int64_t c = 0; c < part.map.channels; ++c) {
      const int64_t from = lane(c), to = lane(part.first + c);
      for (int64_t p = 0; p < plane * kBlock; p += kBlock) function(from + p, to + p);
    }
  }

  FeatureMap whole_;
  std::vector<Part> parts_;
};

class BlockedOp : public ImageOp {
 public:
  BlockedOp(const FeatureMap& map, size_t input, size_t output) : ImageOp({input}, output), map_(map) {}

  void forward(const Pass& pass) const override {
    const int64_t from = (*pass.values)[inputs()[0]].size;
    for (int64_t i = 0; i < pass.count; ++i) {
      const float* const x = in(pass) + i * from;
      float* const y = out(pass) + i * map_.size();
      // channels that only pad were zero from the beginning, and nobody writes them
      for (int64_t c = 0; c < map_.channels; ++c) {
        float* const lane = y + c / kBlock * map_.plane() * kBlock + c % kBlock;
        for (int64_t p = 0; p < map_.plane(); ++p) lane[p * kBlock] = x[c * map_.plane() + p];
      }
    }
  }
  int64_t scratch_size() const override { return accumulates() ? map_.size() : 0; }

 private:
  void back(const Pass& pass, int64_t /*image*/, float* dy, float* dx) const override {
    const int64_t numbers = map_.channels * map_.plane();
    for (int64_t c = 0; c < map_.channels; ++c) {
      const float* const lane = dy + c / kBlock * map_.plane() * kBlock + c % kBlock;
      for (int64_t p = 0; p < map_.plane(); ++p) dx[c * map_.plane() + p] = lane[p * kBlock];
    }
    std::fill(dx + numbers, dx + (*pass.values)[inputs()[0]].size, 0.0F);
  }

  FeatureMap map_;
};

}  // namespace

OpPtr make_activation(const Activation& activation, size_t input, size_t output) {
  return std::make_unique<ActivationOp>(activation, input, output);
}

OpPtr make_sum(const Activation& activation, size_t a, size_t b, size_t output) {
  return std::make_unique<SumOp>(activation, a, b, output);
}

OpPtr make_max_pool(const Pooling& pooling, const FeatureMap& in, const Activation& activation, size_t input,
                    size_t output, size_t winner) {
  return std::make_unique<MaxPoolOp>(pooling, in, activation, input, output, winner);
}

OpPtr make_average_pool(const Pooling& pooling, const FeatureMap& in, size_t input, size_t output) {
  return std::make_unique<AveragePoolOp>(pooling, in, input, output);
}

OpPtr make_fixed_norm(const BatchNorm& layer, const FeatureMap& map, bool plain, size_t input, size_t output) {
  return std::make_unique<FixedNormOp>(layer, map, plain, input, output);
}

OpPtr make_concatenation(const std::vector<int64_t>& channels, const FeatureMap& whole,
                         const std::vector<size_t>& inputs, size_t output) {
  return std::make_unique<ConcatenationOp>(channels, whole, inputs, output);
}

OpPtr make_blocked(const FeatureMap& map, size_t input, size_t output) {
  return std::make_unique<BlockedOp>(map, input, output);
}

}  // namespace arks::engine
