#include "arks_workload.h"
#include "benchmark_names.h"
#include "problem/state_guard.h"

#include <arks/objective/arks.h>
#include <arks/problem/cross_entropy.h>
#include <arks/support/process.h>
#include <arks/support/random.h>

#include <iostream>

namespace arks::bench {

namespace {

constexpr int64_t kCheckedSamples = 16;

double iterates_differ(const Setting& setting, InnerMode mode) {
  const auto batch = random_batch(setting, kCheckedSamples, torch::kDouble);
  const auto ascent = ascent_of(setting, mode, InnerReturn::kLast);
  const auto ours = Ours(setting, ascent, torch::kDouble).maximize(batch).u;
  PublishedTraining published(plain_net_of(setting, torch::kDouble), setting.published, mode);
  return relative_difference(ours, published.maximize(batch.inputs, batch.targets, Reduction::kSum), batch.inputs);
}

double trained_weights_differ(const Setting& setting, InnerMode mode) {
  const auto batch = random_batch(setting, kCheckedSamples, torch::kDouble);
  Ours ours(setting, ascent_of(setting, mode, InnerReturn::kLast), torch::kDouble);
  PublishedTraining published(plain_net_of(setting, torch::kDouble), setting.published, mode);
  const auto start = weights_of(ours.net());
  ours.train(batch);
  published.step(batch.inputs, batch.targets, Reduction::kSum);
  return relative_difference(weights_of(ours.net()), weights_of(published.net()), start);
}

/// In float32; also what stands behind ours there.
std::pair<double, MaximizerInfo> surrogates_differ(const Setting& setting, InnerMode mode) {
  const auto batch = random_batch(setting, kCheckedSamples);
  Ours ours(setting, ascent_of(setting, mode, InnerReturn::kLast));
  const auto u = ours.maximize(batch).u;
  PublishedTraining published(plain_net_of(setting), setting.published, mode);
  const auto theirs = published.maximize(batch.inputs, batch.targets, Reduction::kSum);
  const torch::NoGradGuard no_grad;
  const auto reached = [&](const torch::Tensor& point) {
    return published.surrogate(point, batch.inputs, batch.targets).item<double>();
  };
  return {std::abs(reached(u) / reached(theirs) - 1), ours.info()};
}

double frozen_iterates_differ(const Setting& setting) {
  const auto batch = random_batch(setting, kCheckedSamples, torch::kDouble);
  const auto ascent = ascent_of(setting, InnerMode::kEval, InnerReturn::kLast);
  const auto ours = Ours(setting, ascent, torch::kDouble).maximize(batch).u;
  FrozenAscent frozen(plain_net_of(setting, torch::kDouble), setting.published);
  return relative_difference(ours, frozen.maximize(batch.inputs, batch.targets), batch.inputs);
}

std::function<void()> matrix_products(int64_t count) {
  const auto a = torch::rand({kSgemmSize, kSgemmSize}), b = torch::rand({kSgemmSize, kSgemmSize});
  return [=] {
    set_blas_threads(static_cast<int>(kThreads));
    for (int64_t i = 0; i < count; ++i) torch::mm(a, b);
    set_blas_threads(1);
  };
}

/// The inner step is measured as a fifteenth of a maximisation, which ours ends with one more forward pass, to know the
/// last iterate's value.
void register_inner_step(Suite& suite, const Setting& setting, const Lazy<ArksComparison>& comparison) {
  const auto frozen = Lazy<FrozenAscent>([&suite, setting] {
    suite.require_same_work("iterates of plain libtorch with frozen weights, float64", frozen_iterates_differ(setting),
                            kSameWorkTolerance);
    return std::make_shared<FrozenAscent>(plain_net_of(setting), setting.published);
  });
  const auto batch = random_batch(setting, setting.published.batch_size);
  const int64_t steps = setting.published.inner_steps;
  constexpr int64_t kProducts = 5;
  suite.add(kInnerStepOurs, steps, [=] { comparison->maximize_ours(); });
  suite.add(kSgemm, kProducts, matrix_products(kProducts));
  suite.add(kInnerStepFrozen, steps, [=] { frozen->maximize(batch.inputs, batch.targets); });
  suite.add(kInnerStepPublished, steps, [=] { comparison->maximize_published(); });
}

}  // namespace

double inner_step_operations() {
  constexpr double kConv1 = 28 * 28 * 32 * 9;
  constexpr double kConv2 = 12 * 12 * 64 * 9 * 32;
  constexpr double kDense = 2304 * 128 + 128 * 10;
  constexpr double kMultiplyAdd = 2, kForwardAndGradient = 2;
  const auto images = static_cast<double>(setting_for("fashion-mnist").published.batch_size);
  return kMultiplyAdd * kForwardAndGradient * images * (kConv1 + kConv2 + kDense);
}

double sgemm_operations() {
  return 2.0 * kSgemmSize * kSgemmSize * kSgemmSize;
}

double relative_difference(const torch::Tensor& ours, const torch::Tensor& theirs, const torch::Tensor& start) {
  return ((ours - theirs).abs().max() / (theirs - start).abs().max()).item<double>();
}

torch::Tensor weights_of(const torch::nn::Module& net) {
  std::vector<torch::Tensor> rows;
  for (const auto& item : net.named_parameters()) rows.push_back(item.value().detach().flatten());
  return torch::cat(rows);
}

PlainNetPtr plain_net_of(const Setting& setting, torch::ScalarType type) {
  return make_plain_net(setting.published.model, *fresh_model(setting, type).module());
}

Ours::Ours(const Setting& setting, const AscentOptions& ascent, torch::ScalarType type)
    : problem_(fresh_model(setting, type), CrossEntropy()),
      optimizer_(make_optimizer(optimizer_of(setting), problem_.parameters())),
      generator_(make_generator(0, Stream::kObjective)) {
  const GaussianKernel kernel(setting.published.sigma);
  maximizer_ = make_maximizer(problem_, std::make_shared<KernelProduct>(kernel.temperature()), kernel.cost(), ascent,
                              std::make_shared<Unconstrained>());
  majorant_ = Arks(kernel, ascent).bind(problem_);
}

void Ours::train(const Batch& batch) {
  const ModeGuard mode(problem_, /*training=*/true);
  const auto majorant = (*majorant_)(batch, generator_);
  optimizer_->zero_grad();
  majorant.value.backward();
  optimizer_->step();
}

ArksComparison::ArksComparison(const Setting& setting, InnerMode mode, Suite& suite)
    : batch_(random_batch(setting, setting.published.batch_size)),
      ours_(setting, ascent_of(setting, mode)),
      published_(plain_net_of(setting), setting.published, mode) {
  const auto what = setting.published.model + (mode == InnerMode::kTrain ? ", inner loop in training mode" : "");
  suite.require_same_work("iterates of " + what + ", float64", iterates_differ(setting, mode), kSameWorkTolerance);
  suite.require_same_work("weights of " + what + " after a batch, float64", trained_weights_differ(setting, mode),
                          kSameWorkTolerance);
  const auto [difference, info] = surrogates_differ(setting, mode);
  suite.require_same_work("mean surrogate of " + what + ", float32", difference, kSameSurrogateTolerance);
  std::cout << what << ": ours runs on " << (info.compiled ? "a compiled plan" : "libtorch")
            << (info.why_not.empty() ? "" : " (" + info.why_not + ")") << std::endl;
}

void register_arks(Suite& suite) {
  const auto add = [&](const std::string& data, InnerMode mode, const std::string& name, bool inner_step = false) {
    const auto setting = setting_for(data);
    const Lazy<ArksComparison> comparison(
        [=, &suite] { return std::make_shared<ArksComparison>(setting, mode, suite); });
    if (inner_step) register_inner_step(suite, setting, comparison);
    suite.add(kBatch + name + kOurs, 1, [=] { comparison->train_ours(); });
    suite.add(kBatch + name + kPublished, 1, [=] { comparison->train_published(); });
  };
  add("fashion-mnist", InnerMode::kEval, "fashion-mnist", /*inner_step=*/true);
  add("cifar10", InnerMode::kEval, "cifar10-eval");
  add("cifar10", InnerMode::kTrain, "cifar10-train");
  add("celeba", InnerMode::kEval, "celeba");
}

}  // namespace arks::bench
