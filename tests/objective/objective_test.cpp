// What all objectives share: their limits, their sums, and how they treat a network with batch norm.
#include "objective/samples.h"
#include "problem/state_guard.h"

namespace arks {

using testing::evaluated;
using testing::identical;
using testing::max_difference;
using testing::small_batch;

namespace {

/// The weights after two epochs on the toy set.
NamedTensors trained(const Objective& objective) {
  const auto data = testing::toy_dataset(96, {1, 6, 6}, 4);
  const auto model = make_model("linear", data->info(), 1);
  SupervisedProblem problem(model, CrossEntropy());
  train(problem, data, objective, TrainOptions().epochs(2).batch_size(32));
  return problem.state();
}

void expect_same_weights(const NamedTensors& one, const NamedTensors& two) {
  ASSERT_EQ(one.size(), two.size());
  for (size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(identical(one[i].second, two[i].second)) << one[i].first;
}

torch::nn::Sequential batch_norm_net() {
  torch::nn::Sequential net(torch::nn::Linear(6, 8), torch::nn::BatchNorm1d(8), torch::nn::Tanh(),
                            torch::nn::Linear(8, 3));
  net->to(torch::kDouble);
  return net;
}

int64_t updates(const torch::nn::Sequential& net) {
  return net->named_buffers()["1.num_batches_tracked"].item<int64_t>();
}

std::vector<std::shared_ptr<Objective>> objectives(const AscentOptions& ascent) {
  return {std::make_shared<Erm>(), std::make_shared<Arks>(GaussianKernel(0.5), ascent),
          std::make_shared<Wrm>(1.0, ascent), std::make_shared<PgdTraining>(PgdTrainingOptions(), ascent),
          std::make_shared<PgdTraining>(PgdTrainingOptions().random_start(true), ascent)};
}

}  // namespace

// Bit for bit: with the best iterate kept and nothing gained by moving, u* is x itself, k = 1 and c = 0, and θ sees
// the mean loss of the same numbers.
TEST(Objectives, TrainToTheWeightsOfErmInTheirLimits) {
  const auto erm = trained(Erm());
  expect_same_weights(trained(Arks(GaussianKernel(1e-4))), erm);
  expect_same_weights(trained(Arks(GaussianKernel(1e-4), AscentOptions(), InnerForm::kLog)), erm);
  expect_same_weights(trained(Wrm(1e6)), erm);
  expect_same_weights(trained(PgdTraining(PgdTrainingOptions().eps(0))), erm);
  expect_same_weights(trained(PgdTraining(PgdTrainingOptions().eps(0).random_start(true))), erm);
  expect_same_weights(trained(FastTraining(FastOptions().eps(0).watch_batches(0))), erm);
  expect_same_weights(trained(FastTraining(FastOptions().eps(0))), erm);
  EXPECT_FALSE(identical(trained(Arks(GaussianKernel(0.5)))[0].second, erm[0].second)) << "away from it they differ";
}

TEST(Objectives, MoveBatchNormStatisticsOncePerStep) {
  for (const auto& objective : objectives(AscentOptions().steps(4))) {
    const auto net = batch_norm_net();
    SupervisedProblem problem(net, CrossEntropy());
    problem.train(true);
    auto generator = make_generator(0, Stream::kObjective);
    (*objective->bind(problem))(small_batch(), generator);
    EXPECT_EQ(updates(net), 1) << objective->name();
    EXPECT_TRUE(net->is_training()) << objective->name();
  }
}

TEST(Objectives, MoveBatchNormStatisticsTowardsThePointTheyFound) {
  auto net = batch_norm_net();
  SupervisedProblem problem(net, CrossEntropy());
  const auto batch = small_batch();
  net->eval();
  const auto u = testing::maximized(problem, std::make_shared<KernelProduct>(0.25), std::make_shared<HalfSquaredL2>(),
                                    AscentOptions(), std::make_shared<Unconstrained>(), batch)
                     .u;
  net->train();
  auto generator = make_generator(0, Stream::kObjective);
  const auto found = (*Arks(GaussianKernel(0.5)).bind(problem))(batch, generator);
  const auto hidden = net->at<torch::nn::LinearImpl>(0).forward(u);
  EXPECT_LT(max_difference(net->named_buffers()["1.running_mean"], 0.1 * hidden.mean(0)), 1e-14);
  // θ sees the network in training mode: batch statistics
  net->train();
  const auto kernel = GaussianKernel(0.5)(u, batch.inputs);
  EXPECT_NEAR(found.value.item<double>(), (problem.per_sample_loss(u, batch.targets) * kernel).mean().item<double>(),
              1e-13);
}

TEST(Objectives, MoveBatchNormStatisticsWithEveryInnerStepWhenAskedTo) {
  const auto net = batch_norm_net();
  SupervisedProblem problem(net, CrossEntropy());
  auto generator = make_generator(0, Stream::kObjective);
  (*Arks(GaussianKernel(0.5), AscentOptions().steps(4).mode(InnerMode::kTrain)).bind(problem))(small_batch(),
                                                                                               generator);
  EXPECT_EQ(updates(net), 4 + 1);  // four steps, the outer pass; what the last iterate is worth is not counted
}

TEST(Objectives, TakeTheCleanFiguresInTheModeOfTheAscent) {
  for (const auto mode : {InnerMode::kEval, InnerMode::kTrain}) {
    const auto ascent = AscentOptions().steps(4).learning_rate(0.01).mode(mode);
    const auto fast = FastOptions().eps(0.1).mode(mode);
    // with the passes of a step and the steps of the ascent
    const std::vector<std::tuple<std::shared_ptr<Objective>, int64_t, int64_t>> methods = {
        {std::make_shared<PgdTraining>(PgdTrainingOptions().eps(0.1), ascent), 1, 4},
        {std::make_shared<PgdTraining>(PgdTrainingOptions().eps(0.1).random_start(true), ascent), 1, 4},
        {std::make_shared<Trades>(TradesOptions().eps(0.1), ascent), 2, 4},
        {std::make_shared<Mart>(MartOptions().eps(0.1), ascent), 2, 4},
        {std::make_shared<FastTraining>(fast), 1, 1}};
    for (const auto& [objective, passes, steps] : methods) {
      auto net = batch_norm_net();
      SupervisedProblem problem(net, CrossEntropy());
      const auto batch = small_batch();
      net->train(mode == InnerMode::kTrain);
      const double clean = [&] {
        const BuffersGuard untouched(problem);
        return problem.per_sample_loss(batch.inputs, batch.targets).sum().item<double>();
      }();
      net->train();
      auto generator = make_generator(0, Stream::kObjective);
      const auto found = (*objective->bind(problem))(batch, generator);
      EXPECT_NEAR(found.sums.loss, clean, 1e-13) << objective->name();
      // the look at the clean samples is no step
      EXPECT_EQ(updates(net), passes + (mode == InnerMode::kTrain ? steps : 0)) << objective->name();
      EXPECT_TRUE(net->is_training()) << objective->name();
    }
  }
}

TEST(Objectives, CanBeBoundToSeveralProblems) {
  for (const auto& objective : objectives(AscentOptions())) {
    SupervisedProblem one(testing::small_net(1), CrossEntropy()), two(testing::small_net(2), CrossEntropy());
    const auto a = objective->bind(one), b = objective->bind(two);
    auto generator = make_generator(0, Stream::kObjective);
    const double alone = (*a)(small_batch(), generator).value.item<double>();
    (*b)(small_batch(), generator);
    auto again = make_generator(0, Stream::kObjective);
    EXPECT_EQ((*a)(small_batch(), again).value.item<double>(), alone) << objective->name();
  }
}

TEST(Objectives, NameNoFlagOfTheToolWhenSamplesLieOutsideTheDomain) {
  SupervisedProblem problem(testing::small_net(), CrossEntropy());
  const Bounds domain{-0.1, 0.1};
  const std::vector<std::shared_ptr<Objective>> with_domain = {
      std::make_shared<Arks>(GaussianKernel(0.5), AscentOptions(), InnerForm::kProduct, domain),
      std::make_shared<WorstCase>(WorstCaseOptions(domain))};
  for (const auto& objective : with_domain) {
    try {
      evaluated(*objective, problem, small_batch());
      ADD_FAILURE() << objective->name() << " took them";
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.find("inputs are outside the given range [-0.1, 0.1]"), 0U) << message;
      EXPECT_EQ(message.find("--"), std::string::npos) << message;
    }
  }
}

TEST(BatchSums, AddUpAndKeepWhatOnlySomeHave) {
  BatchSums total;
  BatchSums one;
  one.samples = 3;
  one.loss = 1.5;
  one.surrogate = 2;
  one.wrong = 1;
  total += one;
  EXPECT_EQ(total.samples, 3);
  EXPECT_EQ(total.wrong, 1);
  EXPECT_FALSE(total.kernel || total.cost || total.adversarial_loss);
  one.kernel = 0.5;
  one.cost = 0.25;
  one.adversarial_loss = 4;
  total += one;
  EXPECT_EQ(total.samples, 6);
  EXPECT_EQ(total.loss, 3);
  EXPECT_EQ(total.surrogate, 4);
  EXPECT_EQ(total.wrong, 2);
  EXPECT_EQ(total.kernel, 0.5);
  EXPECT_EQ(total.cost, 0.25);
  EXPECT_EQ(total.adversarial_loss, 4);
}

}  // namespace arks
