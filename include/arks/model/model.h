#pragma once
#include <arks/support/named_tensors.h>
#include <torch/torch.h>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace arks {

/// True for what TORCH_MODULE makes. A holder can also be called, so it must be told from a plain callable.
template <typename T, typename = void>
struct IsModuleHolder : std::false_type {};
template <typename T>
struct IsModuleHolder<T, std::void_t<typename T::ContainedType>> : std::true_type {};

/// Any map from inputs [n,...] to predictions [n,...] behind one handle; copies share the weights.
///   Model(FashionCnn())                 a torch::nn module holder (TORCH_MODULE) or a torch::nn::Sequential
///   Model(my_function)                  any callable Tensor → Tensor: it can be attacked
///   Model(my_function, parameters)      … and trained
class Model {
 public:
  using Function = std::function<torch::Tensor(const torch::Tensor&)>;

  template <typename Holder, std::enable_if_t<IsModuleHolder<Holder>::value, int> = 0>
  Model(Holder holder)  // NOLINT: a holder is a model, so that SupervisedProblem(net, …) reads well
      : forward_([holder](const torch::Tensor& x) mutable { return holder->forward(x); }), module_(holder.ptr()) {
    architecture_ = module_->name();
  }
  Model(Function forward, std::vector<torch::Tensor> parameters = {});  // NOLINT: likewise
  template <typename Callable,
            std::enable_if_t<std::conjunction_v<std::negation<IsModuleHolder<Callable>>,
                                                std::is_invocable_r<torch::Tensor, Callable, torch::Tensor>>,
                             int> = 0>
  Model(Callable callable) : Model(Function(std::move(callable))) {}  // NOLINT: likewise

  torch::Tensor operator()(const torch::Tensor& x) const { return forward_(x); }

  std::vector<torch::Tensor> parameters() const;
  NamedTensors state() const;

  /// The name under which a checkpoint remembers this model; the class name unless it was named.
  const std::string& architecture() const { return architecture_; }
  Model& named(std::string architecture);

  std::vector<bool> training_modes() const;
  void set_training_modes(const std::vector<bool>& modes) const;
  void train(bool on) const;

 private:
  Function forward_;
  std::shared_ptr<torch::nn::Module> module_;  // null for a plain callable
  std::vector<torch::Tensor> parameters_;      // of a plain callable
  std::string architecture_ = "function";
};

}  // namespace arks
