#include "engine/random_network.h"

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
  RandomNetwork drawn;
  int64_t channels, height, width;

  template <typename Module>
  void add(const Module& module, const std::string& name) {
    drawn.net->push_back(module);
    drawn.words += name + " ";
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

}  // namespace

RandomNetwork random_network(uint64_t seed) {
  Lot lot(seed);
  torch::manual_seed(seed);
  Growing to{{}, lot.between(1, 12), lot.between(4, 13), lot.between(4, 13)};
  to.drawn.shape = {lot.between(2, 19), to.channels, to.height, to.width};
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
  return to.drawn;
}

}  // namespace arks
