#pragma once
#include <arks/problem/problem.h>

namespace arks {

/// Stochastic weight averaging: the mean of the weights at the ends of the epochs, each with the same weight,
///   mean_n = mean_{n−1} + (θ_n − mean_{n−1})/n,
/// kept in float64. Averaged weights lie nearer to the middle of a flat region than the last ones, with the same
/// training (Izmailov, Podoprikhin, Garipov, Vetrov, Wilson, "Averaging Weights Leads to Wider Optima and Better
/// Generalization", 2018). The rate of the optimiser is left alone.
class WeightAverage {
 public:
  WeightAverage() = default;
  WeightAverage(NamedTensors mean, int64_t epochs) : mean_(std::move(mean)), epochs_(epochs) {}

  /// Throws Error when the problem has state that is no parameter, such as the statistics of batch norm: those of the
  /// averaged weights would be others, and no pass over the data makes them here.
  static void check_applies(Problem& problem);

  /// Adds the weights that the problem has now.
  void add(Problem& problem);

  int64_t epochs() const { return epochs_; }  ///< in the mean; 0: there is none
  const NamedTensors& mean() const { return mean_; }

  /// Copies the mean into the problem, which must be the one it was made from.
  void copy_to(Problem& problem) const;

 private:
  NamedTensors mean_;
  int64_t epochs_ = 0;
};

/// Shows the averaged weights in the problem and puts its own back when it goes, also when an exception passes. Does
/// nothing while there is no average.
class AveragedWeightsGuard {
 public:
  AveragedWeightsGuard(Problem& problem, const WeightAverage& average);
  ~AveragedWeightsGuard();
  AveragedWeightsGuard(const AveragedWeightsGuard&) = delete;
  AveragedWeightsGuard& operator=(const AveragedWeightsGuard&) = delete;

 private:
  std::vector<std::pair<torch::Tensor, torch::Tensor>> own_;  // a weight, and its value before
};

}  // namespace arks
