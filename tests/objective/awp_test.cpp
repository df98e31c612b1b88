#include <arks/objective/awp.h>

#include "model/reinitialise.h"
#include "objective/watched.h"
#include "train/runs.h"

#include <arks/objective/fast.h>
#include <arks/objective/free.h>

namespace arks {

using testing::copied;
using testing::descend_with;
using testing::expect_error;
using testing::max_difference;
using testing::normal;
using testing::same_bits;
using testing::small_batch;
using testing::small_net;

namespace {

std::shared_ptr<Objective> pgd() {
  return std::make_shared<PgdTraining>(PgdTrainingOptions().eps(0.1).random_start(true),
                                       AscentOptions().steps(2).learning_rate(0.03));
}

NamedTensors trained_beside(const Objective& objective, SupervisedProblem problem = testing::linear_problem()) {
  train(problem, testing::small_set(), objective, testing::short_run());
  return copied(problem);
}

torch::nn::Sequential net_with_batch_norm() {
  torch::nn::Sequential net(torch::nn::Flatten(), torch::nn::Linear(36, 8), torch::nn::BatchNorm1d(8),
                            torch::nn::Dropout(0.5), torch::nn::Linear(8, 4));
  reinitialise(Model(net), 3);
  return net;
}

/// l(W,u) = ‖uWᵀ‖²/2 + u·b: its gradients are known.
struct Quadratic {
  torch::Tensor w = normal({3, 4}, 2).set_requires_grad(true), b = normal({4}, 3).set_requires_grad(true);
  FunctionProblem problem{
      [this](const torch::Tensor& u, const torch::Tensor&) { return u.matmul(w.t()).pow(2).sum(1) / 2 + u.matmul(b); },
      {w, b}};
  Batch batch{normal({6, 4}, 4), torch::zeros({6})};
};

}  // namespace

TEST(Awp, OfAQuadraticLossHasAClosedForm) {
  Quadratic toy;
  const double gamma = 0.05, rate = 0.1;
  const auto majorant = Awp(std::make_shared<Erm>(), AwpOptions().gamma(gamma)).bind(toy.problem);
  torch::optim::SGD optimizer(toy.problem.parameters(), torch::optim::SGDOptions(rate));
  auto generator = make_generator(0, Stream::kObjective);
  const auto w = toy.w.detach().clone(), b = toy.b.detach().clone();
  const auto second = toy.batch.inputs.t().matmul(toy.batch.inputs) / 6;  // ∇_W = W·second
  const auto offset = gamma * w.norm() * w.matmul(second) / w.matmul(second).norm();
  const auto value_at = [&](const torch::Tensor& weights) {
    return (toy.batch.inputs.matmul(weights.t()).pow(2).sum(1) / 2 + toy.batch.inputs.matmul(b)).sum().item<double>();
  };
  const auto done = majorant->step(toy.batch, generator, descend_with(optimizer));
  EXPECT_LT(max_difference(toy.w.detach(), w - rate * (w + offset).matmul(second)), 1e-14);
  // a vector does not move
  EXPECT_LT(max_difference(toy.b.detach(), b - rate * toy.batch.inputs.mean(0)), 1e-15);
  EXPECT_EQ(done.sums.samples, 6);
  EXPECT_NEAR(done.sums.loss, value_at(w), 1e-12);
  EXPECT_NEAR(done.sums.surrogate, value_at(w + offset), 1e-12);
  EXPECT_GT(done.sums.surrogate, done.sums.loss);
}

TEST(Awp, IsTheMethodUnderneathWithoutAMoveAndNearItWithASmallOne) {
  const auto plain = trained_beside(*pgd());
  EXPECT_TRUE(same_bits(trained_beside(Awp(pgd(), AwpOptions().gamma(0))), plain));
  const auto near = trained_beside(Awp(pgd(), AwpOptions().gamma(1e-6))),
             far = trained_beside(Awp(pgd(), AwpOptions().gamma(0.5)));
  EXPECT_LT(max_difference(near[0].second, plain[0].second), 1e-4);
  EXPECT_GT(max_difference(far[0].second, plain[0].second), 1e-2);
}

TEST(Awp, LooksAtTheSamePointsOnceFound) {
  Quadratic toy;
  class Counting : public Majorant {
   public:
    explicit Counting(Problem& problem) : erm_(Erm().bind(problem)) {}
    WorstPoints find(const Batch& batch, torch::Generator& /*generator*/) override {
      ++found;
      return {batch.inputs + 0.25, {}, {}};
    }
    MajorantValue value(const Batch& batch, const WorstPoints& points) override {
      ++evaluated;
      return erm_->value({points.u, batch.targets}, {});
    }
    int found = 0, evaluated = 0;

   private:
    std::unique_ptr<Majorant> erm_;
  };
  class Method : public Objective {
   public:
    std::string name() const override { return "counting"; }
    std::unique_ptr<Majorant> bind(Problem& problem) const override {
      auto majorant = std::make_unique<Counting>(problem);
      bound = majorant.get();
      return majorant;
    }
    mutable Counting* bound = nullptr;
  };
  const auto method = std::make_shared<Method>();
  const Awp objective(method);
  EXPECT_EQ(objective.name(), "counting+awp");
  const auto majorant = objective.bind(toy.problem);
  torch::optim::SGD optimizer(toy.problem.parameters(), torch::optim::SGDOptions(0.1));
  auto generator = make_generator(0, Stream::kObjective);
  majorant->step(toy.batch, generator, descend_with(optimizer));
  EXPECT_EQ(method->bound->found, 1);
  EXPECT_EQ(method->bound->evaluated, 2);
}

TEST(Awp, LeavesStatisticsAndDropoutAsTheStepAloneDoes) {
  // with a move of 1e-30 nothing but the extra pass is different
  const auto net = net_with_batch_norm(), same = net_with_batch_norm();
  const auto erm = std::make_shared<Erm>();
  const auto with = trained_beside(Awp(erm, AwpOptions().gamma(1e-30)), {net, CrossEntropy()});
  const auto without = trained_beside(Erm(), {same, CrossEntropy()});
  EXPECT_TRUE(same_bits(with, without));
  EXPECT_EQ(net->named_buffers()["2.num_batches_tracked"].item<int64_t>(), 3 * testing::kBatches);
}

TEST(Awp, PutsTheWeightsBackToTheBitWhenTheStepFails) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const auto before = copied(problem);
  auto generator = make_generator(0, Stream::kObjective);
  const auto majorant = Awp(std::make_shared<Erm>(), AwpOptions().gamma(0.3)).bind(problem);
  const auto fail = [&](const Evaluate& evaluate) -> MajorantValue {
    EXPECT_FALSE(same_bits(copied(problem), before)) << "it has moved";
    evaluate();
    throw RunError("not finite");
  };
  testing::expect_run_error([&] { majorant->step(small_batch(), generator, fail); }, "not finite");
  EXPECT_TRUE(same_bits(copied(problem), before));
  for (const auto& parameter : problem.parameters()) EXPECT_FALSE(parameter.grad().defined());
}

