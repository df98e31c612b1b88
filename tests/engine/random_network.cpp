#include "engine/random_network.h"

#include <arks/model/graph_module.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/pooling.h>

#include <random>

namespace arks {

namespace {

namespace nn = torch::nn;

class Lot {
 public:
  explicit Lot(uint64_t seed) : source_(seed) {}

  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(source_() % static_cast<uint64_t>(high - low + 1));
  }
  bool one_in(int64_t chances) { return between(1, chances) == 1; }

 private:
  std::mt19937_64 source_;  // its numbers are the same everywhere, those of the distributions are not
};

/// A network as it grows: what the next layer gets.
struct Growing {
  int64_t channels, height, width;
  nn::Sequential net;
  std::string words;

  template <typename Module>
  void add(const Module& module, const std::string& name) {
    net->push_back(module);
    words += name + " ";
  }
};

void add_convolution(Growing& to, Lot& lot) {
  const int64_t kernel = 2 * lot.between(0, 2) + 1, stride = lot.one_in(4) ? 2 : 1, dilation = lot.one_in(5) ? 2 : 1;
  const int64_t span = dilation * (kernel - 1) + 1, padding = lot.between(0, kernel / 2);
  if (std::min(to.height, to.width) + 2 * padding < span) return;
  const int64_t out = lot.between(1, 20);
  to.add(nn::Conv2d(nn::Conv2dOptions(to.channels, out, kernel)
                        .stride(stride)
                        .padding(padding)
                        .dilation(dilation)
                        .bias(!lot.one_in(3))),
         c10::str("conv ", kernel, "×", kernel, " ", to.channels, "→", out, " stride ", stride, " padding ", padding,
                  " dilation ", dilation, ","));
  to.channels = out;
  to.height = (to.height + 2 * padding - span) / stride + 1;
  to.width = (to.width + 2 * padding - span) / stride + 1;
}

void add_activation(Growing& to, Lot& lot) {
  switch (lot.between(0, 5)) {
    case 0:
      return to.add(nn::ReLU(), "relu,");
    case 1:
      return to.add(nn::Tanh(), "tanh,");
    case 2:
      return to.add(nn::Sigmoid(), "sigmoid,");
    case 3:
      return to.add(nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.2)), "leaky relu,");
    case 4:
      return to.add(nn::ELU(nn::ELUOptions().alpha(0.7)), "elu(0.7),");
    default:
      return to.add(nn::ELU(), "elu,");
  }
}

void add_pooling(Growing& to, Lot& lot) {
  const int64_t kernel = lot.between(2, 3), stride = lot.between(1, 3), padding = lot.between(0, 1);
  if (std::min(to.height, to.width) < kernel) return;
  const auto words = c10::str(kernel, "×", kernel, " stride ", stride, " padding ", padding, ",");
  if (lot.one_in(3)) {
    to.add(nn::AvgPool2d(nn::AvgPool2dOptions(kernel).stride(stride).padding(padding)), "average pool " + words);
  } else {
    to.add(nn::MaxPool2d(nn::MaxPool2dOptions(kernel).stride(stride).padding(padding)), "max pool " + words);
  }
  to.height = (to.height + 2 * padding - kernel) / stride + 1;
  to.width = (to.width + 2 * padding - kernel) / stride + 1;
}

/// Maps of one extent until a pooling makes them smaller; then what was not read yet goes on, side by side.
class GraphByLot : public GraphModule {
 public:
  GraphByLot(Lot& lot, const std::vector<int64_t>& shape, uint64_t seed)
      : GraphModule("random-graph", shape),
        lot_(lot),
        norm_(lot.one_in(3)),
        smooth_(norm_ || lot.one_in(2)),
        values_{{0, shape[0], false}} {
    int64_t height = shape[1], width = shape[2];
    for (int64_t stages = lot.between(1, 2); stages > 0; --stages) {
      for (int64_t i = lot.between(3, 7); i > 0; --i) draw_operation();
      join();
      if (stages == 1) break;
      put(pooling(2, 2, 0), "smaller", {0}, values_[0].channels);
      values_ = {values_.back()};
      height /= 2;
      width /= 2;
    }
    const int64_t outputs = lot.between(2, 6);
    then(Flatten{});
    then(new_dense(values_[0].channels * height * width, outputs), "dense");
    draw_weights(seed, draw_kaiming);
  }

  std::string words;

 private:
  struct Drawn {
    size_t value;
    int64_t channels;
    bool read;
  };

  size_t any() { return static_cast<size_t>(lot_.between(0, static_cast<int64_t>(values_.size()) - 1)); }
  /// One with as many channels as this one; it itself where there is no other.
  size_t like(size_t one) {
    std::vector<size_t> alike;
    for (size_t i = 0; i < values_.size(); ++i) {
      if (values_[i].channels == values_[one].channels) alike.push_back(i);
    }
    return alike[static_cast<size_t>(lot_.between(0, static_cast<int64_t>(alike.size()) - 1))];
  }

  /// An operation on some of the values; returns which of them its own is.
  size_t put(const Operation& operation, const std::string& word, const std::vector<size_t>& reads, int64_t channels) {
    std::vector<size_t> from;
    words += word + "(";
    for (const size_t i : reads) {
      from.push_back(values_[i].value);
      values_[i].read = true;
      words += c10::str(i == reads.front() ? "" : " ", "v", values_[i].value);
    }
    const size_t value = add(operation, from, c10::str("part", graph().nodes.size()));
    words += c10::str(")=v", value, ", ");
    values_.push_back({value, channels, false});
    return values_.size() - 1;
  }

