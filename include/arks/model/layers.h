#pragma once
#include <torch/types.h>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace torch::nn {
class Module;
}  // namespace torch::nn

namespace arks {

class Model;
struct Layer;

/// A network as data: the layers in the order in which they are applied, in evaluation mode.
using Layers = std::vector<Layer>;

/// Height and width.
using Extent = std::array<int64_t, 2>;

/// x [...,in] → x·weightᵀ + bias [...,out]; weight [out,in], bias [out] or undefined.
struct Dense {
  torch::Tensor weight, bias;
};

/// x [n,in,h,w], zero-padded on all sides; weight [out,in/groups,kh,kw], bias [out] or undefined.
struct Convolution {
  torch::Tensor weight, bias;
  Extent stride{1, 1}, padding{0, 0}, dilation{1, 1};
  int64_t groups = 1;
};

/// Largest value of each window; what is padded never wins.
struct MaxPool {
  Extent kernel{2, 2}, stride{2, 2}, padding{0, 0};
};

/// Mean of each window; padded zeros count.
struct AveragePool {
  Extent kernel{2, 2}, stride{2, 2}, padding{0, 0};
};

/// x for x > 0, alpha·(exp(x) − 1) otherwise.
struct Elu {
  double alpha = 1;
};

struct Relu {};

/// x for x > 0, slope·x otherwise.
struct LeakyRelu {
  double slope = 0.01;
};

struct Tanh {};

struct Sigmoid {};

/// (x − mean)/√(variance + eps)·weight + bias with fixed statistics [c] of the channels, the first dimension of a
/// sample. weight and bias may be undefined. In training mode a layer with `learns` takes the statistics of the batch
/// instead, and moves its own towards them: by `momentum`, or without one to the mean over all batches so far.
struct BatchNorm {
  torch::Tensor mean, variance, weight, bias;
  double eps = 1e-5;
  bool learns = false;
  std::optional<double> momentum = std::nullopt;
  torch::Tensor batches_tracked = {};  // how many it has seen
};

/// [n,...] → [n,numbers].
struct Flatten {};

/// main(x) + shortcut(x). An empty list of layers is the identity.
struct Residual {
  Layers main, shortcut;
};

struct Layer {
  using Kind = std::variant<Dense, Convolution, MaxPool, AveragePool, Elu, Relu, LeakyRelu, Tanh, Sigmoid, BatchNorm,
                            Flatten, Residual>;
  template <typename Any, std::enable_if_t<std::is_constructible_v<Kind, Any>, int> = 0>
  Layer(Any any) : kind(std::move(any)) {}  // NOLINT: a Dense is a layer

  Kind kind;
};

/// A module that says what it is made of; the list and forward() are the same function in evaluation mode.
class Layered {
 public:
  virtual ~Layered() = default;
  virtual Layers layers() const = 0;
  /// True when forward() is the list in training mode as well, batch norm that learns being what it is there.
  virtual bool trains_as_listed() const { return false; }
};

/// What a model is made of: a Layered module, a layer of torch::nn, or a torch::nn::Sequential of these. Dropout is
/// left out, since it does nothing in evaluation mode. Weights are shared with the model, without gradients. Throws
/// Error for everything else: it names the layer, or says that a function cannot be looked into.
Layers layers_of(const Model& model);

/// The same for samples of this shape. A list that was read from the names in a TorchScript file is compared with what
/// the program computes, on random samples in evaluation mode; Error when they differ.
Layers layers_of(const Model& model, torch::IntArrayRef sample_shape);

/// The same of a module, for a Layered one that is made of others.
Layers layers_of(const torch::nn::Module& module);

/// x [n,...] through the layers, in plain libtorch.
torch::Tensor forward(const Layers& layers, const torch::Tensor& x);

/// Shape of one sample behind the layer; Error when the layer does not take samples of this shape.
std::vector<int64_t> output_shape(const Layer& layer, torch::IntArrayRef input_shape);

/// In a few words for tables and errors: "conv 3×3 32→64", "dense 2304→128", "ELU".
std::string describe(const Layer& layer);

}  // namespace arks
