// Training on images that are cropped and mirrored anew in every epoch.
#include "train/runs.h"

namespace arks {

using namespace testing;

namespace {

const auto kOptions = CropFlipOptions().padding(2);

/// The weights after so many epochs.
NamedTensors trained(const DatasetPtr& data, const TrainOptions& options) {
  auto problem = linear_problem();
  train(problem, data, Erm(), options);
  return copied(problem);
}

DatasetPtr view_of_epoch(uint64_t seed, uint64_t epoch) {
  return std::make_shared<Augmented>(small_set(), kOptions, mix_seed(seed, Stream::kAugmentation, epoch));
}

}  // namespace

TEST(TrainerAugmentation, IsTheViewOfItsSeedAndEpoch) {
  for (const uint64_t seed : {0, 3}) {
    const auto options = short_run(1).seed(seed);
    EXPECT_TRUE(same_bits(trained(small_set(), TrainOptions(options).augmentation(kOptions)),
                          trained(view_of_epoch(seed, 1), options)));
    EXPECT_FALSE(
        same_bits(trained(small_set(), TrainOptions(options).augmentation(kOptions)), trained(small_set(), options)));
  }
}

TEST(TrainerAugmentation, IsDrawnAnewInEveryEpoch) {
  EXPECT_FALSE(
      same_bits(trained(small_set(), short_run(2).augmentation(kOptions)), trained(view_of_epoch(0, 1), short_run(2))));
  // the second epoch on its own view: stopped after the first, gone on without augmentation on the view
  const TemporaryFolder folder;
  auto problem = linear_problem();
  train(problem, small_set(), Erm(), short_run(1).augmentation(kOptions).folder(folder.path()));
  Trainer second(problem, view_of_epoch(0, 2), Erm(), short_run(2));
  auto checkpoint = read_checkpoint(folder / run_files::kCheckpoint);
  checkpoint.data.reset();  // these are other samples, on purpose
  second.resume(checkpoint, "checkpoint");
  second.run();
  EXPECT_TRUE(same_bits(copied(problem), trained(small_set(), short_run(2).augmentation(kOptions))));
}

TEST(TrainerAugmentation, ResumesBitForBit) {
  const auto objective = random_method();
  const auto options = short_run().augmentation(kOptions).test_set(small_set(2));
  auto whole = linear_problem();
  const auto expected = train(whole, small_set(), objective, options);
  for (const int64_t batches : {0, 1, 3, 4, 6, 8, 11}) {
    const TemporaryFolder folder;
    auto first = linear_problem(), second = linear_problem(99);
    train(first, small_set(), objective,
          TrainOptions(options).folder(folder.path()).stop_requested(stop_after(batches)));
    Trainer trainer(second, small_set(), objective, options);
    trainer.resume(read_checkpoint(folder / run_files::kCheckpoint), "checkpoint");
    expect_same_metrics(trainer.run(), expected);
    EXPECT_TRUE(same_bits(copied(second), copied(whole))) << "stopped after " << batches << " batches";
  }
}

TEST(TrainerAugmentation, IsRefusedForWhatIsNoImage) {
  const auto table = toy_dataset(20, {36}, 4);
  auto problem = linear_problem();
  expect_error([&] { Trainer(problem, table, Erm(), short_run().augmentation(kOptions)); },
               "augmentation needs images [c,h,w], but the samples of toy have the shape [36]");
  expect_error([&] { Trainer(problem, small_set(), Erm(), short_run().augmentation(CropFlipOptions().padding(6))); },
               "the padding of the crop must be 0 to 5");
}

}  // namespace arks
