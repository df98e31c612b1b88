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

std::string Wrm::remedy() const {
  return remedy_of(ascent_, "a larger gamma or a compact domain");
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

constexpr const char* kUsualCost = "sq-l2";

class WrmMethod : public Method {
 public:
  Setting<double> gamma{this, real("gamma", "multiplies the cost")
                                  .unit("loss per cost")
                                  .not_negative()
                                  .otherwise([this]() -> std::optional<double> {
                                    if (published().strengths) return published().gamma;
                                    const auto& reach = published().reach;
                                    return reach ? reach->gamma(cost.cost.value_or(kUsualCost)) : std::nullopt;
                                  })};
  CostSettings cost{this, [] { return kUsualCost; }};
  DomainSettings domain{this};
  InnerSettings inner{this, InnerSettings::Rule::kChosen,
                      [this] { return inner.step_for(length(), published(), published().gamma_inner_rate); }};

  double passes() const override { return 1 + inner.passes(); }
  std::optional<CertificateForm> certificate() const override {
    CertificateForm found;
    found.takes_gamma = true;
    found.cost = kUsualCost;
    return found;
  }
  std::optional<GuardStrength> strength() const override {
    const auto scale = GuardScale::gamma(cost.cost.value_or(kUsualCost));
    if (!scale.covering({1, 1})) return std::nullopt;
    return GuardStrength{&gamma, scale};
  }
  std::string how_to_move(int64_t inputs) const override {
    return arks::how_to_move(inner, "--gamma is too large", length(), inputs);
  }
  std::string how_to_stay_near() const override { return arks::how_to_stay_near(inner); }
  void check_samples(const Dataset& train_set) const override { domain.check_samples(train_set); }
  std::unique_ptr<Objective> make(const MethodContext& context) const override {
    return std::make_unique<Wrm>(*gamma, inner.options(), cost.make(context.train_set), domain.bounds());
  }

 protected:
  /// That gamma stands for, where it is known.
  std::optional<double> length() const {
    const auto& reach = published().reach;
    if (!reach || !(gamma.value_or(0) > 0)) return std::nullopt;
    return reach->length_of_gamma(*gamma, cost.cost.value_or(kUsualCost));
  }
  void check_given() const override {
    cost.check();
    need_strength("wrm", "--gamma", gamma.given());
    const auto chosen = cost.cost.value_or(kUsualCost);
    const bool follows = published().strengths || GuardReach{1, 1}.gamma(chosen).has_value();
    ARKS_CHECK(gamma.given() || follows, "--method wrm needs --gamma with --cost ", chosen,
               ": it follows from the data only for squared lengths, sq-l2 and half-sq-l2");
  }
};

}  // namespace

MethodEntry wrm_method() {
  return {"wrm", "loss minus a price per squared distance (Wasserstein)", [] { return std::make_unique<WrmMethod>(); }};
}

}  // namespace arks
