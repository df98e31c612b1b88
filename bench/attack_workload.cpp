#include "attack_workload.h"

#include "arks_workload.h"
#include "benchmark_names.h"

#include <arks/attack/evaluate.h>
#include <arks/problem/cross_entropy.h>
#include <arks/support/random.h>
#include <torch/autograd.h>

namespace arks::bench {

namespace {

PgdOptions attack_of(const Setting& setting) {
  return PgdOptions().eps(kAttackEps).steps(setting.published.attack_steps).alpha(setting.published.attack_alpha);
}

PlainNetPtr attacked_net(const Setting& setting, torch::ScalarType type) {
  auto net = plain_net_of(setting, type);
  net->eval();
  freeze(*net);
  return net;
}

torch::Tensor plain_attack(PlainNet& net, const Setting& setting, const torch::Tensor& x, const torch::Tensor& y) {
  auto delta = torch::zeros_like(x);
  for (int64_t step = 0; step < setting.published.attack_steps; ++step) {
    delta.set_requires_grad(true);
    const auto loss = plain_losses(net, x + delta, y).sum();
    const auto gradient = torch::autograd::grad({loss}, {delta})[0];
    delta = (delta.detach() + setting.published.attack_alpha * gradient.sign()).clamp(-kAttackEps, kAttackEps);
  }
  return (x + delta).clamp(0, 1);
}

double attacked_images_differ(const Setting& setting) {
  constexpr int64_t kSamples = 16;
  const auto batch = random_batch(setting, kSamples, torch::kDouble);
  SupervisedProblem problem(fresh_model(setting, torch::kDouble), CrossEntropy());
  auto generator = make_generator(0, Stream::kAttack);
  const auto ours =
      PgdAttack(attack_of(setting)).perturb(problem, batch.inputs, batch.targets, Bounds(0, 1), generator).inputs;
  const auto plain = plain_attack(*attacked_net(setting, torch::kDouble), setting, batch.inputs, batch.targets);
  return relative_difference(ours, plain, batch.inputs);
}

}  // namespace

AttackComparison::AttackComparison(Suite& suite)
    : setting_(setting_for("fashion-mnist")),
      attack_(attack_of(setting_)),
      images_(random_set(setting_, kAttackedImages)),
      problem_(fresh_model(setting_), CrossEntropy()),
      net_(attacked_net(setting_, torch::kFloat)) {
  suite.require_same_work("images attacked by PGD, float64", attacked_images_differ(setting_), kSameWorkTolerance);
  suite.require_same_work("mean loss under PGD, float32", std::abs(ours().loss / plain().loss - 1),
                          kSameSurrogateTolerance);
}

AttackComparison::Outcome AttackComparison::ours() {
  const auto point = evaluate(problem_, images_, attack_, EvaluateOptions().batch_size(kAttackBatch));
  return {point.error, point.loss};
}

AttackComparison::Outcome AttackComparison::plain() {
  double wrong = 0, loss = 0;
  for (int64_t first = 0; first < kAttackedImages; first += kAttackBatch) {
    const auto batch = images_->get(torch::arange(first, first + kAttackBatch));
    const auto attacked = plain_attack(*net_, setting_, batch.inputs, batch.targets);
    const torch::NoGradGuard no_grad;
    const auto logits = net_->forward(attacked);
    wrong += (logits.argmax(1) != batch.targets).sum().item<double>();
    loss += torch::cross_entropy_loss(logits, batch.targets, /*weight=*/{}, at::Reduction::Sum).item<double>();
  }
  return {wrong / kAttackedImages, loss / kAttackedImages};
}

void register_attack(Suite& suite) {
  const Lazy<AttackComparison> comparison([&suite] { return std::make_shared<AttackComparison>(suite); });
  suite.add(kPgd + kOurs, 1, [=] { comparison->ours(); });
  suite.add(kPgd + kPlain, 1, [=] { comparison->plain(); });
}

}  // namespace arks::bench
