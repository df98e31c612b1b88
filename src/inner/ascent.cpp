#include <arks/inner/ascent.h>

#include "support/samples.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <cmath>

namespace arks {

namespace {

class SgdAscent : public Ascent {
 public:
  using Ascent::Ascent;

 private:
  torch::Tensor stepped(const torch::Tensor& u, const torch::Tensor& gradient, int64_t /*step*/, double rate) override {
    velocity_ = velocity_.defined() ? velocity_.mul_(options_.momentum()).add_(gradient) : gradient.clone();
    return u.add(velocity_, rate);
  }

  torch::Tensor velocity_;
};

class AdamAscent : public Ascent {
 public:
  using Ascent::Ascent;

 private:
  static constexpr double kBeta1 = 0.9;
  static constexpr double kBeta2 = 0.999;
  static constexpr double kEpsilon = 1e-8;

  torch::Tensor stepped(const torch::Tensor& u, const torch::Tensor& gradient, int64_t step, double rate) override {
    if (!first_.defined()) {
      first_ = torch::zeros_like(gradient);
      second_ = torch::zeros_like(gradient);
      if (options_.rule() == AscentRule::kAmsgrad) largest_second_ = torch::zeros_like(gradient);
    }
    first_.mul_(kBeta1).add_(gradient, 1 - kBeta1);
    second_.mul_(kBeta2).addcmul_(gradient, gradient, 1 - kBeta2);
    if (largest_second_.defined()) torch::maximum_out(largest_second_, largest_second_, second_);
    const auto t = static_cast<double>(step + 1);
    const double correction1 = 1 - std::pow(kBeta1, t);
    const double correction2 = 1 - std::pow(kBeta2, t);
    const auto& second = largest_second_.defined() ? largest_second_ : second_;
    const auto denominator = second.sqrt().div_(std::sqrt(correction2)).add_(kEpsilon);
    return torch::addcdiv(u, first_, denominator, rate / correction1);
  }

  torch::Tensor first_, second_, largest_second_;
};

class SignAscent : public Ascent {
 public:
  using Ascent::Ascent;

 private:
  torch::Tensor stepped(const torch::Tensor& u, const torch::Tensor& gradient, int64_t /*step*/, double rate) override {
    const auto& scale = options_.step_scale();
    return u.add(scale.defined() ? gradient.sign() * per_feature(scale, u, "step scale") : gradient.sign(), rate);
  }
};

class NormalizedAscent : public Ascent {
 public:
  using Ascent::Ascent;

 private:
  torch::Tensor stepped(const torch::Tensor& u, const torch::Tensor& gradient, int64_t /*step*/, double rate) override {
    return u.add(unit_samples(gradient), rate);  // a zero gradient moves nothing
  }
};

}  // namespace

void check(const AscentOptions& options) {
  ARKS_CHECK(options.steps() >= 0, "inner steps must not be negative, got ", options.steps());
  ARKS_CHECK(std::isfinite(options.learning_rate()) && options.learning_rate() > 0,
             "inner learning rate must be positive and finite, got ", options.learning_rate());
  ARKS_CHECK(!options.step_scale().defined() || options.rule() == AscentRule::kSign,
             "inner step scale can only be used with sign steps");
  ARKS_CHECK(options.momentum() >= 0 && options.momentum() < 1, "inner momentum must be in [0, 1), got ",
             options.momentum());
  ARKS_CHECK(std::isfinite(options.tolerance()) && options.tolerance() >= 0,
             "inner tolerance must be finite and not negative, got ", options.tolerance());
  ARKS_CHECK(options.history() > 0, "inner history must be positive, got ", options.history());
  ARKS_CHECK(
      options.measures_last() || (options.returned() == InnerReturn::kLast && options.rule() != AscentRule::kLbfgs),
      "inner maximisation: the last iterate must be measured unless it is the one that is returned, and always "
      "with lbfgs");
  ARKS_CHECK(options.rule() != AscentRule::kLbfgs || options.mode() == InnerMode::kEval,
             "inner optimiser lbfgs needs inner mode eval, got train: samples that are done leave the batch, and batch "
             "statistics would change with it");
}

torch::Tensor Ascent::advance(const torch::Tensor& u, const torch::Tensor& gradient, int64_t step) {
  const double decay = options_.learning_rate_decay() ? 1 / std::sqrt(static_cast<double>(step + 1)) : 1;
  return stepped(u, gradient, step, options_.learning_rate() * decay);
}

std::unique_ptr<Ascent> make_ascent(const AscentOptions& options) {
  check(options);
  switch (options.rule()) {
    case AscentRule::kSgd:
      return std::make_unique<SgdAscent>(options);
    case AscentRule::kAdam:
    case AscentRule::kAmsgrad:
      return std::make_unique<AdamAscent>(options);
    case AscentRule::kSign:
      return std::make_unique<SignAscent>(options);
    case AscentRule::kNormalized:
      return std::make_unique<NormalizedAscent>(options);
    case AscentRule::kLbfgs:
      throw Error("lbfgs chooses its steps by line search: make_maximizer runs it, make_ascent cannot");
  }
  throw Error("unknown ascent rule");
}

AscentRule steepest_rule(Norm norm) {
  return norm == Norm::kLinf ? AscentRule::kSign : AscentRule::kNormalized;
}

AscentRule parse_ascent_rule(const std::string& name) {
  return named_value<AscentRule>(name, ascent_rule_names(), "inner optimiser");
}

std::vector<std::string> ascent_rule_names() {
  return {"sgd", "adam", "amsgrad", "sign", "normalized", "lbfgs"};
}

}  // namespace arks
