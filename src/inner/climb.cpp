#include "inner/climb.h"

#include "engine/ascent_loops.h"

#include <array>
#include <cmath>
#include <cstring>

namespace arks {

namespace {

const float* row_of(const torch::Tensor& samples, int64_t sample) {
  return samples.data_ptr<float>() + sample * samples.size(1);
}

void copy(const float* from, float* to, int64_t numbers) {
  std::memcpy(to, from, static_cast<size_t>(numbers) * sizeof(float));
}

}  // namespace

Climbers::Climbers(ClimbTask& task, int64_t slots)
    : task_(task),
      memory_(torch::zeros({slots * kRows * task.stride}, torch::kFloat)),
      data_(memory_.data_ptr<float>()),
      bounded_(task.low.defined()),
      states_(static_cast<size_t>(slots)) {
  if (task.step_scale.defined()) {
    scale_ = torch::zeros({task.stride}, torch::kFloat);
    scale_.narrow(0, 0, task.numbers).copy_(task.step_scale);
  }
}

void Climbers::begin(int64_t slot, int64_t sample, float* u) {
  states_[static_cast<size_t>(slot)].sample = sample;
  copy(row_of(task_.x, sample), row(slot, kOrigin), task_.numbers);
  copy(row_of(task_.start, sample), u, task_.numbers);
  std::memset(u + task_.numbers, 0, static_cast<size_t>(task_.stride - task_.numbers) * sizeof(float));
  if (bounded_) {
    copy(row_of(task_.low, sample), row(slot, kLow), task_.numbers);
    copy(row_of(task_.high, sample), row(slot, kHigh), task_.numbers);
  }
  std::memset(row(slot, kFirst), 0, static_cast<size_t>(3 * task_.stride) * sizeof(float));
}

void Climbers::move(int64_t from, int64_t to) {
  states_[static_cast<size_t>(to)] = states_[static_cast<size_t>(from)];
  copy(row(from, kOrigin), row(to, kOrigin), kRows * task_.stride);
}

void Climbers::stop(int64_t slot, Termination why) {
  auto& known = task_.result.terminations[static_cast<size_t>(states_[static_cast<size_t>(slot)].sample)];
  if (known == Termination::kStepLimit) known = why;  // the first reason stands
}

bool Climbers::judge(int64_t slot, const float* u, const float* prediction, bool first, float* slope) {
  auto& state = states_[static_cast<size_t>(slot)];
  const int64_t sample = state.sample;
  const bool log = task_.objective->takes_log_loss();
  std::array<double, 64> few{};
  std::vector<double> many;
  double* loss_slope = few.data();
  if (task_.outputs > static_cast<int64_t>(few.size())) {
    many.resize(static_cast<size_t>(task_.outputs));
    loss_slope = many.data();
  }
  const auto found = (*task_.loss)(prediction, sample, log, loss_slope);
  state.cost = task_.cost(u, row(slot, kOrigin), task_.stride);
  const auto at = task_.objective->at(log ? found.log_loss : found.loss, state.cost);
  state.cost_slope = at.cost;
  for (int64_t j = 0; j < task_.outputs; ++j) slope[j] = static_cast<float>(at.loss * loss_slope[j]);

  auto& result = task_.result;
  const auto value = static_cast<float>(at.value);
  if (first) {
    result.start_losses.data_ptr<float>()[sample] = static_cast<float>(found.loss);
    if (result.start_wrong.defined()) result.start_wrong.data_ptr<bool>()[sample] = found.wrong;
  }
  // a bounded loss can be finite where u no longer is
  const bool finite = std::isfinite(value) && engine::all_finite(u, task_.stride);
  float& kept = result.values.data_ptr<float>()[sample];
  if (first || (finite && (task_.ascent.returned() == InnerReturn::kLast || value > kept))) {
    kept = value;
    result.losses.data_ptr<float>()[sample] = static_cast<float>(found.loss);
    result.costs.data_ptr<float>()[sample] = static_cast<float>(state.cost);
    copy(u, result.u.data_ptr<float>() + sample * task_.numbers, task_.numbers);
  }
  if (!finite) stop(slot, Termination::kNotFinite);
  return finite;
}

bool Climbers::advance(int64_t slot, float* u, float* gradient, int64_t step) {
  const auto& state = states_[static_cast<size_t>(slot)];
  const float* const origin = row(slot, kOrigin);
  // not every operation writes behind the last number, where another gradient may have been before
  std::memset(gradient + task_.numbers, 0, static_cast<size_t>(task_.stride - task_.numbers) * sizeof(float));
  task_.cost.add_gradient(gradient, state.cost_slope, state.cost, u, origin, task_.stride);
  const float steepest = engine::largest(gradient, task_.stride);
  const double tolerance = task_.ascent.tolerance();
  if (!std::isfinite(steepest) || steepest == 0) {
    stop(slot, steepest == 0 ? Termination::kZeroGradient : Termination::kNotFinite);
    return false;
  }
  if (tolerance > 0) {
    const float left =
        bounded_ ? engine::largest_followable(gradient, u, row(slot, kLow), row(slot, kHigh), task_.stride) : steepest;
    if (static_cast<double>(left) <= tolerance) {
      stop(slot, Termination::kGradientTolerance);
      return false;
    }
  }
  step_along(slot, u, gradient, step);
  if (task_.l2_radius) engine::scale_into_ball(u, origin, *task_.l2_radius, task_.stride);
  if (bounded_) engine::clamp(u, row(slot, kLow), row(slot, kHigh), task_.stride);
  return true;
}

void Climbers::take_unmeasured(int64_t slot, const float* u) {
  if (!engine::all_finite(u, task_.stride)) return stop(slot, Termination::kNotFinite);
  const int64_t sample = states_[static_cast<size_t>(slot)].sample;
  copy(u, task_.result.u.data_ptr<float>() + sample * task_.numbers, task_.numbers);
}

void Climbers::step_along(int64_t slot, float* u, const float* gradient, int64_t step) {
  constexpr double kBeta1 = 0.9, kBeta2 = 0.999;
  const auto& ascent = task_.ascent;
  const auto t = static_cast<double>(step + 1);
  const double rate = ascent.learning_rate() * (ascent.learning_rate_decay() ? 1 / std::sqrt(t) : 1);
  switch (ascent.rule()) {
    case AscentRule::kSgd:
      return engine::sgd_step(u, gradient, row(slot, kFirst), static_cast<float>(ascent.momentum()),
                              static_cast<float>(rate), task_.stride);
    case AscentRule::kAdam:
    case AscentRule::kAmsgrad:
      return engine::adam_step(u, gradient, row(slot, kFirst), row(slot, kSecond),
                               ascent.rule() == AscentRule::kAmsgrad ? row(slot, kLargest) : nullptr,
                               static_cast<float>(rate / (1 - std::pow(kBeta1, t))),
                               static_cast<float>(1 / std::sqrt(1 - std::pow(kBeta2, t))), task_.stride);
    case AscentRule::kSign:
      return engine::sign_step(u, gradient, scale_.defined() ? scale_.data_ptr<float>() : nullptr,
                               static_cast<float>(rate), task_.stride);
    case AscentRule::kNormalized:
      return engine::normalized_step(u, gradient, static_cast<float>(rate), task_.stride);
    case AscentRule::kLbfgs:
      return;  // its maximizer is another one
  }
}

}  // namespace arks
