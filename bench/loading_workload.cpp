#include "loading_workload.h"
#include "benchmark_names.h"
#include "data/batches.h"
#include "problem/state_guard.h"

#include <arks/data/augmented.h>
#include <arks/objective/erm.h>
#include <arks/problem/cross_entropy.h>
#include <arks/support/random.h>
#include <arks/train/optimizer.h>

namespace arks::bench {

namespace {

/// Enough samples that they do not stay in the processor's cache.
constexpr int64_t kSamples = 20000;

}  // namespace

LoadingWorkload::LoadingWorkload(const std::string& data)
    : images_(random_set(setting_for(data), kSamples)), generator_(make_generator(0, Stream::kObjective)) {
  const auto setting = setting_for(data);
  batch_size_ = setting.published.batch_size;
  augment_ = setting.published.augment == "crop-flip";
  problem_ = std::make_unique<SupervisedProblem>(fresh_model(setting), CrossEntropy());
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

void register_loading(Suite& suite) {
  for (const auto& data : image_sets()) {
    const Lazy<LoadingWorkload> workload([=] { return std::make_shared<LoadingWorkload>(data); });
    suite.add(kLoading + data, LoadingWorkload::kBatches, [=] { workload->load(); });
    suite.add(kErmStep + data, 1, [=] { workload->train(); });
  }
}

}  // namespace arks::bench
