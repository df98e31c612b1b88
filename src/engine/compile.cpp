#include "engine/batch_norm_op.h"
#include "engine/convolution_op.h"
#include "engine/dense_op.h"
#include "engine/plan.h"
#include "engine/simple_ops.h"

#include <arks/support/error.h>

#include <numeric>

namespace arks::engine {

namespace {

/// How a value of the graph lies in the plan.
struct Place {
  size_t value = 0;
  FeatureMap map;
  bool plain = false;          // an image as torch has it; else blocked
  std::vector<int64_t> order;  // of a flattened map: see DenseSettings. Empty: not flattened
};

/// What is done at the end of an operation: f(· + rest), where both may be missing.
struct Tail {
  Activation activation;
  std::optional<size_t> rest;
};

std::optional<Activation> activation_of(const Operation& operation) {
  using Kind = Activation::Kind;
  if (const auto* elu = std::get_if<Elu>(&operation)) {
    ARKS_CHECK(elu->alpha > 0, describe(operation), ": only a positive alpha is compiled");
    return Activation{Kind::kElu, static_cast<float>(elu->alpha)};
  }
  if (std::holds_alternative<Relu>(operation)) return Activation{Kind::kRelu, 0};
  if (const auto* leaky = std::get_if<LeakyRelu>(&operation)) {
    ARKS_CHECK(leaky->slope > 0, describe(operation), ": only a positive slope is compiled");
    return Activation{Kind::kLeakyRelu, static_cast<float>(leaky->slope)};
  }
  if (std::holds_alternative<Tanh>(operation)) return Activation{Kind::kTanh, 0};
  if (std::holds_alternative<Sigmoid>(operation)) return Activation{Kind::kSigmoid, 0};
  return std::nullopt;
}

template <typename Pool>
Pooling pooling_of(const Pool& pool) {
  return {pool.kernel, pool.stride, pool.padding};
}

/// Walks over the graph and puts the operations of the plan together; what follows a convolution and can be fused into
/// it, is.
class Compiler {
 public:
  Compiler(const Graph& graph, torch::IntArrayRef sample_shape, Purpose purpose)
      : graph_(graph),
        readers_(graph.readers()),
        reader_(graph.nodes.size() + 1),
        done_(graph.nodes.size(), false),
        places_(graph.nodes.size() + 1),
        shape_(sample_shape.vec()),
        purpose_(purpose) {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      if (readers_[i + 1] == 0) continue;
      for (const size_t value : graph.nodes[i].reads) reader_[value] = i;
    }
  }

  std::unique_ptr<Plan> operator()() {
    ARKS_CHECK(shape_.size() == 1 || shape_.size() == 3, "samples must have shape [features] or [channels, height, ",
               "width], got ", shape_.size(), " dimensions");
    auto& input = places_[0];
    input.map = shape_.size() == 1 ? FeatureMap{shape_[0], 1, 1} : FeatureMap{shape_[0], shape_[1], shape_[2]};
    input.plain = input.map.plane() > 1;
    input.value = new_value(in_blocks(input.map.channels * input.map.plane()));
    std::vector<size_t> order;
    std::vector<bool> seen(graph_.nodes.size() + 1, false);
    put_in_order(graph_.output, seen, order);
    for (const size_t node : order) {
      if (!done_[node]) compile_node(node);
    }
    const auto& last = places_[graph_.output];
    ARKS_CHECK(!ops_.empty(), "there is no layer");
    ARKS_CHECK(last.map.plane() == 1 && in_order(last) && ops_.back()->output() == last.value,
               "the last layer must give one vector per sample");
    const int64_t outputs = last.order.empty() ? last.map.channels : features(last.order);
    return std::make_unique<Plan>(std::move(ops_), std::move(values_), shape_, outputs);
  }

 private:
  size_t new_value(int64_t size) {
    values_.push_back({size, -1});
    return values_.size() - 1;
  }
  size_t new_winner(const FeatureMap& map) { return new_value(in_blocks((map.size() + 3) / 4)); }

  static int64_t features(const std::vector<int64_t>& order) {
    return std::count_if(order.begin(), order.end(), [](int64_t p) { return p >= 0; });
  }
  /// True when the numbers lie as torch has them.
  static bool in_order(const Place& place) {
    for (size_t p = 0; p < place.order.size(); ++p) {
      if (place.order[p] >= 0 && place.order[p] != static_cast<int64_t>(p)) return false;
    }
    return true;
  }

  /// The nodes that lead to a value. Of a sum the second value comes first: then it is there when the operation that
  /// ends the first branch can add it.
  void put_in_order(size_t value, std::vector<bool>& seen, std::vector<size_t>& order) const {
    if (value == 0 || seen[value]) return;
    seen[value] = true;
    const auto& reads = graph_.nodes[value - 1].reads;
    for (auto read = reads.rbegin(); read != reads.rend(); ++read) put_in_order(*read, seen, order);
    order.push_back(value - 1);
  }

