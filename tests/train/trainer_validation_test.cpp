// The best epoch on a validation set is the result, however the training ended.
#include "train/runs.h"

namespace arks {

using namespace testing;

namespace {

EpochMetrics epoch_with(std::optional<double> error, std::optional<double> loss) {
  EpochMetrics metrics;
  metrics.validation_error = error;
  metrics.validation_loss = loss;
  return metrics;
}

/// A rate at which the validation loss falls and then rises: training and validation samples have unrelated labels.
TrainOptions overfitting(int64_t epochs) {
  return short_run(epochs).optimizer(OptimizerOptions().learning_rate(0.05)).validation_set(small_set(2));
}

}  // namespace

TEST(TakenEpoch, HasTheLowestLossThenTheLowestErrorThenComesFirst) {
  EXPECT_EQ(taken_epoch({epoch_with(0.1, 3.0), epoch_with(0.3, 2.0), epoch_with(0.2, 2.0), epoch_with(0.2, 2.0)}), 2U);
  EXPECT_EQ(taken_epoch({epoch_with({}, 2.0), epoch_with({}, 1.0), epoch_with({}, 1.5)}), 1U);
  EXPECT_EQ(taken_epoch({epoch_with({}, {}), epoch_with({}, {})}), 1U) << "without validation the last";
  EXPECT_EQ(taken_epoch({epoch_with({}, 1.0), epoch_with({}, {})}), 1U) << "likewise";
  EXPECT_EQ(taken_epoch({epoch_with({}, 1.0), epoch_with({}, {}), epoch_with({}, 3.0), epoch_with({}, 2.0)}), 3U);
}

TEST(TakenEpoch, PatienceEndsAfterSoManyEpochsWithoutABetterOne) {
  const std::vector<EpochMetrics> epochs{epoch_with({}, 2.0), epoch_with({}, 1.0), epoch_with({}, 1.0),
                                         epoch_with({}, 1.5)};
  EXPECT_TRUE(out_of_patience(epochs, 2));
  EXPECT_FALSE(out_of_patience(epochs, 3));
  EXPECT_FALSE(out_of_patience(epochs, 0)) << "never";
  EXPECT_FALSE(out_of_patience({epoch_with({}, {}), epoch_with({}, {})}, 1)) << "no validation part";
  EXPECT_FALSE(out_of_patience({}, 1));
}

TEST(TakenEpoch, ClassesNeedNotBecomeSurerThanSure) {
  const std::vector<EpochMetrics> classes{epoch_with(0.1, 2.0), epoch_with(0.0, 9e-4), epoch_with(0.0, 8e-4),
                                          epoch_with(0.0, 7e-4)};
  EXPECT_EQ(taken_epoch(classes), 3U);
  EXPECT_EQ(last_progress(classes), 1U);
  EXPECT_TRUE(out_of_patience(classes, 2));
  const std::vector<EpochMetrics> wrong{epoch_with(0.1, 2.0), epoch_with(0.1, 9e-4), epoch_with(0.0, 9.5e-4)};
  EXPECT_EQ(last_progress(wrong), 2U) << "fewer errors are progress";
  const std::vector<EpochMetrics> numbers{epoch_with({}, 2.0), epoch_with({}, 9e-4), epoch_with({}, 8e-4)};
  EXPECT_EQ(last_progress(numbers), 2U) << "numbers can always become more exact";
}

TEST(Validation, TheResultIsTheBestEpoch) {
  auto problem = linear_problem();
  const auto summary = train(problem, small_set(), Erm(), overfitting(200).patience(3));
  ASSERT_TRUE(summary.taken);
  EXPECT_EQ(*summary.taken, taken_epoch(summary.epochs));
  const auto& best = summary.epochs[*summary.taken];
  ASSERT_LT(best.epoch, summary.epochs.back().epoch) << "the last epoch would show nothing";
  const auto measured = measure(problem, *small_set(2));
  EXPECT_EQ(measured.loss, best.validation_loss);
  EXPECT_EQ(measured.error(), best.validation_error);
  // the same weights as a run that ends there
  auto shorter = linear_problem();
  train(shorter, small_set(), Erm(), short_run(best.epoch).optimizer(OptimizerOptions().learning_rate(0.05)));
  EXPECT_TRUE(same_bits(copied(problem), copied(shorter)));
}

TEST(Validation, PatienceEndsTheTraining) {
  auto problem = linear_problem();
  const auto summary = train(problem, small_set(), Erm(), overfitting(200).patience(3));
  EXPECT_EQ(summary.termination, TrainTermination::kStoppedEarly);
  ASSERT_TRUE(summary.taken);
  EXPECT_EQ(summary.epochs.size(), *summary.taken + 4);
  const auto report = summary.brief_report();
  EXPECT_NE(report.find("stopped since 3 epochs brought no lower validation loss"), std::string::npos) << report;
  EXPECT_NE(report.find(c10::str("; epoch ", *summary.taken + 1, " taken: validation error ")), std::string::npos);
  EXPECT_EQ(report.find("train"), std::string::npos) << "those figures are of other weights: " << report;
}

TEST(Validation, TheTestSetHasNoSay) {
  auto with = linear_problem(), without = linear_problem();
  const auto one = train(with, small_set(), Erm(), overfitting(20).patience(3).test_set(small_set(3)));
  const auto two = train(without, small_set(), Erm(), overfitting(20).patience(3));
  EXPECT_EQ(one.taken, two.taken);
  EXPECT_TRUE(same_bits(copied(with), copied(without)));
}

/// With weighted losses the weights say what matters: the criterion of the training decides.
TEST(Validation, TheCriterionOfTheTrainingDecides) {
  SupervisedProblem problem(make_model("linear", small_set()->info(), 1), WeightedCrossEntropy({9, 1, 1, 1}));
  const auto criterion = std::make_shared<CrossEntropy>();
  const auto summary =
      train(problem, small_set(), Erm(), overfitting(20).test_set(small_set(2)).test_criterion(criterion));
  const auto& taken = summary.epochs[*summary.taken];
  EXPECT_EQ(taken.validation_loss, measure(problem, *small_set(2)).loss);
  EXPECT_NE(taken.validation_loss, taken.test_loss) << "of the same samples, but not weighted";
  for (const auto& epoch : summary.epochs) EXPECT_LE(*taken.validation_loss, *epoch.validation_loss);
}

TEST(Validation, ResumesBitForBit) {
  expect_resume_changes_nothing(random_method(), overfitting(3), linear_problem);
  expect_resume_changes_nothing(random_method(), overfitting(3).average_from(2), linear_problem);
}

TEST(Validation, ARunThatStoppedEarlyStaysStopped) {
  const TemporaryFolder folder;
  auto first = linear_problem();
  const auto options = overfitting(200).patience(3).folder(folder.path());
  const auto expected = train(first, small_set(), Erm(), options);
  const auto checkpoint = read_checkpoint(folder / run_files::kCheckpoint);
  EXPECT_TRUE(same_bits(checkpoint.best, copied(first)));
  auto second = linear_problem(99);
  Trainer trainer(second, small_set(), Erm(), options);
  trainer.resume(checkpoint, "checkpoint");
  const auto again = trainer.run();
  EXPECT_EQ(again.termination, TrainTermination::kStoppedEarly);
  EXPECT_EQ(again.epochs.size(), expected.epochs.size());
  EXPECT_TRUE(same_bits(copied(second), copied(first)));
  auto third = linear_problem(98);
  load_trained_weights(checkpoint, third, "checkpoint");
  EXPECT_TRUE(same_bits(copied(third), copied(first)));
}

TEST(Validation, WithAveragingTheAveragedWeightsAreCompared) {
  auto problem = linear_problem();
  const auto summary = train(problem, small_set(), Erm(), overfitting(200).average_from(1).patience(3));
  const auto& best = summary.epochs[*summary.taken];
  auto averaged = linear_problem();
  train(averaged, small_set(), Erm(),
        short_run(best.epoch).optimizer(OptimizerOptions().learning_rate(0.05)).average_from(1));
  EXPECT_TRUE(same_bits(copied(problem), copied(averaged)));
}

/// The best weights of before are gone once epochs have passed that were not measured.
TEST(Validation, GoesOnAfterAResumeWithoutAValidationSet) {
  const TemporaryFolder folder;
  const auto rate = OptimizerOptions().learning_rate(0.05);
  const auto go_on = [&](const TrainOptions& options) {
    auto problem = linear_problem();
    Trainer trainer(problem, small_set(), Erm(), TrainOptions(options).folder(folder.path()));
    trainer.resume(read_checkpoint(folder / run_files::kCheckpoint), "runs/a");
    return std::pair(trainer.run(), copied(problem));
  };
  auto problem = linear_problem();
  const auto first = train(problem, small_set(), Erm(), overfitting(200).patience(3).folder(folder.path()));
  const auto epochs = static_cast<int64_t>(first.epochs.size());
  // nothing is trained, and the result stays
  EXPECT_TRUE(same_bits(go_on(short_run(epochs).optimizer(rate)).second, copied(problem)));
  const auto [unmeasured, last] = go_on(short_run(epochs + 2).optimizer(rate));
  EXPECT_FALSE(unmeasured.taken);
  EXPECT_TRUE(same_bits(read_checkpoint(folder / run_files::kCheckpoint).weights, last));
  const auto [again, best] = go_on(overfitting(200).patience(3));
  EXPECT_EQ(again.termination, TrainTermination::kStoppedEarly);
  ASSERT_TRUE(again.taken);
  EXPECT_GE(*again.taken, first.epochs.size() + 2) << "none of the epochs whose weights are gone";
  EXPECT_NE(again.brief_report().find("stopped since 3 epochs"), std::string::npos) << again.brief_report();
  EXPECT_TRUE(same_bits(read_checkpoint(folder / run_files::kCheckpoint).best, best));
}

/// A checkpoint whose best weights are missing, whoever made it.
TEST(Validation, MissingBestWeightsAreNoneToTake) {
  const TemporaryFolder folder;
  auto problem = linear_problem();
  train(problem, small_set(), Erm(), overfitting(200).patience(3).folder(folder.path()));
  auto checkpoint = read_checkpoint(folder / run_files::kCheckpoint);
  checkpoint.best.clear();
  Trainer trainer(problem, small_set(), Erm(), overfitting(200).patience(3));
  trainer.resume(checkpoint, "runs/a");
  const auto summary = trainer.run();
  EXPECT_FALSE(summary.taken);
  EXPECT_NE(summary.brief_report().find("erm: "), std::string::npos);
}

/// The last step spoils the weights, but those that are taken are of the epoch before.
TEST(Validation, TheWeightsThatAreTakenDecideWhetherItDiverged) {
  const auto run = [](int64_t bad_step) {
    const auto w = torch::zeros({1}).set_requires_grad(true);
    FunctionProblem problem(
        [=, calls = int64_t{0}](const torch::Tensor& u, const torch::Tensor&) mutable {
          const double slope = torch::GradMode::is_enabled() && ++calls == bad_step ? -1 : 0;
          return u.flatten(1).mean(1) * 0 + 1 + slope * (w - w.detach()) + w.detach().abs();
        },
        {w});
    const auto rate = OptimizerOptions().kind(OptimizerKind::kSgd).momentum(0).learning_rate(1e5);
    const auto options = short_run(2).optimizer(rate).validation_set(small_set(2));
    const auto summary = train(problem, small_set(), Erm(), options);
    EXPECT_EQ(w.item<double>(), 0);
    return summary;
  };
  const auto summary = run(2 * kBatches);
  EXPECT_EQ(summary.taken, 0U);
  EXPECT_EQ(summary.epochs[1].validation_loss, 100001) << "of the spoiled weights";
  expect_run_error([&] { run(kBatches); }, "the training loss became");
}

TEST(Validation, PatienceThatEndsWithTheLastEpochStoppedNothing) {
  auto problem = linear_problem();
  const auto early = train(problem, small_set(), Erm(), overfitting(200).patience(3));
  auto other = linear_problem();
  const auto epochs = static_cast<int64_t>(early.epochs.size());
  const auto summary = train(other, small_set(), Erm(), overfitting(epochs).patience(3));
  EXPECT_EQ(summary.termination, TrainTermination::kCompleted);
  EXPECT_EQ(summary.brief_report().find("stopped"), std::string::npos) << summary.brief_report();
  EXPECT_EQ(summary.taken, early.taken);
  EXPECT_TRUE(same_bits(copied(problem), copied(other)));
}

TEST(Validation, EveryErrorOfTheReportHasItsInterval) {
  const auto grouped = [](uint64_t seed) {
    const auto all = all_of(*small_set(seed));
    auto info = small_set()->info();
    info.group = "site";
    SampleMarks marks;
    marks.groups = torch::arange(100).div(10, "floor");
    return std::make_shared<TensorDataset>(all.inputs, all.targets, info, marks);
  };
  auto problem = linear_problem();
  const auto summary =
      train(problem, small_set(), Erm(), short_run(2).validation_set(small_set(2)).test_set(grouped(3)));
  const auto& taken = summary.epochs[*summary.taken];
  ASSERT_TRUE(taken.validation_interval && taken.test_interval);
  const auto plain = fraction_interval(std::round(100 * *taken.validation_error), 100);
  EXPECT_EQ(taken.validation_interval->low, plain.low);
  EXPECT_EQ(taken.validation_interval->high, plain.high);
  EXPECT_EQ(taken.test_interval->high, measure(problem, *grouped(3)).interval->high) << "over groups";
  const auto report = summary.brief_report("rows");
  EXPECT_NE(report.find("] on 100 rows, test error "), std::string::npos) << report;
  EXPECT_NE(report.find("] on 100 rows in 10 groups\n"), std::string::npos) << report;
}

TEST(Validation, PatienceNeedsAValidationSet) {
  auto problem = linear_problem();
  expect_error([&] { train(problem, small_set(), Erm(), short_run().patience(2)); }, "patience needs a validation set");
}

}  // namespace arks
