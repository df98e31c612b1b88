// Whole inner loops and trainings of the paper's network, on the plan and on libtorch. Rounding grows through steps
// that are as good as signs, so nothing can be expected to agree more closely than libtorch agrees with itself when it
// adds the same numbers in another order.

#include <algorithm>

#include "engine/climbs.h"
#include "engine/threads.h"

namespace arks {

using testing::identical;

namespace {

namespace nn = torch::nn;

/// The same function with the hidden channels and units in another order: sums over them are added in that order.
FashionCnn reordered(const FashionCnn& net, uint64_t seed) {
  FashionCnn other;
  torch::NoGradGuard no_grad;
  const auto from = net->parameters();
  auto to = other->parameters();
  const auto order = [&](int64_t count, uint64_t number) {
    return testing::normal({count}, 10 * seed + number).argsort();
  };
  const auto first = order(32, 1), second = order(64, 2), third = order(128, 3);
  to[0].copy_(from[0].index_select(0, first));
  to[1].copy_(from[1].index_select(0, first));
  to[2].copy_(from[2].index_select(0, second).index_select(1, first));
  to[3].copy_(from[3].index_select(0, second));
  const auto dense = from[4].view({128, 64, 36}).index_select(0, third).index_select(1, second);
  to[4].copy_(dense.reshape({128, 2304}));
  to[5].copy_(from[5].index_select(0, third));
  to[6].copy_(from[6].index_select(1, third));
  to[7].copy_(from[7]);
  return other;
}

/// What one training leaves: the surrogate of every batch and the weights.
struct Run {
  std::vector<double> curve;
  std::vector<torch::Tensor> weights;
};

constexpr int64_t kBatch = 8;

Run train_on(const Model& model, const Objective& objective, Engine engine, int64_t batches = 50) {
  SupervisedProblem problem(model, CrossEntropy(), engine);
  Run run;
  const auto options =
      TrainOptions().epochs(1).batch_size(kBatch).seed(3).optimizer(OptimizerOptions().learning_rate(2e-3));
  train(problem, testing::toy_dataset(kBatch * batches), objective,
        TrainOptions(options).on_batch([&](const BatchProgress& progress) { run.curve.push_back(progress.value); }));
  for (const auto& parameter : problem.parameters()) run.weights.push_back(parameter.detach().clone());
  return run;
}

/// A network that has learnt enough to be attacked.
FashionCnn trained() {
  FashionCnn net;
  train_on(net, Erm(), Engine::kAuto);
  return net;
}

/// Largest distance of two curves, relative to the largest value.
double apart(const Run& a, const Run& b) {
  double most = 0, size = 0;
  for (size_t i = 0; i < a.curve.size(); ++i) {
    most = std::max(most, std::abs(a.curve[i] - b.curve[i]));
    size = std::max(size, std::abs(b.curve[i]));
  }
  return most / size;
}

/// The last iterate, so that no batch falls back to the clean samples.
Arks short_arks() {
  return Arks(GaussianKernel(5), AscentOptions().steps(3).learning_rate(0.02).returned(InnerReturn::kLast));
}

void expect_same_curve(const Objective& objective) {
  const auto plan = train_on(FashionCnn(), objective, Engine::kAuto);
  const auto libtorch = train_on(FashionCnn(), objective, Engine::kLibtorch);
  ASSERT_EQ(plan.curve.size(), 50u);
  const double spread = apart(train_on(reordered(FashionCnn(), 1), objective, Engine::kLibtorch), libtorch);
  EXPECT_GT(spread, 0);
  EXPECT_LE(apart(plan, libtorch), 3 * spread);
  // a curve that stays where it is would agree with anything
  const auto [lowest, highest] = std::minmax_element(plan.curve.begin(), plan.curve.end());
  EXPECT_GT(*highest - *lowest, 0.2);
}

void expect_same_bits(const Run& a, const Run& b) {
  EXPECT_EQ(a.curve, b.curve);
  for (size_t i = 0; i < a.weights.size(); ++i) EXPECT_TRUE(identical(a.weights[i], b.weights[i])) << "weight " << i;
}

}  // namespace

TEST(EngineTraining, SurrogatesAfterFifteenStepsAreAsNearAsReorderedSums) {
  const auto net = trained();
  SupervisedProblem plan(net, CrossEntropy()), libtorch(net, CrossEntropy(), Engine::kLibtorch);
  const auto data = testing::toy_dataset(48);
  const auto batch = data->get(torch::arange(48));
  for (const auto rule : {AscentRule::kAmsgrad, AscentRule::kSign, AscentRule::kSgd}) {
    SCOPED_TRACE(static_cast<int>(rule));
    Climb climb;
    climb.objective = std::make_shared<KernelProduct>(20.0);
    climb.ascent = AscentOptions().rule(rule).steps(15).learning_rate(rule == AscentRule::kSgd ? 1.0 : 0.01);
    climb.ascent.returned(InnerReturn::kLast);
    const auto expected = climb.on(libtorch)->maximize(batch.inputs, batch.targets).values;
    const auto off = (climb.on(plan)->maximize(batch.inputs, batch.targets).values - expected).abs();
    double median = 0, mean = 0;
    for (uint64_t seed = 1; seed < 3; ++seed) {
      SupervisedProblem other(reordered(net, seed), CrossEntropy(), Engine::kLibtorch);
      const auto spread = (climb.on(other)->maximize(batch.inputs, batch.targets).values - expected).abs();
      median = std::max(median, spread.median().item<double>());
      mean = std::max(mean, spread.mean().item<double>());
    }
    const double rounding = 0x1p-23 * expected.abs().max().item<double>();  // what one number itself is rounded by
    EXPECT_GT(mean, 0);
    EXPECT_LE(off.median().item<double>(), 3 * std::max(median, rounding));
    EXPECT_LE(off.mean().item<double>(), 3 * std::max(mean, rounding));
  }
}

TEST(EngineTraining, ArksCurveIsAsNearAsReorderedSums) {
  expect_same_curve(short_arks());
}

TEST(EngineTraining, ErmCurveIsAsNearAsReorderedSums) {
  expect_same_curve(Erm());
}

TEST(EngineTraining, SameSeedAndThreadsGiveTheSameBits) {
  for (const int threads : {1, 2, 3}) {
    SCOPED_TRACE(c10::str(threads, " threads"));
    const Threads taken(threads);
    expect_same_bits(train_on(FashionCnn(), short_arks(), Engine::kAuto, 5),
                     train_on(FashionCnn(), short_arks(), Engine::kAuto, 5));
    expect_same_bits(train_on(FashionCnn(), Erm(), Engine::kAuto, 5), train_on(FashionCnn(), Erm(), Engine::kAuto, 5));
  }
}

TEST(EngineTraining, BatchNormGivesTheSameBitsToo) {
  const Threads taken(2);
  const auto run = [] {
    torch::manual_seed(1);
    const nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(1, 9, 5).stride(3)), nn::BatchNorm2d(9), nn::ReLU(),
                             nn::Conv2d(nn::Conv2dOptions(9, 10, 3).padding(1)), nn::BatchNorm2d(10), nn::ELU(),
                             nn::MaxPool2d(2), nn::Flatten(), nn::Linear(160, 10));
    const Arks published(GaussianKernel(0.5), AscentOptions().steps(3).learning_rate(0.02).mode(InnerMode::kTrain));
    auto found = train_on(net, published, Engine::kAuto, 8);
    for (const auto& buffer : net->buffers()) found.weights.push_back(buffer.clone());
    return found;
  };
  expect_same_bits(run(), run());
}