  /// A value of the graph as a map in blocks, whatever it was.
  const Place& blocked(size_t value, const Operation& reader) {
    auto& place = places_[value];
    ARKS_CHECK(place.order.empty() || in_order(place), describe(reader), ": not compiled after a flattened map");
    place.order.clear();
    if (!place.plain) return place;
    const size_t to = new_value(place.map.size());
    ops_.push_back(make_blocked(place.map, place.value, to));
    place.value = to;
    place.plain = false;
    return place;
  }

  /// The only node that reads the value, if it is an operation of this kind: whoever takes it goes on with what it
  /// writes.
  template <typename Kind>
  const Kind* next(size_t value) const {
    if (value == graph_.output || readers_[value] != 1) return nullptr;
    return std::get_if<Kind>(&graph_.nodes[reader_[value]].operation);
  }
  void take(size_t& value) {
    done_[reader_[value]] = true;
    value = reader_[value] + 1;
  }
  std::optional<Activation> take_activation(size_t& value) {
    if (value == graph_.output || readers_[value] != 1) return std::nullopt;
    const auto found = activation_of(graph_.nodes[reader_[value]].operation);
    if (found) take(value);
    return found;
  }
  std::optional<Pooling> take_max_pool(size_t& value) {
    const auto* pool = next<MaxPool>(value);
    if (pool == nullptr || !pooling_of(*pool).fits_byte()) return std::nullopt;
    take(value);
    return pooling_of(*pool);
  }
  /// An activation, or a sum whose other value is there, with the activation behind it.
  Tail take_tail(size_t& value, const FeatureMap& map) {
    Tail tail;
    const auto* sum = next<Sum>(value);
    if (sum != nullptr && graph_.nodes[reader_[value]].reads[0] == value) {
      const auto& rest = blocked(graph_.nodes[reader_[value]].reads[1], *sum);
      ARKS_CHECK(rest.map == map, "sum: the branches are laid out differently");
      tail.rest = rest.value;
      take(value);
    }
    tail.activation = take_activation(value).value_or(Activation());
    return tail;
  }

  void compile_node(size_t node) {
    done_[node] = true;
    std::visit([&](const auto& operation) { compile_operation(operation, graph_.nodes[node].reads, node + 1); },
               graph_.nodes[node].operation);
  }

  void compile_operation(const Convolution& layer, const std::vector<size_t>& reads, size_t to) {
    ConvolutionSettings settings;
    settings.layer = layer;
    const Extent once{1, 1};
    const auto& given = places_[reads[0]];
    settings.plain_input = given.plain && given.map.channels <= 4 && layer.dilation == once;
    const auto in = settings.plain_input ? given : blocked(reads[0], layer);
    settings.in = in.map;
    const auto* norm = next<BatchNorm>(to);
    if (norm != nullptr && purpose_ == Purpose::kFrozen) {
      settings.folded = *norm;
      take(to);
    } else if (norm != nullptr) {
      // its own operation, which takes over activation and sum
      const size_t raw = new_value(output_map(settings).size());
      ops_.push_back(make_convolution(settings, in.value, std::nullopt, raw, std::nullopt));
      places_[to] = {raw, output_map(settings), false, {}};
      return;
    }
    // a monotone activation commutes with max pooling: f behind it is f on fewer numbers
    const auto early = take_activation(to);
    settings.pooling = take_max_pool(to);
    const auto map = output_map(settings);
    const auto tail = early ? Tail{*early, std::nullopt} : take_tail(to, map);
    settings.activation = tail.activation;
    const size_t result = new_value(map.size());
    const auto winner = settings.pooling ? std::optional<size_t>(new_winner(map)) : std::nullopt;
    ops_.push_back(make_convolution(settings, in.value, tail.rest, result, winner));
    places_[to] = {result, map, false, {}};
  }

  void compile_operation(const BatchNorm& layer, const std::vector<size_t>& reads, size_t to) {
    const bool fixed = purpose_ == Purpose::kFrozen || !layer.learns;
    // a plain image stays one where nothing is learned
    if (!fixed || !places_[reads[0]].plain) blocked(reads[0], layer);
    const auto in = places_[reads[0]];
    if (fixed) {
      ARKS_CHECK(purpose_ == Purpose::kFrozen || (!layer.weight.defined() && !layer.bias.defined()), describe(layer),
                 ": weights after fixed statistics are not trained on the plan");
      const size_t result = new_value(values_[in.value].size);
      ops_.push_back(make_fixed_norm(layer, in.map, in.plain, in.value, result));
      places_[to] = {result, in.map, in.plain, {}};
      return;
    }
    const auto tail = take_tail(to, in.map);
    const size_t result = new_value(in.map.size());
    const int64_t row = kStatistics * in_blocks(in.map.channels);
    const size_t statistics = new_value(row), gradient_statistics = new_value(row);
    ops_.push_back(make_batch_norm({layer, tail.activation, in.map}, in.value, tail.rest, result, statistics,
                                   gradient_statistics));
    places_[to] = {result, in.map, false, {}};
  }

