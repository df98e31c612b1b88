#pragma once
// The settings of `arks certify`, and the way from them to costs and temperatures.
#include "certify/certificate_kind.h"
#include "cli/data_settings.h"
#include "cli/model_names.h"
#include "objective/method_settings.h"

#include <arks/certify/certificate.h>

#include <optional>
#include <string>
#include <vector>

namespace arks::cli {

class CertifySettings : public SettingGroup {
 public:
  CertifySettings() : SettingGroup("Certificate") {}

  const CertificateKind& kind() const { return *find_certificate_kind(*method); }
  bool compares = false;  ///< several models: then the loss is bounded, which can be compared; set before fill()

  Setting<std::string> method{
      this, text("method", "which supremum is bounded; several models: c-transform, of the loss")
                .words(certificate_kind_names())
                .quietly([this] { return std::optional<std::string>(of_loss() ? "c-transform" : "arks"); })};
  Setting<std::string> rho{this, text("rho", "radii: a number, a list a,b or a range a:b:step")
                                     .unit("cost units")
                                     .type("LIST")
                                     .otherwise("0:0.5:0.05")
                                     .only_if([this] { return has_curve(); }, "with a curve")};
  Setting<NumberList> sigma{
      this, numbers("sigma", of(&CertificateKind::takes_sigma) + "bandwidths; the best counts for each rho")
                .unit("input units")
                .or_infinity()
                .default_words("searched for each rho")};
  Setting<NumberList> gamma{this, numbers("gamma", of(&CertificateKind::takes_gamma) + "factor of the cost")
                                      .unit("loss per cost")
                                      .default_words("searched for each rho")};
  Setting<NumberList> temperature{
      this,
      numbers("temperature", "tau itself, instead of --sigma or --gamma = 1/tau").unit("cost units").or_infinity()};
  CostSettings cost{this, [this]() -> std::optional<std::string> {
                      return imq_scale.given() ? std::nullopt : std::optional(kind().cost);
                    }};
  Setting<double> kernel_temperature{
      this,
      real("kernel-temperature", of(&CertificateKind::of_kernel) + "tau of its kernel exp(-cost/tau), for any cost")
          .unit("cost units")
          .positive()
          .quietly([this] { return of_imq() ? std::optional(kImq) : std::nullopt; })
          .default_words(to_text(kImq) + " with --imq-scale")};
  Setting<double> imq_scale{this,
                            real("imq-scale", "C of the cost ln(1 + |u-x|^2/C^2)/2").unit("input units").positive()};
  Setting<std::string> quantity{
      this,
      text("quantity", of(&CertificateKind::any_quantity) + "what is bounded").words(quantity_names()).quietly([this] {
        return std::optional(to_string(kind().quantity()));
      })};
  Setting<std::string> label{this, text("label", "how the bound is justified")
                                       .words(certificate_label_names())
                                       .otherwise("verified")
                                       .only_if([this] { return has_curve(); }, "with a curve")};
  Setting<double> delta{this, real("delta", "population: chance that the statement is wrong")
                                  .checked("above 0 and below 1", [](double d) { return d > 0 && d < 1; })};
  Setting<double> floor{this, real("floor", "population: clip losses below this").unit("loss units")};
  Setting<double> cap{this, real("cap", "population: clip losses above this").unit("loss units")};
  DomainSettings domain{this};
  Setting<double> lipschitz{this,
                            real("lipschitz", "G of the quantity, if you know it").default_words("from the layers")};
  Setting<double> curvature{
      this, real("curvature", "L, largest eigenvalue of its Hessian, if you know it").default_words("from the layers")};
  Setting<bool> convexity{
      this, yes_no("convexity", "for which sigma the inner problem is provably concave; --rho adds a curve")
                .otherwise(false)};

  bool has_curve() const { return !convexity.value_or(false) || rho.given(); }
  /// Throws Error for what does not go together.
  void check() const;
  /// What rho is measured with. `learned` is a Mahalanobis cost that was made from data; without one a cost of the same
  /// kind stands for it, so that settings can be checked before the data are there.
  CostPtr transport_cost(const CostPtr& learned) const;
  /// Those of --sigma, --gamma or --temperature; nothing where they are to be searched.
  std::optional<std::vector<double>> temperatures(const Cost& of) const;

 private:
  bool of_loss() const { return compares && !sigma.given() && !imq_scale.given(); }
  static constexpr double kImq = 1;  // the temperature for which a kernel of --imq-scale is the usual one
  bool of_imq() const { return kind().of_kernel && imq_scale.given() && !sigma.given(); }
  /// "arks, ke: ", the methods that a setting is for.
  static std::string of(bool CertificateKind::*property) { return join(certificate_kinds_with(property)) + ": "; }
  /// Throws Error when the setting was given and the method is none of those that it is for.
  void check_used(const AnySetting& setting, bool CertificateKind::*property) const;
  CostPtr base_cost(const CostPtr& learned) const;
};

class CertifyAscent : public SettingGroup {
 public:
  static constexpr int64_t kStarts = 2, kConvexityStarts = 5;  // where none are given

  CertifyAscent() : SettingGroup("Inner maximisation (L-BFGS in float64)") {}

  Setting<int64_t> starts{this, whole("starts", "ascents per sample, the first at the sample, others at random")
                                    .unit("ascents")
                                    .positive()
                                    .default_words(to_text(kStarts) + "; convexity: " + to_text(kConvexityStarts))};
  Setting<int64_t> inner_steps{this, whole("inner-steps", "step limit; it stops when the gradient is below 1e-8")
                                         .unit("steps")
                                         .not_negative()
                                         .otherwise(certificate_ascent().steps())};
};

class CertifySamples : public SettingGroup {
 public:
  CertifySamples() : SettingGroup("Data") {}

  Setting<std::string> data{
      this, data_setting("data set, file or folder; needed for a TorchScript file").default_words("that of MODEL")};
  Setting<std::string> split{this, text("split", "which samples").words({"test", "train"}).otherwise("test")};
  Setting<int64_t> limit{this, limit_setting("limit", "use the first N samples; 0 = all").otherwise(100)};
  Setting<int64_t> batch_size{
      this,
      whole("batch-size", "samples at once").unit("samples").positive().otherwise(CTransformOptions().batch_size())};
  Setting<int64_t> seed{this, whole("seed", "seed of random starts").not_negative().otherwise(0)};
};

class CertifyOutput : public SettingGroup {
 public:
  CertifyOutput() : SettingGroup("Output") {}

  Setting<std::string> csv{this, text("csv", "write the curve as CSV; - = stdout").path("FILE|-").output()};
  Setting<std::string> names{this, names_setting()};
  Setting<std::string> figure{
      this, text("figure", "draw bound and attained curve: .svg or .png, comma-separated").paths().output()};
  Setting<bool> force{this, yes_no("force", "overwrite output files").otherwise(false).output()};
};

}  // namespace arks::cli
