#include "problem/check_model.h"

#include "problem/state_guard.h"
#include "support/complaint.h"

#include <arks/model/torchscript.h>
#include <arks/model/two_logits.h>
#include <arks/problem/cross_entropy.h>
#include <arks/support/error.h>
#include <torch/autograd.h>

#include <algorithm>
#include <cmath>

namespace arks {

namespace {

class Checker {
 public:
  Checker(SupervisedProblem& problem, const Dataset& data, const std::string& name)
      : problem_(problem), info_(data.info()), name_(name) {
    constexpr int64_t kEnough = 64;  // for a guess at what the numbers are
    many_ = data.get(torch::arange(std::min(kEnough, data.size()))).inputs;
    x_ = many_.slice(0, 0, 2);
    if (!has_one_logit(problem.model())) return;
    const auto& names = info_.class_names;
    check_.meaning = name_ +
                     " gives one number for two classes: " + (names.size() == 2 ? "'" + names[1] + "'" : "class 1") +
                     " is where it is above 0";
  }

  ModelCheck run(const ModelNeeds& needs) {
    const auto prediction = predict(x_);
    check_shape(prediction, x_.size(0));
    const auto more = predict(many_);
    check_shape(more, many_.size(0));  // of two samples of two classes rows and columns look the same
    check_finite(more);
    if (needs.input_gradient) check_gradient();
    if (needs.weight_gradient) check_weight_gradient();
    check_repeatable(more);
    check_alone(prediction);
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
    }
  }

  void check_shape(const torch::Tensor& prediction, int64_t n) const {
    const bool rows = prediction.dim() >= 1 && prediction.size(0) == n && prediction.is_floating_point();
    if (info_.num_classes == 0) {
      const auto outputs = num_outputs(info_);
      const bool flat = prediction.dim() == 1 && outputs == 1;
      ARKS_CHECK(rows && (flat || (prediction.dim() == 2 && prediction.size(1) == outputs)), returned(prediction, n),
                 "; this regression needs ", outputs == 1 ? "one number" : c10::str(outputs, " numbers"), " each, [", n,
                 ", ", outputs, "]", remedy(prediction, n));
      return;
    }
    ARKS_CHECK(rows && prediction.dim() == 2 && prediction.size(1) == info_.num_classes, returned(prediction, n),
               "; its classes need ", info_.num_classes, " outputs each, [", n, ", ", info_.num_classes, "]",
               info_.num_classes == 2 ? ", or one, above 0 for the second class" : "", remedy(prediction, n));
  }

  std::string returned(const torch::Tensor& prediction, int64_t n) const {
    return c10::str(name_, " returns ", prediction.sizes(), " of type ", prediction.scalar_type(), " for ", n,
                    " samples of ", info_.name);
  }

  /// What is most likely wrong.
  std::string remedy(const torch::Tensor& prediction, int64_t n) const {
    const auto outputs = num_outputs(info_);
    const auto& sizes = prediction.sizes();
    if (!prediction.is_floating_point()) return "; return the numbers before argmax or round, as floating point";
    if (sizes.empty() || (sizes.size() == 1 && sizes[0] != n)) return "; a squeeze or a mean over the batch inside?";
    if (sizes.size() != 2) return "";
    if (sizes[0] == outputs && sizes[1] == n) return "; transpose them";
    if (sizes[0] == n && sizes[1] > outputs) {
      return info_.num_classes > 0 ? "; replace its last layer by one for these classes"
                                   : "; replace its last layer by one for these targets";
    }
    return "";
  }

  void check_finite(const torch::Tensor& prediction) const {
    const auto bad = prediction.masked_select(prediction.isfinite().logical_not());
    if (bad.numel() == 0) return;
    const auto first = bad[0].item<double>();
    throw Error(c10::str(name_, " returns ", std::isnan(first) ? "NaN" : "an infinite number",
                         " for one of the first samples of ", info_.name,
                         "; are its weights finite, and its inputs scaled as in its training (--mean, --std)?"));
  }

