#pragma once
#include <arks/certify/c_transform_options.h>
#include <arks/data/dataset.h>
#include <arks/kernel/kernel.h>
#include <arks/problem/problem.h>

#include <optional>
#include <string>
#include <vector>

namespace arks {

/// How much stands behind a number.
enum class CertificateLabel {
  kEstimated,   ///< the supremum was searched by ascent, which finds a lower bound of it: nothing is proved
  kVerified,    ///< an upper bound of the supremum was proved for every sample
  kPopulation,  ///< verified, plus concentration: it holds for the distribution behind the samples, except with δ
};

/// "estimated", "verified", "population"
std::string to_string(CertificateLabel label);
CertificateLabel parse_certificate_label(const std::string& name);
std::vector<std::string> certificate_label_names();

struct CertificateOptions {
  CertificateOptions() = default;

  /// Of ARKS: q = ln l, c = ½‖u−x‖², so that τ = σ². Another cost through transform().cost().
  static CertificateOptions arks();
  /// Of WRM: q = l, c = ‖u−x‖², τ = 1/γ.
  static CertificateOptions wrm();
  /// Of KE: q = l, c = 1 − k, τ = 1/γ, on a domain.
  static CertificateOptions kernel_envelope(const Kernel& kernel, Bounds domain);
  /// Of any c-transform, τ = 1/γ.
  static CertificateOptions c_transform(Quantity quantity, CostPtr cost);

  TORCH_ARG(std::string, method) = "arks";  // how reports call it
  TORCH_ARG(CTransformOptions, transform);  // quantity, cost, domain, constants, ascent
  TORCH_ARG(std::vector<double>, rhos);     // radii, in units of the cost; ≥ 0, at least one
  /// τ: fixed ones, of which each rho takes the best; unset: searched for each rho. τ = ∞ needs a domain.
  TORCH_ARG(std::optional<std::vector<double>>, temperatures) = std::nullopt;
  TORCH_ARG(CertificateLabel, label) = CertificateLabel::kVerified;
  TORCH_ARG(std::optional<double>,
            delta) = std::nullopt;  // kPopulation: how often the statement may be wrong; in (0,1)
  TORCH_ARG(std::optional<double>, floor) = std::nullopt;  // kPopulation: losses below count as this; > 0 for ln l
  TORCH_ARG(std::optional<double>, cap) = std::nullopt;    // kPopulation: losses above count as this; > floor
  TORCH_ARG(Split, split) = Split::kTest;                  // where the samples come from; kPopulation refuses kTrain
  TORCH_ARG(int64_t, refinements) = 8;  // of a searched τ: temperatures tried for each rho at most; > 0
  TORCH_ARG(double, tolerance) = 1e-5;  // of a searched τ: done when bound and attained value are this close; > 0
};

/// Throws Error naming the option that cannot be used, before any work is done.
void check(const CertificateOptions& options);

/// The statement for one radius.
struct CertificatePoint {
  double rho = 0;
  double bound = 0;                   ///< sup over W_c ≤ rho of E[q] ≤ this, as far as the label says
  std::optional<double> bound_paper;  ///< the same by ln mean exp Λ + rho/τ, the paper's form; for ln l only
  double estimated = 0;               ///< mean of the Λ found by ascent, + rho/τ
  double attained = 0;                ///< E[q] of a distribution within rho that was found
  double temperature = 0;             ///< τ of the bound; 0: the limit in which nothing moves (rho 0)
};

/// A distribution on moved samples: its distance from the samples, and its E[q].
struct AttainedPoint {
  double rho = 0, value = 0;
};

/// sup_{W_c(P,P̂) ≤ ρ} E_P[q] ≤ mean Λ_τ(x_i) + ρ/τ for every τ, with Λ_τ(x) = sup_u { q(u) − c(u,x)/τ } and P̂ the
/// samples; the best τ gives equality. Of the two forms for q = ln l, the paper's ln mean exp Λ_τ + ρ/τ is the weaker.
struct Certificate {
  std::string method, cost;
  Quantity quantity = Quantity::kLogLoss;
  CertificateLabel label = CertificateLabel::kVerified;
  std::optional<double> delta, floor, cap;
  std::optional<Bounds> domain;
  int64_t samples = 0;
  int64_t temperatures = 0;                        ///< at which the supremum was searched
  bool searched = false;                           ///< whether τ was searched for each rho
  std::optional<double> lipschitz, curvature;      ///< G and L of q, where known
  std::string why_no_lipschitz, why_no_curvature;  ///< one line, where not
  std::vector<CertificatePoint> curve;             ///< in the order of the rhos asked for
  std::vector<AttainedPoint> attained;             ///< by rho; the first is the samples as they are
  /// E[q] of predicting the same for every sample, which no shift changes; for vacuous(), where somebody knows it.
  std::optional<double> constant;

  /// The parameter that goes with the method: "sigma" (ARKS on ½‖·‖²: √τ; on l1, l2: τ), "gamma" (1/τ; also of a
  /// method with a name of one's own), "temperature".
  std::string parameter() const;
  double parameter_of(double temperature) const;

  /// Whether a bound says nothing: it is not finite, not below the cap (of ln l: below its logarithm), which no clipped
  /// loss exceeds anyway, or it is proved but not below what predicting the same for every sample attains.
  bool vacuous(const CertificatePoint& point) const;

  /// One line.
  std::string brief_report() const;
  /// The constants, then a row for each rho.
  std::string full_report() const;
};

/// Certificates of a problem on the samples of a data set. Without constants in the options those of a
/// SupervisedProblem are computed from its layers; for any other problem give transform().lipschitz() or .curvature().
/// Population statements: with losses clipped to [floor, cap], Λ is in [a,b] and the bound gets (b−a)·√(ln(K/δ)/(2N))
/// for K temperatures that were fixed beforehand and N samples that training has not seen (Hoeffding, union bound).
/// They are about this one model; the uniform statement over all models (Rademacher complexity) is not made. Throws
/// Error when a label cannot be given, with the reason; never a number without its proof.
Certificate certify(Problem& problem, const Dataset& dataset, const CertificateOptions& options);

/// P(error) ≤ E[cross entropy]/ln 2, at most 1: an error costs at least ln 2. Of losses clipped to a cap below ln 2 it
/// costs the cap alone, and the mean is divided by that.
double error_bound(double cross_entropy, std::optional<double> cap = std::nullopt);

/// Temperatures of bandwidths: σ² for ½‖u−x‖², σ for l1 and l2; Error for costs without a bandwidth.
std::vector<double> temperatures_of_sigmas(const std::vector<double>& sigmas, const Cost& cost);
/// 1/γ; γ = 0 is τ = ∞.
std::vector<double> temperatures_of_gammas(const std::vector<double>& gammas);

}  // namespace arks
