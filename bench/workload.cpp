#include "workload.h"

#include <arks/objective/arks.h>
#include <arks/problem/cross_entropy.h>
#include <arks/problem/state_guard.h>
#include <arks/support/random.h>
#include <arks/train/optimizer.h>

namespace arks::bench {

namespace {

FashionCnn fresh_net(torch::ScalarType type) {
  FashionCnn net;
  net->to(type);
  return net;
}

PublishedCnn published_net(torch::ScalarType type) {
  PublishedCnn net;
  net->take_weights(*fresh_net(type));
  return net;
}

AscentOptions ascent_options(InnerReturn returned) {
  return AscentOptions().steps(kInnerSteps).learning_rate(kInnerRate).returned(returned);
}

}  // namespace

double inner_step_operations() {
  constexpr double kConv1 = 28 * 28 * 32 * 9;
  constexpr double kConv2 = 12 * 12 * 64 * 9 * 32;
  constexpr double kDense = 2304 * 128 + 128 * 10;
  constexpr double kMultiplyAdd = 2, kForwardAndGradient = 2;
  return kMultiplyAdd * kForwardAndGradient * kBatchSize * (kConv1 + kConv2 + kDense);
}

double sgemm_operations() {
  return 2.0 * kSgemmSize * kSgemmSize * kSgemmSize;
}

Batch random_batch(int64_t samples, torch::ScalarType type) {
  auto generator = make_generator(0, Stream::kShuffle);
  // drawn as float32 in either case, so that the pictures are the same
  const auto inputs = torch::empty({samples, 1, 28, 28}).uniform_(0, 1, generator).to(type);
  return {inputs, torch::empty({samples}, torch::kLong).random_(0, 10, generator)};
}

Ours::Ours(InnerReturn returned, torch::ScalarType type)
    : net_(fresh_net(type)),
      problem_(net_, CrossEntropy()),
      optimizer_(make_optimizer(OptimizerOptions(), problem_.parameters())),
      generator_(make_generator(0, Stream::kObjective)) {
  const GaussianKernel kernel(kSigma);
  maximizer_ = make_maximizer(problem_, std::make_shared<KernelProduct>(kernel.temperature()), kernel.cost(),
                              ascent_options(returned), std::make_shared<Unconstrained>());
  majorant_ = Arks(kernel, ascent_options(returned)).bind(problem_);
}

void Ours::train(const Batch& batch) {
  const ModeGuard mode(problem_, /*training=*/true);
  const auto majorant = (*majorant_)(batch, generator_);
  optimizer_->zero_grad();
  majorant.value.backward();
  optimizer_->step();
}

Published::Published(torch::ScalarType type) : training_(published_net(type), kSigma, kInnerSteps, kInnerRate) {}

double difference_of_iterates() {
  constexpr int64_t kSamples = 32;
  const auto batch = random_batch(kSamples, torch::kDouble);
  const auto ours = Ours(InnerReturn::kLast, torch::kDouble).maximize(batch).u;
  const auto published = Published(torch::kDouble).maximize(batch, Reduction::kSum);
  const auto movement = (published - batch.inputs).abs().max();
  return ((ours - published).abs().max() / movement).item<double>();
}

}  // namespace arks::bench