TEST(EngineTraining, ThreadsDoNotChangeWhatTheInnerLoopFinds) {
  // chunks of other sizes on other threads: images are taken one by one all the same
  FashionCnn net;
  SupervisedProblem problem(net, CrossEntropy());
  const auto data = testing::toy_dataset(70);
  const auto batch = data->get(torch::arange(70));
  Climb climb;
  climb.objective = std::make_shared<LossAlone>();
  climb.ascent = AscentOptions().rule(AscentRule::kNormalized).steps(4).learning_rate(0.5);
  std::vector<InnerResult> found;
  for (const int threads : {1, 2, 4, 2}) {
    const Threads taken(threads);
    found.push_back(climb.on(problem)->maximize(batch.inputs, batch.targets));
  }
  EXPECT_TRUE(identical(found[1].u, found[3].u));
  for (const auto& other : found) {
    EXPECT_LE(testing::max_difference(other.values, found[0].values), 1e-5);
    EXPECT_LE((other.u - found[0].u).abs().flatten(1).amax(1).median().item<double>(), 1e-5);
  }
}

TEST(EngineTraining, GradientsAreTheSameBitsWhenRepeated) {
  for (const int threads : {1, 2}) {
    const Threads taken(threads);
    FashionCnn net;
    SupervisedProblem problem(net, CrossEntropy());
    const auto batch = testing::toy_dataset(37)->get(torch::arange(37));
    const auto gradients = [&] {
      for (auto& parameter : net->parameters()) parameter.mutable_grad() = torch::Tensor();
      problem.per_sample_loss(batch.inputs, batch.targets).mean().backward();
      std::vector<torch::Tensor> found;
      for (const auto& parameter : net->parameters()) found.push_back(parameter.grad().clone());
      return found;
    };
    const auto once = gradients();
    for (int repeat = 0; repeat < 5; ++repeat) {
      const auto again = gradients();
      for (size_t i = 0; i < once.size(); ++i) EXPECT_TRUE(identical(once[i], again[i])) << "weight " << i;
    }
  }
}

}  // namespace arks
