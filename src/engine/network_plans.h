#pragma once
#include "engine/runner.h"

#include <arks/engine/network.h>
#include <arks/model/model.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace arks::engine {

/// A plan, or why there is none.
struct Compiled {
  std::shared_ptr<Plan> plan;
  std::string why_not;
  bool weights_trained = false;      // whether the plan has gradients for every parameter
  std::vector<size_t> parameter_of;  // which parameter of the model each of plan->weights() is
};

/// The plans of one model, for the shapes and modes that were asked for. They are made anew when the model's tensors
/// are others than before, as after a change of type. Whoever uses a plan holds the lock.
class NetworkPlans {
 public:
  NetworkPlans(Model model, Engine engine);

  std::unique_lock<std::mutex> lock() { return std::unique_lock<std::mutex>(mutex_); }

  /// For inputs x, the model being in the mode it is in; with weights of now when there is a plan.
  const Compiled& find(const torch::Tensor& x);
  /// The same for float32 samples of that shape.
  const Compiled& find(torch::IntArrayRef sample_shape, bool training);

  const Model& model() const { return model_; }
  Workspace& workspace() { return workspace_; }

  /// Arenas for whole batches, kept for the next batch of the same size.
  std::unique_ptr<Arena> take_arena(const std::shared_ptr<Plan>& plan, int64_t images);
  void give_back(const std::shared_ptr<Plan>& plan, std::unique_ptr<Arena> arena);

 private:
  using Key = std::pair<std::vector<int64_t>, bool>;  // shape of a sample, training

  Compiled compiled(torch::IntArrayRef sample_shape, bool training) const;
  void forget_if_changed();

  Model model_;
  Engine engine_;
  std::mutex mutex_;
  std::map<Key, Compiled> found_;
  std::vector<const void*> addresses_;  // of the model's tensors when the plans were made
  Compiled refusal_;
  Workspace workspace_;
  struct Spare {
    std::shared_ptr<Plan> plan;
    std::unique_ptr<Arena> arena;
  };
  std::vector<Spare> spares_;
};

}  // namespace arks::engine
