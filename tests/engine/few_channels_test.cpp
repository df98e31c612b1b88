#include "engine/few_channels.h"

#include "engine/blocked.h"

#include <ostream>

namespace arks::engine {
namespace {

struct Case {
  int64_t channels, height, width, out_channels;
  Window window;
};

std::ostream& operator<<(std::ostream& stream, const Case& c) {
  const auto& [kernel, stride, padding, dilation] = c.window;
  return stream << c.channels << "x" << c.height << "x" << c.width << " to " << c.out_channels << ", kernel "
                << kernel[0] << "x" << kernel[1] << ", stride " << stride[0] << "," << stride[1] << ", padding "
                << padding[0] << "," << padding[1] << ", dilation " << dilation[0] << "," << dilation[1];
}

const std::vector<Case>& cases() {
  static const std::vector<Case> result = {
      {1, 28, 28, 32, {{3, 3}, {1, 1}, {1, 1}}}, {3, 32, 32, 16, {{3, 3}, {1, 1}, {1, 1}}},
      {3, 64, 48, 16, {{5, 5}, {2, 2}, {1, 1}}}, {1, 1, 1, 1, {{1, 1}, {1, 1}, {0, 0}}},
      {1, 1, 1, 5, {{3, 3}, {1, 1}, {1, 1}}},    {2, 7, 5, 13, {{3, 3}, {1, 1}, {0, 0}}},
      {4, 9, 11, 40, {{3, 3}, {2, 2}, {1, 1}}},  {2, 3, 17, 8, {{2, 5}, {1, 2}, {0, 2}}},
      {3, 10, 6, 24, {{4, 1}, {3, 1}, {2, 0}}},  {1, 13, 4, 3, {{7, 4}, {1, 1}, {3, 2}}},
      {4, 12, 12, 16, {{1, 1}, {3, 2}, {0, 0}}}, {3, 8, 30, 5, {{5, 5}, {1, 1}, {2, 2}}},
      {2, 6, 9, 9, {{2, 2}, {4, 3}, {1, 1}}},    {1, 15, 21, 16, {{11, 11}, {4, 4}, {2, 2}}},
  };
  return result;
}

/// A layer, what torch says of it in float64, and what the kernel makes of it.
struct Trial {
  explicit Trial(const Case& c, bool with_bias = true)
      : x(normal_floats({1, c.channels, c.height, c.width}, 1)),
        weight(normal_floats({c.out_channels, c.channels, c.window.kernel[0], c.window.kernel[1]}, 2)),
        bias(with_bias ? normal_floats({c.out_channels}, 3) : torch::Tensor()),
        layer(c.channels, c.height, c.width, c.out_channels, c.window) {
    x.set_requires_grad(true);
    weight.set_requires_grad(true);
    y = torch::conv2d(x, weight, bias, c.window.stride, c.window.padding);
    dy = normal_floats(y.sizes().vec(), 4);
    const auto w = weight.detach().to(torch::kFloat).contiguous();
    const auto b = with_bias ? bias.to(torch::kFloat) : torch::zeros({1});
    layer.load(w.data_ptr<float>(), with_bias ? b.data_ptr<float>() : nullptr);
  }

  torch::Tensor forward() const {
    const auto from = x.detach().to(torch::kFloat).contiguous();
    auto to = blocked_buffer(1, layer.out());
    Scratch scratch(layer.scratch_size());
    layer.forward(from.data_ptr<float>(), to.data_ptr<float>(), scratch.data());
    return from_blocked(to, layer.out().channels);
  }
  torch::Tensor backward_input() const {
    const auto from = to_blocked(dy);
    auto to = torch::full(x.sizes(), std::nanf(""), torch::kFloat);
    Scratch scratch(layer.scratch_size());
    layer.backward_input(from.data_ptr<float>(), to.data_ptr<float>(), scratch.data());
    return to.to(torch::kDouble);
  }

