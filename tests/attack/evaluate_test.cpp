#include "attack/samples.h"
#include "data/batches.h"

namespace arks {

using testing::classes;
using testing::expect_error;
using testing::identical;
using testing::small_problem;
using testing::unit_inputs;

namespace {

DatasetPtr test_set(int64_t n = 50, std::optional<Bounds> bounds = Bounds{0, 1}) {
  DatasetInfo info;
  info.name = "toy";
  info.num_classes = 3;
  info.bounds = bounds;
  return std::make_shared<TensorDataset>(unit_inputs(n, 8, 3), classes(n), info);
}

PgdAttack attack(bool random = false) {
  return PgdAttack(PgdOptions().eps(0.2).alpha(0.05).steps(6).random_start(random));
}

/// Crafted on one, measured on another, batch by batch as evaluate does it.
EvaluationPoint by_hand(Problem& crafted_on, Problem& shown_to, const Attack& with, int64_t batch_size, uint64_t seed) {
  auto generator = make_generator(seed, Stream::kAttack);
  EvaluationPoint point;
  const auto data = test_set();
  const Batches batches(*data, batch_size);
  for (int64_t i = 0; i < batches.count(); ++i) {
    const auto batch = batches.get(i);
    const auto u = with.perturb(crafted_on, batch.inputs, batch.targets, Bounds{0, 1}, generator).inputs;
    torch::NoGradGuard no_grad;
    const auto shown = shown_to.evaluate(u, batch.targets);
    point.n += u.size(0);
    point.errors += shown.wrong.sum().item<int64_t>();
    point.loss += shown.loss.sum().item<double>();
  }
  point.loss /= static_cast<double>(point.n);
  return point;
}

void expect_same(const EvaluationPoint& one, const EvaluationPoint& two) {
  EXPECT_EQ(one.n, two.n);
  EXPECT_EQ(one.errors, two.errors);
  EXPECT_NEAR(one.loss, two.loss, 1e-13);
}

/// Refuses to be differentiated.
class NoGradients : public SupervisedProblem {
 public:
  using SupervisedProblem::SupervisedProblem;
  torch::Tensor per_sample_loss(const torch::Tensor& u, const torch::Tensor& y) override {
    check();
    return SupervisedProblem::per_sample_loss(u, y);
  }
  Evaluation evaluate(const torch::Tensor& u, const torch::Tensor& y, bool with_log_loss) override {
    check();
    return SupervisedProblem::evaluate(u, y, with_log_loss);
  }

 private:
  static void check() {
    if (torch::GradMode::is_enabled()) throw std::logic_error("the target's own gradient was asked for");
  }
};

}  // namespace

TEST(Evaluate, CountsWhatAnAttackByHandFinds) {
  auto problem = small_problem();
  for (const bool random : {false, true}) {
    const auto found = evaluate(problem, test_set(), attack(random), EvaluateOptions().batch_size(16).seed(5));
    expect_same(found, by_hand(problem, problem, attack(random), 16, 5));
    EXPECT_EQ(found.error, static_cast<double>(found.errors) / 50);
    EXPECT_EQ(found.attack, "pgd");
    EXPECT_EQ(found.norm, "linf");
    EXPECT_EQ(found.eps, 0.2);
    EXPECT_EQ(found.source, "");
    EXPECT_GT(found.seconds, 0);
  }
}

TEST(Evaluate, AtRadiusZeroIsTheCleanError) {
  auto problem = small_problem();
  const auto found = evaluate(problem, test_set(), FgsmAttack(FgsmOptions().eps(0)));
  const auto clean = measure(problem, *test_set());
  EXPECT_EQ(found.errors, *clean.errors);
  EXPECT_EQ(found.loss, clean.loss);
}

TEST(Evaluate, DoesNotDependOnTheBatchSizeWithoutRandomStarts) {
  auto problem = small_problem();
  const auto one = evaluate(problem, test_set(), attack(), EvaluateOptions().batch_size(7));
  expect_same(one, evaluate(problem, test_set(), attack(), EvaluateOptions().batch_size(1000)));
}

TEST(Evaluate, WithASourceCraftsOnItAndNeverAsksTheTargetForAGradient) {
  auto source = small_problem(1), target = small_problem(50);
  NoGradients guarded(target.model(), CrossEntropy());
  const auto options = EvaluateOptions().batch_size(16).source(&source).source_name("runs/erm");
  const auto found = evaluate(guarded, test_set(), attack(), options);
  expect_same(found, by_hand(source, target, attack(), 16, 0));
  EXPECT_EQ(found.source, "runs/erm");
  EXPECT_NE(found.errors, evaluate(target, test_set(), attack()).errors) << "white-box must be something else";
  EXPECT_THROW(evaluate(guarded, test_set(), attack()), std::logic_error) << "the guard works";
}

TEST(Evaluate, WithTheModelAsItsOwnSourceIsWhiteBox) {
  auto problem = small_problem();
  expect_same(evaluate(problem, test_set(), attack(true), EvaluateOptions().source(&problem)),
              evaluate(problem, test_set(), attack(true)));
}

TEST(EvaluateModels, ComparesThemOnTheSameRows) {
  auto one = small_problem(1), two = small_problem(20);
  const auto points = evaluate_models({{"one", &one}, {"two", &two}}, test_set(), attack());
  const auto found = compare_models(points);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].quantity, "error");
  EXPECT_EQ(found[0].result.test, "mcnemar");
  EXPECT_NEAR(found[0].result.difference, points[1].error - points[0].error, 1e-12);
  EXPECT_EQ(found[1].quantity, "loss");
  EXPECT_NEAR(found[1].result.difference, points[1].loss - points[0].loss, 1e-12);
  int64_t counted = 0, right = 0;
  for (size_t i = 0; i < 3; ++i) {
    for (const auto count : points[0].classification->confusion[i]) counted += count;
    right += points[0].classification->confusion[i][i];
  }
  EXPECT_EQ(counted, 50);
  EXPECT_EQ(right, 50 - points[0].errors);
  EXPECT_TRUE(compare_models({points[0]}).empty());
}

