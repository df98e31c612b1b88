#include "engine/batch_norm_op.h"
#include "engine/convolution_op.h"
#include "engine/dense_op.h"
#include "engine/plan.h"
#include "engine/simple_ops.h"

#include <arks/support/error.h>

#include <numeric>

namespace arks::engine {

namespace {

/// Where the walk over the layers stands.
struct Cursor {
  size_t value = 0;
  FeatureMap map;
  bool plain = false;          // an image as torch has it; else blocked
  std::vector<int64_t> order;  // of a flattened map: see DenseSettings. Empty: not flattened
};

/// What is to be done behind the last layer of a branch.
struct Tail {
  size_t rest;
  Activation activation;
};

std::optional<Activation> activation_of(const Layer& layer) {
  using Kind = Activation::Kind;
  if (const auto* elu = std::get_if<Elu>(&layer.kind)) {
    ARKS_CHECK(elu->alpha > 0, describe(layer), ": only a positive alpha is compiled");
    return Activation{Kind::kElu, static_cast<float>(elu->alpha)};
  }
  if (std::holds_alternative<Relu>(layer.kind)) return Activation{Kind::kRelu, 0};
  if (const auto* leaky = std::get_if<LeakyRelu>(&layer.kind)) {
    ARKS_CHECK(leaky->slope > 0, describe(layer), ": only a positive slope is compiled");
    return Activation{Kind::kLeakyRelu, static_cast<float>(leaky->slope)};
  }
  if (std::holds_alternative<Tanh>(layer.kind)) return Activation{Kind::kTanh, 0};
  if (std::holds_alternative<Sigmoid>(layer.kind)) return Activation{Kind::kSigmoid, 0};
  return std::nullopt;
}

template <typename Layer>
Pooling pooling_of(const Layer& layer) {
  return {layer.kernel, layer.stride, layer.padding};
}

int64_t rounded(int64_t numbers) {
  return blocks(numbers) * kBlock;
}

/// Walks over the layers and puts the operations together; what follows a convolution and can be fused into it, is.
class Compiler {
 public:
  Compiler(torch::IntArrayRef sample_shape, Purpose purpose) : shape_(sample_shape.vec()), purpose_(purpose) {}

  std::unique_ptr<Plan> operator()(const Layers& layers) {
    ARKS_CHECK(shape_.size() == 1 || shape_.size() == 3, "samples must have shape [features] or [channels, height, ",
               "width], got ", shape_.size(), " dimensions");
    Cursor cursor;
    cursor.map = shape_.size() == 1 ? FeatureMap{shape_[0], 1, 1} : FeatureMap{shape_[0], shape_[1], shape_[2]};
    cursor.plain = cursor.map.plane() > 1;
    cursor.value = new_value(rounded(cursor.map.channels * cursor.map.plane()));
    cursor = sequence(layers, cursor, std::nullopt);
    ARKS_CHECK(!ops_.empty(), "there is no layer");
    ARKS_CHECK(cursor.map.plane() == 1 && in_order(cursor), "the last layer must give one vector per sample");
    const int64_t outputs = cursor.order.empty() ? cursor.map.channels : features(cursor);
    return std::make_unique<Plan>(std::move(ops_), std::move(values_), shape_, outputs);
  }

 private:
  size_t new_value(int64_t size) {
    values_.push_back({size, -1});
    return values_.size() - 1;
  }
  size_t new_winner(const FeatureMap& map) { return new_value(rounded((map.size() + 3) / 4)); }

  static int64_t features(const Cursor& cursor) {
    return std::count_if(cursor.order.begin(), cursor.order.end(), [](int64_t p) { return p >= 0; });
  }
  /// True when the numbers lie as torch has them.
  static bool in_order(const Cursor& cursor) {
    for (size_t p = 0; p < cursor.order.size(); ++p) {
      if (cursor.order[p] >= 0 && cursor.order[p] != static_cast<int64_t>(p)) return false;
    }
    return true;
  }

  /// A map in blocks, whatever it was.
  Cursor blocked(Cursor cursor, const Layer& layer) {
    ARKS_CHECK(cursor.order.empty() || in_order(cursor), describe(layer), ": not compiled behind a flattened map");
    cursor.order.clear();
    if (!cursor.plain) return cursor;
    const size_t to = new_value(cursor.map.size());
    ops_.push_back(make_blocked(cursor.map, cursor.value, to));
    cursor.value = to;
    cursor.plain = false;
    return cursor;
  }

