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

TEST(Validation, PatienceNeedsAValidationSet) {
  auto problem = linear_problem();
  expect_error([&] { train(problem, small_set(), Erm(), short_run().patience(2)); }, "patience needs a validation set");
}

}  // namespace arks
