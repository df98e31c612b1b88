#include <arks/objective/kernel_interpolant.h>

#include "kernel/interpolation.h"
#include "measured.h"
#include "objective/method_settings.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <cmath>

namespace arks {

namespace {

class InterpolantMajorant : public Majorant {
 public:
  InterpolantMajorant(Problem& problem, const Kernel& kernel, const KernelInterpolantOptions& options)
      : problem_(problem), kernel_(kernel), options_(options) {}

  MajorantValue value(const Batch& batch, const WorstPoints& /*points*/) override {
    const KernelInterpolation interpolation(kernel_, batch.inputs, options_.jitter());
    MajorantValue result;
    Evaluation evaluation;
    if (options_.variant() == InterpolantVariant::kLoss) {
      evaluation = problem_.evaluate(batch.inputs, batch.targets);
      result.value = evaluation.loss.mean() + options_.epsilon() * norm(interpolation, evaluation.loss);
    } else {
      const auto prediction = problem_.predict(batch.inputs);
      evaluation = problem_.evaluate_prediction(prediction, batch.targets);
      result.value = evaluation.loss.mean() + penalty(interpolation, batch, prediction);
    }
    add_clean(evaluation, result.sums);
    result.sums.surrogate = result.value.item<double>() * static_cast<double>(result.sums.samples);
    return result;
  }

 private:
  torch::Tensor penalty(const KernelInterpolation& interpolation, const Batch& batch, const torch::Tensor& prediction) {
    if (options_.variant() == InterpolantVariant::kRidge) {
      return (options_.lambda() * interpolation.squared_norm(prediction)).to(prediction.scalar_type());
    }
    const KernelInterpolation regression(kernel_, batch.inputs, options_.jitter() + options_.lambda());
    const auto smoothed = regression(prediction, batch.inputs).to(prediction.scalar_type());
    const auto loss = problem_.evaluate_prediction(smoothed, batch.targets).loss;
    return options_.epsilon() * norm(interpolation, loss);
  }

  /// √(vᵀK⁻¹v), with a floor under the root: at v = 0 it has no gradient.
  static torch::Tensor norm(const KernelInterpolation& interpolation, const torch::Tensor& values) {
    return interpolation.squared_norm(values).clamp_min(1e-30).sqrt().to(values.scalar_type());
  }

  Problem& problem_;
  Kernel kernel_;
  KernelInterpolantOptions options_;
};

}  // namespace

KernelInterpolant::KernelInterpolant(Kernel kernel, KernelInterpolantOptions options)
    : kernel_(std::move(kernel)), options_(options) {
  const auto usable = [](double value) { return std::isfinite(value) && value >= 0; };
  ARKS_CHECK(usable(options_.epsilon()), "kernel interpolant: epsilon must be finite and not negative, got ",
             options_.epsilon());
  ARKS_CHECK(usable(options_.lambda()), "kernel interpolant: lambda must be finite and not negative, got ",
             options_.lambda());
  ARKS_CHECK(usable(options_.jitter()), "kernel interpolant: jitter must be finite and not negative, got ",
             options_.jitter());
  ARKS_CHECK(options_.variant() != InterpolantVariant::kModel || options_.lambda() > 0,
             "kernel interpolant: the variant model needs lambda > 0; without it, it is the variant loss");
  ARKS_CHECK(std::isfinite(kernel_.temperature()), "kernel interpolant: the bandwidth must be finite");
}

std::unique_ptr<Majorant> KernelInterpolant::bind(Problem& problem) const {
  return std::make_unique<InterpolantMajorant>(problem, kernel_, options_);
}

InterpolantVariant parse_interpolant_variant(const std::string& name) {
  return named_value<InterpolantVariant>(name, interpolant_variant_names(), "interpolant variant");
}

std::vector<std::string> interpolant_variant_names() {
  return {"loss", "model", "ridge"};
}

namespace {

class KernelInterpolantMethod : public Method {
 public:
  KernelSettings kernel{this};
  Setting<std::string> variant{this,
                               text("ki-variant", "what the penalty measures: the losses, a regression, or outputs")
                                   .words(interpolant_variant_names())
                                   .otherwise("loss")};
  Setting<double> epsilon{
      this, real("ki-epsilon", "weight of the penalty, a radius in MMD")
                .not_negative()
                .otherwise(KernelInterpolantOptions().epsilon())
                .only_if([this] { return variant.value_or("") != "ridge"; }, "with --ki-variant loss and model")};
  Setting<double> lambda{
      this, real("ki-lambda", "ridge of the regression (model), weight of the penalty (ridge)")
                .not_negative()
                .otherwise(KernelInterpolantOptions().lambda())
                .only_if([this] { return variant.value_or("") != "loss"; }, "with --ki-variant model and ridge")};
  Setting<double> jitter{
      this,
      real("ki-jitter", "added to the diagonal of K").not_negative().otherwise(KernelInterpolantOptions().jitter())};

  double passes() const override { return 1; }
  bool maximizes() const override { return false; }
  std::optional<GuardStrength> strength() const override {
    auto found = kernel.strength();
    if (found) found->guard = epsilon.flag();
    return found;
  }
  std::unique_ptr<Objective> make(const MethodContext& context) const override {
    const KernelInterpolantOptions defaults;
    return std::make_unique<KernelInterpolant>(kernel.make(context.train_set),
                                               KernelInterpolantOptions()
                                                   .variant(parse_interpolant_variant(*variant))
                                                   .epsilon(epsilon.value_or(defaults.epsilon()))
                                                   .lambda(lambda.value_or(defaults.lambda()))
                                                   .jitter(*jitter));
  }

 protected:
  void check_given() const override {
    kernel.check();
    need_strength("ki", "--sigma (or --temperature)", !kernel.lacks_bandwidth());
  }
};

}  // namespace

MethodEntry ki_method() {
  return {"ki", "the loss and a penalty on its kernel interpolant",
          [] { return std::make_unique<KernelInterpolantMethod>(); }};
}

}  // namespace arks
