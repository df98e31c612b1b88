#include "maximized_majorant.h"
#include "objective/method_settings.h"

#include <arks/objective/wrm.h>
#include <arks/support/error.h>

#include <cmath>

namespace arks {

Wrm::Wrm(double gamma, AscentOptions ascent, CostPtr cost, std::optional<Bounds> domain)
    : gamma_(gamma), ascent_(ascent), cost_(std::move(cost)), domain_(std::move(domain)) {
  ARKS_CHECK(std::isfinite(gamma_) && gamma_ >= 0, "wrm: gamma must not be negative, got ", gamma_);
  ARKS_CHECK(cost_ != nullptr, "wrm: no cost given");
  check(ascent_);
  if (domain_) check(*domain_);
}

std::unique_ptr<Majorant> Wrm::bind(Problem& problem) const {
  const auto penalty = std::make_shared<LinearPenalty>(gamma_);
  MaximizedMajorant::Parts parts;
  parts.domain = domain_;
  parts.maximizer = make_maximizer(problem, penalty, cost_, ascent_, make_domain(domain_));
  parts.surrogate = penalty;
  parts.reports_cost = true;
  return std::make_unique<MaximizedMajorant>(problem, std::move(parts));
}

namespace {

class WrmMethod : public Method {
 public:
  Setting<double> gamma{this, real("gamma", "multiplies the cost")
                                  .unit("loss per cost")
                                  .not_negative()
                                  .otherwise([this]() -> std::optional<double> {
                                    return published().strengths ? std::optional(published().gamma) : std::nullopt;
                                  })};
  CostSettings cost{this, [] { return "sq-l2"; }};
  DomainSettings domain{this};
  InnerSettings inner{this, InnerSettings::Rule::kChosen, [this] { return published().gamma_inner_rate; }};

  double passes() const override { return 1 + inner.passes(); }
  std::optional<CertificateForm> certificate() const override {
    CertificateForm found;
    found.takes_gamma = true;
    found.cost = "sq-l2";
    return found;
  }
  std::string reach_further() const override { return "lower --gamma or raise --inner-lr"; }
  void check_samples(const Dataset& train_set) const override { domain.check_samples(train_set); }
  std::unique_ptr<Objective> make(const MethodContext& context) const override {
    return std::make_unique<Wrm>(*gamma, inner.options(), cost.make(context.train_set), domain.bounds());
  }

 protected:
  void check_given() const override {
    cost.check();
    need_strength("wrm", "--gamma", gamma.given());
  }
};

}  // namespace

MethodEntry wrm_method() {
  return {"wrm", "loss minus a price per squared distance (Wasserstein)", [] { return std::make_unique<WrmMethod>(); }};
}

}  // namespace arks
