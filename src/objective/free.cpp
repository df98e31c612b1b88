#include <arks/objective/free.h>

#include "measured.h"
#include "objective/method_settings.h"
#include "support/samples.h"

#include <arks/inner/constraint.h>
#include <arks/support/error.h>

namespace arks {

namespace {

constexpr const char* kDelta = "free.delta";

class FreeMajorant : public Majorant {
 public:
  FreeMajorant(Problem& problem, FreeOptions options) : problem_(problem), options_(std::move(options)) {}

  WorstPoints find(const Batch& batch, torch::Generator& /*generator*/) override {
    torch::NoGradGuard no_grad;
    fit(batch.inputs);
    return {moved(batch.inputs, rows_for(batch.inputs)), {}, measured_clean(problem_, batch, InnerMode::kEval)};
  }

  MajorantValue value(const Batch& batch, const WorstPoints& points) override {
    auto result = value_at(batch, points.u);
    add_clean(points.clean, result.sums);
    return result;
  }

  MajorantValue step(const Batch& batch, torch::Generator& /*generator*/, const Descend& descend) override {
    const auto& x = batch.inputs;
    fit(x);
    const auto radii = radii_for(x);
    const auto clean = measured_clean(problem_, batch, InnerMode::kEval);
    MajorantValue last;
    double surrogate = 0, adversarial = 0;
    for (int64_t pass = 0; pass < options_.replays(); ++pass) {
      const auto delta = rows_for(x).clone().set_requires_grad(true);
      last = descend([&] { return value_at(batch, moved(x, delta)); });
      surrogate += last.sums.surrogate;
      adversarial += *last.sums.adversarial_loss;
      ARKS_CHECK(delta.grad().defined(), "free: no gradient of the loss comes back to the input (detach, argmax, ",
                 "no_grad or a copy inside?), so no worse input can be found");
      torch::NoGradGuard no_grad;
      rows_for(x).copy_((delta + radii * delta.grad().sign()).clamp(-radii, radii));
    }
    const auto passes = static_cast<double>(options_.replays());
    add_clean(clean, last.sums);
    last.sums.surrogate = surrogate / passes;
    last.sums.adversarial_loss = adversarial / passes;
    return last;
  }

  NamedTensors state() const override {
    if (!delta_.defined()) return {};
    return {{kDelta, delta_}};
  }

  void load_state(const NamedTensors& state) override {
    check_state(state, kDelta);
    delta_ = state.empty() ? torch::Tensor() : state[0].second.detach().clone();
  }

 private:
  MajorantValue value_at(const Batch& batch, const torch::Tensor& u) {
    const auto loss = problem_.per_sample_loss(u, batch.targets);
    MajorantValue result;
    result.value = loss.mean();
    result.sums.samples = loss.size(0);
    result.sums.surrogate = total(loss);
    result.sums.adversarial_loss = result.sums.surrogate;
    result.adversarial = u.detach();
    return result;
  }

  torch::Tensor moved(const torch::Tensor& x, const torch::Tensor& delta) const {
    return options_.bounds() ? options_.bounds()->clamp(x + delta) : x + delta;
  }

  /// The rows of δ that a batch uses: the last one of an epoch is often smaller.
  torch::Tensor rows_for(const torch::Tensor& x) const { return delta_.narrow(0, 0, x.size(0)); }

  /// [1,...], in the type of x.
  torch::Tensor radii_for(const torch::Tensor& x) const {
    const auto& scale = options_.eps_scale();
    if (!scale.defined()) return torch::full({1}, options_.eps(), x.options());
    return per_feature(scale, x, "eps scale") * options_.eps();
  }

  /// Makes δ large enough for the batch; new rows are zero.
  void fit(const torch::Tensor& x) {
    if (!delta_.defined()) delta_ = torch::zeros_like(x);
    const bool same = delta_.sizes().slice(1) == x.sizes().slice(1) && delta_.scalar_type() == x.scalar_type();
    ARKS_CHECK(same, "free: the perturbation carried over has shape ", delta_.sizes(), " of type ",
               delta_.scalar_type(), ", but the batch has ", x.sizes(), " of type ", x.scalar_type());
    if (delta_.size(0) < x.size(0)) {
      delta_ = torch::cat({delta_, torch::zeros_like(x.narrow(0, 0, x.size(0) - delta_.size(0)))});
    }
  }

  Problem& problem_;
  FreeOptions options_;
  torch::Tensor delta_;  // [largest batch,...]; undefined before the first
};

}  // namespace

FreeTraining::FreeTraining(FreeOptions options) : options_(options) {
  ARKS_CHECK(options_.replays() > 0, "free: replays must be positive, got ", options_.replays());
  make_ball(Norm::kLinf, options_.eps(), options_.bounds(), options_.eps_scale());  // checks all of them
}

std::unique_ptr<Majorant> FreeTraining::bind(Problem& problem) const {
  return std::make_unique<FreeMajorant>(problem, options_);
}

namespace {

class FreeMethod : public Method {
 public:
  Setting<int64_t> replays{this, whole("replays", "passes over every batch; each moves weights and samples")
                                     .unit("passes")
                                     .positive()
                                     .otherwise(FreeOptions().replays())};
  /// One step comes out of one backward pass, so that no other rule has what it needs.
  Setting<std::string> rule{this,
                            text("inner-opt", "always a step of eps along the sign").words({"sign"}).otherwise("sign")};
  BallSettings ball{this, BallSettings::Norms::kLinf, [this] { return published().ball_eps; }};

  double passes() const override { return static_cast<double>(*replays); }
  std::optional<GuardStrength> strength() const override { return ball.strength(); }
  /// As many steps as ordinary training makes in the epochs of the data set (rounded up).
  void adapt(PublishedSettings& outer) const override {
    const auto divided = [m = *replays](int64_t epochs) { return (epochs + m - 1) / m; };
    outer.epochs = divided(outer.epochs);
    for (auto& epoch : outer.decay_epochs) epoch = divided(epoch);
  }
  void check_samples(const Dataset& train_set) const override { ball.check_samples(train_set); }
  std::unique_ptr<Objective> make(const MethodContext& context) const override {
    return std::make_unique<FreeTraining>(ball.apply(FreeOptions()).replays(*replays).bounds(context.bounds));
  }

 protected:
  void check_given() const override { need_strength("free", "--eps", ball.eps.given()); }
};

}  // namespace

MethodEntry free_method() {
  return {"free", "every batch several times, one backward pass for weights and samples",
          [] { return std::make_unique<FreeMethod>(); }};
}

}  // namespace arks
