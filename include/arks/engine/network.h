#pragma once
#include <arks/model/model.h>
#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

namespace arks {

/// What runs a network.
enum class Engine {
  kAuto,      ///< a compiled plan where there can be one, libtorch elsewhere
  kLibtorch,  ///< always libtorch
};

/// "auto", "libtorch"
Engine parse_engine(const std::string& name);
std::vector<std::string> engine_names();

namespace engine {

class NetworkPlans;

/// Whether samples of some shape run on a plan.
struct Compilation {
  bool compiled = false;
  std::string why_not;       ///< the layer and the reason, when they do not
  std::string instructions;  ///< those of the vector loops: "AVX2", …
};

/// A model as it is, but faster: the same function with the same derivatives and side effects, on a compiled plan where
/// that can be. A plan is made of the built-in networks and of Sequentials of convolutions, batch norms, ELU, ReLU,
/// leaky ReLU, tanh, sigmoid, max and average poolings, flatten and linear layers, and sums and concatenations of
/// these, in float32 on the CPU; one for every shape of samples, when samples of that shape first come. Everything else
/// runs on libtorch: other layers, dropout in training mode, TorchScript programs, plain functions, float64, and
/// derivatives of derivatives. Copies share the plans.
class Network {
 public:
  Network(Model model, Engine engine);

  /// As the model: inputs [n,...] → predictions [n,...], in the mode that the model is in.
  torch::Tensor operator()(const torch::Tensor& x) const;

  /// For samples of this shape, in evaluation or training mode. Makes the plan if there is none yet.
  Compilation compilation(torch::IntArrayRef sample_shape, bool training) const;

  const Model& model() const { return model_; }
  /// For the maximizers of the engine.
  NetworkPlans& plans() const { return *plans_; }

 private:
  Model model_;
  std::shared_ptr<NetworkPlans> plans_;
};

}  // namespace engine

}  // namespace arks