TEST(EvaluateModels, GivesEachModelWhatItGetsAlone) {
  auto one = small_problem(1), two = small_problem(20), source = small_problem(40);
  for (const bool transfer : {false, true}) {
    for (const bool random : {false, true}) {
      const auto options = EvaluateOptions().batch_size(16).source(transfer ? &source : nullptr);
      const auto both = evaluate_models({{"one", &one}, {"two", &two}}, test_set(), attack(random), options);
      const auto swapped = evaluate_models({{"two", &two}, {"one", &one}}, test_set(), attack(random), options);
      ASSERT_EQ(both.size(), 2u);
      EXPECT_EQ(both[0].model, "one");
      EXPECT_EQ(both[1].model, "two");
      expect_same(both[0], evaluate(one, test_set(), attack(random), options));
      expect_same(both[1], evaluate(two, test_set(), attack(random), options));
      expect_same(both[0], swapped[1]);
      expect_same(both[1], swapped[0]);
    }
  }
}

TEST(Evaluate, LeavesWeightsAndModesAlone) {
  torch::nn::Sequential net(torch::nn::Linear(8, 6), torch::nn::BatchNorm1d(6), torch::nn::Dropout(0.5),
                            torch::nn::Linear(6, 3));
  net->to(torch::kDouble);
  SupervisedProblem problem(net, CrossEntropy());
  net->train();
  NamedTensors before;
  for (const auto& [name, tensor] : problem.state()) before.emplace_back(name, tensor.detach().clone());
  const auto first = evaluate(problem, test_set(), attack());
  expect_same(evaluate(problem, test_set(), attack()), first);  // no dropout, no batch statistics
  const auto after = problem.state();
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_TRUE(identical(after[i].second.detach(), before[i].second)) << before[i].first;
    EXPECT_FALSE(after[i].second.grad().defined()) << before[i].first;
  }
  EXPECT_TRUE(net->is_training());
}

TEST(Evaluate, KnowsNoErrorsWhereNothingIsRightOrWrong) {
  auto problem = testing::plane(testing::normal({8}, 2));
  const auto found = evaluate(problem, test_set(), attack(), EvaluateOptions().batch_size(16));
  EXPECT_EQ(found.errors, -1);
  EXPECT_EQ(found.error, 0);
  EXPECT_EQ(found.n, 50);
  EXPECT_EQ(found.brief_report().find("error"), std::string::npos) << found.brief_report();
}

TEST(Evaluate, TellsHowFarItIs) {
  auto problem = small_problem();
  std::vector<int64_t> told;
  evaluate(problem, test_set(), attack(),
           EvaluateOptions().batch_size(20).on_samples([&](int64_t done) { told.push_back(done); }));
  EXPECT_EQ(told, (std::vector<int64_t>{20, 40, 50}));
}

TEST(Evaluate, TakesTheBoundsOfTheOptionsBeforeThoseOfTheData) {
  auto problem = small_problem();
  const auto free = evaluate(problem, test_set(50, std::nullopt), attack());
  const auto wide = evaluate(problem, test_set(), attack(), EvaluateOptions().bounds(Bounds{-5, 5}));
  expect_same(wide, free);
  EXPECT_LT(evaluate(problem, test_set(), attack()).loss, free.loss) << "the data's own bounds hold the attack back";
  expect_error(
      [&] {
        evaluate(problem, test_set(), attack(), EvaluateOptions().bounds(Bounds{0.4, 0.6}));
      },
      "outside the given range [0.4, 0.6]");
}

