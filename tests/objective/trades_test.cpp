#include <arks/objective/trades.h>

#include "objective/samples.h"
#include "support/samples.h"
#include "train/runs.h"

namespace arks {

using testing::copied;
using testing::evaluated;
using testing::expect_error;
using testing::found_points;
using testing::identical;
using testing::max_difference;
using testing::normal;
using testing::same_bits;
using testing::small_batch;
using testing::small_net;
using testing::steps;

TEST(Trades, OfALinearModelClimbsTheDivergenceToACornerOfTheBall) {
  // two classes, z = (w·u, 0): the divergence grows with |w·(u − x)|, so u* is x ± eps·sign w, whichever is worse
  const auto w = torch::tensor({1.0, -2.0, 0.5}, torch::kDouble).set_requires_grad(true);
  SupervisedProblem problem({[w](const torch::Tensor& u) {
                               const auto z = u.matmul(w);
                               return torch::stack({z, torch::zeros_like(z)}, 1);
                             },
                             {w}},
                            CrossEntropy());
  const Batch batch{normal({6, 3}), torch::tensor({0, 1, 0, 1, 0, 1})};
  const auto u = found_points(Trades(TradesOptions().eps(0.1), steps(20, 0.02)), problem, batch);
  const auto moves = (u - batch.inputs) * w.detach().sign();
  EXPECT_LT(max_difference(moves.abs(), torch::full_like(moves, 0.1)), 1e-15);
  EXPECT_LT(max_difference(moves, moves.select(1, 0).unsqueeze(1).expand_as(moves)), 1e-15);
}

TEST(Trades, ValueIsTheCleanLossAndTheDivergenceAtItsPoints) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const auto batch = small_batch();
  for (const auto norm : {Norm::kLinf, Norm::kL2}) {
    const Trades objective(TradesOptions().beta(2.5).eps(0.2).norm(norm), steps());
    const auto sums = evaluated(objective, problem, batch).sums;
    const auto u = found_points(objective, problem, batch);
    const auto clean = problem.evaluate(batch.inputs, batch.targets);
    const auto p = problem.predict(batch.inputs).softmax(1), q = problem.predict(u).softmax(1);
    const auto divergence = (p * (p / q).log()).sum(1);
    EXPECT_NEAR(sums.surrogate, (clean.loss + 2.5 * divergence).sum().item<double>(), 1e-12);
    EXPECT_NEAR(sums.loss, clean.loss.sum().item<double>(), 1e-13);
    EXPECT_EQ(sums.wrong, clean.wrong.sum().item<double>());
    EXPECT_NEAR(*sums.adversarial_loss, problem.per_sample_loss(u, batch.targets).sum().item<double>(), 1e-12);
    EXPECT_EQ(sums.samples, 7);
    EXPECT_GT(divergence.min().item<double>(), 1e-5) << "nothing moved";
    const auto distance = norm == Norm::kLinf ? rows(u - batch.inputs).abs().amax(1) : sample_norms(u - batch.inputs);
    EXPECT_LT(distance.max().item<double>(), 0.2 + 1e-12);
  }
}

TEST(Trades, GradientGoesThroughBothPredictions) {
  testing::expect_weight_gradient_matches(Trades(TradesOptions().beta(3).eps(0.2), steps()));
}

TEST(Trades, TrainsToTheWeightsOfErmWhenBetaIsZeroAndNearThemWhenItIsSmall) {
  const auto trained = [](const Objective& objective) {
    auto problem = testing::linear_problem();
    train(problem, testing::small_set(), objective, testing::short_run());
    return copied(problem);
  };
  const auto erm = trained(Erm());
  EXPECT_TRUE(same_bits(trained(Trades(TradesOptions().beta(0).eps(0.1), steps())), erm));
  const auto near = trained(Trades(TradesOptions().beta(1e-4).eps(0.1), steps()));
  const auto far = trained(Trades(TradesOptions().beta(6).eps(0.1), steps()));
  EXPECT_LT(max_difference(near[0].second, erm[0].second), 1e-3);
  EXPECT_GT(max_difference(far[0].second, erm[0].second), 1e-2);
}

TEST(Trades, StaysWithinBoundsAndRadiiPerFeature) {
  const auto scale = torch::tensor({1.0, 0.0, 2.0, 1.0, 0.5, 1.0}, torch::kDouble);
  const auto options = TradesOptions().eps(0.2).eps_scale(scale).bounds(Bounds{0, 1});
  testing::expect_points_within(Trades(options, steps(10)), scale);
}

TEST(Trades, DrawsItsStartFromTheGeneratorItIsHanded) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const Trades objective(TradesOptions().eps(0.5), steps(2, 0.01));
  const auto one = found_points(objective, problem, small_batch(), 5);
  torch::manual_seed(2);
  EXPECT_TRUE(identical(found_points(objective, problem, small_batch(), 5), one));
  EXPECT_FALSE(identical(found_points(objective, problem, small_batch(), 6), one));
}

TEST(Trades, LeavesModesAndStatisticsToTheTwoPassesOfTheStep) {
  for (const auto mode : {InnerMode::kEval, InnerMode::kTrain}) {
    torch::nn::Sequential net(torch::nn::Linear(6, 8), torch::nn::BatchNorm1d(8), torch::nn::Linear(8, 3));
    net->to(torch::kDouble);
    SupervisedProblem problem(net, CrossEntropy());
    problem.train(true);
    evaluated(Trades(TradesOptions().eps(0.1), steps(4).mode(mode)), problem, small_batch());
    EXPECT_EQ(net->named_buffers()["1.num_batches_tracked"].item<int64_t>(), mode == InnerMode::kEval ? 2 : 4 + 2);
    EXPECT_TRUE(net->is_training());
  }
}

TEST(Trades, ResumesBitForBit) {
  testing::expect_resume_changes_nothing(Trades(TradesOptions().eps(0.1), steps(2, 0.03)), testing::short_run(),
                                         testing::linear_problem);
}

TEST(Trades, RunsOnTheEngineAsOnLibtorch) {
  testing::expect_engine_as_libtorch(Trades(TradesOptions().eps(0.1).bounds(Bounds{0, 1}), steps(3, 0.03)));
}

TEST(Trades, RefusesWhatItCannotUse) {
  expect_error([] { Trades objective(TradesOptions().beta(-1)); },
               "trades: beta must be finite and not negative, got -1");
  expect_error([] { Trades objective(TradesOptions().eps(-0.1)); }, "eps must be finite and not negative, got -0.1");
  expect_error([] { Trades objective(TradesOptions(), AscentOptions().steps(-1)); },
               "inner steps must not be negative, got -1");
  SupervisedProblem regression(small_net(), SquaredError());
  expect_error([&] { Trades(TradesOptions()).bind(regression); },
               "trades: the divergence of predictions needs classes; this problem has none");
}

}  // namespace arks
