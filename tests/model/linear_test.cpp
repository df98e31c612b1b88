#include "support/testing.h"

#include <cmath>

namespace arks {

using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;

TEST(LinearModel, IsWTimesXPlusB) {
  LinearModel model(LinearModelOptions(6, 4));
  model->to(torch::kDouble);
  const auto x = normal({5, 3, 2});
  const auto w = model->named_parameters()["dense.weight"], b = model->named_parameters()["dense.bias"];
  EXPECT_EQ(w.sizes(), (std::vector<int64_t>{4, 6}));
  EXPECT_LT(max_difference(model->forward(x), x.reshape({5, 6}).matmul(w.t()) + b), 1e-14);
}

TEST(LinearModel, IsTheSameFromTheSameSeedWhateverTheGlobalGeneratorSays) {
  torch::manual_seed(1);
  LinearModel one(LinearModelOptions(6, 4).seed(3));
  torch::manual_seed(2);
  LinearModel two(LinearModelOptions(6, 4).seed(3)), other(LinearModelOptions(6, 4).seed(4));
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(identical(one->parameters()[i], two->parameters()[i]));
    EXPECT_FALSE(identical(one->parameters()[i], other->parameters()[i]));
  }
}

TEST(LinearModel, StartsWithinTheXavierBound) {
  LinearModel model(LinearModelOptions(784, 10));
  const double bound = std::sqrt(6.0 / 794);
  const double found = model->named_parameters()["dense.weight"].abs().max().item<double>();
  EXPECT_LE(found, bound * (1 + 1e-6));
  EXPECT_GT(found, 0.99 * bound);
  EXPECT_LE(model->named_parameters()["dense.bias"].abs().max().item<double>(), 1 / 28.0 * (1 + 1e-6));
}

TEST(LinearModel, RefusesAnotherNumberOfInputs) {
  LinearModel model(LinearModelOptions(6, 4));
  expect_error([&] { model->forward(torch::zeros({2, 5})); }, "inputs must have 6 numbers per sample, got 5");
}

TEST(LinearModel, RefusesEmptySizes) {
  expect_error([] { LinearModel model(LinearModelOptions(0, 4)); }, "inputs and outputs must be positive, got 0 and 4");
  expect_error([] { LinearModel model(LinearModelOptions(6, -1)); }, "got 6 and -1");
}

}  // namespace arks
