#include <arks/objective/fast.h>

#include "maximized_majorant.h"
#include "objective/method_settings.h"
#include "problem/state_guard.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>

namespace arks {

namespace {

/// How many of the samples of some batches withstand PGD.
class Watch {
 public:
  Watch(Problem& problem, const FastOptions& options, ConstraintPtr ball)
      : problem_(problem), batches_(options.watch_batches()), steps_(options.watch_steps()), ball_(std::move(ball)) {
    const auto ascent = AscentOptions()
                            .rule(AscentRule::kSign)
                            .steps(options.watch_steps())
                            .learning_rate(options.eps() / 4)
                            .step_scale(options.eps_scale());
    maximizer_ = make_maximizer(problem_, std::make_shared<LossAlone>(), nullptr, ascent, ball_);
  }

  double accuracy(const TrainedEpoch& epoch, torch::Generator& generator) {
    const ModeGuard eval(problem_, /*training=*/false);
    int64_t samples = 0, right = 0;
    for (int64_t i = 0; i < std::min(batches_, epoch.batches); ++i) {
      const auto batch = epoch.batch(i);
      const auto start = ball_->random_point(batch.inputs, generator);
      const auto u = maximizer_->maximize(batch.inputs, batch.targets, start).u;
      torch::NoGradGuard no_grad;
      samples += batch.inputs.size(0);
      right += problem_.evaluate(u, batch.targets).wrong.logical_not().sum().item<int64_t>();
    }
    return static_cast<double>(right) / static_cast<double>(samples);
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

  std::optional<std::string> after_epoch(const TrainedEpoch& epoch, torch::Generator& generator) override {
    auto own = generator.clone();  // so that a run is the same with the watch and without
    const double now = watch_->accuracy(epoch, own);
    if (accuracy_ && now < *accuracy_ - drop_) {
      return c10::str("catastrophic overfitting, the accuracy under ", watch_->attack(), " fell from ",
                      percent(accuracy_), " to ", percent(now));
    }
    accuracy_ = now;
    return std::nullopt;
  }

  NamedTensors state() const override {
    if (!accuracy_) return {};
    return {{kAccuracy, torch::tensor(*accuracy_, torch::kDouble)}};
  }

  void load_state(const NamedTensors& state) override {
    const bool fits =
        state.empty() || (state.size() == 1 && state[0].first == kAccuracy && state[0].second.numel() == 1);
    ARKS_CHECK(fits, "the state of the method is another method's: it holds ", state.front().first);
    accuracy_ = state.empty() ? std::nullopt : std::optional<double>(state[0].second.item<double>());
  }

 private:
  static constexpr const char* kAccuracy = "fast.accuracy";

  double drop_;
  std::optional<Watch> watch_;
  std::optional<double> accuracy_;  // after the epoch before
};

}  // namespace

FastTraining::FastTraining(FastOptions options) : options_(options) {
  ARKS_CHECK(std::isfinite(options_.eps()) && options_.eps() > 0, "fast: eps must be positive and finite, got ",
             options_.eps());
  ARKS_CHECK(std::isfinite(options_.step()) && options_.step() > 0, "fast: the step must be positive and finite, got ",
             options_.step());
  ARKS_CHECK(options_.watch_batches() >= 0, "fast: the batches that are watched must not be negative, got ",
             options_.watch_batches());
  ARKS_CHECK(options_.watch_steps() > 0, "fast: the steps of the watch must be positive, got ", options_.watch_steps());
  ARKS_CHECK(options_.watch_drop() > 0 && options_.watch_drop() <= 1,
             "fast: the fall in accuracy that ends the training must be in (0, 1], got ", options_.watch_drop());
  make_ball(Norm::kLinf, options_.eps(), options_.bounds(), options_.eps_scale());  // checks bounds and scales
}

std::unique_ptr<Majorant> FastTraining::bind(Problem& problem) const {
  ARKS_CHECK(options_.watch_batches() == 0 || problem.has_classes(),
             "fast: the watch counts errors and this problem has no classes; watch no batches to train without it");
  const auto loss = std::make_shared<LossAlone>();
  const auto ball = make_ball(Norm::kLinf, options_.eps(), options_.bounds(), options_.eps_scale());
  const auto ascent = AscentOptions()
                          .rule(AscentRule::kSign)
                          .steps(1)
                          .learning_rate(options_.step() * options_.eps())
                          .step_scale(options_.eps_scale())
                          .returned(InnerReturn::kLast)
                          .mode(options_.mode());
  MaximizedMajorant::Parts parts;
  parts.maximizer = make_maximizer(problem, loss, nullptr, ascent, ball);
  parts.surrogate = loss;
  parts.start = uniform_start(ball);
  return std::make_unique<FastMajorant>(problem, std::move(parts), options_, ball);
}

namespace {

class FastMethod : public Method {
 public:
  BallSettings ball{this, BallSettings::Norms::kLinf, [this] { return published().ball_eps; }};
  Setting<double> step{this, real("fast-step", "length of the one step, in units of eps").positive().otherwise(1.25)};
  Setting<std::string> mode{this, text("inner-mode", "mode of the network in the inner loop; the paper had it in train")
                                      .words({"eval", "train"})
                                      .otherwise("eval")};
  Setting<int64_t> watch_batches{this,
                                 whole("watch-batches", "batches of each epoch that pgd attacks at its end; 0 = none")
                                     .not_negative()
                                     .otherwise(1)};
  Setting<int64_t> watch_steps{this, whole("watch-steps", "steps of that attack").positive().otherwise(10)};
  Setting<double> watch_drop{
      this,
      real("watch-drop", "fall of the accuracy under it that ends the training, in (0,1]").positive().otherwise(0.2)};

  void check_samples(const Dataset& train_set) const override { ball.check_samples(train_set); }
  std::unique_ptr<Objective> make(const MethodContext& context) const override {
    return std::make_unique<FastTraining>(ball.apply(FastOptions())
                                              .step(*step)
                                              .bounds(context.bounds)
                                              .mode(*mode == "eval" ? InnerMode::kEval : InnerMode::kTrain)
                                              .watch_batches(*watch_batches)
                                              .watch_steps(*watch_steps)
                                              .watch_drop(*watch_drop));
  }

 protected:
  void check_given() const override { need_strength("fast", "--eps", ball.eps.given()); }
};

}  // namespace

MethodEntry fast_method() {
  return {"fast", "one step from a random start in a ball (FGSM-RS), with a watch for overfitting to it",
          [] { return std::make_unique<FastMethod>(); }};
}

}  // namespace arks