  /// In training mode: a model may leave gradients out in evaluation. Any weight is enough, others may be unused here.
  void check_weight_gradient() {
    const ModeGuard mode(problem_, /*training=*/true);
    const BuffersGuard buffers(problem_);  // passes in training mode move the statistics of batch norm
    torch::AutoGradMode with_gradients(true);
    bool any = false;
    try {
      const auto prediction = problem_.predict(x_);
      std::vector<torch::Tensor> weights;
      for (const auto& weight : problem_.parameters()) {
        if (weight.requires_grad()) weights.push_back(weight);
      }
      if (prediction.requires_grad() && !weights.empty()) {
        for (const auto& gradient : torch::autograd::grad({prediction.sum()}, weights, {}, c10::nullopt, false, true)) {
          any = any || gradient.defined();
        }
      }
    } catch (const Error&) {
      return;  // batch norm on a single sample, say: training says what it needs
    } catch (const c10::Error& error) {
      throw Error(name_ + " cannot be differentiated in its weights: " + complaint_of(error));
    }
    ARKS_CHECK(any, name_,
               " cannot be trained: no gradient comes back to its weights (no_grad, detach or argmax inside?)");
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

  static bool differs(const torch::Tensor& a, const torch::Tensor& b) {
    return !torch::allclose(a, b, /*rtol=*/1e-3, /*atol=*/1e-5, /*equal_nan=*/true);
  }

  /// `prediction` is that of all samples: on two of them, two random passes may well be the same.
  void check_repeatable(const torch::Tensor& prediction) {
    random_ = differs(predict(many_), prediction);
    if (!random_) return;
    check_.warnings.push_back(name_ +
                              ": predictions are random in evaluation mode; the same inputs gave different ones");
  }

  /// `prediction` is that of the first two samples.
  void check_alone(const torch::Tensor& prediction) {
    if (random_ || x_.size(0) < 2) return;
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
    if (has_one_logit(problem_.model())) {
      const auto numbers = 2 * predict(many_).select(1, 1);
      if (numbers.min().item<double>() >= 0 && numbers.max().item<double>() <= 1) {
        check_.warnings.push_back(name_ +
                                  ": all outputs are from 0 to 1 (a sigmoid at the end?); leave it out, since above 0 "
                                  "means the second class");
      }
      return;
    }
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
  torch::Tensor x_;     // two samples
  torch::Tensor many_;  // more of them
  bool random_ = false;
  ModelCheck check_;
};

}  // namespace

Model as_classifier(const Model& net, const DatasetInfo& data) {
  if (data.num_classes != 2) return net;
  SupervisedProblem problem(net, CrossEntropy(), Engine::kLibtorch);
  const ModeGuard mode(problem, /*training=*/false);
  const BuffersGuard buffers(problem);
  torch::NoGradGuard no_grad;
  constexpr int64_t kSamples = 2;
  std::vector<int64_t> shape{kSamples};
  shape.insert(shape.end(), data.input_shape.begin(), data.input_shape.end());
  try {
    const auto prediction = net(torch::zeros(shape));
    const bool flat = prediction.dim() == 1, column = prediction.dim() == 2 && prediction.size(1) == 1;
    const bool one_number = (flat || column) && prediction.size(0) == kSamples;
    return one_number && prediction.is_floating_point() ? two_logits(net) : net;
  } catch (const std::exception&) {  // check_model says what is wrong
    return net;
  }
}

ModelCheck check_model(SupervisedProblem& problem, const Dataset& data, const ModelNeeds& needs,
                       const std::string& name) {
  const ModeGuard mode(problem, /*training=*/false);
  const BuffersGuard buffers(problem);  // batch norm that was traced in training mode moves them in every pass
  return Checker(problem, data, name).run(needs);
}

}  // namespace arks
