#include <arks/objective/fast.h>

#include "inner/surface_step.h"
#include "maximized_majorant.h"
#include "objective/method_settings.h"
#include "problem/state_guard.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>

namespace arks {

namespace {

/// By chance alone the difference of two accuracies of n samples has a standard deviation of up to √(0.5/n): 3 % here,
/// far from a fall that ends the training.
constexpr int64_t kFewestWatched = 512;

/// How many of the samples of some batches withstand PGD.
class Watch {
 public:
  Watch(Problem& problem, const FastOptions& options, ConstraintPtr ball)
      : problem_(problem), batches_(options.watch_batches()), steps_(options.watch_steps()), ball_(std::move(ball)) {
    const auto ascent = AscentOptions()
                            .rule(AscentRule::kSign)
                            .steps(options.watch_steps())
                            .learning_rate(step(options))
                            .step_scale(options.eps_scale());
    maximizer_ = make_maximizer(problem_, std::make_shared<LossAlone>(), nullptr, ascent, ball_);
  }

  double accuracy(const TrainedEpoch& epoch, torch::Generator& generator) {
    const ModeGuard eval(problem_, /*training=*/false);
    int64_t samples = 0, right = 0;
    for (int64_t i = 0; i < epoch.batches && (i < batches_ || samples < kFewestWatched); ++i) {
      const auto batch = epoch.batch(i);
      const auto start = ball_->random_point(batch.inputs, generator);
      const auto u = maximizer_->maximize(batch.inputs, batch.targets, start).u;
      torch::NoGradGuard no_grad;
      samples += batch.inputs.size(0);
      right += problem_.evaluate(u, batch.targets).wrong.logical_not().sum().item<int64_t>();
    }
    return static_cast<double>(right) / static_cast<double>(samples);
  }

  /// A quarter of the radius, or more where few steps could not cross the ball.
  static double step(const FastOptions& options) {
    return std::max(options.eps() / 4, surface_step(options.eps(), options.watch_steps()));
  }

  std::string attack() const { return c10::str("PGD with ", steps_, steps_ == 1 ? " step" : " steps"); }

 private:
  Problem& problem_;
  int64_t batches_, steps_;
  ConstraintPtr ball_;
  std::unique_ptr<Maximizer> maximizer_;
};

class FastMajorant : public MaximizedMajorant {
 public:
  FastMajorant(Problem& problem, Parts parts, const FastOptions& options, ConstraintPtr ball)
      : MaximizedMajorant(problem, std::move(parts)), drop_(options.watch_drop()) {
    if (options.watch_batches() > 0) watch_.emplace(problem, options, std::move(ball));
  }

  bool watches() const override { return watch_.has_value(); }

  EpochVerdict after_epoch(const TrainedEpoch& epoch, torch::Generator& generator) override {
    auto own = generator.clone();  // so that a run is the same with the watch and without
    const double now = watch_->accuracy(epoch, own);
    if (best_ && now < *best_ - allowed_fall(*best_)) {
      return {now,
              c10::str("catastrophic overfitting, the accuracy under ", watch_->attack(), " fell from ", percent(best_),
                       " to ", percent(now), ", by more than ", six_digits(100 * allowed_fall(*best_)), " points")};
    }
    best_ = std::max(now, best_.value_or(0));
    return {now, ""};
  }

  NamedTensors state() const override {
    if (!best_) return {};
    return {{kAccuracy, torch::tensor(*best_, torch::kDouble)}};
  }

  void load_state(const NamedTensors& state) override {
    check_state(state, kAccuracy);
    ARKS_CHECK(state.empty() || state[0].second.numel() == 1, "the checkpoint is damaged: ", kAccuracy, " holds ",
               state[0].second.numel(), " numbers, not one");
    best_ = state.empty() ? std::nullopt : std::optional<double>(state[0].second.item<double>());
  }

 private:
  static constexpr const char* kAccuracy = "fast.accuracy";

  /// An accuracy below watch_drop could never fall by so much. Near chance a half is noise.
  double allowed_fall(double from) const {
    constexpr double kNearChance = 0.1;
    return from > kNearChance ? std::min(drop_, from / 2) : drop_;
  }