TEST(Evaluate, AddsUpTheZeroGradients) {
  FunctionProblem flat([](const torch::Tensor& u, const torch::Tensor&) { return (u * 0).sum(1) + 1; });
  EXPECT_EQ(evaluate(flat, test_set(), attack(), EvaluateOptions().batch_size(16)).zero_gradients, 50);
}

TEST(EvaluateModels, ShowsAllModelsTheSameNoise) {
  // a model that remembers what it was shown
  const auto witness = [](std::vector<torch::Tensor>& seen) {
    return FunctionProblem([&seen](const torch::Tensor& u, const torch::Tensor&) {
      seen.push_back(u.clone());
      return u.sum(1);
    });
  };
  std::vector<torch::Tensor> one, two, alone;
  auto first = witness(one), second = witness(two), single = witness(alone);
  const UniformNoise noise(UniformNoiseOptions().eps(0.1));
  auto source = small_problem();
  const auto options = EvaluateOptions().batch_size(16).source(&source).source_name("ignored");
  const auto points = evaluate_models({{"one", &first}, {"two", &second}}, test_set(), noise, options);
  evaluate(single, test_set(), noise, EvaluateOptions().batch_size(50));
  EXPECT_TRUE(identical(torch::cat(one), torch::cat(two)));
  EXPECT_TRUE(identical(torch::cat(one), torch::cat(alone))) << "nor does it depend on the batches";
  EXPECT_EQ(points[0].attack, "uniform");
  EXPECT_EQ(points[0].norm, "");
  EXPECT_EQ(points[0].source, "") << "a shift has no source";
  EXPECT_EQ(points[0].brief_report().rfind("uniform eps 0.1: loss ", 0), 0U) << points[0].brief_report();
}

TEST(Evaluate, OfAScalingIsTheLossOfScaledInputs) {
  auto problem = testing::plane(testing::normal({8}, 2));
  const auto data = test_set(50, std::nullopt);
  const double clean = evaluate(problem, data, Scaling(ScalingOptions().eps(0))).loss;
  EXPECT_NEAR(evaluate(problem, data, Scaling(ScalingOptions().eps(1.5))).loss, 2.5 * clean, 1e-13);
}

TEST(Evaluate, RepeatsAreTheMeanOverDraws) {
  auto problem = small_problem();
  const UniformNoise noise(UniformNoiseOptions().eps(0.5));
  double loss = 0;
  int64_t errors = 0;
  for (uint64_t r = 0; r < 3; ++r) {
    auto generator = make_generator(7, Stream::kAttack, r);
    const auto batch = Batches(*test_set(), 50).get(0);
    torch::NoGradGuard no_grad;
    const auto u = noise.perturb(problem, batch.inputs, batch.targets, Bounds{0, 1}, generator).inputs;
    const auto shown = problem.evaluate(u, batch.targets);
    loss += shown.loss.mean().item<double>() / 3;
    errors += shown.wrong.sum().item<int64_t>();
  }
  std::vector<int64_t> told;
  const auto options = EvaluateOptions().batch_size(20).seed(7).repeats(3);
  const auto found = evaluate(problem, test_set(), noise,
                              EvaluateOptions(options).on_samples([&](int64_t done) { told.push_back(done); }));
  EXPECT_EQ(found.n, 50) << "rows, not draws";
  EXPECT_EQ(found.repeats, 3);
  EXPECT_EQ(found.errors, errors);
  EXPECT_LE(found.error_interval->low, found.error);
  EXPECT_GE(found.error_interval->high, found.error);
  EXPECT_EQ(found.error, static_cast<double>(errors) / 150);
  EXPECT_NEAR(found.loss, loss, 1e-13);
  EXPECT_EQ(told.back(), 150);
  EXPECT_NE(found.loss, evaluate(problem, test_set(), noise, EvaluateOptions(options).repeats(1)).loss);
  expect_error([&] { evaluate(problem, test_set(), noise, EvaluateOptions().repeats(0)); },
               "evaluate: repeats must be positive, got 0");
}

TEST(Evaluate, OfARegressionHasALossAndNoErrors) {
  const auto a = testing::normal({8}, 2);
  FunctionProblem problem([&](const torch::Tensor& u, const torch::Tensor& y) { return (u.matmul(a) - y).square(); });
  const auto x = testing::normal({30, 8}), y = testing::normal({30}, 5);
  DatasetInfo info;
  info.name = "line";
  const auto data = std::make_shared<TensorDataset>(x, y, info);
  const auto found = evaluate(problem, data, FgsmAttack(FgsmOptions().eps(0.1)), EvaluateOptions().batch_size(7));
  EXPECT_EQ(found.errors, -1);
  EXPECT_EQ(found.n, 30);
  EXPECT_NEAR(found.loss, ((x.matmul(a) - y).abs() + 0.1 * a.norm(1)).square().mean().item<double>(), 1e-12);
}