  size_t put_convolution(size_t from, int64_t out) {
    const int64_t kernel = lot_.one_in(3) ? 1 : 3;
    return put(new_convolution(values_[from].channels, out, kernel, 1, kernel / 2, !lot_.one_in(3)),
               c10::str("conv ", kernel, "×", kernel, " ", out), {from}, out);
  }
  size_t put_norm(size_t from) {
    return norm_ ? put(new_batch_norm(values_[from].channels), "norm", {from}, values_[from].channels) : from;
  }
  size_t put_activation(size_t from) {
    // behind batch norm a sigmoid leaves little to normalise: rounding would grow
    const std::vector<Operation> all{Elu{}, Tanh{}, Sigmoid{}, Relu{}, LeakyRelu{0.2}};
    const auto chosen = all[static_cast<size_t>(lot_.between(0, norm_ ? 1 : smooth_ ? 2 : 4))];
    return put(chosen, describe(chosen), {from}, values_[from].channels);
  }
  Operation pooling(int64_t kernel, int64_t stride, int64_t padding) {
    const Extent size{kernel, kernel}, step{stride, stride}, around{padding, padding};
    if (smooth_ || lot_.one_in(3)) return AveragePool{size, step, around};
    return MaxPool{size, step, around};
  }
  /// What an operation on a value gives, beside the value itself.
  void put_residual(size_t from) {
    size_t main = lot_.one_in(4) ? from : put_convolution(from, values_[from].channels);
    if (lot_.one_in(2)) main = put_norm(main);
    if (lot_.one_in(3)) main = put_activation(main);
    const bool first = !lot_.one_in(4);
    const std::vector<size_t> both{first ? main : from, first ? from : main};
    const size_t sum = put(Sum{}, "sum", both, values_[from].channels);
    if (lot_.one_in(2)) put_activation(sum);
  }

  void draw_operation() {
    const size_t one = any();
    const int64_t channels = values_[one].channels;
    switch (lot_.between(0, 6)) {
      case 0:
        put_convolution(one, lot_.between(1, 20));
        break;
      case 1:
        put_activation(one);
        break;
      case 2:
        put(pooling(3, 1, 1), "pool", {one}, channels);
        break;
      case 3:
        put(Sum{}, "sum", {one, lot_.one_in(4) ? one : like(one)}, channels);
        break;
      case 4:
        put_concatenation(lot_.one_in(2) ? std::vector<size_t>{one, any()} : std::vector<size_t>{one, any(), any()});
        break;
      default:
        put_residual(one);
    }
  }

  void put_concatenation(const std::vector<size_t>& reads) {
    int64_t channels = 0;
    for (const size_t i : reads) channels += values_[i].channels;
    if (channels <= 40) put(Concatenation{}, "beside", reads, channels);
  }

  /// Leaves one value, with all that nobody has read yet.
  void join() {
    std::vector<size_t> unread;
    int64_t channels = 0;
    for (size_t i = 0; i < values_.size(); ++i) {
      if (values_[i].read) continue;
      unread.push_back(i);
      channels += values_[i].channels;
    }
    const size_t last = unread.size() == 1 ? unread[0] : put(Concatenation{}, "beside", unread, channels);
    values_ = {values_[last]};
  }

  Lot& lot_;
  bool norm_, smooth_;
  std::vector<Drawn> values_;
};

}  // namespace

RandomNetwork random_network(uint64_t seed) {
  Lot lot(seed);
  torch::manual_seed(seed);
  Growing to{lot.between(1, 12), lot.between(4, 13), lot.between(4, 13), {}, {}};
  const std::vector<int64_t> shape{lot.between(2, 19), to.channels, to.height, to.width};
  if (lot.one_in(5)) to.add(nn::BatchNorm2d(to.channels), "batch norm,");
  if (lot.one_in(6)) add_pooling(to, lot);
  const bool norm = lot.one_in(3);
  for (int64_t i = lot.between(1, 3); i > 0; --i) {
    add_convolution(to, lot);
    if (norm) to.add(nn::BatchNorm2d(to.channels), "batch norm,");
    const bool pool_first = lot.one_in(2), pool = lot.one_in(2);
    if (pool && pool_first) add_pooling(to, lot);
    add_activation(to, lot);
    if (pool && !pool_first) add_pooling(to, lot);
  }
  to.add(nn::Flatten(), "flatten,");
  int64_t numbers = to.channels * to.height * to.width;
  if (lot.one_in(2)) {
    const int64_t hidden = lot.between(3, 30);
    to.add(nn::Linear(numbers, hidden), c10::str("dense ", numbers, "→", hidden, ","));
    add_activation(to, lot);
    numbers = hidden;
  }
  const int64_t outputs = lot.between(1, 11);
  to.add(nn::Linear(numbers, outputs), c10::str("dense ", numbers, "→", outputs));
  return {to.net, shape, to.words};
}

RandomNetwork random_graph(uint64_t seed) {
  Lot lot(seed);
  const std::vector<int64_t> shape{lot.between(5, 19), lot.between(1, 12), lot.between(4, 9), lot.between(4, 9)};
  const auto net = std::make_shared<GraphByLot>(lot, std::vector<int64_t>(shape.begin() + 1, shape.end()), seed);
  return {Model(net), shape, net->words};
}

}  // namespace arks
