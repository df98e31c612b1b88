#pragma once
#include <arks/attack/attack.h>
#include <arks/attack/evaluation_point.h>
#include <arks/data/dataset.h>
#include <arks/metric/paired_test.h>
#include <torch/arg.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace arks {

using ProblemPointer = Problem*;

struct EvaluateOptions {
  EvaluateOptions() = default;
  TORCH_ARG(int64_t, batch_size) = 256;                     // > 0
  TORCH_ARG(uint64_t, seed) = 0;                            // of random starts and of noise
  TORCH_ARG(int64_t, repeats) = 1;                          // > 0; anew with other random numbers, all counted
  TORCH_ARG(ProblemPointer, source) = nullptr;              // craft on this model: a transfer (black-box) attack
  TORCH_ARG(std::string, source_name) = "source";           // how reports call it
  TORCH_ARG(std::string, data_name);                        // of the test set, where reports show several
  TORCH_ARG(std::optional<Bounds>, bounds) = std::nullopt;  // instead of the data set's own
  TORCH_ARG(std::function<void(int64_t)>, on_samples);      // told after each batch how many samples are done
};

/// A model under test and how reports call it.
struct NamedProblem {
  std::string name;
  Problem* problem = nullptr;
};

/// Attacks every sample of the data set and counts the errors. With a source the samples are perturbed against the
/// source and then shown to the problem; without one the problem itself is attacked (white-box). A shift looks at no
/// model and so at no source. With repeats error and loss are means over the draws as well; repeat r draws from its own
/// stream (seed, r), so more repeats leave the first ones as they were. Intervals are over rows: draws of one row are
/// no samples of their own.
EvaluationPoint evaluate(Problem& problem, const DatasetPtr& dataset, const Attack& attack,
                         const EvaluateOptions& options = EvaluateOptions());

/// The same for several models, in their order; with a source, or for a shift, the attack is crafted once for all of
/// them.
std::vector<EvaluationPoint> evaluate_models(const std::vector<NamedProblem>& models, const DatasetPtr& dataset,
                                             const Attack& attack, const EvaluateOptions& options = EvaluateOptions());

/// Two models on the same rows, under the same attack at the same strength.
struct ModelComparison {
  std::string first, second;  ///< names of the models; the difference is the second minus the first
  std::string attack, source, data;
  double eps = 0;
  std::string quantity;  ///< "error" or "loss"
  PairedTest result;
};

/// Each later model against the first, of the points that evaluate_models() gave for one attack: errors where both have
/// some, by McNemar's test, or by a t test on the means of the rows where draws of a row differ; and losses, by a t
/// test on what is more than rounding. Where rows belong to groups, both are t tests over the groups, with as many
/// degrees of freedom as there are groups, less one.
std::vector<ModelComparison> compare_models(const std::vector<EvaluationPoint>& points);

}  // namespace arks
