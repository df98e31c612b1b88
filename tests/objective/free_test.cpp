#include <arks/objective/free.h>

#include "objective/samples.h"
#include "train/runs.h"

namespace arks {

using testing::copied;
using testing::descend_with;
using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;
using testing::same_bits;
using testing::small_batch;
using testing::small_net;

namespace {

/// The steps of the method, one batch after the other; returns the perturbation at the end.
torch::Tensor trained_on(const Objective& objective, Problem& problem, const std::vector<Batch>& batches) {
  const auto majorant = objective.bind(problem);
  torch::optim::SGD optimizer(problem.parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  auto generator = make_generator(0, Stream::kObjective);
  for (const auto& batch : batches) majorant->step(batch, generator, descend_with(optimizer));
  return majorant->state().at(0).second;
}

void expect_near(Problem& one, Problem& two, double tolerance) {
  for (size_t i = 0; i < one.parameters().size(); ++i) {
    EXPECT_LT(max_difference(one.parameters()[i], two.parameters()[i]), tolerance) << i;
  }
}

}  // namespace

TEST(FreeTraining, OnePassIsOneStepTrainingWithTheStepOfTheBatchBefore) {
  SupervisedProblem problem(small_net(), CrossEntropy()), by_hand(small_net(), CrossEntropy());
  const std::vector<Batch> batches{small_batch(7, 1), small_batch(7, 2), small_batch(7, 3)};
  const double eps = 0.1;
  const auto delta = trained_on(FreeTraining(FreeOptions().replays(1).eps(eps)), problem, batches);

  torch::optim::SGD optimizer(by_hand.parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  auto expected = torch::zeros({7, 6}, torch::kDouble);
  for (const auto& batch : batches) {
    const auto u = (batch.inputs + expected).set_requires_grad(true);
    optimizer.zero_grad();
    by_hand.per_sample_loss(u, batch.targets).mean().backward();
    optimizer.step();
    expected = (expected + eps * u.grad().sign()).clamp(-eps, eps);
  }
  expect_near(problem, by_hand, 1e-14);
  EXPECT_LT(max_difference(delta, expected), 1e-15);
}

TEST(FreeTraining, PassesOverABatchAreStepsOfTheWeightsAndOfThePerturbation) {
  // a linear loss: after m passes every coordinate of δ has gone to the side that the slope there points to
  const auto theta = normal({4}, 2).set_requires_grad(true);
  auto problem = testing::linear_loss(theta);
  const Batch batch{normal({5, 4}), torch::zeros({5})};
  const auto majorant = FreeTraining(FreeOptions().replays(3).eps(0.3)).bind(problem);
  torch::optim::SGD optimizer(problem.parameters(), torch::optim::SGDOptions(0.01));
  auto generator = make_generator(0, Stream::kObjective);
  const auto before = theta.detach().clone();
  const auto done = majorant->step(batch, generator, descend_with(optimizer));
  // ∇_θ is mean(x + δ): δ is 0, then eps·sign θ (θ moves by 0.01 only, so that no sign changes)
  const auto x = batch.inputs.mean(0), side = 0.3 * before.sign();
  const auto after1 = before - 0.01 * x, after2 = after1 - 0.01 * (x + side), after3 = after2 - 0.01 * (x + side);
  EXPECT_LT(max_difference(theta.detach(), after3), 1e-14);
  EXPECT_LT(max_difference(majorant->state()[0].second, side.expand({5, 4})), 1e-15);
  // the metrics: clean before the first pass, the others in the mean over the passes, every sample once
  const double clean = (batch.inputs.matmul(before) + 3).sum().item<double>();
  const auto value_at = [&](const torch::Tensor& w, const torch::Tensor& delta) {
    return ((batch.inputs + delta).matmul(w) + 3).sum().item<double>();
  };
  const double mean = (value_at(before, torch::zeros_like(side)) + value_at(after1, side) + value_at(after2, side)) / 3;
  EXPECT_EQ(done.sums.samples, 5);
  EXPECT_NEAR(done.sums.loss, clean, 1e-12);
  EXPECT_NEAR(done.sums.surrogate, mean, 1e-12);
  EXPECT_NEAR(*done.sums.adversarial_loss, mean, 1e-12);
  EXPECT_LT(max_difference(done.adversarial, batch.inputs + side), 1e-15);
}

TEST(FreeTraining, WithoutABallIsErmWithSeveralStepsOnEveryBatch) {
  SupervisedProblem problem(small_net(), CrossEntropy()), erm(small_net(), CrossEntropy());
  const std::vector<Batch> batches{small_batch(7, 1), small_batch(7, 2)};
  const auto delta = trained_on(FreeTraining(FreeOptions().replays(3).eps(0)), problem, batches);
  EXPECT_TRUE(identical(delta.abs(), torch::zeros_like(delta)));
  const auto plain = Erm().bind(erm);
  torch::optim::SGD optimizer(erm.parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  auto generator = make_generator(0, Stream::kObjective);
  for (const auto& batch : batches) {
    for (int pass = 0; pass < 3; ++pass) plain->step(batch, generator, descend_with(optimizer));
  }
  EXPECT_TRUE(same_bits(copied(problem), copied(erm)));
}

TEST(FreeTraining, OneBackwardPassServesBoth) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const auto majorant = FreeTraining(FreeOptions().replays(4).eps(0.1)).bind(problem);
  auto generator = make_generator(0, Stream::kObjective);
  int evaluations = 0, backwards = 0;
  problem.parameters()[0].register_hook([&](torch::Tensor gradient) {
    ++backwards;
    return gradient;
  });
  majorant->step(small_batch(), generator, [&](const Evaluate& evaluate) {
    auto found = evaluate();
    ++evaluations;
    found.value.backward();
    return found;
  });
  EXPECT_EQ(evaluations, 4);
  EXPECT_EQ(backwards, 4);
  EXPECT_GT(majorant->state()[0].second.abs().min().item<double>(), 0.09) << "and the perturbation moved";
}

TEST(FreeTraining, CarriesItsPerturbationByPlaceThroughSmallerAndLargerBatches) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const auto majorant = FreeTraining(FreeOptions().replays(1).eps(0.1)).bind(problem);
  torch::optim::SGD optimizer(problem.parameters(), torch::optim::SGDOptions(0.1));
  auto generator = make_generator(0, Stream::kObjective);
  majorant->step(small_batch(5, 1), generator, descend_with(optimizer));
  const auto first = majorant->state()[0].second.clone();
  EXPECT_EQ(first.size(0), 5);
  majorant->step(small_batch(3, 2), generator, descend_with(optimizer));
  const auto second = majorant->state()[0].second.clone();
  EXPECT_TRUE(identical(second.narrow(0, 3, 2), first.narrow(0, 3, 2)));
  EXPECT_FALSE(identical(second.narrow(0, 0, 3), first.narrow(0, 0, 3)));
  // a look at a batch moves nothing
  (*majorant)(small_batch(3, 2), generator);
  EXPECT_TRUE(identical(majorant->state()[0].second, second));
  majorant->step(small_batch(8, 3), generator, descend_with(optimizer));
  EXPECT_EQ(majorant->state()[0].second.size(0), 8);
}

TEST(FreeTraining, StaysWithinBoundsAndRadiiPerFeature) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const Batch batch{normal({7, 6}).mul(0.5).add(0.5).clamp(0, 1), small_batch().targets};
  const auto scale = torch::tensor({1.0, 0.0, 2.0, 1.0, 0.5, 1.0}, torch::kDouble);
  const auto options = FreeOptions().replays(5).eps(0.2).eps_scale(scale).bounds(Bounds{0, 1});
  const auto majorant = FreeTraining(options).bind(problem);
  torch::optim::SGD optimizer(problem.parameters(), torch::optim::SGDOptions(0.1));
  auto generator = make_generator(0, Stream::kObjective);
  const auto u = majorant->step(batch, generator, descend_with(optimizer)).adversarial;
  EXPECT_GE(u.min().item<double>(), 0);
  EXPECT_LE(u.max().item<double>(), 1);
  const auto most = (u - batch.inputs).abs().amax(0);
  EXPECT_TRUE((most <= 0.2 * scale + 1e-12).all().item<bool>()) << most;
  EXPECT_GT(most[2].item<double>(), 0.2);
}

TEST(FreeTraining, ResumesBitForBitAlsoInMidEpoch) {
  testing::expect_resume_changes_nothing(FreeTraining(FreeOptions().replays(3).eps(0.05).bounds(Bounds{0, 1})),
                                         testing::short_run(), testing::linear_problem);
}

TEST(FreeTraining, RunsOnTheEngineAsOnLibtorch) {
  const auto data = testing::toy_dataset(24);
  const auto batch = data->get(torch::arange(24, torch::kLong));
  const auto run = [&](Engine engine) {
    SupervisedProblem problem(make_model("fashion-cnn", data->info(), 1), CrossEntropy(), engine);
    if (engine == Engine::kAuto) {
      const auto compilation = problem.network().compilation({1, 28, 28}, /*training=*/true);
      EXPECT_TRUE(compilation.compiled) << compilation.why_not;
    }
    const auto majorant = FreeTraining(FreeOptions().replays(2).eps(0.05).bounds(Bounds{0, 1})).bind(problem);
    torch::optim::SGD optimizer(problem.parameters(), torch::optim::SGDOptions(0.01));
    auto generator = make_generator(0, Stream::kObjective);
    const auto done = majorant->step(batch, generator, descend_with(optimizer));
    return std::pair(done.value.item<double>(), majorant->state()[0].second);
  };
  const auto [value, delta] = run(Engine::kAuto);
  const auto [expected, expected_delta] = run(Engine::kLibtorch);
  EXPECT_NEAR(value, expected, 1e-3 * expected);
  // where a gradient is zero but for rounding its sign may differ
  EXPECT_LT((delta - expected_delta).abs().gt(1e-3).to(torch::kDouble).mean().item<double>(), 0.01);
  EXPECT_GT(delta.abs().mean().item<double>(), 0.01);
}

TEST(FreeTraining, RefusesALossThatDoesNotLookAtTheInputs) {
  const auto theta = normal({4}, 2).set_requires_grad(true);
  FunctionProblem problem([theta](const torch::Tensor& u, const torch::Tensor&) { return u.detach().matmul(theta); },
                          {theta});
  const auto majorant = FreeTraining().bind(problem);
  torch::optim::SGD optimizer(problem.parameters(), torch::optim::SGDOptions(0.1));
  auto generator = make_generator(0, Stream::kObjective);
  expect_error(
      [&] {
        majorant->step({normal({5, 4}), torch::zeros({5})}, generator, descend_with(optimizer));
      },
      "free: no gradient of the loss comes back to the input");
}

TEST(FreeTraining, RefusesWhatItCannotUse) {
  expect_error([] { FreeTraining objective(FreeOptions().replays(0)); }, "free: replays must be positive, got 0");
  expect_error([] { FreeTraining objective(FreeOptions().eps(-0.1)); },
               "eps must be finite and not negative, got -0.1");
  SupervisedProblem problem(small_net(), CrossEntropy());
  const auto majorant = FreeTraining().bind(problem);
  expect_error(
      [&] {
        majorant->load_state({{"fast.accuracy", torch::zeros({1})}});
      },
      "the checkpoint holds the state of another method (fast)");
  majorant->load_state({{"free.delta", torch::zeros({7, 5}, torch::kDouble)}});
  auto generator = make_generator(0, Stream::kObjective);
  expect_error([&] { (*majorant)(small_batch(), generator); }, "free: the perturbation carried over has shape [7, 5]");
}

}  // namespace arks
