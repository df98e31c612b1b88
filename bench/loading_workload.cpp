#include "loading_workload.h"

#include <arks/data/augmented.h>
#include <arks/data/batches.h>
#include <arks/model/registry.h>
#include <arks/objective/erm.h>
#include <arks/problem/cross_entropy.h>
#include <arks/problem/state_guard.h>
#include <arks/support/random.h>
#include <arks/train/optimizer.h>
#include <arks/train/published.h>

namespace arks::bench {

namespace {

/// Enough samples that they do not stay in the processor's cache.
constexpr int64_t kSamples = 20000;

DatasetPtr random_images(const std::string& data) {
  DatasetInfo info;
  info.name = data;
  info.num_classes = data == "celeba" ? 2 : 10;
  std::vector<int64_t> shape{kSamples, 3, 32, 32};
  if (data == "fashion-mnist") shape = {kSamples, 1, 28, 28};
  if (data == "celeba") shape = {kSamples, 3, 64, 48};
  auto generator = make_generator(0, Stream::kSamples);
  const auto pixels = torch::empty(shape, torch::kByte).random_(0, 256, generator);
  const auto labels = torch::empty({kSamples}, torch::kLong).random_(0, info.num_classes, generator);
  return std::make_shared<TensorDataset>(pixels, labels, info);
}

}  // namespace

LoadingWorkload::LoadingWorkload(const std::string& data)
    : images_(random_images(data)), generator_(make_generator(0, Stream::kObjective)) {
  const auto published = published_settings(data);
  batch_size_ = published.batch_size;
  augment_ = published.augment == "crop-flip";
  problem_ = std::make_unique<SupervisedProblem>(make_model(published.model, images_->info(), ModelOptions(0)),
                                                 CrossEntropy());
  majorant_ = Erm().bind(*problem_);
  optimizer_ = make_optimizer(OptimizerOptions(), problem_->parameters());
  load();
}

void LoadingWorkload::load() {
  const auto shuffle = make_generator(0, Stream::kShuffle, ++epoch_);
  DatasetPtr view = images_;
  if (augment_) {
    view = std::make_shared<Augmented>(images_, CropFlipOptions(), mix_seed(0, Stream::kAugmentation, epoch_));
  }
  const Batches batches(*view, batch_size_, LastBatch::kKeep, &shuffle);
  for (int64_t i = 0; i < kBatches; ++i) batch_ = batches.get(i);
}

void LoadingWorkload::train() {
  const ModeGuard mode(*problem_, /*training=*/true);
  const auto majorant = (*majorant_)(batch_, generator_);
  optimizer_->zero_grad();
  majorant.value.backward();
  optimizer_->step();
}

}  // namespace arks::bench
