#pragma once
#include <arks/certify/c_transform_options.h>
#include <arks/data/dataset.h>
#include <arks/problem/problem.h>

#include <optional>
#include <string>
#include <vector>

namespace arks {

struct ConvexityOptions {
  ConvexityOptions() { transform_.starts(5); }
  TORCH_ARG(CTransformOptions, transform);       // quantity, cost, domain, constants, ascent; at least two starts
  TORCH_ARG(std::vector<double>, temperatures);  // at which starts are compared; none: half the largest provable one
  TORCH_ARG(double, value_tolerance) = 1e-6;     // values agree when they differ by this·(1 + |value|) at most; > 0
  TORCH_ARG(double, distance_tolerance) = 1e-3;  // maximisers: by this·(1 + how far u has moved) in L2; > 0
};

/// How far ascents from several starts end in the same place, at one temperature.
struct Agreement {
  double temperature = 0;
  double values = 0;      ///< share of samples on which all starts reach the same value
  double maximisers = 0;  ///< share on which they reach the same value at the same u
};

/// Proposition 4.1 for a model: with L the largest curvature of q and a cost of convexity s, the inner objective
/// q(u) − c(u,x)/τ is strictly concave for τ < s/L, so that ascent finds its one maximum. L = 0 makes it so for every
/// τ. The converse does not hold: a larger τ may do as well, and the agreement of several starts shows how well.
struct ConvexityReport {
  int64_t samples = 0;
  std::optional<double> lipschitz, curvature;  ///< G and L, where known
  std::string why_no_lipschitz, why_no_curvature;
  std::string cost;
  std::optional<double> largest_temperature;  ///< s/L, infinite for L ≤ 0; unset when L or s > 0 is not known
  std::vector<Agreement> agreements;

  /// The largest σ of a Gaussian kernel, √τ; unset for another cost.
  std::optional<double> largest_sigma() const;
  std::string brief_report() const;
  std::string full_report() const;
};

/// Constants as certify() takes them; unlike it, this is no proof of a number, so a model that cannot be bounded is no
/// error as long as temperatures are given.
ConvexityReport check_convexity(Problem& problem, const Dataset& dataset, const ConvexityOptions& options);

}  // namespace arks
