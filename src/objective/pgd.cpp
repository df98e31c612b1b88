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
  if (options_.random_start()) parts.start = uniform_start(ball);
  return std::make_unique<MaximizedMajorant>(problem, std::move(parts));
}

namespace {

class PgdMethod : public Method {
 public:
  BallSettings ball{this, BallSettings::Norms::kAll, [this] { return published().eps; }};
  Setting<bool> random_start{this,
                             yes_no("random-start", "start anywhere in the ball, not at the sample").otherwise(false)};
  Setting<bool> project_bounds{this, yes_no("project-bounds", "stay within --bounds in every step").otherwise(false)};
  InnerSettings inner{this, InnerSettings::Rule::kSteepest, [this]() -> std::optional<double> {
                        if (!ball.eps.has_value()) return std::nullopt;
                        // where none is published: one that reaches the surface and can still turn (Madry et al. 2018)
                        const auto steps = static_cast<double>(std::max<int64_t>(*inner.steps, 1));
                        return published().strengths ? published().alpha : 2.5 * *ball.eps / steps;
                      }};

  std::string advice() const override {
    const double reach = static_cast<double>(*inner.steps) * *inner.rate;
    if (*random_start || reach >= *ball.eps * (1 - 1e-9)) return "";
    return c10::str("pgd: ", *inner.steps, " steps of ", *inner.rate, " reach ", reach, ", never eps ", *ball.eps,
                    "; so it was published, but a larger --inner-lr is usually meant");
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
