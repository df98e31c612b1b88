#pragma once
#include "objective/method_settings.h"

namespace arks {

/// What TRADES and MART have in common as methods of the tool: a ball, an ascent in it, and a divergence with a weight.
class DivergenceMethod : public Method {
 public:
  /// `beta` is the default weight.
  DivergenceMethod(std::string name, std::function<double()> beta);

  Setting<double> beta;
  BallSettings ball{this, BallSettings::Norms::kAll, [this] { return published().ball_eps; }};
  InnerSettings inner{this, InnerSettings::Rule::kSteepest,
                      [this] { return ball_step(ball.eps.optional(), *inner.steps); },
                      [this] { return published().ball_steps; }};

  double passes() const override { return 2 + inner.passes(); }  // x and u are both in the loss
  std::optional<GuardStrength> strength() const override { return ball.strength(); }
  std::string advice() const override;
  void check_samples(const Dataset& train_set) const override;

 protected:
  void check_given() const override { need_strength(name_.c_str(), "--eps", ball.eps.given()); }

  /// The options that both have: TradesOptions or MartOptions.
  template <typename Options>
  Options options(const MethodContext& context) const {
    return ball.apply(Options()).norm(parse_norm(**ball.norm)).beta(*beta).bounds(context.bounds);
  }

 private:
  std::string name_;
};

}  // namespace arks
