#include "engine/winograd.h"

#include "engine/blocked.h"

#include <ostream>

namespace arks::engine {
namespace {

struct TileCase {
  int64_t images;
  FeatureMap in;
  int64_t out_channels, padding_h, padding_w;
};

std::ostream& operator<<(std::ostream& stream, const TileCase& c) {
  return stream << c.images << " images " << c.in.channels << "x" << c.in.height << "x" << c.in.width << " to "
                << c.out_channels << ", padding " << c.padding_h << "," << c.padding_w;
}

const std::vector<TileCase>& tile_cases() {
  static const std::vector<TileCase> result = {
      {3, {32, 14, 14}, 64, 0, 0}, {2, {16, 32, 32}, 16, 1, 1}, {3, {32, 16, 16}, 32, 1, 1}, {5, {64, 8, 8}, 64, 1, 1},
      {1, {1, 1, 1}, 1, 1, 1},     {2, {3, 1, 1}, 5, 2, 2},     {4, {5, 3, 3}, 13, 0, 0},    {1, {13, 3, 9}, 3, 0, 1},
      {7, {8, 5, 7}, 40, 1, 0},    {2, {40, 11, 6}, 8, 2, 1},   {3, {13, 9, 10}, 16, 1, 2},  {1, {16, 4, 4}, 24, 0, 0},
      {2, {24, 13, 17}, 1, 2, 2},  {6, {3, 2, 31}, 40, 1, 1},   {1, {1, 29, 3}, 5, 1, 1},    {25, {5, 6, 6}, 13, 1, 1},
  };
  return result;
}

/// A layer, what torch says of it in float64, and what Winograd makes of it.
struct TileTrial {
  TileTrial(int64_t tile, const TileCase& c, bool with_bias = true)
      : x(normal_floats({c.images, c.in.channels, c.in.height, c.in.width}, 1)),
        weight(normal_floats({c.out_channels, c.in.channels, 3, 3}, 2)),
        bias(with_bias ? normal_floats({c.out_channels}, 3) : torch::Tensor()),
        winograd(tile, c.in, c.out_channels, c.padding_h, c.padding_w) {
    for (auto& leaf : {x, weight}) leaf.set_requires_grad(true);
    if (with_bias) bias.set_requires_grad(true);
    y = torch::conv2d(x, weight, bias, 1, {c.padding_h, c.padding_w});
    dy = normal_floats(y.sizes().vec(), 4);
    const auto w = weight.detach().to(torch::kFloat).contiguous();
    const auto b = with_bias ? bias.detach().to(torch::kFloat) : torch::zeros({1});
    winograd.load(w.data_ptr<float>(), with_bias ? b.data_ptr<float>() : nullptr);
    images = c.images;
    in = c.in;
  }

  torch::Tensor forward() const {
    const auto from = to_blocked(x.detach());
    auto to = blocked_buffer(images, winograd.out());
    Scratch scratch(winograd.scratch_size());
    winograd.forward(from.data_ptr<float>(), to.data_ptr<float>(), images, scratch.data());
    return from_blocked(to, winograd.out().channels);
  }
  torch::Tensor backward_input() const {
    const auto from = to_blocked(dy);
    auto to = blocked_buffer(images, in);
    Scratch scratch(winograd.scratch_size());
    winograd.backward_input(from.data_ptr<float>(), to.data_ptr<float>(), images, scratch.data());
    return from_blocked(to, in.channels);
  }

