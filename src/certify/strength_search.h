#pragma once
// Which strengths 1/τ a certificate is computed at, and what each of them says.
#include "certify/c_transform.h"

#include <arks/certify/certificate.h>

#include <deque>

namespace arks {

/// The sample means of a transform at one strength; a line bound + ρ·strength for every radius ρ.
struct StrengthRecord {
  double strength = 0;
  double estimated = 0, estimated_paper = 0;  // mean Λ and ln mean exp Λ, from below
  double verified = 0, verified_paper = 0;    // from above; infinite where nothing is proved
  double moved = 0;                           // mean c(u*,x): the radius at which this strength is the best one
  double value = 0;                           // mean q(u*)
  torch::Tensor quantities, costs;            // [n] q(u*) and c(u*,x)
};

/// Evaluates transforms and keeps what they say, in the order of their strengths. A point that was found at one
/// strength is tried at all others, so that no estimate is below what is known to be attained.
class StrengthSearch {
 public:
  /// With a range, values of Λ count as its nearest point.
  StrengthSearch(CTransform& transform, std::optional<std::pair<double, double>> range);

  const StrengthRecord& evaluate(double strength);

  /// Looks for the strength at which the samples move by rho on average: there mean Λ + rho·strength, convex in the
  /// strength, is smallest. Stops when that line is within the tolerance of what is attained, or after `most` tries.
  void refine(double rho, int64_t most, double tolerance);

  /// The strength at which the Lipschitz bound alone is best, in mean; it takes no ascent. The record holds no
  /// estimate.
  StrengthRecord best_lipschitz(double rho) const;

  const std::vector<StrengthRecord>& records() const { return records_; }
  /// By rho, the unmoved samples first.
  std::vector<AttainedPoint> attained() const;

 private:
  torch::Tensor warm_start(double strength) const;
  double propose(double rho, bool by_tangents) const;
  double first_guess(double rho) const;
  double lipschitz_strength(double rho) const;
  /// Takes over the samples for which other points are better at the record's strength.
  void take_better(StrengthRecord& record, const torch::Tensor& quantities, const torch::Tensor& costs) const;
  double mean(const torch::Tensor& values) const;
  double log_mean_exp(const torch::Tensor& values) const;

  CTransform& transform_;
  std::optional<std::pair<double, double>> range_;
  std::vector<StrengthRecord> records_;                      // by strength
  std::deque<std::pair<double, torch::Tensor>> maximisers_;  // of the latest strengths
};

}  // namespace arks
