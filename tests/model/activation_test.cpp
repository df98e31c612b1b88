#include "support/testing.h"

#include <torch/script.h>

namespace arks {

using testing::expect_derivative_matches;
using testing::expect_error;
using testing::identical;
using testing::max_difference;

namespace {

torch::Tensor points() {
  return torch::tensor({-3.0, -0.5, -1e-3, 1e-3, 0.5, 3.0}, torch::kDouble);
}

}  // namespace

TEST(Activation, HasThePrintedFormulas) {
  const auto at = [](Activation activation) { return evaluate(operation_of(activation), {points()}); };
  EXPECT_TRUE(identical(at(Activation::kRelu), points().clamp_min(0)));
  EXPECT_LT(max_difference(at(Activation::kElu), points().clamp_min(0) + points().clamp_max(0).exp() - 1), 1e-15);
  EXPECT_TRUE(identical(at(Activation::kLeakyRelu), torch::maximum(points(), 0.01 * points())));
}

TEST(Activation, IsTheSameInPlaceAndInTorchScript) {
  for (const auto& name : activation_names()) {
    const auto activation = operation_of(parse_activation(name));
    const auto expected = evaluate(activation, {points()});
    const auto x = points();
    EXPECT_TRUE(identical(evaluate(activation, {x}, /*training=*/false, /*in_place=*/true), expected)) << name;
    EXPECT_TRUE(identical(x, expected)) << name;
    torch::jit::Module module("m");
    module.define(script_of({activation}));
    EXPECT_TRUE(identical(module.forward({points()}).toTensor(), expected)) << name;
  }
}

TEST(Activation, DerivativeMatchesDifferencesOnBothSidesOfTheKink) {
  for (const auto& name : activation_names()) {
    const auto activation = operation_of(parse_activation(name));
    for (const bool in_place : {false, true}) {
      expect_derivative_matches([&](const torch::Tensor& x) { return evaluate(activation, {1 * x}, false, in_place); },
                                points());
    }
  }
}

TEST(Activation, SuggestsTheNearestName) {
  expect_error([] { parse_activation("leaky_relu"); },
               "unknown activation 'leaky_relu' (did you mean 'leaky-relu'?); known: relu, elu, leaky-relu");
}

}  // namespace arks