  torch::Tensor x, weight, bias, y, dy;
  FewChannels layer;
};

TEST(FewChannels, ForwardIsTheConvolution) {
  for (const auto& c : cases()) {
    const Trial trial(c);
    const auto& out = trial.layer.out();
    ASSERT_EQ(trial.y.sizes().vec(), (std::vector<int64_t>{1, out.channels, out.height, out.width})) << c;
    EXPECT_LT(relative_error(trial.forward(), trial.y.detach()), 1e-6) << c;
  }
}

TEST(FewChannels, ABiasIsNotNeeded) {
  const Trial trial({3, 9, 9, 13, {{3, 3}, {1, 1}, {1, 1}}}, /*with_bias=*/false);
  EXPECT_LT(relative_error(trial.forward(), trial.y.detach()), 1e-6);
}

TEST(FewChannels, BackwardInputIsTheGradient) {
  for (const auto& c : cases()) {
    const Trial trial(c);
    const auto reference = torch::autograd::grad({trial.y}, {trial.x}, {trial.dy})[0];
    EXPECT_LT(relative_error(trial.backward_input(), reference), 1e-6) << c;
  }
}

TEST(FewChannels, BackwardInputIsTheAdjointOfForward) {
  const Trial trial({3, 13, 9, 24, {{3, 4}, {2, 1}, {1, 2}}}, /*with_bias=*/false);
  const double forward = (trial.forward() * trial.dy).sum().item<double>();
  const double backward = (trial.backward_input() * trial.x.detach()).sum().item<double>();
  EXPECT_NEAR(forward, backward, 1e-6 * trial.forward().norm().item<double>() * trial.dy.norm().item<double>());
}

TEST(FewChannels, BackwardWeightsAddsTheGradient) {
  for (const auto& c : cases()) {
    const Trial trial(c);
    const auto reference = torch::autograd::grad({trial.y}, {trial.weight}, {trial.dy})[0];
    const auto x = trial.x.detach().to(torch::kFloat), dy = to_blocked(trial.dy);
    auto dw = torch::ones(trial.weight.sizes()), db = torch::ones({blocks(c.out_channels) * kBlock});
    Scratch scratch(trial.layer.scratch_size());
    trial.layer.backward_weights(x.data_ptr<float>(), dy.data_ptr<float>(), dw.data_ptr<float>(), nullptr,
                                 scratch.data());
    EXPECT_LT(relative_error(dw - 1, reference), 2e-6) << c;
    trial.layer.backward_weights(x.data_ptr<float>(), dy.data_ptr<float>(), dw.data_ptr<float>(), db.data_ptr<float>(),
                                 scratch.data());
    EXPECT_LT(relative_error(dw - 1, 2 * reference), 2e-6) << c;
    EXPECT_LT(relative_error(db.narrow(0, 0, c.out_channels) - 1, trial.dy.sum({0, 2, 3})), 1e-5) << c;
    EXPECT_TRUE((db.narrow(0, c.out_channels, db.size(0) - c.out_channels) == 1).all().item<bool>()) << c;
  }
}

TEST(FewChannels, UnpoolsOnlyWhereWholeWindowsOfOneChannelLie) {
  EXPECT_TRUE(FewChannels(1, 28, 28, 32, {{3, 3}, {1, 1}, {1, 1}}).can_unpool());
  EXPECT_FALSE(FewChannels(1, 28, 27, 32, {{3, 3}, {1, 1}, {1, 1}}).can_unpool());
  EXPECT_FALSE(FewChannels(1, 27, 28, 32, {{3, 3}, {1, 1}, {1, 1}}).can_unpool());
  EXPECT_FALSE(FewChannels(3, 28, 28, 32, {{3, 3}, {1, 1}, {1, 1}}).can_unpool());
  EXPECT_FALSE(FewChannels(1, 28, 28, 32, {{5, 5}, {1, 1}, {2, 2}}).can_unpool());
  EXPECT_FALSE(FewChannels(1, 28, 28, 32, {{3, 3}, {2, 2}, {1, 1}}).can_unpool());
}

TEST(FewChannels, BackwardThroughThePoolingIsTheGradient) {
  for (const Case& c : {Case{1, 28, 28, 32, {{3, 3}, {1, 1}, {1, 1}}}, Case{1, 4, 4, 1, {{3, 3}, {1, 1}, {0, 0}}},
                        Case{1, 2, 10, 13, {{3, 3}, {1, 1}, {1, 1}}}, Case{1, 8, 22, 40, {{3, 3}, {1, 1}, {0, 0}}},
                        Case{1, 2, 2, 8, {{3, 3}, {1, 1}, {2, 2}}}}) {
    const Trial trial(c);
    ASSERT_TRUE(trial.layer.can_unpool()) << c;
    const auto [pooled, place] = torch::max_pool2d_with_indices(trial.y, 2);
    const auto dpooled = normal_floats(pooled.sizes().vec(), 5);
    const auto reference = torch::autograd::grad({pooled}, {trial.x}, {dpooled})[0];
    // the place counts in the whole plane
    const int64_t width = trial.layer.out().width;
    const auto row = torch::floor_divide(place, width), column = place.remainder(width);
    const auto winner = to_blocked((row % 2) * 2 + column % 2).to(torch::kByte);
    const auto from = to_blocked(dpooled);
    auto to = torch::full(trial.x.sizes(), std::nanf(""), torch::kFloat);
    Scratch scratch(trial.layer.scratch_size());
    trial.layer.backward_input_unpooling(from.data_ptr<float>(), winner.data_ptr<uint8_t>(), to.data_ptr<float>(),
                                         scratch.data());
    EXPECT_LT(relative_error(to, reference), 1e-6) << c;
  }
}

TEST(FewChannels, RefusesWhatItCannotDo) {
  testing::expect_error([] { FewChannels(5, 8, 8, 8, {}); }, "1 to 4 channels, not 5");
  testing::expect_error([] { FewChannels(1, 2, 8, 8, {}); }, "no window of 3 with stride 1 and padding 0 in 2");
  testing::expect_error([] { FewChannels(1, 8, 8, 8, {{3, 3}, {1, 0}, {1, 1}}); }, "with stride 0");
}

}  // namespace
}  // namespace arks::engine
