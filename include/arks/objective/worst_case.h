#pragma once
#include <arks/inner/ascent.h>
#include <arks/inner/constraint.h>
#include <arks/objective/objective.h>
#include <torch/arg.h>

namespace arks {

struct WorstCaseOptions {
  explicit WorstCaseOptions(Bounds domain) : domain_(std::move(domain)) {}
  TORCH_ARG(Bounds, domain);         // the compact set X; holds every sample
  TORCH_ARG(int64_t, restarts) = 4;  // starts of the ascent, the first at x, the others anywhere in the domain; > 0
};

/// Worst-case robust optimisation (RO; Ben-Tal, El Ghaoui, Nemirovski 2009): min_θ mean_i sup_{u∈X} l(θ,u), with the
/// targets of each sample. Multi-start ascent finds a local maximum, so what is minimised can lie below the true worst
/// case of a loss that is not concave; for robust least squares solve_worst_case (sdp/) is exact. It is what ARKS tends
/// to for σ → ∞. Without a domain it is infinite for every unbounded loss.
class WorstCase : public Objective {
 public:
  explicit WorstCase(WorstCaseOptions options, AscentOptions ascent = AscentOptions());
  std::string name() const override { return "ro"; }
  std::unique_ptr<Majorant> bind(Problem& problem) const override;

 private:
  WorstCaseOptions options_;
  AscentOptions ascent_;
};

}  // namespace arks