TEST(Evaluate, RefusesAnEmptyListOfModels) {
  expect_error([&] { evaluate_models({}, test_set(), attack()); }, "no model given");
}

TEST(Evaluate, RefusesAnEmptyBatch) {
  auto problem = small_problem();
  expect_error([&] { evaluate(problem, test_set(), attack(), EvaluateOptions().batch_size(0)); },
               "batch size must be positive, got 0");
}

TEST(EvaluationPoint, ReportsInOneLine) {
  EvaluationPoint point;
  point.attack = "pgd";
  point.norm = "linf";
  point.eps = 0.1;
  point.n = 200;
  point.errors = 25;
  point.error = 0.125;
  point.loss = 0.5;
  EXPECT_EQ(point.brief_report(), "pgd linf eps 0.1 (white-box): error 12.5 %, loss 0.5000 on 200 samples\n");
  point.source = "runs/erm";
  EXPECT_NE(point.brief_report().find("(transfer from runs/erm)"), std::string::npos);
}

/// A shift moves what was measured. Where nothing was, the model goes on seeing what was filled in; an attack on the
/// model moves all inputs.
TEST(Evaluate, ShiftsLeaveFilledInputsAlone) {
  auto problem = small_problem();
  DatasetInfo info;
  info.name = "toy";
  info.num_classes = 3;
  const auto inputs = unit_inputs(20, 8, 3);
  const auto filled = (torch::arange(160) % 3 == 0).reshape({20, 8});
  const auto marked = std::make_shared<TensorDataset>(inputs, classes(20), info, SampleMarks{filled, {}});
  const auto by_hand = std::make_shared<TensorDataset>(torch::where(filled, inputs, inputs * 1.5), classes(20), info);
  const auto plain = std::make_shared<TensorDataset>(inputs, classes(20), info);
  const Scaling none(ScalingOptions().eps(0)), larger(ScalingOptions().eps(0.5));
  EXPECT_NEAR(evaluate(problem, marked, larger).loss, evaluate(problem, by_hand, none).loss, 1e-12);
  EXPECT_GT(std::abs(evaluate(problem, plain, larger).loss - evaluate(problem, marked, larger).loss), 1e-6);
  EXPECT_EQ(evaluate(problem, plain, attack()).loss, evaluate(problem, marked, attack()).loss);
}

/// Five copies of each row: the interval is that of the rows before they were copied, and so is the comparison.
TEST(Evaluate, RowsOfOneGroupCountTogether) {
  auto problem = small_problem(), other = small_problem(7);
  DatasetInfo info;
  info.name = "toy";
  info.num_classes = 3;
  info.group = "person";
  const auto copy = [](const torch::Tensor& rows) { return rows.repeat_interleave(5, 0); };
  const auto inputs = unit_inputs(12, 8, 3), targets = classes(12);
  const auto one = [&](const torch::Tensor& groups) {
    return std::make_shared<TensorDataset>(inputs, targets, info, SampleMarks{{}, groups});
  };
  const auto copies =
      std::make_shared<TensorDataset>(copy(inputs), copy(targets), info, SampleMarks{{}, copy(torch::arange(12))});
  const Scaling none(ScalingOptions().eps(0));
  const std::vector<NamedProblem> models{{"a", &problem}, {"b", &other}};
  const auto single = evaluate_models(models, one(torch::arange(12)), none),
             many = evaluate_models(models, copies, none);
  EXPECT_EQ(many[0].groups, 12);
  EXPECT_EQ(many[0].n, 60);
  EXPECT_NEAR(*many[0].loss_standard_error, *single[0].loss_standard_error, 1e-12);
  EXPECT_LE(many[0].error_interval->low, single[0].error_interval->low + 0.03);
  const auto of_one = compare_models(single), of_many = compare_models(many);
  ASSERT_EQ(of_many.size(), 2);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(of_many[i].result.test, "paired t of groups");
    ASSERT_EQ(of_many[i].result.p_value.has_value(), of_one[i].result.p_value.has_value());
    if (of_one[i].result.p_value) EXPECT_NEAR(*of_many[i].result.p_value, *of_one[i].result.p_value, 1e-9);
  }
  const auto alone = evaluate(problem, one(torch::zeros({12}, torch::kLong)), none);
  EXPECT_FALSE(alone.error_interval) << "one group says nothing of others";
}

}  // namespace arks
