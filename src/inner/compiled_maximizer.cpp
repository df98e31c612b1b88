#include "inner/compiled_maximizer.h"

#include "engine/network_plans.h"
#include "engine/team.h"
#include "inner/climb.h"
#include "support/samples.h"

#include <arks/support/error.h>

#include <algorithm>

namespace arks {

namespace {

/// [n,numbers] contiguous float32, of samples or of something that broadcasts to them.
torch::Tensor flat(const torch::Tensor& values, const torch::Tensor& like) {
  return values.detach().to(torch::kFloat).expand_as(like).reshape({like.size(0), -1}).contiguous();
}

class CompiledMaximizer : public Maximizer {
 public:
  CompiledMaximizer(SupervisedProblem& problem, InnerObjectivePtr objective, const CostPtr& cost,
                    const AscentOptions& ascent, ConstraintPtr constraint, std::unique_ptr<Maximizer> otherwise)
      : problem_(problem),
        objective_(std::move(objective)),
        ascent_(ascent),
        constraint_(std::move(constraint)),
        otherwise_(std::move(otherwise)),
        cost_(SampleCost::of(cost)),
        loss_(SampleLoss::of(problem.criterion())) {
    if (!cost_) never_ = "the cost " + cost->name() + " is not compiled";
    if (!loss_) never_ = "the criterion is not compiled";
  }

  InnerResult maximize(const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& start) override;
  MaximizerInfo info() const override { return info_; }

 private:
  bool prepare(const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& start, ClimbTask& task,
               const engine::Compiled*& compiled);
  /// Whether nothing is looked at after this step.
  bool ends_with(int64_t step) const { return step + 1 == ascent_.steps() && !ascent_.measures_last(); }
  void in_chunks(const engine::Plan& plan, ClimbTask& task);
  void climb_chunk(const engine::Plan& plan, const engine::Pass& pass, Climbers& climbers, int64_t first_slot);
  void all_at_once(const engine::Plan& plan, ClimbTask& task);

