#include "erm_workload.h"

#include "arks_workload.h"
#include "benchmark_names.h"

#include <arks/objective/erm.h>
#include <arks/problem/cross_entropy.h>

namespace arks::bench {

namespace {

constexpr int64_t kSetBatches = 32;       // in the set, so that it does not stay in the processor's cache
constexpr int64_t kManyEpochs = 1 << 30;  // more than a benchmark makes

/// What both sides do with a batch of logits: the loss and the number of wrong answers are kept.
struct BatchCount {
  torch::Tensor loss;  // scalar, with its graph
  double wrong;
};

BatchCount counted(PlainNet& net, const torch::Tensor& x, const torch::Tensor& y) {
  const auto logits = net.forward(x);
  return {torch::cross_entropy_loss(logits, y), (logits.detach().argmax(1) != y).sum().item<double>()};
}

constexpr double kSameChangeTolerance = 0.01;

/// With a rate so small that the loss falls smoothly. At the published 0.1 the first steps of ResNet-20 make it grow
/// and magnify rounding: 1e-6 on the pixels moves the loss of the third batch by more than a per cent in float64 too.
Setting gentle(Setting setting) {
  setting.published.learning_rate = std::min(setting.published.learning_rate, 1e-3);
  return setting;
}

struct Differences {
  double weights;  // after the last step, relative to their movement
  double loss;     // in the last step, relative to its change since the first
};

/// One batch is the whole set, so that its order is only an order of summation.
Differences trainings_differ(const Setting& setting, torch::ScalarType type) {
  constexpr int64_t kSamples = 16, kSteps = 3;
  SupervisedProblem problem(fresh_model(setting, type), CrossEntropy());
  const auto start = weights_of(*problem.model().module()).clone();
  const auto set = random_set(setting, kSamples, type);
  const auto options = TrainOptions().epochs(kSteps).batch_size(kSamples).optimizer(optimizer_of(setting));
  const auto summary = train(problem, set, Erm(), options);

  const auto net = plain_net_of(setting, type);
  const auto optimizer = plain_optimizer(setting.published, *net);
  const auto batch = set->get(torch::arange(kSamples));
  std::vector<double> losses;
  for (int64_t step = 0; step < kSteps; ++step) {
    optimizer->zero_grad();
    const auto loss = counted(*net, batch.inputs, batch.targets).loss;
    loss.backward();
    optimizer->step();
    losses.push_back(loss.item<double>());
  }
  return {relative_difference(weights_of(*problem.model().module()), weights_of(*net), start),
          std::abs((summary.epochs.back().train_loss - losses.back()) / (losses.back() - losses.front()))};
}

}  // namespace

ErmComparison::ErmComparison(const Setting& setting, int64_t batches, Suite& suite)
    : batches_(batches),
      batch_size_(setting.published.batch_size),
      problem_(fresh_model(setting), CrossEntropy()),
      net_(plain_net_of(setting)),
      optimizer_(plain_optimizer(setting.published, *net_)) {
  const auto what = setting.published.model + " in three batches of ERM";
  suite.require_same_work("weights of " + what + ", float64", trainings_differ(setting, torch::kDouble).weights,
                          kSameWorkTolerance);
  suite.require_same_work("change of the loss of " + what + ", float32",
                          trainings_differ(gentle(setting), torch::kFloat).loss, kSameChangeTolerance);
  const int64_t samples = kSetBatches * batch_size_;
  const auto batch = random_batch(setting, samples);
  images_ = batch.inputs.mul(255).to(torch::kByte);
  labels_ = batch.targets;
  const auto set = std::make_shared<TensorDataset>(images_, labels_, info_of(setting));
  trainer_ = std::make_unique<Trainer>(problem_, set, Erm(),
                                       TrainOptions()
                                           .epochs(kManyEpochs)
                                           .batch_size(batch_size_)
                                           .optimizer(optimizer_of(setting))
                                           .stop_requested([this] { return left_-- == 0; }));
}

void ErmComparison::ours() {
  left_ = batches_;
  trainer_->run();
}

void ErmComparison::plain_batch(const torch::Tensor& indices) {
  const auto x = images_.index_select(0, indices).to(torch::kFloat).div_(255), y = labels_.index_select(0, indices);
  optimizer_->zero_grad();
  const auto batch = counted(*net_, x, y);
  batch.loss.backward();
  optimizer_->step();
  loss_ += batch.loss.item<double>();
  wrong_ += batch.wrong;
}

void ErmComparison::plain() {
  net_->train();
  for (int64_t i = 0; i < batches_; ++i) {
    if (position_ % images_.size(0) == 0) {
      order_ = torch::randperm(images_.size(0), torch::kLong);
      position_ = 0;
      loss_ = wrong_ = 0;
    }
    plain_batch(order_.narrow(0, position_, batch_size_));
    position_ += batch_size_;
  }
}

void register_erm(Suite& suite) {
  const auto add = [&](const std::string& data, int64_t batches) {
    const auto setting = setting_for(data);
    const Lazy<ErmComparison> comparison(
        [=, &suite] { return std::make_shared<ErmComparison>(setting, batches, suite); });
    suite.add(kErm + data + kOurs, batches, [=] { comparison->ours(); });
    suite.add(kErm + data + kPlain, batches, [=] { comparison->plain(); });
  };
  add("fashion-mnist", 8);
  add("cifar10", 2);
  add("celeba", 8);
}

}  // namespace arks::bench
