#pragma once
// How strong a guard should be: from how far samples should be guarded to sigma, gamma and eps, and how far that is for
// data of which nothing else is known. Starting points for a search, not optima.
#include <arks/data/dataset.h>

#include <optional>
#include <string>
#include <utility>

namespace arks {

/// How far a guard should reach, in the units of the inputs as the model takes them (standardised where they are).
///
/// Lengths are Euclidean over all inputs: when each of d inputs moves by s, the sample moves by s·√d. So a length grows
/// with the root of their number, and `single` says the same per input.
///
/// The strengths that cover a reach r, each by the loss that climbs from 0 to L₀ along a straight line of length r,
/// where L₀ is the loss of the best constant prediction (`blind_loss`):
///   ARKS  l(t)·exp(−t²/(2σ²)), l = L₀·t/r, is largest at t = σ             ⇒  σ = r; no linear loss reaches further
///   WRM   l(t) − γt² is largest at t = L₀/(2γr)                            ⇒  γ = L₀/(2r²); with c = ½t², γ = L₀/r²
///   PGD   the largest ball of the norm that stays within the reach         ⇒  ε = r in L2 and L1, `single` in L∞
/// In logarithms σ and γ are the same price near loss L₀: ln l − t²/(2σ²) ≈ (l − γt²)/L₀ + constant.
struct GuardReach {
  double length = 0;      ///< r > 0
  double single = 0;      ///< the most that one input moves; r/√d when nothing is known of it
  double blind_loss = 1;  ///< L₀ > 0: entropy of the classes, or variance of the targets, summed over outputs

  double sigma() const;
  /// Nothing for costs that are not a squared length: "sq-l2" and "half-sq-l2" are.
  std::optional<double> gamma(const std::string& cost) const;
  /// The length that a gamma stands for at this cost, by the same rule.
  double length_of_gamma(double gamma, const std::string& cost) const;
  /// norm: "linf", "l2", "l1"
  double eps(const std::string& norm) const;
  /// The length that an eps stands for when each of so many inputs moves as far as it can.
  static double length_of_eps(double eps, const std::string& norm, int64_t inputs);
};

/// What a strength is, and with it the way from a reach to the strength and back.
class GuardScale {
 public:
  static GuardScale sigma() { return {Kind::kSigma, ""}; }
  static GuardScale gamma(std::string cost) { return {Kind::kGamma, std::move(cost)}; }
  static GuardScale eps(std::string norm) { return {Kind::kEps, std::move(norm)}; }

  /// The strength that covers a reach; nothing for a gamma whose cost is no squared length.
  std::optional<double> covering(const GuardReach& reach) const;
  /// The length that a strength stands for over so many inputs. `like` has the L₀ of a gamma.
  double length_of(double strength, const GuardReach& like, int64_t inputs) const;

 private:
  enum class Kind { kSigma, kGamma, kEps };
  GuardScale(Kind kind, std::string measure) : kind_(kind), measure_(std::move(measure)) {}

  Kind kind_;
  std::string measure_;  // the cost of a gamma, the norm of an eps
};

/// What the training samples say. A sample is *other* when it has another class or, of a regression, a target that is
/// further away than the deviation of all targets; else it is *alike*. How far samples apart are that differ:
///   apart² = median of (d_other² − d_alike²),   with the distances of each sample to its nearest other and alike one.
/// Inputs that have nothing to do with the target add about the same to both squares and so cancel, however many they
/// are; the distance to the nearest other sample alone grows with the root of their number, and a guard that follows it
/// asks for constant predictions. Where alike samples are close, apart is the distance to the nearest other one. It is
/// taken as a tenth of that at least, where samples that differ overlap so much that nothing is left.
///
/// A guard beyond half of apart asks for two predictions at one point; a tenth of it is hardly felt. So the reach is a
/// quarter.
struct GuardAdvice {
  std::optional<GuardReach> reach;  ///< none where the data do not say
  std::string why_not;              ///< then the reason
  int64_t samples = 0;              ///< that were looked at, drawn at random
  int64_t inputs = 0;               ///< d
  double mixed = 0;                 ///< part of the samples whose nearest one is an other
  double other = 0;                 ///< median distance to the nearest other sample; 0: none
  double alike = 0;                 ///< likewise to the nearest one that is none
  double apart = 0;                 ///< see above
  bool classes = true;

  double weakest() const { return 0.1 * apart; }    ///< sensible reaches are from here …
  double strongest() const { return 0.5 * apart; }  ///< … to here
  /// A reach of this length over the same inputs, of which nothing more is known.
  GuardReach reach_of(double length) const;
  /// The strengths of sensible reaches, the weakest first: of a gamma that is the larger one.
  std::pair<double, double> sensible(const GuardScale& scale) const;
  /// Then samples that differ lie among each other, and how far apart they are is hardly known.
  bool overlap() const { return mixed > 0.25; }
};

/// Looks at 2,000 samples at most, fewer of large ones, so that it takes a part of a second; always the same ones. Of
/// many more samples the nearest would be somewhat nearer, above all of few inputs.
GuardAdvice advise_guard(const Dataset& train_set);

/// L₀ of these targets: [n] class numbers, or [n,...] floating point.
double blind_loss(const torch::Tensor& targets, int64_t num_classes);

/// [n] float64: what it costs on each of `targets` to predict what is best for the targets `learned`, their mean or the
/// shares of their classes. A class that is asked for and was never seen counts as seen once, so it is not impossible.
torch::Tensor blind_losses(const torch::Tensor& targets, const torch::Tensor& learned, int64_t num_classes);

/// For people: two digits.
double two_digits(double value);

}  // namespace arks
