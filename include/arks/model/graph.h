#pragma once
#include <torch/types.h>

#include <array>
#include <functional>
#include <initializer_list>
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
/// sample. weight and bias may be undefined. In training mode one that `learns` takes the statistics of the batch
/// instead, and moves its own towards them: by `momentum`, or without one to the mean over all batches so far.
struct BatchNorm {
  torch::Tensor mean, variance, weight, bias;
  double eps = 1e-5;
  bool learns = false;
  std::optional<double> momentum = std::nullopt;
  torch::Tensor batches_tracked = {};  // how many it has seen; may be undefined where there is a momentum
};

/// [n,...] → [n,numbers].
struct Flatten {};

/// a + b, two values of one shape.
struct Sum {};

/// Values side by side along the channels, the first dimension of a sample; all other dimensions are the same.
struct Concatenation {};

/// A new one is a struct above, its name in this list and its block in src/model/operations.cpp. Those who walk a graph
/// for a purpose of their own (src/certify/network_bounds.cpp, src/engine/compile.cpp) refuse by name what they do not
/// know.
using Operation = std::variant<Dense, Convolution, MaxPool, AveragePool, Elu, Relu, LeakyRelu, Tanh, Sigmoid, BatchNorm,
                               Flatten, Sum, Concatenation>;

/// One operation of a graph, with the values that it reads.
struct Node {
  Operation operation;
  std::vector<size_t> reads;
  // where its weights stand in the state of the model: "block1.conv1", "" for the root; none without weights, and for
  // weights that are constants
  std::optional<std::string> name;
};

/// A network as data: operations in the order in which they are applied. Value 0 is the input, node i writes value
/// i + 1. A branch is a value that is read twice; an empty graph is the identity.
struct Graph {
  Graph() = default;
  /// One behind the other.
  Graph(std::initializer_list<Operation> chain);

  /// Puts an operation behind the values that it reads, or behind the output; returns the value that it writes, which
  /// is the output from now on. Throws Error when a value is not there yet, or their number is not one that it takes.
  size_t add(Operation operation, std::vector<size_t> reads, std::optional<std::string> name = std::nullopt);
  size_t then(Operation operation) { return add(std::move(operation), {output}); }
  /// All of another graph behind a value, its names behind the prefix: "0" makes "0.conv1" of "conv1".
  size_t append(const Graph& other, size_t at, const std::string& prefix = "");

  /// How often each value is read on the way to the output, the output itself once more; 0: it is not needed.
  std::vector<size_t> readers() const;

  std::vector<Node> nodes;
  size_t output = 0;  // the value that the network gives
};

/// A module that says what it computes: the graph and forward() are the same function in evaluation mode.
class GraphSource {
 public:
  virtual ~GraphSource() = default;
  virtual Graph graph() const = 0;
  /// True when forward() is the graph in training mode as well, batch norm that learns being what it is there.
  virtual bool trains_as_graph() const { return false; }
};

/// What a model computes: the graph of a GraphSource, of a layer of torch::nn, or of a torch::nn::Sequential of these.
/// Dropout is left out, since it does nothing in evaluation mode. Weights are shared with the model, without gradients.
/// Throws Error for everything else: it names the layer, or says that the layers of a function are not known.
Graph graph_of(const Model& model);

/// The same for samples of this shape. The graph is compared with what the model computes, on random samples in
/// evaluation mode; Error when they differ.
Graph graph_of(const Model& model, torch::IntArrayRef sample_shape);

/// The same of a module, for a GraphSource that is made of others.
Graph graph_of(const torch::nn::Module& module);

/// The same, where it is what the module computes in training mode as well; Error with the reason where it is not.
Graph training_graph_of(const torch::nn::Module& module);

/// x [n,...] through the graph in plain libtorch, differentiable in x and in weights that want gradients. `training`
/// says of a node whether it is in training mode; without it none is.
torch::Tensor forward(const Graph& graph, const torch::Tensor& x, const std::function<bool(size_t)>& training = {});

/// One operation on the values it reads. `in_place` lets it overwrite them: only when no backward pass needs them.
torch::Tensor evaluate(const Operation& operation, const std::vector<torch::Tensor>& inputs, bool training = false,
                       bool in_place = false);

/// `def forward(self, x): …` in TorchScript, with the weights under the names of the nodes. Each batch norm follows its
/// own `training` and moves its counter, as in Python. Throws Error for weights without a name.
std::string script_of(const Graph& graph);

/// Shape of every value for one sample of this shape; Error when an operation does not take what it reads.
std::vector<std::vector<int64_t>> shapes_of(const Graph& graph, torch::IntArrayRef input_shape);

/// In a few words for tables and errors: "conv 3×3 32→64", "dense 2304→128", "ELU".
std::string describe(const Operation& operation);

/// A tensor of an operation under its name in torch's state.
struct Weight {
  const char* name;
  torch::Tensor* tensor;
  bool trained;
};

/// The tensors of an operation by their names in torch's state: "weight", "bias", "running_mean", … Those that are
/// trained are parameters, the others buffers. Undefined ones are left out.
std::vector<Weight> weights_of(Operation& operation);

}  // namespace arks