  Cursor sequence(const Layers& layers, Cursor cursor, const std::optional<Tail>& tail) {
    bool tail_done = !tail;
    for (size_t i = 0; i < layers.size();) {
      const auto& layer = layers[i];
      if (const auto* convolution = std::get_if<Convolution>(&layer.kind)) {
        cursor = convolve(layers, i, *convolution, cursor, tail, tail_done);
      } else if (const auto* residual = std::get_if<Residual>(&layer.kind)) {
        cursor = branch(layers, i, *residual, cursor);
      } else if (const auto* dense = std::get_if<arks::Dense>(&layer.kind)) {
        cursor = multiply(layers, i, *dense, cursor);
      } else {
        cursor = simple(layers, i, cursor);
      }
    }
    if (tail_done) return cursor;
    ARKS_CHECK(values_[cursor.value].size == values_[tail->rest].size && !cursor.plain,
               "residual: ", "the branches are laid out differently");
    const size_t to = new_value(values_[cursor.value].size);
    ops_.push_back(make_sum(tail->activation, cursor.value, tail->rest, to));
    cursor.value = to;
    return cursor;
  }

  /// The activation at place i, if there is one; i moves on behind it.
  static std::optional<Activation> take_activation(const Layers& layers, size_t& i) {
    if (i >= layers.size()) return std::nullopt;
    const auto found = activation_of(layers[i]);
    if (found) ++i;
    return found;
  }
  static std::optional<Pooling> take_max_pool(const Layers& layers, size_t& i) {
    if (i >= layers.size()) return std::nullopt;
    const auto* pool = std::get_if<MaxPool>(&layers[i].kind);
    if (pool == nullptr || !pooling_of(*pool).fits_byte()) return std::nullopt;
    ++i;
    return pooling_of(*pool);
  }

  Cursor convolve(const Layers& layers, size_t& i, const Convolution& layer, Cursor cursor,
                  const std::optional<Tail>& tail, bool& tail_done) {
    ++i;
    ConvolutionSettings settings;
    settings.layer = layer;
    const Extent once{1, 1};
    settings.plain_input = cursor.plain && cursor.map.channels <= 4 && layer.dilation == once;
    if (!settings.plain_input) cursor = blocked(cursor, layer);
    settings.in = cursor.map;
    const BatchNorm* norm = i < layers.size() ? std::get_if<BatchNorm>(&layers[i].kind) : nullptr;
    if (norm != nullptr && (purpose_ == Purpose::kFrozen)) {
      settings.folded = *norm;
      ++i;
    } else if (norm != nullptr) {
      // its own operation, which takes over activation and tail
      const size_t raw = new_value(output_map(settings).size());
      ops_.push_back(make_convolution(settings, cursor.value, std::nullopt, raw, std::nullopt));
      cursor = {raw, output_map(settings), false, {}};
      return normalise(layers, i, *norm, cursor, tail, tail_done);
    }
    // a monotone activation commutes with max pooling: f behind it is f on fewer numbers
    const auto early = take_activation(layers, i);
    settings.pooling = take_max_pool(layers, i);
    const auto late = early ? std::nullopt : take_activation(layers, i);
    if (early || late) settings.activation = early ? *early : *late;
    std::optional<size_t> rest;
    if (i == layers.size() && tail && !early && !late) {
      rest = tail->rest;
      settings.activation = tail->activation;
      tail_done = true;
    }
    const auto map = output_map(settings);
    if (rest) {
      ARKS_CHECK(values_[*rest].size == map.size(), "residual: the branches give different shapes");
    }
    const size_t to = new_value(map.size());
    const auto winner = settings.pooling ? std::optional<size_t>(new_winner(map)) : std::nullopt;
    ops_.push_back(make_convolution(settings, cursor.value, rest, to, winner));
    return {to, map, false, {}};
  }

  /// Batch norm at place i that is not folded into a convolution.
  Cursor normalise(const Layers& layers, size_t& i, const BatchNorm& layer, Cursor cursor,
                   const std::optional<Tail>& tail, bool& tail_done) {
    ++i;
    if (purpose_ == Purpose::kFrozen || !layer.learns) {
      ARKS_CHECK(purpose_ == Purpose::kFrozen || (!layer.weight.defined() && !layer.bias.defined()), describe(layer),
                 ": weights behind fixed statistics are not trained on the plan");
      const size_t to = new_value(values_[cursor.value].size);
      ops_.push_back(make_fixed_norm(layer, cursor.map, cursor.plain, cursor.value, to));
      cursor.value = to;
      return cursor;
    }
    if (cursor.plain) cursor = blocked(cursor, layer);
    BatchNormSettings settings{layer, {}, cursor.map};
    std::optional<size_t> rest;
    if (const auto activation = take_activation(layers, i)) {
      settings.activation = *activation;
    } else if (i == layers.size() && tail) {
      rest = tail->rest;
      settings.activation = tail->activation;
      tail_done = true;
      ARKS_CHECK(values_[*rest].size == cursor.map.size(), "residual: the branches give different shapes");
    }
    const size_t to = new_value(cursor.map.size());
    const int64_t row = kStatistics * blocks(cursor.map.channels) * kBlock;
    const size_t statistics = new_value(row), gradient_statistics = new_value(row);
    ops_.push_back(make_batch_norm(settings, cursor.value, rest, to, statistics, gradient_statistics));
    cursor.value = to;
    return cursor;
  }

