#pragma once
#include <arks/model/graph.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <memory>
#include <string>
#include <vector>

namespace arks {

/// Operations with weights of their own, not drawn yet: float32, biases where they are asked for. Batch norm is as
/// torch has it, the identity at first, running statistics with momentum 0.1.
Dense new_dense(int64_t in, int64_t out);
Convolution new_convolution(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t padding, bool bias = true);
BatchNorm new_batch_norm(int64_t channels);

/// A module that is its graph: what the built-in networks are, and what a network of one's own can be. The constructor
/// of a derived class describes it; evaluation, TorchScript, certificates and plans follow from that. Weights are
/// parameters and buffers in a tree of modules under the names that they are given: "block1.conv1" holds "weight".
///   struct TwoLayersImpl : arks::GraphModule {
///     TwoLayersImpl() : arks::GraphModule("two-layers", {4}) {
///       then(arks::Flatten{});
///       then(arks::new_dense(4, 8), "first");
///       then(arks::Elu{});
///       then(arks::new_dense(8, 3), "second");
///       draw_weights(/*seed=*/0, arks::draw_published);
///     }
///   };
///   TORCH_MODULE(TwoLayers);
class GraphModule : public torch::nn::Module, public GraphSource {
 public:
  /// Samples of another shape are an Error; of a network for vectors all samples with that many numbers are taken. Each
  /// batch norm follows the mode of its own module.
  torch::Tensor forward(const torch::Tensor& x);
  Graph graph() const override { return graph_; }
  bool trains_as_graph() const override { return true; }
  /// Of one sample: {3, 32, 32}, or {n} of a network for vectors.
  const std::vector<int64_t>& sample_shape() const { return sample_shape_; }

 protected:
  GraphModule(std::string name, std::vector<int64_t> sample_shape);

  /// As Graph::add, and registers the weights under the name.
  size_t add(Operation operation, std::vector<size_t> reads, const std::string& name = "");
  /// Behind the last one.
  size_t then(Operation operation, const std::string& name = "") {
    return add(std::move(operation), {graph_.output}, name);
  }

  /// Weights of two and more dimensions by the rule, each followed by its bias from U(±1/√fan_in), in the order in
  /// which they were added.
  using Rule = void (*)(torch::Tensor& weight, torch::Generator& generator);
  void draw_weights(uint64_t seed, Rule rule);

  /// For networks that tell classes apart; Error when there are fewer than two.
  int64_t checked_classes(int64_t classes) const;

 private:
  std::vector<int64_t> sample_shape_;
  Graph graph_;
  std::vector<std::shared_ptr<torch::nn::Module>> holders_;  // of the weights of each node; null where there are none
};

/// U(±1/√fan_in), torch's default for biases, and for weights of any model that are drawn anew (`reinitialise`).
void draw_uniform(torch::Tensor& tensor, int64_t fan_in, torch::Generator& generator);

/// Rules. As published: convolutions N(0, 0.02²), dense layers Xavier uniform, U(±√(6/(fan_in+fan_out))) (Glorot and
/// Bengio 2010). Kaiming normal: N(0, 2/fan_in), activations keep their size on the way forward behind ReLU (He et al.
/// 2015; torch's kaiming_normal_ with its defaults).
void draw_published(torch::Tensor& weight, torch::Generator& generator);
void draw_kaiming(torch::Tensor& weight, torch::Generator& generator);

}  // namespace arks
