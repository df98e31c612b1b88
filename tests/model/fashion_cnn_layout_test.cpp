// FashionCnn works in another memory layout, order of operations and of weights than it is written in the paper.
#include "support/testing.h"

namespace arks {

using testing::max_difference;
using testing::normal;

namespace {

torch::Tensor as_written(FashionCnn& net, const torch::Tensor& x) {
  const auto weights = net->named_parameters();
  auto h = torch::conv2d(x, weights["conv1.weight"], weights["conv1.bias"], 1, 1);
  h = torch::max_pool2d(torch::elu(h), 2);
  h = torch::conv2d(h, weights["conv2.weight"], weights["conv2.bias"]);
  h = torch::max_pool2d(torch::elu(h), 2);
  h = torch::elu(torch::linear(h.flatten(1), weights["dense1.weight"], weights["dense1.bias"]));
  return torch::linear(h, weights["dense2.weight"], weights["dense2.bias"]);
}

}  // namespace

TEST(FashionCnnLayout, ComputesWhatIsWritten) {
  FashionCnn net;
  net->to(torch::kDouble);
  const auto x = normal({3, 1, 28, 28}).requires_grad_();
  auto inputs = net->parameters();
  inputs.push_back(x);
  const auto weighting = normal({3, 10}, 2);
  const auto found = net->forward(x), expected = as_written(net, x);
  EXPECT_LT(max_difference(found, expected), 1e-12);
  const auto found_gradients = torch::autograd::grad({found}, inputs, {weighting});
  const auto expected_gradients = torch::autograd::grad({expected}, inputs, {weighting});
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_LT(max_difference(found_gradients[i], expected_gradients[i]), 1e-12) << i;
  }
}

TEST(FashionCnnLayout, TakesInputsOfAnyStrides) {
  FashionCnn net;
  const auto x = torch::rand({28, 28, 1, 4}).permute({3, 2, 1, 0});
  EXPECT_LT(max_difference(net->forward(x), net->forward(x.contiguous())), 1e-6);
  EXPECT_EQ(net->forward(x.slice(0, 0, 0)).sizes(), torch::IntArrayRef({0, 10}));
}

}  // namespace arks
