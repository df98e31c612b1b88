#include "problem/check_model.h"

#include "problem/state_guard.h"
#include "support/complaint.h"

#include <arks/model/torchscript.h>
#include <arks/support/error.h>
#include <torch/autograd.h>

#include <algorithm>

namespace arks {

namespace {

class Checker {
 public:
  Checker(SupervisedProblem& problem, const Dataset& data, const std::string& name)
      : problem_(problem), info_(data.info()), name_(name) {
    const auto batch = data.get(torch::arange(std::min<int64_t>(2, data.size())));
    x_ = batch.inputs;
  }

  ModelCheck run(bool needs_gradient) {
    const auto prediction = predict(x_);
    check_shape(prediction);
    if (needs_gradient) check_gradient();
    check_repeatable(prediction);
    check_probabilities(prediction);
    auto traced = torchscript_notes(problem_.model());
    for (auto& text : traced.warnings) check_.warnings.push_back(std::move(text));
    for (auto& text : traced.notes) check_.notes.push_back(std::move(text));
    return std::move(check_);
  }

 private:
  torch::Tensor predict(const torch::Tensor& x) {
    torch::NoGradGuard no_grad;
    try {
      return problem_.predict(x);
    } catch (const Error& error) {
      throw Error(c10::str(error.what(), "; samples of ", info_.name, " have shape ", x.sizes().slice(1)));
    } catch (const c10::Error& error) {
      throw Error(c10::str(name_, " does not take samples of ", info_.name, " of shape ", x.sizes().slice(1), ": ",
                           complaint_of(error)));
    }
  }

  void check_shape(const torch::Tensor& prediction) const {
    const auto n = x_.size(0);
    const bool rows = prediction.dim() >= 1 && prediction.size(0) == n && prediction.is_floating_point();
    if (info_.num_classes == 0) {
      ARKS_CHECK(rows && (prediction.dim() == 1 || (prediction.dim() == 2 && prediction.size(1) == 1)), name_,
                 " returns ", prediction.sizes(), " of type ", prediction.scalar_type(), " for ", n, " samples of ",
                 info_.name, "; a regression needs one number each, [", n, ", 1]");
      return;
    }
    ARKS_CHECK(rows && prediction.dim() == 2 && prediction.size(1) >= info_.num_classes, name_, " returns ",
               prediction.sizes(), " of type ", prediction.scalar_type(), " for ", n, " samples of ", info_.name,
               "; its classes need ", info_.num_classes, " outputs each, [", n, ", ", info_.num_classes, "]");
  }

  void check_gradient() {
    const FrozenParametersGuard frozen(problem_);
    torch::AutoGradMode with_gradients(true);
    const auto x = x_.detach().clone().set_requires_grad(true);
    torch::Tensor gradient;
    try {
      const auto prediction = problem_.predict(x);
      if (prediction.requires_grad()) {
        // unequal weights: the outputs of a softmax have a constant sum
        const auto weights = torch::arange(1, prediction.numel() + 1, prediction.options().requires_grad(false));
        const auto sum = (prediction.flatten() * weights.cos()).sum();
        gradient = torch::autograd::grad({sum}, {x}, {}, c10::nullopt, false, /*allow_unused=*/true)[0];
      }
    } catch (const c10::Error& error) {
      throw Error(name_ + " cannot be differentiated in its input: " + complaint_of(error));
    }
    ARKS_CHECK(gradient.defined(), name_,
               " is not differentiable in its input: no gradient comes back (detach, argmax, a copy through numpy or "
               "no_grad inside?), so it can neither be attacked nor trained robustly");
    if (!torch::isfinite(gradient).all().item<bool>()) {
      check_.warnings.push_back(name_ + ": the gradient in the input is not finite on the first samples");
    } else if (gradient.count_nonzero().item<int64_t>() == 0) {
      check_.warnings.push_back(name_ +
                                ": the gradient in the input is zero on the first samples (rounding or sign inside?); "
                                "gradient attacks will find nothing");
    }
  }

  void check_repeatable(const torch::Tensor& prediction) {
    const auto differs = [](const torch::Tensor& a, const torch::Tensor& b) {
      return !torch::allclose(a, b, /*rtol=*/1e-3, /*atol=*/1e-5, /*equal_nan=*/true);
    };
    if (differs(predict(x_), prediction)) {
      check_.warnings.push_back(name_ +
                                ": predictions are random in evaluation mode; the same inputs gave different ones");
      return;
    }
    if (x_.size(0) < 2) return;
    try {
      if (!differs(predict(x_.slice(0, 0, 1)), prediction.slice(0, 0, 1))) return;
      check_.warnings.push_back(name_ +
                                ": in evaluation mode the prediction of a sample depends on the others in its batch");
    } catch (const std::exception&) {  // a fixed batch size, or a squeeze of everything
      check_.warnings.push_back(name_ +
                                ": a batch of one sample does not give one prediction; choose batch sizes "
                                "that never leave a single sample");
    }
  }

  void check_probabilities(const torch::Tensor& prediction) {
    if (info_.num_classes == 0) return;
    const bool sums = torch::allclose(prediction.sum(1), torch::ones({prediction.size(0)}, prediction.options()),
                                      /*rtol=*/0, /*atol=*/1e-4);
    if (sums && prediction.min().item<double>() >= 0) {
      check_.warnings.push_back(name_ +
                                ": predictions look like probabilities (a softmax at the end?); errors are right, but "
                                "cross entropy takes logits");
    }
  }

  SupervisedProblem& problem_;
  const DatasetInfo& info_;
  const std::string& name_;
  torch::Tensor x_;
  ModelCheck check_;
};

}  // namespace

ModelCheck check_model(SupervisedProblem& problem, const Dataset& data, bool needs_gradient, const std::string& name) {
  const ModeGuard mode(problem, /*training=*/false);
  const BuffersGuard buffers(problem);  // batch norm that was traced in training mode moves them in every pass
  return Checker(problem, data, name).run(needs_gradient);
}

}  // namespace arks