  SupervisedProblem& problem_;
  InnerObjectivePtr objective_;
  AscentOptions ascent_;
  ConstraintPtr constraint_;
  std::unique_ptr<Maximizer> otherwise_;
  std::optional<SampleCost> cost_;
  std::unique_ptr<SampleLoss> loss_;
  std::string never_;  // why no batch can run on a plan
  MaximizerInfo info_;
  engine::Workspace workspace_;
};

bool CompiledMaximizer::prepare(const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& start,
                                ClimbTask& task, const engine::Compiled*& compiled) {
  info_ = MaximizerInfo();
  info_.why_not = never_;
  if (!never_.empty()) return false;
  if (x.scalar_type() != torch::kFloat || !x.device().is_cpu() || x.dim() < 2) {
    info_.why_not = "the inputs are not float32 on the CPU";
    return false;
  }
  const auto form = constraint_->form(x.detach());
  if (!form) info_.why_not = "the constraint set is not compiled";
  if (form && form->l2_radius && ascent_.tolerance() > 0) {
    info_.why_not = "an inner tolerance within an L2 ball is not compiled";
  }
  if (!info_.why_not.empty()) return false;
  compiled = &problem_.network().plans().find(x.sizes().slice(1), ascent_.mode() == InnerMode::kTrain);
  info_.why_not = compiled->why_not;
  if (!compiled->plan) return false;

  const auto& plan = *compiled->plan;
  const int64_t n = x.size(0);
  task.objective = objective_;
  task.cost = *cost_;
  task.loss = loss_.get();
  task.ascent = ascent_;
  task.numbers = plan.sample_numbers();
  task.stride = plan.sample_stride();
  task.outputs = plan.outputs();
  loss_->take_targets(y, n, task.outputs);
  task.x = flat(x, x);
  task.start = start.defined() ? flat(start, x) : task.x;
  if (form->low.defined()) {
    task.low = flat(form->low, x);
    task.high = flat(form->high, x);
  }
  task.l2_radius = form->l2_radius;
  if (ascent_.step_scale().defined()) {
    task.step_scale = flat(per_feature(ascent_.step_scale(), x, "step scale"), x.narrow(0, 0, 1))[0];
  }
  task.result.u = torch::empty({n, task.numbers});
  task.result.values = torch::empty({n});
  task.result.losses = torch::empty({n});
  task.result.costs = torch::empty({n});
  task.result.start_losses = torch::empty({n});
  if (loss_->counts_errors()) task.result.start_wrong = torch::empty({n}, torch::kBool);
  task.result.terminations.assign(static_cast<size_t>(n), Termination::kStepLimit);
  return true;
}

InnerResult CompiledMaximizer::maximize(const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& start) {
  ARKS_CHECK(x.dim() >= 1 && x.numel() > 0, "inner maximisation: the batch is empty");
  ARKS_CHECK(!start.defined() || start.sizes() == x.sizes(), "inner maximisation: the start has shape ", start.sizes(),
             ", but the batch has ", x.sizes());
  ClimbTask task;
  const engine::Compiled* compiled = nullptr;
  {
    torch::NoGradGuard no_grad;
    const auto lock = problem_.network().plans().lock();
    if (prepare(x, y, start, task, compiled)) {
      info_.compiled = true;
      if (compiled->plan->coupled()) {
        all_at_once(*compiled->plan, task);
      } else {
        in_chunks(*compiled->plan, task);
      }
      task.result.u = task.result.u.reshape(x.sizes());
      return std::move(task.result);
    }
  }
  return otherwise_->maximize(x, y, start);
}

void CompiledMaximizer::in_chunks(const engine::Plan& plan, ClimbTask& task) {
  const int64_t n = task.x.size(0), threads = engine::threads_for(n), chunk = engine::chunk_for(plan, n, threads);
  workspace_.prepare(threads, plan.scratch_size(), 0);
  auto arena = plan.arena(threads * chunk, threads * chunk);
  Climbers climbers(task, threads * chunk);
  info_.workspace_bytes = arena.bytes() + workspace_.bytes() + climbers.bytes();
  engine::for_chunks(n, threads, chunk, [&](int64_t thread, int64_t first, int64_t count) {
    const int64_t slot = thread * chunk;
    const auto pass = plan.pass(arena, slot, count, slot, workspace_.scratch(thread));
    for (int64_t i = 0; i < count; ++i) {
      climbers.begin(slot + i, first + i, pass.value(0) + i * task.stride);
    }
    climb_chunk(plan, pass, climbers, slot);
  });
}

void CompiledMaximizer::climb_chunk(const engine::Plan& plan, const engine::Pass& whole, Climbers& climbers,
                                    int64_t first_slot) {
  auto pass = whole;
  float* const u = pass.value(0);
  float* const gradient = pass.gradient(0);
  const int64_t stride = plan.sample_stride();
  // the last of those that still climb takes the place of one that is done
  const auto leave = [&](int64_t i) {
    const int64_t last = --pass.count;
    if (i == last) return;
    climbers.move(first_slot + last, first_slot + i);
    std::copy(u + last * stride, u + (last + 1) * stride, u + i * stride);
  };
  for (int64_t step = 0; pass.count > 0; ++step) {
    plan.forward(pass);
    const float* const predictions = pass.value(plan.output());
    float* const slopes = pass.gradient(plan.output());
    const int64_t outputs = plan.output_stride();
    std::vector<int64_t> done;
    for (int64_t i = 0; i < pass.count; ++i) {
      const bool on =
          climbers.judge(first_slot + i, u + i * stride, predictions + i * outputs, step == 0, slopes + i * outputs);
      if (!on) done.push_back(i);
    }
    if (step == ascent_.steps()) return;
    // those that left the finite numbers go through the backward pass with the others: their places are known only
    // now, and nothing looks at them again
    plan.backward(pass);
    const bool last_step = ends_with(step);
    size_t next = 0;
    for (int64_t i = 0; i < pass.count; ++i) {
      const bool over = next < done.size() && done[next] == i;
      if (over) {
        ++next;
      } else if (!climbers.advance(first_slot + i, u + i * stride, gradient + i * stride, step)) {
        done.insert(done.begin() + static_cast<std::ptrdiff_t>(next), i);
        ++next;
      } else if (last_step) {
        climbers.take_unmeasured(first_slot + i, u + i * stride);
      }
    }
    if (last_step) return;
    for (auto i = done.rbegin(); i != done.rend(); ++i) leave(*i);
  }
}

/// Every step on the whole batch. Samples that are done stay, since the statistics of the others rest on them.
void CompiledMaximizer::all_at_once(const engine::Plan& plan, ClimbTask& task) {
  const int64_t n = task.x.size(0);
  auto arena = engine::batch_arena(plan, n);
  Climbers climbers(task, n);
  auto gradient = torch::zeros({n, task.numbers});
  auto slopes = torch::zeros({n, task.outputs});
  auto padded = torch::zeros({n, task.stride});
  info_.workspace_bytes = arena.bytes() + climbers.bytes();
  float* const u = arena.value(0);
  for (int64_t i = 0; i < n; ++i) climbers.begin(i, i, u + i * task.stride);
  std::vector<char> climbing(static_cast<size_t>(n), 1);
  const auto each = [&](const std::function<void(int64_t)>& f) {
    constexpr int64_t kPart = 8;
    engine::on_threads((n + kPart - 1) / kPart, [&](int64_t part) {
      for (int64_t i = part * kPart; i < std::min(n, (part + 1) * kPart); ++i) f(i);
    });
  };
  for (int64_t step = 0;; ++step) {
    const bool last = step == ascent_.steps();
    // the last pass measures the last iterate and is no step: it must not move what the steps move
    engine::forward(plan, arena, workspace_, /*move_statistics=*/!last);
    each([&](int64_t i) {
      float* const slope = slopes.data_ptr<float>() + i * task.outputs;
      const bool on = climbers.judge(i, u + i * task.stride, arena.value(plan.output()) + i * plan.output_stride(),
                                     step == 0, slope);
      if (!on) climbing[static_cast<size_t>(i)] = 0;
    });
    const auto any = [&] { return std::find(climbing.begin(), climbing.end(), 1) != climbing.end(); };
    if (last || !any()) return;
    engine::backward(plan, arena, workspace_, slopes.data_ptr<float>(), gradient.data_ptr<float>(), /*weights=*/false);
    each([&](int64_t i) {
      auto& on = climbing[static_cast<size_t>(i)];
      float* const own = padded.data_ptr<float>() + i * task.stride;
      if (on == 0) return;
      engine::copy_rows(gradient.data_ptr<float>() + i * task.numbers, task.numbers, own, task.stride, 1, task.numbers);
      on = climbers.advance(i, u + i * task.stride, own, step) ? 1 : 0;
      if (on == 1 && ends_with(step)) climbers.take_unmeasured(i, u + i * task.stride);
    });
    if (ends_with(step) || !any()) return;
  }
}

}  // namespace

std::unique_ptr<Maximizer> make_compiled_maximizer(SupervisedProblem& problem, InnerObjectivePtr objective,
                                                   const CostPtr& cost, const AscentOptions& ascent,
                                                   ConstraintPtr constraint, std::unique_ptr<Maximizer> otherwise) {
  return std::make_unique<CompiledMaximizer>(problem, std::move(objective), cost, ascent, std::move(constraint),
                                             std::move(otherwise));
}

}  // namespace arks
