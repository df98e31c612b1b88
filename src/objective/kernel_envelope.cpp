#include "maximized_majorant.h"
#include "objective/method_settings.h"

#include <arks/objective/kernel_envelope.h>
#include <arks/support/error.h>

#include <cmath>

namespace arks {

KernelEnvelope::KernelEnvelope(Kernel kernel, KernelEnvelopeOptions options, AscentOptions ascent)
    : kernel_(std::move(kernel)), options_(std::move(options)), ascent_(ascent) {
  check(ascent_);
  check(options_.domain());
  ARKS_CHECK(std::isfinite(options_.gamma()) && options_.gamma() >= 0,
             "kernel envelope: gamma must be finite and not negative, got ", options_.gamma());
  ARKS_CHECK(options_.restarts() > 0, "kernel envelope: restarts must be positive, got ", options_.restarts());
}

std::unique_ptr<Majorant> KernelEnvelope::bind(Problem& problem) const {
  const auto envelope = std::make_shared<KernelDistance>(options_.gamma(), kernel_.temperature());
  MaximizedMajorant::Parts parts;
  parts.domain = options_.domain();
  parts.maximizer = make_maximizer(problem, envelope, kernel_.cost(), ascent_, make_domain(parts.domain));
  parts.surrogate = envelope;
  parts.temperature = kernel_.temperature();
  parts.reports_cost = true;
  parts.restarts = options_.restarts();
  return std::make_unique<MaximizedMajorant>(problem, std::move(parts));
}

namespace {

class KernelEnvelopeMethod : public Method {
 public:
  Setting<double> gamma{this, real("gamma", "multiplies 1-k").unit("loss units").not_negative()};
  KernelSettings kernel{this};
  DomainSettings domain{this};
  InnerSettings inner{this, InnerSettings::Rule::kChosen,
                      [this] { return inner.step_for(kernel.bandwidth(), published(), published().sigma_inner_rate); }};
  RestartSettings restarts{&inner};

  double passes() const override { return 1 + restarts.passes(inner); }
  std::optional<CertificateForm> certificate() const override {
    CertificateForm found;
    found.takes_sigma = found.takes_gamma = found.of_kernel = true;
    found.cost = "half-sq-l2";
    return found;
  }
  std::optional<GuardStrength> strength() const override { return kernel.strength(); }
  std::string how_to_move(int64_t inputs) const override {
    return arks::how_to_move(inner, "--gamma is too large or --sigma too small", kernel.bandwidth(), inputs);
  }
  std::string how_to_stay_near() const override { return arks::how_to_stay_near(inner); }
  void check_samples(const Dataset& train_set) const override { domain.check_samples(train_set); }
  std::unique_ptr<Objective> make(const MethodContext& context) const override {
    const auto options = KernelEnvelopeOptions(*domain.bounds()).gamma(*gamma).restarts(*restarts.count);
    return std::make_unique<KernelEnvelope>(kernel.make(context.train_set), options, inner.options());
  }

 protected:
  void check_given() const override {
    kernel.check();
    domain.need("--method ke");
    ARKS_CHECK(gamma.given(), "--method ke needs --gamma: the paper gives no value (its search: 0.01 to 1000)");
    need_strength("ke", "--sigma (or --temperature)", !kernel.lacks_bandwidth());
  }
};

}  // namespace

MethodEntry ke_method() {
  return {"ke", "loss minus a price that never exceeds gamma (kernel distance envelope)",
          [] { return std::make_unique<KernelEnvelopeMethod>(); }};
}

}  // namespace arks
