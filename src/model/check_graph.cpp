#include <arks/model/graph.h>
#include <arks/model/model.h>
#include <arks/model/torchscript.h>
#include <arks/support/error.h>
#include <arks/support/random.h>

namespace arks {

namespace {

class EvaluationMode {
 public:
  explicit EvaluationMode(const Model& model) : model_(model), modes_(model.training_modes()) { model.train(false); }
  ~EvaluationMode() { model_.set_training_modes(modes_); }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
  const Model& model_;
  std::vector<bool> modes_;
};

torch::ScalarType type_of(const Model& model) {
  for (const auto& [name, tensor] : model.state()) {
    if (tensor.is_floating_point()) return tensor.scalar_type();
  }
  return torch::kFloat;
}

}  // namespace

Graph graph_of(const Model& model, torch::IntArrayRef sample_shape) {
  auto graph = graph_of(model);
  if (!is_torchscript(model)) return graph;
  torch::NoGradGuard no_grad;
  const EvaluationMode evaluation(model);
  std::vector<int64_t> shape{4};
  shape.insert(shape.end(), sample_shape.begin(), sample_shape.end());
  auto generator = make_generator(0, Stream::kSamples);
  const auto type = type_of(model);
  const auto x = torch::randn(shape, generator, torch::TensorOptions(torch::kDouble)).to(type);
  const auto own = model(x), read = forward(graph, x);
  const double tolerance = (type == torch::kDouble ? 1e-6 : 1e-3) * (1 + own.abs().max().item<double>());
  ARKS_CHECK(own.sizes() == read.sizes() && (own - read).abs().max().item<double>() <= tolerance, "model ",
             model.architecture(), ": the layers that its classes name are not what its forward computes; no bound is ",
             "known for it");
  return graph;
}

}  // namespace arks
