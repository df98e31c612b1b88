// arks against PyTorch in Python, in float64 from the same weights and inputs. generate.py writes the reference.
#include "parity/reference.h"
#include "support/images.h"
#include "support/testing.h"

namespace arks {

using testing::max_difference;
using testing::Reference;
using testing::resize_bilinear;

namespace {

// Both sides compute the same sums in another order. A logit or a gradient is of order 1 and a sum of at most 2,304
// products, each wrong by 1e-16: √2304·1e-16 ≈ 5e-15, and a few layers on top of it.
constexpr double kSummation = 1e-13;
// AMSGrad divides by |g| + 1e-8, so where a gradient g is tiny its rounding error of 1e-17 moves u by up to
// rate·1e-17/|g|: 1e-12 for a rate of 0.05 and the smallest |g| here, 8e-7. Measured 5e-16.
constexpr double kAscent = 1e-12;
// The same for the weights, rate 1e-3: the smallest of 400,000 gradients is about 1e-8, its error with that of u about
// 1e-16, so 1e-11. Measured 5e-14.
constexpr double kTraining = 1e-11;

/// The reference of Python, or a word on why there is none.
class Parity : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(path())) {
      GTEST_SKIP() << path() << " is not there: it takes python3-torch, and the test parity_reference run before";
    }
    reference_ = std::make_unique<Reference>(path());
  }
  static std::string path() { return ARKS_PARITY_FOLDER "/reference.pt"; }
  torch::Tensor get(const std::string& name) const { return (*reference_)[name]; }

  /// The weights of that prefix, copied into the module.
  template <typename Holder>
  Holder filled(Holder holder, const std::string& prefix) const {
    holder->to(torch::kDouble);
    torch::NoGradGuard no_grad;
    for (auto& item : holder->named_parameters()) item.value().copy_(get(prefix + item.key()));
    return holder;
  }
  FashionCnn cnn() const { return filled(FashionCnn(), "cnn_"); }

  void expect_same_gradients(SupervisedProblem problem, const std::string& prefix, const torch::Tensor& inputs,
                             const torch::Tensor& labels) const {
    const auto x = inputs.clone().set_requires_grad(true);
    EXPECT_LT(max_difference(problem.predict(x), get(prefix + "logits")), kSummation);
    problem.per_sample_loss(x, labels).mean().backward();
    EXPECT_LT(max_difference(x.grad(), get(prefix + "input_gradient")), kSummation);
    for (const auto& [name, weight] : problem.state()) {
      EXPECT_LT(max_difference(weight.grad(), get(prefix + name + "_gradient")), kSummation) << name;
    }
  }

  /// u and φ after 1, 2, … steps of AMSGrad from x.
  void expect_same_ascent(const InnerObjectivePtr& objective, const CostPtr& cost, double rate,
                          const std::string& prefix) const {
    SupervisedProblem problem(cnn(), CrossEntropy());
    const auto iterates = get(prefix + "iterates"), values = get(prefix + "values");
    for (int64_t steps = 0; steps < iterates.size(0); ++steps) {
      const auto ascent = AscentOptions().steps(steps).learning_rate(rate).returned(InnerReturn::kLast);
      const auto found = make_maximizer(problem, objective, cost, ascent, std::make_shared<Unconstrained>())
                             ->maximize(get("x"), get("y"));
      EXPECT_LT(max_difference(found.u, iterates[steps]), kAscent) << steps << " steps";
      EXPECT_LT(max_difference(found.values, values[steps]), kAscent) << steps << " steps";
    }
    const auto ascent = AscentOptions().steps(iterates.size(0) - 1).learning_rate(rate);
    const auto best = make_maximizer(problem, objective, cost, ascent, std::make_shared<Unconstrained>())
                          ->maximize(get("x"), get("y"));
    EXPECT_LT(max_difference(best.values, std::get<0>(values.max(0))), kAscent);
  }

  /// Five epochs of one batch each: arks shuffles within the batch, which changes nothing but the order of the mean.
  void expect_same_training(InnerReturn returned, const std::string& prefix) const {
    const auto net = cnn();
    SupervisedProblem problem(net, CrossEntropy());
    DatasetInfo info;
    info.name = "parity";
    info.num_classes = 10;
    const auto data = std::make_shared<TensorDataset>(get("x"), get("y"), info);
    const Arks objective(GaussianKernel(0.5), AscentOptions().steps(5).learning_rate(0.01).returned(returned));
    const auto options = TrainOptions()
                             .epochs(5)
                             .batch_size(data->size())
                             .optimizer(OptimizerOptions().kind(OptimizerKind::kAmsgrad).learning_rate(1e-3));
    const auto summary = train(problem, data, objective, options);
    const auto surrogates = get(prefix + "surrogates");
    ASSERT_EQ(static_cast<int64_t>(summary.epochs.size()), surrogates.size(0));
    for (int64_t i = 0; i < surrogates.size(0); ++i) {
      EXPECT_NEAR(summary.epochs[static_cast<size_t>(i)].surrogate, surrogates[i].item<double>(), kTraining) << i;
    }
    for (const auto& item : net->named_parameters()) {
      EXPECT_LT(max_difference(item.value(), get(prefix + item.key())), kTraining) << item.key();
      EXPECT_GT(max_difference(item.value(), get("cnn_" + item.key())), 1e-3) << item.key() << " was not trained";
    }
  }

  void expect_same_attack(const Attack& attack, const std::string& name) const {
    SupervisedProblem problem(cnn(), CrossEntropy());
    auto generator = make_generator(0, Stream::kAttack);
    const auto found = attack.perturb(problem, get("x"), get("y"), Bounds{0, 1}, generator);
    // u = x + clamp(u − x) rounds where δ ← clamp(δ + …) does not: 1e-16 in each of the 15 steps. A sign that flipped
    // would show as 2α.
    EXPECT_LT(max_difference(found.inputs, get(name)), 1e-13);
    EXPECT_GT(max_difference(found.inputs, get("x")), 0.05) << "nothing moved";
  }

  void expect_same_in_python(const Model& model, const torch::Tensor& inputs, double tolerance) const {
    const auto found = testing::opened_by_python(model, inputs);
    const auto x = inputs.clone().set_requires_grad(true);
    const auto logits = model(x);
    logits.sum().backward();
    EXPECT_EQ(found["logits"].scalar_type(), logits.scalar_type());
    EXPECT_LT(max_difference(found["logits"], logits), tolerance);
    EXPECT_LT(max_difference(found["input_gradient"], x.grad()), tolerance);
    EXPECT_FALSE(found["modes"].any().item<bool>());
    for (const auto& [name, weight] : model.state()) {
      EXPECT_TRUE(testing::identical(found[name], weight.detach())) << name;
      EXPECT_LT(max_difference(found[name + "_gradient"], weight.grad()), tolerance) << name;
    }
  }

 private:
  std::unique_ptr<Reference> reference_;
};

}  // namespace