  void compile_operation(const Dense& layer, const std::vector<size_t>& reads, size_t to) {
    const auto& in = places_[reads[0]];
    ARKS_CHECK(in.map.plane() == 1, describe(layer), ": a dense layer on a map that is not flattened");
    DenseSettings settings;
    settings.layer = layer;
    settings.order = in.order;
    if (settings.order.empty()) {
      settings.order.assign(static_cast<size_t>(values_[in.value].size), -1);
      std::iota(settings.order.begin(), settings.order.begin() + in.map.channels, 0);
    }
    const int64_t given = features(settings.order);
    ARKS_CHECK(given == layer.weight.size(1), describe(layer), ": its input has ", given, " numbers");
    settings.activation = take_activation(to).value_or(Activation());
    const int64_t size = in_blocks(layer.weight.size(0));
    const size_t result = new_value(size), kept = new_value(size);
    ops_.push_back(make_dense(settings, in.value, result, kept));
    places_[to] = {result, {layer.weight.size(0), 1, 1}, false, {}};
  }

  void compile_operation(const Sum& sum, const std::vector<size_t>& reads, size_t to) {
    const auto a = blocked(reads[0], sum), b = blocked(reads[1], sum);
    ARKS_CHECK(a.map == b.map, "sum: the branches are laid out differently");
    const auto activation = take_activation(to).value_or(Activation());
    const size_t result = new_value(a.map.size());
    ops_.push_back(make_sum(activation, a.value, b.value, result));
    places_[to] = {result, a.map, false, {}};
  }

  void compile_operation(const Concatenation& concatenation, const std::vector<size_t>& reads, size_t to) {
    std::vector<size_t> parts;
    std::vector<int64_t> channels;
    FeatureMap map;
    for (const size_t value : reads) {
      const auto& part = blocked(value, concatenation);
      parts.push_back(part.value);
      channels.push_back(part.map.channels);
      map = {map.channels + part.map.channels, part.map.height, part.map.width};
    }
    const size_t result = new_value(map.size());
    ops_.push_back(make_concatenation(channels, map, parts, result));
    places_[to] = {result, map, false, {}};
  }

  void compile_operation(const Flatten& /*flatten*/, const std::vector<size_t>& reads, size_t to) {
    auto place = places_[reads[0]];
    if (place.order.empty() && place.map.plane() > 1) {
      const int64_t plane = place.map.plane();
      place.order.assign(static_cast<size_t>(values_[place.value].size), -1);
      for (int64_t c = 0; c < place.map.channels; ++c) {
        for (int64_t p = 0; p < plane; ++p) {
          const int64_t at = place.plain ? c * plane + p : (c / kBlock * plane + p) * kBlock + c % kBlock;
          place.order[static_cast<size_t>(at)] = c * plane + p;
        }
      }
      place.map = {place.map.channels * plane, 1, 1};
      place.plain = false;
    }
    places_[to] = std::move(place);
  }

  void compile_operation(const MaxPool& layer, const std::vector<size_t>& reads, size_t to) {
    const auto pooling = pooling_of(layer);
    ARKS_CHECK(pooling.fits_byte(), describe(layer), ": windows of this size are not compiled");
    const auto in = blocked(reads[0], layer);
    const auto map = pooling.out(in.map);
    const auto activation = take_activation(to).value_or(Activation());
    const size_t result = new_value(map.size()), winner = new_winner(map);
    ops_.push_back(make_max_pool(pooling, in.map, activation, in.value, result, winner));
    places_[to] = {result, map, false, {}};
  }

  void compile_operation(const AveragePool& layer, const std::vector<size_t>& reads, size_t to) {
    const auto in = blocked(reads[0], layer);
    const auto map = pooling_of(layer).out(in.map);
    const size_t result = new_value(map.size());
    ops_.push_back(make_average_pool(pooling_of(layer), in.map, in.value, result));
    places_[to] = {result, map, false, {}};
  }

  /// An activation that nothing took over, or what is not known here.
  template <typename Other>
  void compile_operation(const Other& operation, const std::vector<size_t>& reads, size_t to) {
    const auto activation = activation_of(operation);
    ARKS_CHECK(activation, describe(operation), ": this layer is not compiled");
    auto place = places_[reads[0]];
    const size_t result = new_value(values_[place.value].size);
    ops_.push_back(make_activation(*activation, place.value, result));
    place.value = result;
    places_[to] = std::move(place);
  }

  const Graph& graph_;
  std::vector<size_t> readers_, reader_;  // how many read a value, and the last of them
  std::vector<bool> done_;                // nodes that are compiled, by themselves or with another
  std::vector<Place> places_;
  std::vector<int64_t> shape_;
  Purpose purpose_;
  std::vector<OpPtr> ops_;
  std::vector<Value> values_;
};

}  // namespace

std::unique_ptr<Plan> compile(const Graph& graph, torch::IntArrayRef sample_shape, Purpose purpose) {
  shapes_of(graph, sample_shape);  // Error when an operation does not take what it reads
  return Compiler(graph, sample_shape, purpose)();
}

}  // namespace arks::engine