TEST(Awp, MovesInEachOfTheStepsThatAMethodMakesOnABatch) {
  // free training, by hand: the perturbation follows the gradient at the moved weights
  Quadratic toy;
  const double gamma = 0.05, eps = 0.1, rate = 0.01;
  const auto free = std::make_shared<FreeTraining>(FreeOptions().replays(2).eps(eps));
  const auto majorant = Awp(free, AwpOptions().gamma(gamma)).bind(toy.problem);
  torch::optim::SGD optimizer(toy.problem.parameters(), torch::optim::SGDOptions(rate));
  auto generator = make_generator(0, Stream::kObjective);
  auto w = toy.w.detach().clone(), b = toy.b.detach().clone();
  auto delta = torch::zeros({6, 4}, torch::kDouble);
  const auto done = majorant->step(toy.batch, generator, descend_with(optimizer));
  for (int pass = 0; pass < 2; ++pass) {
    const auto u = toy.batch.inputs + delta;
    const auto second = u.t().matmul(u) / 6;
    const auto moved = w + gamma * w.norm() * w.matmul(second) / w.matmul(second).norm();
    delta = (delta + eps * (u.matmul(moved.t()).matmul(moved) + b).sign()).clamp(-eps, eps);
    w = w - rate * moved.matmul(second);
    b = b - rate * u.mean(0);
  }
  EXPECT_LT(max_difference(toy.w.detach(), w), 1e-14);
  EXPECT_LT(max_difference(toy.b.detach(), b), 1e-14);
  EXPECT_LT(max_difference(majorant->state().at(0).second, delta), 1e-15);
  EXPECT_EQ(done.sums.samples, 6);
}

TEST(Awp, HandsTheWatchOfTheMethodOn) {
  testing::expect_watches(Awp(std::make_shared<FastTraining>(FastOptions().eps(0.5))));
}

TEST(Awp, ResumesBitForBitWithTheStateOfTheMethod) {
  const auto free = std::make_shared<FreeTraining>(FreeOptions().replays(2).eps(0.05));
  testing::expect_resume_changes_nothing(Awp(free), testing::short_run(), testing::linear_problem);
}

TEST(Awp, ResumesBitForBit) {
  testing::expect_resume_changes_nothing(Awp(pgd()), testing::short_run(), testing::linear_problem);
}

TEST(Awp, RunsOnTheEngineAsOnLibtorch) {
  const auto data = testing::toy_dataset(24);
  const auto batch = data->get(torch::arange(24, torch::kLong));
  const auto run = [&](Engine engine) {
    SupervisedProblem problem(make_model("fashion-cnn", data->info(), 1), CrossEntropy(), engine);
    const auto majorant =
        Awp(std::make_shared<PgdTraining>(PgdTrainingOptions().eps(0.05), AscentOptions().steps(2).learning_rate(0.02)))
            .bind(problem);
    torch::optim::SGD optimizer(problem.parameters(), torch::optim::SGDOptions(0.01));
    auto generator = make_generator(0, Stream::kObjective);
    const auto done = majorant->step(batch, generator, descend_with(optimizer));
    EXPECT_EQ(majorant->maximizer_info()->compiled, engine == Engine::kAuto) << majorant->maximizer_info()->why_not;
    return std::pair(done.sums, copied(problem));
  };
  const auto [sums, weights] = run(Engine::kAuto);
  const auto [expected, expected_weights] = run(Engine::kLibtorch);
  EXPECT_NEAR(sums.surrogate, expected.surrogate, 1e-3 * expected.surrogate);
  EXPECT_NEAR(sums.loss, expected.loss, 1e-3 * expected.loss);
  for (size_t i = 0; i < weights.size(); ++i) {
    EXPECT_LT(max_difference(weights[i].second, expected_weights[i].second), 1e-4) << weights[i].first;
  }
}

TEST(Awp, RefusesWhatItCannotUse) {
  expect_error([] { Awp objective(std::make_shared<Erm>(), AwpOptions().gamma(-0.1)); },
               "awp: gamma must be finite and not negative, got -0.1");
  expect_error([] { Awp objective(nullptr); }, "awp: no method given");
}

}  // namespace arks