TEST_F(Parity, FashionCnnPoolsFirstAndIsThePapersNetworkStill) {
  expect_same_gradients({cnn(), CrossEntropy()}, "cnn_", get("x"), get("y"));
}

TEST_F(Parity, LinearModel) {
  expect_same_gradients({filled(LinearModel(LinearModelOptions(12, 4)), "linear_"), CrossEntropy()}, "linear_",
                        get("linear_x"), get("linear_y"));
}

TEST_F(Parity, FiveAmsgradStepsOnTheKernelProduct) {
  expect_same_ascent(std::make_shared<KernelProduct>(0.25), std::make_shared<HalfSquaredL2>(), 0.01, "arks_");
}

TEST_F(Parity, FiveAmsgradStepsOnTheWassersteinPenalty) {
  expect_same_ascent(std::make_shared<LinearPenalty>(1.0), std::make_shared<SquaredL2>(), 0.05, "wrm_");
}

TEST_F(Parity, FiveStepsOfArksTrainingFromTheBestIterate) {
  expect_same_training(InnerReturn::kBest, "trained_best_");
}

TEST_F(Parity, FiveStepsOfArksTrainingFromTheLastIterateAsPublished) {
  expect_same_training(InnerReturn::kLast, "trained_last_");
}

TEST_F(Parity, Fgsm) {
  expect_same_attack(FgsmAttack(FgsmOptions().eps(0.1)), "fgsm");
}

