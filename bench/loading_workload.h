#pragma once
#include "setting.h"
#include "suite.h"

#include <arks/objective/objective.h>
#include <arks/problem/supervised.h>
#include <torch/optim.h>

#include <memory>
#include <string>

namespace arks::bench {

/// What a training epoch does with a batch, in two halves: having it (chosen at random among bytes in memory, augmented
/// where the paper does so, made numbers) and a step of ERM on it. ERM is the quickest of all methods, so that loading
/// weighs most beside it.
class LoadingWorkload {
 public:
  /// `data`: "fashion-mnist", "cifar10" or "celeba": its shape, network, batch size and augmentation, random pixels.
  explicit LoadingWorkload(const std::string& data);
  static constexpr int64_t kBatches = 8;
  void load();   ///< kBatches of them
  void train();  ///< one step

 private:
  DatasetPtr images_;
  int64_t batch_size_ = 0;
  uint64_t epoch_ = 0;
  bool augment_ = false;
  Batch batch_;
  std::unique_ptr<SupervisedProblem> problem_;
  std::unique_ptr<Majorant> majorant_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  torch::Generator generator_;
};

void register_loading(Suite& suite);

}  // namespace arks::bench
