#include "maximized_majorant.h"
#include "objective/method_settings.h"

#include <arks/objective/worst_case.h>
#include <arks/support/error.h>

namespace arks {

WorstCase::WorstCase(WorstCaseOptions options, AscentOptions ascent) : options_(std::move(options)), ascent_(ascent) {
  check(ascent_);
  check(options_.domain());
  ARKS_CHECK(options_.restarts() > 0, "worst case: restarts must be positive, got ", options_.restarts());
}

std::unique_ptr<Majorant> WorstCase::bind(Problem& problem) const {
  const auto loss = std::make_shared<LossAlone>();
  MaximizedMajorant::Parts parts;
  parts.domain = options_.domain();
  parts.maximizer = make_maximizer(problem, loss, nullptr, ascent_, make_domain(parts.domain));
  parts.surrogate = loss;
  parts.restarts = options_.restarts();
  return std::make_unique<MaximizedMajorant>(problem, std::move(parts));
}

namespace {

class WorstCaseMethod : public Method {
 public:
  DomainSettings domain{this};
  InnerSettings inner{this, InnerSettings::Rule::kChosen, [this] { return published().sigma_inner_rate; }};
  RestartSettings restarts{&inner};

  double passes() const override { return 1 + restarts.passes(inner); }
  void check_samples(const Dataset& train_set) const override { domain.check_samples(train_set); }
  std::unique_ptr<Objective> make(const MethodContext& /*context*/) const override {
    return std::make_unique<WorstCase>(WorstCaseOptions(*domain.bounds()).restarts(*restarts.count), inner.options());
  }

 protected:
  void check_given() const override { domain.need("--method ro"); }
};

}  // namespace

MethodEntry ro_method() {
  return {"ro", "the worst loss anywhere in --domain (robust optimisation)",
          [] { return std::make_unique<WorstCaseMethod>(); }};
}

}  // namespace arks
