#include "support/testing.h"

#include <cmath>

namespace arks {

using testing::expect_error;
using testing::max_difference;

namespace {

/// A parameter after steps along the gradient of ½‖w‖².
torch::Tensor after(const OptimizerOptions& options, int steps) {
  const auto w = torch::tensor({1.0, -2.0}, torch::kDouble).set_requires_grad(true);
  const auto optimizer = make_optimizer(options, {w});
  for (int i = 0; i < steps; ++i) {
    optimizer->zero_grad();
    (w.pow(2).sum() / 2).backward();
    optimizer->step();
  }
  return w.detach();
}

}  // namespace

TEST(Optimizer, SgdHasTheMomentumAndTheDecayItIsGiven) {
  const double rate = 0.1, momentum = 0.8, decay = 0.05;
  const auto options =
      OptimizerOptions().kind(OptimizerKind::kSgd).learning_rate(rate).momentum(momentum).weight_decay(decay);
  auto w = torch::tensor({1.0, -2.0}, torch::kDouble), v = torch::zeros_like(w);
  for (int i = 0; i < 4; ++i) {
    v = momentum * v + (1 + decay) * w;
    w = w - rate * v;
  }
  EXPECT_LT(max_difference(after(options, 4), w), 1e-15);
}

TEST(Optimizer, AdamAndAmsgradPartWhenGradientsShrink) {
  const auto adam = OptimizerOptions().kind(OptimizerKind::kAdam).learning_rate(0.3);
  const auto amsgrad = OptimizerOptions().kind(OptimizerKind::kAmsgrad).learning_rate(0.3);
  EXPECT_LT(max_difference(after(adam, 1), after(amsgrad, 1)), 1e-15);
  EXPECT_GT(max_difference(after(adam, 20), after(amsgrad, 20)), 1e-6);
  // the first step of both is the rate in the direction of the sign
  EXPECT_LT(max_difference(after(adam, 1), torch::tensor({0.7, -1.7}, torch::kDouble)), 1e-8);
}

TEST(Optimizer, MultipliesTheRateAfterEachDecayEpoch) {
  const auto options = OptimizerOptions().learning_rate(0.1).decay_epochs({25, 50});
  EXPECT_EQ(learning_rate_in(options, 1), 0.1);
  EXPECT_EQ(learning_rate_in(options, 25), 0.1);
  EXPECT_NEAR(learning_rate_in(options, 26), 0.01, 1e-17);
  EXPECT_NEAR(learning_rate_in(options, 50), 0.01, 1e-17);
  EXPECT_NEAR(learning_rate_in(options, 51), 0.001, 1e-18);
  EXPECT_NEAR(learning_rate_in(OptimizerOptions(options).decay_factor(0.5), 60), 0.025, 1e-17);
  EXPECT_EQ(learning_rate_in(OptimizerOptions().learning_rate(0.1), 1000), 0.1);
}

TEST(Optimizer, TakesANewRate) {
  for (const auto kind : {OptimizerKind::kSgd, OptimizerKind::kAdam, OptimizerKind::kAmsgrad}) {
    const auto w = torch::ones({1}, torch::kDouble).set_requires_grad(true);
    const auto optimizer = make_optimizer(OptimizerOptions().kind(kind), {w});
    set_learning_rate(*optimizer, 0.25);
    EXPECT_EQ(optimizer->param_groups()[0].options().get_lr(), 0.25);
  }
}

TEST(Optimizer, IsFoundByItsName) {
  EXPECT_EQ(parse_optimizer("sgd"), OptimizerKind::kSgd);
  EXPECT_EQ(parse_optimizer("adam"), OptimizerKind::kAdam);
  EXPECT_EQ(parse_optimizer("amsgrad"), OptimizerKind::kAmsgrad);
  for (const auto& name : optimizer_names()) EXPECT_NO_THROW(parse_optimizer(name));
  expect_error([] { parse_optimizer("amsgard"); }, "unknown optimiser 'amsgard' (did you mean 'amsgrad'?)");
}

TEST(Optimizer, RefusesOptionsThatCannotBeUsed) {
  const auto refused = [](const OptimizerOptions& options, const std::string& why) {
    expect_error([&] { make_optimizer(options, {torch::ones({1})}); }, why);
  };
  refused(OptimizerOptions().learning_rate(0), "learning rate must be positive and finite, got 0");
  refused(OptimizerOptions().learning_rate(std::nan("")), "learning rate must be positive and finite, got nan");
  refused(OptimizerOptions().momentum(1), "momentum must be in [0, 1), got 1");
  refused(OptimizerOptions().weight_decay(-1), "weight decay must not be negative, got -1");
  refused(OptimizerOptions().decay_factor(0), "decay factor must be in (0, 1], got 0");
  refused(OptimizerOptions().decay_factor(2), "decay factor must be in (0, 1], got 2");
}

}  // namespace arks
