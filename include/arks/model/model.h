#pragma once
#include <arks/support/named_tensors.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace arks {

/// Any map from inputs [n,...] to predictions [n,...] behind one handle; copies share the weights.
///   Model(FashionCnn())                 a torch::nn module holder (TORCH_MODULE) or a torch::nn::Sequential
///   Model(std::make_shared<MyNet>())    a module of your own that has forward(Tensor) → Tensor
///   Model(my_function)                  any callable Tensor → Tensor: it can be attacked
///   Model(my_function, parameters)      … and trained
class Model {
  template <typename Any>
  static constexpr bool is_holder = std::is_base_of_v<torch::detail::ModuleHolderIndicator, Any>;

 public:
  using Function = std::function<torch::Tensor(const torch::Tensor&)>;

  /// NOLINTs: a holder or a callable is a model, so that SupervisedProblem(net, …) reads well.
  template <typename Any, std::enable_if_t<is_holder<Any>, int> = 0>
  Model(Any holder)  // NOLINT
      : forward_([holder](const torch::Tensor& x) mutable { return holder->forward(x); }), module_(holder.ptr()) {
    architecture_ = module_->name();
  }
  template <typename Impl, std::enable_if_t<std::is_base_of_v<torch::nn::Module, Impl>, int> = 0>
  Model(std::shared_ptr<Impl> module)  // NOLINT
      : Model(torch::nn::ModuleHolder<Impl>(std::move(module))) {}
  template <typename Any, std::enable_if_t<!is_holder<Any> && std::is_invocable_v<Any, torch::Tensor>, int> = 0>
  Model(Any callable) : Model(Function(std::move(callable)), {}) {}  // NOLINT
  Model(Function forward, std::vector<torch::Tensor> parameters);

  torch::Tensor operator()(const torch::Tensor& x) const { return forward_(x); }

  std::vector<torch::Tensor> parameters() const;
  NamedTensors state() const;
  /// Type of the first parameter that can hold fractions, else of the first such tensor of the state: a scaling around
  /// a network may be more precise than it is, and counters of batches are whole numbers. float32 for a model without
  /// any.
  torch::ScalarType floating_type() const;

  /// The name under which a checkpoint remembers this model; the class name unless it was named.
  const std::string& architecture() const { return architecture_; }
  Model& named(std::string architecture);

  /// `def forward(self, x): …` in TorchScript, with weights under the names of state(); empty when there is none.
  const std::string& script() const { return script_; }
  Model& with_script(std::string script);

  /// The module behind the handle; null for a plain callable.
  const std::shared_ptr<torch::nn::Module>& module() const { return module_; }

  std::vector<bool> training_modes() const;
  void set_training_modes(const std::vector<bool>& modes) const;
  void train(bool on) const;

 private:
  Function forward_;
  std::shared_ptr<torch::nn::Module> module_;  // null for a plain callable
  std::vector<torch::Tensor> parameters_;      // of a plain callable
  std::string architecture_ = "function";
  std::string script_;
};

}  // namespace arks
