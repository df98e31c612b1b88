#include "metric/group_statistics.h"
#include "support/testing.h"

#include <torch/nn/functional/loss.h>

namespace arks {

using testing::expect_error;
using testing::normal;

namespace {

DatasetPtr samples(int64_t n) {
  DatasetInfo info;
  info.name = "toy";
  info.num_classes = 3;
  return std::make_shared<TensorDataset>(normal({n, 4}), torch::arange(n, torch::kLong).remainder(3), info);
}

torch::nn::Sequential net_with_modes() {
  torch::nn::Sequential net(torch::nn::Linear(4, 6), torch::nn::BatchNorm1d(6), torch::nn::Dropout(0.5),
                            torch::nn::Linear(6, 3));
  net->to(torch::kDouble);
  return net;
}

}  // namespace

TEST(Measure, IsADirectComputationForEveryBatchSize) {
  auto net = net_with_modes();
  SupervisedProblem problem(net, CrossEntropy());
  const auto data = samples(20);
  const auto all = data->get(torch::arange(20, torch::kLong));
  net->eval();
  const auto logits = net->forward(all.inputs);
  const double loss = torch::nn::functional::cross_entropy(logits, all.targets).item<double>();
  const auto errors = (logits.argmax(1) != all.targets).sum().item<int64_t>();
  net->train();
  for (const int64_t batch_size : {1, 7, 20, 256}) {
    const auto found = measure(problem, *data, batch_size);
    EXPECT_EQ(found.samples, 20);
    EXPECT_NEAR(found.loss, loss, 1e-14) << batch_size;
    EXPECT_EQ(found.errors, errors) << batch_size;
    EXPECT_EQ(found.error(), static_cast<double>(errors) / 20);
  }
}

/// Rows of one group are alike, so there are fewer to learn from.
TEST(Measure, IntervalsAreOverGroupsWhereThereAreSome) {
  SupervisedProblem problem(net_with_modes(), CrossEntropy());
  const auto all = testing::all_of(*samples(21));
  const auto plain = measure(problem, *samples(21), 8);
  const auto expected = fraction_interval(static_cast<double>(*plain.errors), 21);
  ASSERT_TRUE(plain.interval);
  EXPECT_EQ(plain.interval->low, expected.low);
  EXPECT_EQ(plain.interval->high, expected.high);
  auto info = samples(21)->info();
  info.group = "site";
  SampleMarks marks;
  marks.groups = torch::arange(21).div(7, "floor");
  const TensorDataset grouped(all.inputs, all.targets, info, marks);
  problem.set_training_modes(std::vector<bool>(problem.training_modes().size(), false));
  const auto wrong = problem.evaluate(all.inputs, all.targets).wrong;
  const auto over_groups = group_interval(wrong, marks.groups);
  const auto found = measure(problem, grouped, 8);
  ASSERT_TRUE(found.interval && over_groups);
  EXPECT_EQ(found.interval->low, over_groups->low);
  EXPECT_EQ(found.interval->high, over_groups->high);
  FunctionProblem no_errors([](const torch::Tensor& u, const torch::Tensor&) { return u.sum(1); });
  EXPECT_FALSE(measure(no_errors, grouped, 8).interval);
}

TEST(Measure, RestoresModesAndLeavesStatisticsAlone) {
  auto net = net_with_modes();
  SupervisedProblem problem(net, CrossEntropy());
  auto modes = problem.training_modes();
  modes[2] = false;  // frozen batch norm in a training network
  problem.set_training_modes(modes);
  const auto data = samples(20);
  measure(problem, *data, 8);
  EXPECT_EQ(problem.training_modes(), modes);
  EXPECT_EQ(net->named_buffers()["1.num_batches_tracked"].item<int64_t>(), 0);
}

TEST(Measure, RestoresModesWhenTheProblemThrows) {
  struct Failing : SupervisedProblem {
    using SupervisedProblem::SupervisedProblem;
    Evaluation evaluate(const torch::Tensor&, const torch::Tensor&, bool) override { throw RunError("no power"); }
  };
  auto net = net_with_modes();
  Failing problem(net, CrossEntropy());
  net->train();
  EXPECT_THROW(measure(problem, *samples(4)), RunError);
  EXPECT_TRUE(net->is_training());
}

TEST(Measure, TakesNoGradients) {
  bool gradients = true;
  const auto weight = normal({4}, 2).set_requires_grad(true);
  FunctionProblem problem(
      [&](const torch::Tensor& u, const torch::Tensor&) {
        const auto loss = u.matmul(weight);
        gradients = loss.requires_grad();
        return loss;
      },
      {weight});
  measure(problem, *samples(4));
  EXPECT_FALSE(gradients);
}

TEST(Measure, KnowsNoErrorsWhereNothingIsRightOrWrong) {
  FunctionProblem problem([](const torch::Tensor& u, const torch::Tensor&) { return u.pow(2).sum(1); });
  const auto data = samples(9);
  const auto found = measure(problem, *data, 4);
  EXPECT_FALSE(found.errors);
  EXPECT_FALSE(found.error());
  EXPECT_NEAR(found.loss, data->get(torch::arange(9, torch::kLong)).inputs.pow(2).sum(1).mean().item<double>(), 1e-14);
}

TEST(Measure, RefusesAnEmptyBatch) {
  FunctionProblem problem([](const torch::Tensor& u, const torch::Tensor&) { return u.sum(1); });
  expect_error([&] { measure(problem, *samples(4), 0); }, "batch size must be positive, got 0");
}

}  // namespace arks