  torch::Tensor x, weight, bias, y, dy;
  Winograd winograd;
  int64_t images;
  FeatureMap in;
};

class WinogradTiles : public ::testing::TestWithParam<int64_t> {};
INSTANTIATE_TEST_SUITE_P(Tile, WinogradTiles, ::testing::Values(2, 4, 6));

TEST_P(WinogradTiles, ForwardIsTheConvolution) {
  for (const auto& c : tile_cases()) {
    const TileTrial trial(GetParam(), c);
    const auto& out = trial.winograd.out();
    ASSERT_EQ(trial.y.sizes().vec(), (std::vector<int64_t>{c.images, out.channels, out.height, out.width})) << c;
    EXPECT_LT(relative_error(trial.forward(), trial.y.detach()), GetParam() == 2 ? 2e-6 : 2e-5) << c;
  }
}

TEST_P(WinogradTiles, ABiasIsNotNeeded) {
  const TileTrial trial(GetParam(), {2, {5, 7, 7}, 13, 1, 1}, /*with_bias=*/false);
  EXPECT_LT(relative_error(trial.forward(), trial.y.detach()), 1e-5);
}

TEST_P(WinogradTiles, BackwardInputIsTheGradient) {
  for (const auto& c : tile_cases()) {
    const TileTrial trial(GetParam(), c);
    const auto reference = torch::autograd::grad({trial.y}, {trial.x}, {trial.dy})[0];
    EXPECT_LT(relative_error(trial.backward_input(), reference), GetParam() == 2 ? 2e-6 : 2e-5) << c;
  }
}

TEST_P(WinogradTiles, BackwardInputIsTheAdjointOfForward) {
  const TileTrial trial(GetParam(), {3, {13, 9, 10}, 24, 1, 2}, /*with_bias=*/false);
  const double forward = (trial.forward() * trial.dy).sum().item<double>();
  const double backward = (trial.backward_input() * trial.x.detach()).sum().item<double>();
  EXPECT_NEAR(forward, backward, 1e-5 * trial.forward().norm().item<double>() * trial.dy.norm().item<double>());
}

TEST_P(WinogradTiles, BackwardWeightsIsTheGradientAndAddsUp) {
  for (const auto& c : tile_cases()) {
    const TileTrial trial(GetParam(), c);
    const auto reference = torch::autograd::grad({trial.y}, {trial.weight, trial.bias}, {trial.dy});
    const auto x = to_blocked(trial.x.detach()), dy = to_blocked(trial.dy);
    const auto& out = trial.winograd.out();
    std::vector<float> sums(trial.winograd.gradient_size(), 0.0f);
    auto db = torch::ones({blocks(out.channels) * kBlock}), dw = torch::full(trial.weight.sizes(), std::nanf(""));
    Scratch scratch(trial.winograd.scratch_size());
    // in two parts, the second without bias
    const int64_t some = c.images / 2;
    trial.winograd.backward_weights(x.data_ptr<float>(), dy.data_ptr<float>(), some, sums.data(), nullptr,
                                    scratch.data());
    trial.winograd.backward_weights(x.data_ptr<float>() + some * c.in.size(), dy.data_ptr<float>() + some * out.size(),
                                    c.images - some, sums.data(), db.data_ptr<float>(), scratch.data());
    trial.winograd.finish_gradient(sums.data(), dw.data_ptr<float>());
    EXPECT_LT(relative_error(dw, reference[0]), GetParam() == 2 ? 4e-6 : 1e-4) << c;
    const auto db_reference = trial.dy.narrow(0, some, c.images - some).sum({0, 2, 3});
    EXPECT_LT(relative_error(db.narrow(0, 0, out.channels) - 1, db_reference), 1e-5) << c;
    EXPECT_TRUE((db.narrow(0, out.channels, db.size(0) - out.channels) == 1).all().item<bool>()) << c;
  }
}

TEST_P(WinogradTiles, AnImageDoesNotDependOnTheOthers) {
  const TileTrial trial(GetParam(), {7, {16, 10, 10}, 24, 1, 1});
  const auto from = to_blocked(trial.x.detach());
  auto all = blocked_buffer(7, trial.winograd.out()), one = blocked_buffer(1, trial.winograd.out());
  Scratch scratch(trial.winograd.scratch_size());
  trial.winograd.forward(from.data_ptr<float>(), all.data_ptr<float>(), 7, scratch.data());
  trial.winograd.forward(from[5].data_ptr<float>(), one.data_ptr<float>(), 1, scratch.data());
  EXPECT_TRUE(testing::identical(one[0], all[5]));
}

TEST(Winograd, RefusesWhatItCannotDo) {
  testing::expect_error([] { Winograd(3, {8, 8, 8}, 8, 1, 1); }, "the tile is 6, 4 or 2, not 3");
  testing::expect_error([] { Winograd(4, {8, 8, 8}, 8, 3, 1); }, "the padding is 0, 1 or 2, not 3 and 1");
  testing::expect_error([] { Winograd(4, {8, 2, 8}, 8, 0, 0); }, "cannot become one of 8x0x6");
}

}  // namespace
}  // namespace arks::engine
