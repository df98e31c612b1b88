#include <arks/objective/awp.h>

#include "objective/method.h"
#include "problem/state_guard.h"

#include <arks/support/error.h>
#include <torch/autograd.h>

#include <cmath>
#include <vector>

namespace arks {

namespace {

/// Weights moved by offsets. Unless move_back() is called they are put back to the bit when it goes, as when an
/// exception passes.
class MovedWeights {
 public:
  MovedWeights(std::vector<torch::Tensor> weights, std::vector<torch::Tensor> offsets)
      : weights_(std::move(weights)), offsets_(std::move(offsets)) {
    torch::NoGradGuard no_grad;
    for (size_t i = 0; i < weights_.size(); ++i) {
      before_.push_back(weights_[i].detach().clone());
      weights_[i].add_(offsets_[i]);
    }
  }

  ~MovedWeights() {
    torch::NoGradGuard no_grad;
    for (size_t i = 0; i < before_.size(); ++i) weights_[i].copy_(before_[i]);
  }

  /// After the step: what the optimiser made of the moved weights, less the offset, as the authors do it. Its rounding
  /// (of the last digit of w + v) stays in the weights.
  void move_back() {
    torch::NoGradGuard no_grad;
    for (size_t i = 0; i < weights_.size(); ++i) weights_[i].sub_(offsets_[i]);
    before_.clear();
  }

  MovedWeights(const MovedWeights&) = delete;
  MovedWeights& operator=(const MovedWeights&) = delete;

 private:
  std::vector<torch::Tensor> weights_, offsets_, before_;
};

class AwpMajorant : public Majorant {
 public:
  AwpMajorant(Problem& problem, std::unique_ptr<Majorant> method, double gamma)
      : problem_(problem), method_(std::move(method)), gamma_(gamma) {}

  WorstPoints find(const Batch& batch, torch::Generator& generator) override { return method_->find(batch, generator); }
  MajorantValue value(const Batch& batch, const WorstPoints& points) override { return method_->value(batch, points); }

  MajorantValue step(const Batch& batch, torch::Generator& generator, const Descend& descend) override {
    if (gamma_ == 0) return method_->step(batch, generator, descend);
    return method_->step(batch, generator,
                         [&](const Evaluate& evaluate) { return descend_from_worse(evaluate, descend); });
  }

  bool watches() const override { return method_->watches(); }
  EpochVerdict after_epoch(const TrainedEpoch& epoch, torch::Generator& generator) override {
    return method_->after_epoch(epoch, generator);
  }
  NamedTensors state() const override { return method_->state(); }
  void load_state(const NamedTensors& state) override { method_->load_state(state); }
  std::optional<MaximizerInfo> maximizer_info() const override { return method_->maximizer_info(); }

 private:
  MajorantValue descend_from_worse(const Evaluate& evaluate, const Descend& descend) {
    std::vector<torch::Tensor> weights;
    for (const auto& parameter : problem_.parameters()) {
      if (parameter.dim() > 1 && parameter.requires_grad()) weights.push_back(parameter);
    }
    MajorantValue here;
    auto offsets = uphill(evaluate, weights, here);
    MovedWeights moved(std::move(weights), std::move(offsets));
    auto found = descend(evaluate);
    moved.move_back();
    const double surrogate = found.sums.surrogate;
    found.sums = here.sums;
    found.sums.surrogate = surrogate;
    return found;
  }

  /// γ‖w‖·g/‖g‖ for every weight; `here` is the value where they are.
  std::vector<torch::Tensor> uphill(const Evaluate& evaluate, const std::vector<torch::Tensor>& weights,
                                    MajorantValue& here) {
    constexpr double kTiny = 1e-20;  // a weight without a gradient stays where it is
    const BuffersGuard buffers(problem_);
    here = evaluate();
    if (weights.empty()) return {};
    auto gradients = torch::autograd::grad({here.value}, weights, {}, /*retain_graph=*/false, /*create_graph=*/false,
                                           /*allow_unused=*/true);
    here.value = here.value.detach();  // the graph is used up
    torch::NoGradGuard no_grad;
    for (size_t i = 0; i < weights.size(); ++i) {
      auto& offset = gradients[i];
      if (!offset.defined()) offset = torch::zeros_like(weights[i]);
      offset = offset * (gamma_ * weights[i].norm() / (offset.norm() + kTiny));
    }
    return gradients;
  }

  Problem& problem_;
  std::unique_ptr<Majorant> method_;
  double gamma_;
};

}  // namespace

Awp::Awp(std::shared_ptr<const Objective> method, AwpOptions options) : method_(std::move(method)), options_(options) {
  ARKS_CHECK(method_ != nullptr, "awp: no method given");
  ARKS_CHECK(std::isfinite(options_.gamma()) && options_.gamma() >= 0,
             "awp: gamma must be finite and not negative, got ", options_.gamma());
}

std::unique_ptr<Majorant> Awp::bind(Problem& problem) const {
  return std::make_unique<AwpMajorant>(problem, method_->bind(problem), options_.gamma());
}

namespace {

class AwpWrapper : public MethodWrapper {
 public:
  Setting<double> gamma{
      this, real("awp-gamma", "adversarial weight perturbation: size, relative to the weights; usually 0.01")
                .not_negative()
                .default_words("off")};

  bool is_on() const override { return gamma.value_or(0) > 0; }
  double passes() const override { return 1; }
  std::unique_ptr<Objective> wrap(std::unique_ptr<Objective> method) const override {
    return std::make_unique<Awp>(std::move(method), AwpOptions().gamma(*gamma));
  }
};

}  // namespace

WrapperEntry awp_wrapper() {
  return {"awp", "each step uses the gradient at worse weights nearby (--awp-gamma, adversarial weight perturbation)",
          [] { return std::make_unique<AwpWrapper>(); }};
}

}  // namespace arks
