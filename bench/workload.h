#pragma once
#include "published_baseline.h"

#include <arks/data/dataset.h>
#include <arks/inner/maximizer.h>
#include <arks/model/fashion_cnn.h>
#include <arks/objective/objective.h>
#include <arks/problem/supervised.h>

#include <memory>

namespace arks::bench {

/// The published setting for Fashion-MNIST.
constexpr int64_t kThreads = 2;
constexpr int64_t kBatchSize = 256;
constexpr int64_t kInnerSteps = 15;
constexpr double kInnerRate = 0.01;
constexpr double kSigma = 0.5;
constexpr int64_t kSgemmSize = 2048;

/// Operations of one inner step on a batch: multiplications and additions of the convolutions (counted as direct ones)
/// and dense layers, forward plus input gradient.
double inner_step_operations();
double sgemm_operations();

/// Images with uniform pixels in [0,1] and random labels: the work does not depend on what is in the pictures.
Batch random_batch(int64_t samples, torch::ScalarType type = torch::kFloat);

/// One side of the comparison, ours: what the library's Trainer does with a batch.
class Ours {
 public:
  explicit Ours(InnerReturn returned = InnerReturn::kBest, torch::ScalarType type = torch::kFloat);
  InnerResult maximize(const Batch& batch) { return maximizer_->maximize(batch.inputs, batch.targets); }
  void train(const Batch& batch);
  const FashionCnn& net() const { return net_; }

 private:
  FashionCnn net_;
  SupervisedProblem problem_;
  std::unique_ptr<Maximizer> maximizer_;
  std::unique_ptr<Majorant> majorant_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  torch::Generator generator_;
};

/// The other side, as published, from the same initial weights.
class Published {
 public:
  explicit Published(torch::ScalarType type = torch::kFloat);
  torch::Tensor maximize(const Batch& batch, Reduction reduction = Reduction::kMean) {
    return training_.maximize(batch.inputs, batch.targets, reduction);
  }
  void train(const Batch& batch) { training_.step(batch.inputs, batch.targets); }

 private:
  PublishedTraining training_;
};

/// Both sides climb the same function by the same steps: the largest difference of the last iterates, relative to the
/// largest movement. In float64 and for the sum over the batch: the mean has gradients n times smaller, against which
/// AMSGrad's 1e-8 in the denominator weighs n times more, and in float32 a coordinate with a gradient near zero makes a
/// whole step in a direction that rounding decides. What is left is rounding: 1e-7 is far above it, and far below what
/// a different loss, kernel, step or order would leave.
constexpr double kSameWorkTolerance = 1e-7;
double difference_of_iterates();

}  // namespace arks::bench