TEST_F(Parity, PgdInTheMaximumNorm) {
  expect_same_attack(PgdAttack(PgdOptions().eps(0.1).alpha(0.03).steps(15)), "pgd_linf");
}

TEST_F(Parity, PgdInTheEuclideanNorm) {
  expect_same_attack(PgdAttack(PgdOptions().norm(Norm::kL2).eps(1.5).alpha(0.3).steps(15)), "pgd_l2");
}

TEST_F(Parity, CrossEntropyOfExtremeLogitsIsExact) {
  const auto logits = get("extreme_logits"), labels = get("extreme_labels");
  const auto loss = CrossEntropy()(logits, labels), log_loss = CrossEntropy().log(logits, labels);
  const auto exact = get("extreme_ce"), exact_log = get("extreme_log_ce");
  for (int64_t i = 0; i < logits.size(0); ++i) {
    const double margin = logits[i].abs().max().item<double>();
    // relative: the margin is rounded to its last digit and stands in an exponent. Absolute: below 2.2e-308 float64
    // itself has fewer digits.
    const double relative = 1e-15 * (10 + margin);
    const double expected = exact[i].item<double>();
    EXPECT_NEAR(loss[i].item<double>(), expected, relative * expected + 1e-322) << i;
    // ln CE is as exact as the relative error of CE, and its series below −15 to 1e-13
    EXPECT_NEAR(log_loss[i].item<double>(), exact_log[i].item<double>(), relative + 1e-13) << i;
  }
}

TEST_F(Parity, Kernels) {
  const auto u = get("kernel_u"), x = get("kernel_x");
  // values in (0,1] of sums of six terms
  EXPECT_LT(max_difference(GaussianKernel(0.7)(u, x), get("gaussian")), 1e-15);
  EXPECT_LT(max_difference(LaplacianKernel(0.7)(u, x), get("laplacian_l1")), 1e-15);
  EXPECT_LT(max_difference(LaplacianKernel(0.7, LaplacianNorm::kL2)(u, x), get("laplacian_l2")), 1e-15);
}

TEST_F(Parity, BilinearResize) {
  const auto image = get("resize_image");
  const auto expect_same = [&](const torch::Tensor& part, const std::string& name) {
    const auto expected = get("resize_" + name);
    const auto resized = resize_bilinear(part, {expected.size(1), expected.size(2)});
    const auto distance = (resized.to(torch::kDouble) - expected).abs();
    // the nearest whole number; of two that are equally near, rounding errors of PyTorch may choose either
    EXPECT_LE(distance.max().item<double>(), 0.5 + 1e-10) << name;
    const auto clear = distance.lt(0.5 - 1e-10);
    EXPECT_GT(clear.sum().item<int64_t>(), clear.numel() * 9 / 10) << name;
    EXPECT_TRUE(resized.masked_select(clear).equal(expected.round().to(torch::kByte).masked_select(clear))) << name;
  };
  expect_same(image, "faces");
  expect_same(image.slice(1, 0, 31).slice(2, 0, 17), "up");
  expect_same(image.slice(1, 0, 40).slice(2, 0, 4), "thirds");
}

TEST_F(Parity, PythonLoadsTheSavedCnn) {
  expect_same_in_python(Model(cnn()), get("x"), kSummation);
}

TEST_F(Parity, PythonLoadsTheSavedLinearModel) {
  DatasetInfo info;
  info.name = "parity";
  info.num_classes = 4;
  info.input_shape = {3, 2, 2};
  // float32, as a user saves it: sums of 12 terms of order 1
  expect_same_in_python(make_model("linear", info, 3), get("linear_x").to(torch::kFloat), 1e-6);
}

}  // namespace arks
