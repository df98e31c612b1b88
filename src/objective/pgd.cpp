#include "inner/surface_step.h"
#include "maximized_majorant.h"
#include "objective/method_settings.h"

#include <arks/objective/pgd.h>

namespace arks {

PgdTraining::PgdTraining(PgdTrainingOptions options, AscentOptions ascent)
    : options_(options), ascent_(ascent.rule(steepest_rule(options.norm())).step_scale(options.eps_scale())) {
  make_ball(options_.norm(), options_.eps(), options_.bounds(), options_.eps_scale());  // checks all of them
  check(ascent_);
}

std::unique_ptr<Majorant> PgdTraining::bind(Problem& problem) const {
  const auto loss = std::make_shared<LossAlone>();
  const auto ball = make_ball(options_.norm(), options_.eps(), options_.bounds(), options_.eps_scale());
  MaximizedMajorant::Parts parts;
  parts.maximizer = make_maximizer(problem, loss, nullptr, ascent_, ball);
  parts.surrogate = loss;
  parts.mode = ascent_.mode();
  if (options_.random_start()) parts.start = uniform_start(ball);
  return std::make_unique<MaximizedMajorant>(problem, std::move(parts));
}

namespace {

class PgdMethod : public Method {
 public:
  BallSettings ball{this, BallSettings::Norms::kAll, [this] { return published().eps; }};
  Setting<bool> random_start{this, random_start_setting()};
  Setting<bool> project_bounds{this, yes_no("project-bounds", "stay within --bounds in every step").otherwise(false)};
  InnerSettings inner{this, InnerSettings::Rule::kSteepest, [this]() -> std::optional<double> {
                        if (!ball.eps.has_value()) return std::nullopt;
                        return published().strengths ? published().alpha : surface_step(*ball.eps, *inner.steps);
                      }};

  double passes() const override { return 1 + inner.passes(); }
  std::optional<GuardStrength> strength() const override { return ball.strength(); }
  std::string advice() const override {
    const auto short_of = *random_start ? "" : falls_short(inner, ball);
    const bool given = ball.eps.given() || inner.steps.given() || inner.rate.given();
    if (short_of.empty()) return "";
    return "pgd: " + short_of + (given ? "" : ", as published") + "; a larger --inner-lr is usually intended";
  }
  void check_samples(const Dataset& train_set) const override { ball.check_samples(train_set); }
  std::unique_ptr<Objective> make(const MethodContext& context) const override {
    auto options = ball.apply(PgdTrainingOptions()).norm(parse_norm(**ball.norm)).random_start(*random_start);
    if (*project_bounds) options.bounds(context.bounds);
    return std::make_unique<PgdTraining>(options, inner.options());
  }

 protected:
  void check_given() const override { need_strength("pgd", "--eps", ball.eps.given()); }
};

}  // namespace

MethodEntry pgd_method() {
  return {"pgd", "the worst loss within a ball around each sample", [] { return std::make_unique<PgdMethod>(); }};
}

}  // namespace arks
