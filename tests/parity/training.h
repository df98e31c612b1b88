#pragma once
// A few steps of a method against those that X_reference.py made (training.py).
#include "objective/samples.h"
#include "parity/reference.h"

namespace arks::testing {

/// Trains on the batches of the reference from its weights and compares values, weights and statistics. Both sides
/// compute the same sums of a dozen products in another order, wrong by 1e-15, and five steps of SGD carry that on
/// without making it larger; a sign that flipped would show as 1e-3.
inline void expect_same_training(const std::string& file, const std::string& name, const Objective& objective) {
  constexpr double kTolerance = 1e-12;
  const std::string path = std::string(ARKS_PARITY_FOLDER "/") + file;
  if (!std::filesystem::exists(path)) {
    GTEST_SKIP() << path << " is not there: it takes python3-torch, and the test parity_reference run before";
  }
  const Reference reference(path);
  torch::nn::Sequential net(torch::nn::Linear(12, 10), torch::nn::BatchNorm1d(10), torch::nn::Tanh(),
                            torch::nn::Linear(10, 4));
  net->to(torch::kDouble);
  SupervisedProblem problem(net, CrossEntropy());
  {
    torch::NoGradGuard no_grad;
    for (auto& [key, tensor] : problem.state()) tensor.copy_(reference["before_" + key]);
  }
  problem.train(true);
  const auto majorant = objective.bind(problem);
  torch::optim::SGD optimizer(problem.parameters(), torch::optim::SGDOptions(0.1).momentum(0.9).weight_decay(1e-3));
  auto generator = make_generator(0, Stream::kObjective);
  generator.set_current_seed(static_cast<uint64_t>(reference["seed"].item<int64_t>()));
  const auto values = reference[name + "_values"];
  for (int64_t i = 0; i < values.size(0); ++i) {
    const Batch batch{reference[c10::str("x", i)], reference[c10::str("y", i)]};
    const auto done = majorant->step(batch, generator, descend_with(optimizer));
    const double mean = done.sums.surrogate / static_cast<double>(done.sums.samples);
    EXPECT_NEAR(mean, values[i].item<double>(), kTolerance) << name << ", batch " << i;
  }
  for (const auto& [key, tensor] : problem.state()) {
    EXPECT_LT(max_difference(tensor.to(torch::kDouble), reference[name + "_" + key].to(torch::kDouble)), kTolerance)
        << name << ", " << key;
    if (tensor.dim() > 1) EXPECT_GT(max_difference(tensor, reference["before_" + key]), 1e-3) << key << " is as before";
  }
}

}  // namespace arks::testing