  double drop_;
  std::optional<Watch> watch_;
  std::optional<double> best_;  // accuracy of all epochs so far
};

}  // namespace

FastTraining::FastTraining(FastOptions options) : options_(options) {
  ARKS_CHECK(std::isfinite(options_.step()) && options_.step() > 0, "fast: step must be positive and finite, got ",
             options_.step());
  ARKS_CHECK(options_.watch_batches() >= 0, "fast: watch_batches must not be negative, got ", options_.watch_batches());
  ARKS_CHECK(options_.watch_steps() > 0, "fast: watch_steps must be positive, got ", options_.watch_steps());
  ARKS_CHECK(options_.watch_drop() > 0 && options_.watch_drop() <= 1,
             "fast: watch_drop must be above 0 and at most 1, got ", options_.watch_drop());
  make_ball(Norm::kLinf, options_.eps(), options_.bounds(), options_.eps_scale());  // checks all of them
}

std::unique_ptr<Majorant> FastTraining::bind(Problem& problem) const {
  ARKS_CHECK(
      options_.watch_batches() == 0 || problem.has_classes(),
      "fast: the watch counts errors and this problem has no classes; set watch_batches to 0 to train without it");
  const auto loss = std::make_shared<LossAlone>();
  const auto ball = make_ball(Norm::kLinf, options_.eps(), options_.bounds(), options_.eps_scale());
  const double length = options_.eps() > 0 ? options_.step() * options_.eps() : 1;  // in a ball of radius 0 any will do
  const auto ascent = AscentOptions()
                          .rule(AscentRule::kSign)
                          .steps(1)
                          .learning_rate(length)
                          .step_scale(options_.eps_scale())
                          .returned(InnerReturn::kLast)
                          .measures_last(false)
                          .mode(options_.mode());
  MaximizedMajorant::Parts parts;
  parts.maximizer = make_maximizer(problem, loss, nullptr, ascent, ball);
  parts.surrogate = loss;
  parts.mode = options_.mode();
  parts.start = uniform_start(ball);
  return std::make_unique<FastMajorant>(problem, std::move(parts), options_, ball);
}

namespace {

class FastMethod : public Method {
 public:
  BallSettings ball{this, BallSettings::Norms::kLinf, [this] { return published().ball_eps; }};
  Setting<double> step{
      this, real("fast-step", "length of the one step").unit("times eps").positive().otherwise(FastOptions().step())};
  Setting<std::string> mode{this, inner_mode_setting()};
  Setting<int64_t> watch_batches{
      this, whole("watch-batches", "batches of each epoch that pgd attacks, at least 512 samples; 0 = none")
                .unit("batches")
                .not_negative()
                .otherwise(FastOptions().watch_batches())};
  Setting<int64_t> watch_steps{this, whole("watch-steps", "steps of that attack")
                                         .unit("steps")
                                         .positive()
                                         .otherwise(FastOptions().watch_steps())
                                         .only_if([this] { return watched(); }, kWatched)};
  Setting<double> watch_drop{
      this, real("watch-drop", "drop in accuracy under it that ends training")
                .checked("above 0 and at most 1", [](const double& drop) { return drop > 0 && drop <= 1; })
                .otherwise(FastOptions().watch_drop())
                .only_if([this] { return watched(); }, kWatched)};

  double passes() const override { return 2.5; }  // the step, the weights, and a look at the clean samples
  std::optional<GuardStrength> strength() const override { return ball.strength(); }
  /// Published with 15 epochs on images. Tables, whose epochs are a batch or two, and own data keep theirs.
  void adapt(PublishedSettings& outer) const override {
    constexpr int64_t kEpochs = 15;
    if (!outer.strengths) return;
    for (auto& epoch : outer.decay_epochs) epoch = (epoch * kEpochs + outer.epochs - 1) / outer.epochs;
    outer.epochs = kEpochs;
  }
  void check_samples(const Dataset& train_set) const override {
    ARKS_CHECK(train_set.info().num_classes > 0 || !watched(), "--method fast: its watch counts errors, and ",
               train_set.info().name, " has no classes; --watch-batches 0 trains without it");
    ball.check_samples(train_set);
  }
  std::unique_ptr<Objective> make(const MethodContext& context) const override {
    const FastOptions defaults;
    return std::make_unique<FastTraining>(ball.apply(FastOptions())
                                              .step(*step)
                                              .bounds(context.bounds)
                                              .mode(parse_inner_mode(*mode))
                                              .watch_batches(*watch_batches)
                                              .watch_steps(watch_steps.value_or(defaults.watch_steps()))
                                              .watch_drop(watch_drop.value_or(defaults.watch_drop())));
  }

 protected:
  void check_given() const override { need_strength("fast", "--eps", ball.eps.given()); }

 private:
  static constexpr const char* kWatched = "with --watch-batches above 0";
  bool watched() const { return watch_batches.value_or(1) > 0; }
};

}  // namespace

MethodEntry fast_method() {
  return {"fast", "one step from a random start in a ball (FGSM-RS), with a watch for overfitting to it",
          [] { return std::make_unique<FastMethod>(); }};
}

}  // namespace arks
