#include "model/on_scale.h"

#include "support/testing.h"

#include <arks/model/normalised.h>
#include <arks/model/registry.h>
#include <arks/model/rescaled.h>
#include <arks/model/torchscript.h>

namespace arks {

using testing::identical;
using testing::max_difference;
using testing::normal;

namespace {

torch::Tensor numbers(const std::vector<double>& list) {
  return torch::tensor(list, torch::kDouble);
}

/// A regression on two columns that are scaled.
DatasetInfo scaled_info() {
  DatasetInfo info;
  info.name = "rows";
  info.input_shape = {2};
  info.target_names = {"y"};
  info.input_mean = numbers({20, 1000});
  info.input_deviation = numbers({5, 30});
  info.target_mean = numbers({100});
  info.target_deviation = numbers({8});
  return info;
}

ModelInterface interface_of(const DatasetInfo& info, bool scaled) {
  ModelInterface own;
  own.takes_scaled = own.gives_scaled = scaled;
  own.input_mean = info.input_mean;
  own.input_deviation = info.input_deviation;
  own.target_mean = info.target_mean;
  own.target_deviation = info.target_deviation;
  return own;
}

}  // namespace

TEST(OnScale, AModelOfScaledNumbersIsTheSameOnItsOwnData) {
  const auto info = scaled_info();
  const auto net = make_model("mlp", info, 1);
  const auto z = normal({5, 2}).to(torch::kFloat);
  EXPECT_TRUE(identical(on_scale_of(info, net, interface_of(info, true))(z), net(z)));
}

TEST(OnScale, EachModelGetsTheNumbersThatItTakes) {
  const auto info = scaled_info();
  const auto net = make_model("mlp", info, 1);
  auto other = info;
  other.input_mean = numbers({18, 990});
  other.input_deviation = numbers({4, 40});
  other.target_mean = numbers({90});
  other.target_deviation = numbers({10});
  const auto raw = numbers({20, 1000}) + numbers({5, 30}) * normal({5, 2});
  const auto on = [&](const DatasetInfo& data) {
    return ((raw - data.input_mean) / data.input_deviation).to(torch::kFloat);
  };
  const auto in_units = [](const torch::Tensor& y, const DatasetInfo& data) {
    return y.to(torch::kDouble) * data.target_deviation + data.target_mean;
  };
  const auto expected = in_units(net(on(info)), info);
  const auto scaled = on_scale_of(other, net, interface_of(info, true));
  EXPECT_LT(max_difference(in_units(scaled(on(other)), other), expected), 1e-3);
  const auto plain =
      rescaled(normalised(net, info.input_mean, info.input_deviation), info.target_mean, info.target_deviation);
  const auto of_raw = on_scale_of(other, plain, interface_of(info, false));
  EXPECT_LT(max_difference(in_units(of_raw(on(other)), other), expected), 1e-3);
}

/// The scalings of the program are those that the data have already: they are taken off, and nothing is lost.
TEST(OnScale, AProgramThatScalesItselfIsEnteredBehindItsScalings) {
  const auto info = scaled_info();
  const auto net = make_model("mlp", info, 1);
  const auto whole =
      rescaled(normalised(net, info.input_mean, info.input_deviation), info.target_mean, info.target_deviation);
  const auto program = load_torchscript(to_torchscript(whole), "whole.pt");
  const auto z = normal({5, 2}).to(torch::kFloat);
  EXPECT_TRUE(identical(on_scale_of(info, program, interface_of(info, false))(z), net(z)));
}

}  // namespace arks
