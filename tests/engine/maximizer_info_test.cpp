// What a maximizer says about itself, and what it does with what it cannot compile or use.
#include "engine/climbs.h"
#include "engine/threads.h"

namespace arks {

using testing::expect_error;
using testing::normal;

namespace {

namespace nn = torch::nn;

/// The climb runs all the same, on libtorch, and says that this is why.
void expect_fallback(const Climb& climb, Problem& problem, const Samples& samples, const std::string& why) {
  SCOPED_TRACE(why);
  const auto maximizer = climb.on(problem);
  const auto found = maximizer->maximize(samples.x, samples.y);
  EXPECT_FALSE(maximizer->info().compiled);
  EXPECT_NE(maximizer->info().why_not.find(why), std::string::npos) << maximizer->info().why_not;
  EXPECT_EQ(maximizer->info().why_not.find('\n'), std::string::npos);
  EXPECT_EQ(maximizer->info().workspace_bytes, 0);
  EXPECT_TRUE((found.values > found.start_losses * 0.99).all().item<bool>());
  EXPECT_GT(testing::max_difference(found.u, samples.x), 1e-3);
}

void expect_fallback(const Climb& climb, const Model& model, const Samples& samples, const std::string& why) {
  SupervisedProblem problem(model, CrossEntropy());
  expect_fallback(climb, problem, samples, why);
}

class Quartic : public Criterion {
 public:
  torch::Tensor operator()(const torch::Tensor& prediction, const torch::Tensor& /*y*/) const override {
    return prediction.pow(4).sum(1);
  }
  std::shared_ptr<Criterion> clone() const override { return std::make_shared<Quartic>(*this); }
};

/// Cross entropy, and yet not.
class Doubled : public CrossEntropy {
 public:
  torch::Tensor operator()(const torch::Tensor& logits, const torch::Tensor& y) const override {
    return 2 * CrossEntropy::operator()(logits, y);
  }
  std::shared_ptr<Criterion> clone() const override { return std::make_shared<Doubled>(*this); }
};

class Halves : public Unconstrained {
 public:
  std::optional<SetForm> form(const torch::Tensor& /*x*/) const override { return std::nullopt; }
};

}  // namespace

TEST(EngineMaximizerInfo, NamesWhatIsNotCompiled) {
  const auto vectors = labelled({6, 5}, 3);
  const auto images = labelled(small_images(6), 4);
  Mlp mlp(MlpOptions(5, 3));
  const Climb usual;
  expect_fallback(usual, nn::Sequential(nn::Linear(5, 3), nn::GELU(), nn::Linear(3, 3)), vectors, "GELU");
  expect_fallback(usual,
                  nn::Sequential(nn::Conv2d(nn::Conv2dOptions(3, 6, 3).groups(3)), nn::Flatten(), nn::Linear(90, 4)),
                  images, "groups");
  expect_fallback(usual, Model([mlp](const torch::Tensor& x) mutable { return mlp->forward(x); }), vectors,
                  "plain function");
  expect_fallback(usual, load_torchscript(to_torchscript(mlp), "memory"), vectors, "TorchScript");

  Climb climb;
  climb.cost = make_cost("linf");
  climb.objective = std::make_shared<LinearPenalty>(0.1);
  expect_fallback(climb, mlp, vectors, "cost linf");
  climb.cost = std::make_shared<Mahalanobis>(torch::eye(5, torch::kDouble) * 2);
  expect_fallback(climb, mlp, vectors, "cost mahalanobis");
  climb = Climb();
  climb.constraint = std::make_shared<Halves>();
  expect_fallback(climb, mlp, vectors, "constraint set");
  climb.constraint = std::make_shared<L2Ball>(0.3);
  climb.ascent.tolerance(1e-6);
  expect_fallback(climb, mlp, vectors, "L2 ball");

  for (const Criterion* criterion : std::initializer_list<const Criterion*>{new Quartic, new Doubled}) {
    SupervisedProblem problem(mlp, *criterion);
    delete criterion;
    expect_fallback(usual, problem, vectors, "criterion");
  }
  SupervisedProblem eager(mlp, CrossEntropy(), Engine::kLibtorch);
  expect_fallback(usual, eager, vectors, "libtorch was requested");
}

TEST(EngineMaximizerInfo, SaysThatFloat64IsNotCompiled) {
  Mlp mlp(MlpOptions(5, 3));
  mlp->to(torch::kDouble);
  const auto samples = labelled({6, 5}, 3);
  expect_fallback(Climb(), mlp, {samples.x.to(torch::kDouble), samples.y}, "float32");
}

TEST(EngineMaximizerInfo, SaysThatDropoutIsNotCompiledInTrainingMode) {
  nn::Sequential net(nn::Linear(5, 9), nn::ELU(), nn::Dropout(0.5), nn::Linear(9, 3));
  Climb climb;
  expect_same_climb(climb, net, CrossEntropy(), labelled({6, 5}, 3));
  SupervisedProblem problem(net, CrossEntropy());
  climb.ascent.mode(InnerMode::kTrain);
  const auto maximizer = climb.on(problem);
  const auto samples = labelled({6, 5}, 3);
  maximizer->maximize(samples.x, samples.y);
  EXPECT_NE(maximizer->info().why_not.find("draws random numbers"), std::string::npos) << maximizer->info().why_not;
}

TEST(EngineMaximizerInfo, IsEmptyForWhatNeedsNoNetwork) {
  FunctionProblem problem([](const torch::Tensor& u, const torch::Tensor& /*y*/) { return u.pow(2).sum(1); });
  const auto maximizer = Climb().on(problem);
  maximizer->maximize(normal({3, 4}), torch::zeros({3}));
  EXPECT_FALSE(maximizer->info().compiled);
  EXPECT_EQ(maximizer->info().why_not, "");
}

TEST(EngineMaximizerInfo, MemoryDoesNotGrowWithTheBatch) {
  const Threads taken(2);  // each gets a whole chunk of either batch
  FashionCnn net;
  SupervisedProblem problem(net, CrossEntropy());
  Climb climb;
  climb.ascent.steps(1);
  std::vector<int64_t> bytes;
  for (const int64_t images : {64, 512}) {
    const auto maximizer = climb.on(problem);
    const auto samples = labelled({images, 1, 28, 28}, 10);
    maximizer->maximize(samples.x, samples.y);
    ASSERT_TRUE(maximizer->info().compiled);
    bytes.push_back(maximizer->info().workspace_bytes);
  }
  EXPECT_GT(bytes[0], 0);
  EXPECT_EQ(bytes[0], bytes[1]);
}

TEST(EngineMaximizerInfo, BadBatchesAreErrorsAsOnLibtorch) {
  const auto samples = labelled({6, 5}, 3);
  for (const auto engine : {Engine::kAuto, Engine::kLibtorch}) {
    SCOPED_TRACE(engine == Engine::kAuto ? "engine" : "libtorch");
    SupervisedProblem problem(Mlp(MlpOptions(5, 3)), CrossEntropy(), engine);
    const auto maximizer = Climb().on(problem);
    expect_error([&] { maximizer->maximize(torch::empty({0, 5}), torch::empty({0}, torch::kLong)); }, "empty");
    expect_error([&] { maximizer->maximize(samples.x, samples.y.narrow(0, 0, 5)); },
                 "labels must be int64 of shape [6]");
    expect_error(
        [&] {
          maximizer->maximize(samples.x, torch::cat({samples.y, samples.y}));
        },
        "labels must be int64 of shape [6]");
    expect_error([&] { maximizer->maximize(samples.x, samples.y + 1); }, "labels must be in 0..2");
    expect_error([&] { maximizer->maximize(samples.x, samples.y.to(torch::kFloat)); }, "labels must be int64");
    expect_error([&] { maximizer->maximize(samples.x, samples.y, samples.x.narrow(0, 0, 5)); }, "the start has shape");
    // and none of them leaves anything behind
    EXPECT_TRUE(maximizer->maximize(samples.x, samples.y).values.isfinite().all().item<bool>());
  }
  for (const auto engine : {Engine::kAuto, Engine::kLibtorch}) {
    SupervisedProblem problem(Mlp(MlpOptions(5, 2)), SquaredError(), engine);
    const auto maximizer = Climb().on(problem);
    expect_error([&] { maximizer->maximize(samples.x, torch::zeros({5, 2})); }, "targets must have the shape");
    expect_error([&] { maximizer->maximize(samples.x, torch::zeros({6, 3})); }, "targets must have the shape");
  }
}

}  // namespace arks
