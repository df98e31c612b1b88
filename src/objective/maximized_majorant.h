#pragma once
#include "start.h"

#include <arks/inner/maximizer.h>
#include <arks/objective/objective.h>

#include <optional>

namespace arks {

/// What all methods with an inner maximisation share: find u* for every sample, then let θ see φ(l(θ,u*), c(u*,x)) with
/// u* held fixed. By the envelope theorem (Danskin) this is the gradient of the supremum.
class MaximizedMajorant : public Majorant {
 public:
  struct Parts {
    std::unique_ptr<Maximizer> maximizer;
    InnerObjectivePtr surrogate;        ///< φ of the plain loss, for the outer step
    std::optional<double> temperature;  ///< of the kernel, where its mean is to be reported
    bool reports_cost = false;
    Start start;                        ///< null: the ascent starts at x
    InnerMode mode = InnerMode::kEval;  ///< with a start: that of the ascent, for the figures at x
    std::optional<Bounds> domain;       ///< where the samples must lie, and where further starts are drawn from
    int64_t restarts = 1;               ///< starts per sample; the best is kept
  };
  MaximizedMajorant(Problem& problem, Parts parts) : problem_(problem), parts_(std::move(parts)) {}

  WorstPoints find(const Batch& batch, torch::Generator& generator) override;
  MajorantValue value(const Batch& batch, const WorstPoints& points) override;
  std::optional<MaximizerInfo> maximizer_info() const override { return parts_.maximizer->info(); }

 private:
  InnerResult maximize(const Batch& batch, torch::Generator& generator);

  Problem& problem_;
  Parts parts_;
};

/// What may help when a loss is no longer finite: a `method` that reaches less far, and, where an ascent keeps its last
/// point wherever that is, shorter steps.
std::string remedy_of(const AscentOptions& ascent, const std::string& method);

}  // namespace arks
