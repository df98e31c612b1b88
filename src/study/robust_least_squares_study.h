#pragma once
// The paper's trade-off on robust least squares (figure "tradeoff_advkde"): l(θ,ξ) = ‖(A₀+ξA₁)θ − b‖² with the matrices
// of Boyd and Vandenberghe's figure 6.15. Trained on a few ξ ~ U[−½,½], tested under (1+Δ)·ξ.
#include <cstdint>
#include <string>
#include <vector>

namespace arks::study {

struct TradeoffSettings {
  std::vector<double> sigmas = {0.1, 0.2, 0.41, 1, 2, 10};           ///< of ARKS, > 0, rising; may be none
  std::vector<double> deltas = {0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4};  ///< shifts of the test, rising
  int64_t train_samples = 10, test_samples = 500;
  bool one_start = false;  ///< see DescentAscent
};

/// One independent run: mean test loss of every method under every shift.
struct TradeoffRun {
  uint64_t seed = 0;
  std::vector<double> deltas;
  /// "ERM of the population", "ERM", "ARKS σ 0.1" … in the order of σ, "RO". The first knows the distribution and not
  /// only samples of it: nothing can beat it at Δ = 0 in expectation.
  std::vector<std::string> methods;
  std::vector<std::vector<double>> losses;  ///< [method][delta]
};

/// Both ERM in closed form, RO on |ξ| ≤ 1 by the semidefinite program (solve_worst_case), ARKS by DescentAscent. The
/// samples depend on the seed and their number alone. Throws Error for settings out of range and where the SDP
/// component is absent, RunError for a loss that is not finite.
TradeoffRun run_tradeoff(const TradeoffSettings& settings, uint64_t seed);

/// What the means over the runs must show and do not, a sentence each; empty when all does:
/// nothing beats ERM of the population at the smallest Δ; from ERM over ARKS with growing σ to RO the loss at the
/// largest Δ falls and rises ever less from the smallest Δ to the largest; RO pays for it at the smallest Δ.
/// Throws Error when the runs are none or are not of the same methods and shifts.
std::vector<std::string> missing_statements(const std::vector<TradeoffRun>& runs);

/// Samples and what ARKS makes of them, for the histogram.
struct HistogramRun {
  uint64_t seed = 0;
  double sigma = 0;
  std::vector<double> samples;      ///< ξ_i
  std::vector<double> adversarial;  ///< u*_i, at the θ that ARKS ends with
  double mmd = 0;                   ///< between both: √ of the biased estimator, Gaussian kernel of the same σ
};

/// Trains ARKS on the samples of run_tradeoff with this seed. The paper has σ = 0.41 and 10 samples and reports an MMD
/// of 0.167 ± 0.02 over 10 runs.
HistogramRun run_histogram(double sigma, int64_t train_samples, bool one_start, uint64_t seed);

/// Runs as JSON text, there and back without loss. Reading throws Error when the text is no such run.
std::string to_json(const TradeoffRun& run);
std::string to_json(const HistogramRun& run);
TradeoffRun parse_tradeoff_run(const std::string& text);
HistogramRun parse_histogram_run(const std::string& text);

}  // namespace arks::study
