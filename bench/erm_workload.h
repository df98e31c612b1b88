#pragma once
#include "published_baseline.h"
#include "setting.h"
#include "suite.h"

#include <arks/problem/supervised.h>
#include <arks/train/trainer.h>

#include <memory>

namespace arks::bench {

/// An epoch of ERM, a few batches at a time, from bytes in memory in random order, with the loss and the error of every
/// batch counted: the library's Trainer, and the loop one writes with torch::nn and torch::optim. Neither augments.
/// Made only when both have been shown to end in the same weights in float64, and to lower the loss alike in float32.
class ErmComparison {
 public:
  ErmComparison(const Setting& setting, int64_t batches, Suite& suite);
  void ours();   ///< so many batches
  void plain();  ///< the same

 private:
  void plain_batch(const torch::Tensor& indices);

  int64_t batches_, batch_size_;
  int64_t left_ = 0;  // batches until the Trainer is stopped
  torch::Tensor images_, labels_;
  SupervisedProblem problem_;
  std::unique_ptr<Trainer> trainer_;
  PlainNetPtr net_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  torch::Tensor order_;
  int64_t position_ = 0;
  double loss_ = 0, wrong_ = 0;  // of the plain loop's epoch
};

void register_erm(Suite& suite);

}  // namespace arks::bench