  Cursor branch(const Layers& layers, size_t& i, const Residual& layer, Cursor cursor) {
    ++i;
    cursor = blocked(cursor, layer);
    const auto shortcut = sequence(layer.shortcut, cursor, std::nullopt);
    ARKS_CHECK(shortcut.order.empty() && !shortcut.plain, "residual: a flattened branch is not compiled");
    const auto behind = take_activation(layers, i);
    return sequence(layer.main, cursor, Tail{shortcut.value, behind.value_or(Activation())});
  }

  Cursor multiply(const Layers& layers, size_t& i, const arks::Dense& layer, Cursor cursor) {
    ++i;
    ARKS_CHECK(cursor.map.plane() == 1, describe(layer), ": a dense layer on a map that is not flattened");
    DenseSettings settings;
    settings.layer = layer;
    settings.order = cursor.order;
    if (settings.order.empty()) {
      settings.order.assign(static_cast<size_t>(values_[cursor.value].size), -1);
      std::iota(settings.order.begin(), settings.order.begin() + cursor.map.channels, 0);
    }
    const int64_t given = std::count_if(settings.order.begin(), settings.order.end(), [](int64_t p) { return p >= 0; });
    ARKS_CHECK(given == layer.weight.size(1), describe(layer), ": its input has ", given, " numbers");
    settings.activation = take_activation(layers, i).value_or(Activation());
    const int64_t to_size = rounded(layer.weight.size(0));
    const size_t to = new_value(to_size), kept = new_value(to_size);
    ops_.push_back(make_dense(settings, cursor.value, to, kept));
    return {to, {layer.weight.size(0), 1, 1}, false, {}};
  }

  Cursor flatten(Cursor cursor) {
    if (!cursor.order.empty() || cursor.map.plane() == 1) return cursor;
    const int64_t plane = cursor.map.plane();
    cursor.order.assign(static_cast<size_t>(values_[cursor.value].size), -1);
    for (int64_t c = 0; c < cursor.map.channels; ++c) {
      for (int64_t p = 0; p < plane; ++p) {
        const int64_t place = cursor.plain ? c * plane + p : (c / kBlock * plane + p) * kBlock + c % kBlock;
        cursor.order[static_cast<size_t>(place)] = c * plane + p;
      }
    }
    cursor.map = {cursor.map.channels * plane, 1, 1};
    cursor.plain = false;
    return cursor;
  }

  Cursor simple(const Layers& layers, size_t& i, Cursor cursor) {
    const auto& layer = layers[i];
    if (std::holds_alternative<Flatten>(layer.kind)) {
      ++i;
      return flatten(cursor);
    }
    if (const auto* norm = std::get_if<BatchNorm>(&layer.kind)) {
      if (!cursor.plain || (purpose_ == Purpose::kTraining && norm->learns)) cursor = blocked(cursor, layer);
      bool no_tail = true;
      return normalise(layers, i, *norm, cursor, std::nullopt, no_tail);
    }
    if (const auto activation = take_activation(layers, i)) {
      const size_t to = new_value(values_[cursor.value].size);
      ops_.push_back(make_activation(*activation, cursor.value, to));
      cursor.value = to;
      return cursor;
    }
    cursor = blocked(cursor, layer);
    if (const auto pooling = take_max_pool(layers, i)) {
      const auto map = pooling->out(cursor.map);
      const auto activation = take_activation(layers, i).value_or(Activation());
      const size_t to = new_value(map.size()), winner = new_winner(map);
      ops_.push_back(make_max_pool(*pooling, cursor.map, activation, cursor.value, to, winner));
      return {to, map, false, {}};
    }
    const auto* average = std::get_if<AveragePool>(&layer.kind);
    ARKS_CHECK(average != nullptr, describe(layer), ": this layer is not compiled");
    ++i;
    const auto map = pooling_of(*average).out(cursor.map);
    const size_t to = new_value(map.size());
    ops_.push_back(make_average_pool(pooling_of(*average), cursor.map, cursor.value, to));
    return {to, map, false, {}};
  }

  std::vector<int64_t> shape_;
  Purpose purpose_;
  std::vector<OpPtr> ops_;
  std::vector<Value> values_;
};

}  // namespace

std::unique_ptr<Plan> compile(const Layers& layers, torch::IntArrayRef sample_shape, Purpose purpose) {
  std::vector<int64_t> shape = sample_shape.vec();
  for (const auto& layer : layers) shape = output_shape(layer, shape);  // Error when a layer does not take its input
  return Compiler(sample_shape, purpose)(layers);
}

}  // namespace arks::engine
