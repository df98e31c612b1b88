#include "maximized_majorant.h"
#include "objective/method_settings.h"

#include <arks/objective/arks.h>
#include <arks/support/error.h>

#include <cmath>

namespace arks {

Arks::Arks(Kernel kernel, AscentOptions ascent, InnerForm form, std::optional<Bounds> domain)
    : kernel_(std::move(kernel)), ascent_(ascent), form_(form), domain_(std::move(domain)) {
  check(ascent_);
  if (domain_) check(*domain_);
  ARKS_CHECK(domain_ || !kernel_.needs_domain(), "arks: with ",
             std::isinf(kernel_.temperature()) ? "an infinite bandwidth" : "the inverse multiquadric kernel",
             " the supremum over all of space is infinite for an unbounded loss; declare a compact domain");
}

std::string Arks::remedy() const {
  return remedy_of(ascent_, "a smaller sigma or a compact domain");
}

namespace {

/// A kernel times a negative loss grows with the distance, so that the product bounds nothing. The losses at the
/// samples are there anyway.
class ArksMajorant : public MaximizedMajorant {
 public:
  using MaximizedMajorant::MaximizedMajorant;

  WorstPoints find(const Batch& batch, torch::Generator& generator) override {
    auto points = MaximizedMajorant::find(batch, generator);
    const auto least = points.clean.loss.min().item<double>();
    ARKS_CHECK(!(least < 0), "arks: the loss of a sample is ", least,
               "; arks needs a loss that is never negative: add a constant to it, or take wrm");
    return points;
  }
};

}  // namespace

std::unique_ptr<Majorant> Arks::bind(Problem& problem) const {
  const double temperature = kernel_.temperature();
  const auto product = std::make_shared<KernelProduct>(temperature);
  InnerObjectivePtr climbed = product;
  if (form_ == InnerForm::kLog) climbed = std::make_shared<LogKernelProduct>(temperature);
  MaximizedMajorant::Parts parts;
  parts.domain = domain_;
  parts.maximizer = make_maximizer(problem, climbed, kernel_.cost(), ascent_, make_domain(domain_));
  parts.surrogate = product;
  parts.temperature = temperature;
  parts.reports_cost = true;
  return std::make_unique<ArksMajorant>(problem, std::move(parts));
}

namespace {

class ArksMethod : public Method {
 public:
  KernelSettings kernel{this};
  DomainSettings domain{this};
  InnerSettings inner{this, InnerSettings::Rule::kChosen,
                      [this] { return inner.step_for(kernel.bandwidth(), published(), published().sigma_inner_rate); }};
  Setting<std::string> form{this, text("inner-objective", "climb l*k or ln(l)-cost/tau; both have the same maximiser")
                                      .words({"product", "log"})
                                      .otherwise("product")};

  double passes() const override { return 1 + inner.passes(); }
  std::optional<CertificateForm> certificate() const override {
    CertificateForm found;
    found.of_log_loss = found.takes_sigma = true;
    found.cost = "half-sq-l2";
    return found;
  }
  std::optional<GuardStrength> strength() const override { return kernel.strength(); }
  std::string how_to_move(int64_t inputs) const override {
    return arks::how_to_move(inner, "--sigma is too small", kernel.bandwidth(), inputs);
  }
  std::string how_to_stay_near() const override { return arks::how_to_stay_near(inner); }
  void check_samples(const Dataset& train_set) const override { domain.check_samples(train_set); }
  std::unique_ptr<Objective> make(const MethodContext& context) const override {
    return std::make_unique<Arks>(kernel.make(context.train_set), inner.options(),
                                  *form == "log" ? InnerForm::kLog : InnerForm::kProduct, domain.bounds());
  }

 protected:
  void check_given() const override {
    kernel.check();
    if (const auto who = kernel.endless(); !who.empty()) domain.need(who);
    need_strength("arks", "--sigma (or --temperature)", !kernel.lacks_bandwidth());
  }
};

}  // namespace

MethodEntry arks_method() {
  return {"arks", "loss times a kernel that fades with the distance", [] { return std::make_unique<ArksMethod>(); }};
}

}  // namespace arks
