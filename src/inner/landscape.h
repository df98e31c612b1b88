#pragma once
#include <arks/inner/inner_objective.h>
#include <arks/inner/maximizer.h>
#include <arks/kernel/cost.h>
#include <arks/problem/problem.h>

namespace arks {

/// What an inner maximisation climbs, in plain libtorch: φ(l(θ,u), c(u,x)) of every sample of a batch, and ∇_u φ.
class Landscape {
 public:
  struct Point {
    Evaluation evaluation;
    torch::Tensor cost;   ///< [n]; zeros when there is no cost
    torch::Tensor value;  ///< [n] φ, no graph
  };

  Landscape(Problem& problem, InnerObjectivePtr objective, CostPtr cost);

  /// One forward pass: u, x [n,...], y [n,...].
  Point evaluate(const torch::Tensor& u, const torch::Tensor& x, const torch::Tensor& y);

  /// ∂φ/∂loss and ∂φ/∂cost there, no graph.
  InnerObjective::Partials partials(const Point& point) const;

  /// The backward pass of a point that was evaluated at this u with requires_grad, [n,...]. It uses up the graph.
  torch::Tensor gradient(const torch::Tensor& u, const Point& point, const InnerObjective::Partials& partials) const;
  torch::Tensor gradient(const torch::Tensor& u, const Point& point) const {
    return gradient(u, point, partials(point));
  }

  /// How large the terms are that φ is put together from, [n]: it is their rounding that φ carries, and where they
  /// cancel it is large beside φ.
  torch::Tensor term_sizes(const Point& point, const InnerObjective::Partials& partials) const;

  Problem& problem() { return problem_; }

 private:
  const torch::Tensor& loss_argument(const Point& point) const {
    return objective_->takes_log_loss() ? point.evaluation.log_loss : point.evaluation.loss;
  }

  Problem& problem_;
  InnerObjectivePtr objective_;
  CostPtr cost_;
};

/// Where the ascent begins: a copy of `start`, or of x when it is undefined, without a graph. Throws Error when the
/// batch cannot be maximised over.
torch::Tensor checked_start(const torch::Tensor& x, const torch::Tensor& start);

}  // namespace arks
