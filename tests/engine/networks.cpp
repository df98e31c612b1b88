#include "engine/networks.h"

#include <algorithm>
#include <limits>

namespace arks {

namespace {

using testing::normal;

Graph in_float64(Graph graph) {
  for (auto& node : graph.nodes) {
    for (const auto& weight : weights_of(node.operation)) *weight.tensor = weight.tensor->to(torch::kDouble);
  }
  return graph;
}

/// Distance of the two largest numbers of each window, the smallest of all windows, relative to the largest number.
double smallest_lead(const MaxPool& pool, const torch::Tensor& x) {
  const auto padded = torch::constant_pad_nd(x, {pool.padding[1], pool.padding[1], pool.padding[0], pool.padding[0]},
                                             -std::numeric_limits<double>::infinity());
  auto windows = padded.unfold(2, pool.kernel[0], pool.stride[0]).unfold(3, pool.kernel[1], pool.stride[1]).flatten(4);
  if (windows.size(-1) < 2) return 1;
  const auto two = std::get<0>(windows.topk(2, -1));
  return ((two.select(-1, 0) - two.select(-1, 1)).min() / x.abs().max()).item<double>();
}

/// How near a tie the sample x [1,...] comes anywhere in the network.
double nearest_tie(const Graph& graph, const torch::Tensor& x) {
  double nearest = std::numeric_limits<double>::infinity();
  std::vector<torch::Tensor> values{x};
  for (const auto& node : graph.nodes) {
    std::vector<torch::Tensor> inputs;
    for (const size_t value : node.reads) inputs.push_back(values[value]);
    if (const auto* pool = std::get_if<MaxPool>(&node.operation)) {
      nearest = std::min(nearest, smallest_lead(*pool, inputs[0]));
    } else if (std::holds_alternative<Relu>(node.operation) || std::holds_alternative<LeakyRelu>(node.operation)) {
      nearest = std::min(nearest, (inputs[0].abs().min() / inputs[0].abs().max()).item<double>());
    }
    values.push_back(evaluate(node.operation, inputs));
  }
  return nearest;
}

/// dy with zeros for the samples that come near a tie: one of them can move the gradient of a weight by a tenth.
torch::Tensor without_ties(const torch::Tensor& dy, const Graph& graph, const torch::Tensor& x) {
  torch::NoGradGuard no_grad;
  auto untied = dy.clone();
  for (int64_t i = 0; i < x.size(0); ++i) {
    if (nearest_tie(graph, x.narrow(0, i, 1)) < 1e-6) untied[i].zero_();
  }
  return untied;
}

struct Derivatives {
  torch::Tensor prediction, input;
  std::vector<torch::Tensor> weights, buffers;
};

template <typename Function>
Derivatives derivatives(const Function& function, const Model& model, const torch::Tensor& x, const torch::Tensor& dy) {
  for (auto& parameter : model.parameters()) parameter.mutable_grad() = torch::Tensor();
  const auto u = x.detach().clone().requires_grad_(true);
  Derivatives found;
  found.prediction = function(u);
  found.prediction.backward(dy.to(found.prediction.scalar_type()));
  found.input = u.grad();
  found.prediction = found.prediction.detach();
  for (const auto& parameter : model.parameters()) {
    if (parameter.requires_grad()) found.weights.push_back(parameter.grad().clone());
  }
  for (const auto& buffer : model.module()->buffers()) found.buffers.push_back(buffer.clone());
  return found;
}

void expect_input_gradients(const Derivatives& found, const Derivatives& expected, const Graph& graph,
                            const torch::Tensor& x, Mode mode, double tolerance) {
  const double size = expected.input.abs().max().item<double>();
  int64_t off = 0;
  for (int64_t i = 0; i < x.size(0); ++i) {
    const double apart = testing::max_difference(found.input[i].to(torch::kDouble), expected.input[i]) / size;
    if (apart <= tolerance) continue;
    ++off;
    // batch statistics are not in the graph, so there the reason cannot be shown
    ASSERT_EQ(mode, Mode::kEvaluation) << "sample " << i << " is off by " << apart;
    EXPECT_LE(nearest_tie(graph, x.narrow(0, i, 1)), 1e-5) << "sample " << i << " is off by " << apart;
  }
  EXPECT_LE(off, 1 + x.size(0) / 2);  // each of them was shown to be a tie
}

}  // namespace

double relative_difference(const torch::Tensor& a, const torch::Tensor& b) {
  const double size = b.abs().max().item<double>();
  return testing::max_difference(a.to(torch::kDouble), b.to(torch::kDouble)) / (size > 0 ? size : 1);
}

void draw_norms(const Model& model) {
  torch::NoGradGuard no_grad;
  uint64_t seed = 20;
  for (const auto& module : model.module()->modules()) {
    if (module->name().find("Norm") == std::string::npos) continue;
    double centre = 1;
    for (auto& parameter : module->parameters()) {
      parameter.copy_(normal(parameter.sizes().vec(), ++seed).mul(0.3).add(centre));
      centre = 0;
    }
  }
}

void move_statistics(const Model& model, std::vector<int64_t> shape) {
  torch::NoGradGuard no_grad;
  model.train(true);
  for (uint64_t i = 0; i < 3; ++i) model(normal(shape, 10 + i).to(torch::kFloat));
}

void expect_agreement(const Model& model, std::vector<int64_t> shape, Mode mode, uint64_t seed) {
  const engine::Network network(model, Engine::kAuto);
  const torch::IntArrayRef sample(shape.data() + 1, shape.size() - 1);
  const auto compilation = network.compilation(sample, mode == Mode::kTraining);
  ASSERT_TRUE(compilation.compiled) << compilation.why_not;
  const auto buffers = model.module()->buffers();
  const bool frozen = mode == Mode::kEvaluation && !buffers.empty();
  for (auto& parameter : model.parameters()) parameter.set_requires_grad(!frozen);
  model.train(mode == Mode::kTraining);
  std::vector<torch::Tensor> before;
  for (const auto& buffer : buffers) before.push_back(buffer.clone());

  const auto x = normal(shape, seed).mul_(0.5).to(torch::kFloat);
  const auto graph = in_float64(graph_of(model));
  torch::Tensor dy;
  {
    torch::NoGradGuard no_grad;
    dy = normal(forward(graph, x.to(torch::kDouble)).sizes().vec(), seed + 100).to(torch::kFloat);
  }
  const bool coupled = mode == Mode::kTraining && !buffers.empty();
  const auto untied = coupled ? dy : without_ties(dy, graph, x.to(torch::kDouble));
  const auto found = derivatives(network, model, x, dy), found_untied = derivatives(network, model, x, untied);
  for (size_t i = 0; i < buffers.size(); ++i) torch::Tensor(buffers[i]).copy_(before[i]);
  model.module()->to(torch::kDouble);
  const auto expected = derivatives(model, model, x.to(torch::kDouble), dy);
  const auto expected_untied = derivatives(model, model, x.to(torch::kDouble), untied);

  EXPECT_LE(relative_difference(found.prediction, expected.prediction), 1e-4);
  expect_input_gradients(found, expected, graph, x.to(torch::kDouble), coupled ? Mode::kTraining : Mode::kEvaluation,
                         1e-3);
  ASSERT_EQ(found.weights.size(), expected.weights.size());
  // batch norm behind a bias or another batch norm makes a gradient of exactly zero out of large numbers
  double largest = 0;
  for (const auto& weight : expected_untied.weights) largest = std::max(largest, weight.abs().max().item<double>());
  for (size_t i = 0; i < found.weights.size(); ++i) {
    const auto& expected_weight = expected_untied.weights[i];
    const double size = std::max(expected_weight.abs().max().item<double>(), coupled ? 1e-2 * largest : 0);
    EXPECT_LE(testing::max_difference(found_untied.weights[i], expected_weight), 1e-3 * size) << "weight " << i;
  }
  for (size_t i = 0; i < found.buffers.size(); ++i) {
    EXPECT_LE(relative_difference(found.buffers[i], expected.buffers[i]), 1e-5) << "buffer " << i;
  }
  model.module()->to(torch::kFloat);
}

}  // namespace arks
