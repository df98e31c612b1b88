#pragma once
#include "frozen_baseline.h"
#include "published_baseline.h"
#include "setting.h"
#include "suite.h"

#include <arks/inner/maximizer.h>
#include <arks/objective/objective.h>
#include <arks/problem/supervised.h>

#include <memory>

namespace arks::bench {

constexpr int64_t kSgemmSize = 2048;

/// Operations of one inner step of the Fashion-MNIST network on its batch: multiplications and additions of the
/// convolutions (counted as direct ones) and dense layers, forward plus input gradient.
double inner_step_operations();
double sgemm_operations();

/// One side of the comparison, ours: what the library's Trainer does with a batch of ARKS.
class Ours {
 public:
  Ours(const Setting& setting, const AscentOptions& ascent, torch::ScalarType type = torch::kFloat);
  InnerResult maximize(const Batch& batch) { return maximizer_->maximize(batch.inputs, batch.targets); }
  MaximizerInfo info() const { return maximizer_->info(); }
  void train(const Batch& batch);
  const torch::nn::Module& net() const { return *problem_.model().module(); }

 private:
  SupervisedProblem problem_;
  std::unique_ptr<Maximizer> maximizer_;
  std::unique_ptr<Majorant> majorant_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  torch::Generator generator_;
};

/// The plain network with the weights that ours starts from.
PlainNetPtr plain_net_of(const Setting& setting, torch::ScalarType type = torch::kFloat);

/// Ours and the published way on the same batch. Made only when both have been shown to do the same work:
///  - in float64 the last iterates and the weights after one batch, the largest difference relative to the largest
///    movement. For the sum over the batch: the mean has gradients n times smaller, against which AMSGrad's 1e-8 in the
///    denominator weighs n times more; and not in float32, where a coordinate with a gradient near zero makes a whole
///    step in a direction that rounding decides. What is left is rounding: 1e-7 is far above it, and far below what a
///    different loss, kernel, step or order would leave;
///  - in float32, in which the timed work is done, the mean surrogate that either side reaches.
class ArksComparison {
 public:
  ArksComparison(const Setting& setting, InnerMode mode, Suite& suite);
  void maximize_ours() { ours_.maximize(batch_); }
  void maximize_published() { published_.maximize(batch_.inputs, batch_.targets); }
  void train_ours() { ours_.train(batch_); }
  void train_published() { published_.step(batch_.inputs, batch_.targets); }

 private:
  Batch batch_;
  Ours ours_;
  PublishedTraining published_;
};

constexpr double kSameWorkTolerance = 1e-7;
constexpr double kSameSurrogateTolerance = 1e-3;

/// The largest difference relative to the largest movement away from `start`.
double relative_difference(const torch::Tensor& ours, const torch::Tensor& theirs, const torch::Tensor& start);

/// All weights of a network in one row.
torch::Tensor weights_of(const torch::nn::Module& net);

/// A batch of ARKS for each network as published; the inner step of the Fashion-MNIST network also beside plain
/// libtorch with frozen weights and beside sgemm.
void register_arks(Suite& suite);

}  // namespace arks::bench
