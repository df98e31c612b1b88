#include "support/testing.h"

#include <cmath>

namespace arks {

using namespace testing;

namespace {

/// Every crop and mirror image that can come out of an image [c,h,w], by torch's own means: [offsets² · flips, c,h,w].
/// The place in the list is (dy·offsets + dx)·flips + flip.
torch::Tensor variants(const torch::Tensor& image, const CropFlipOptions& options) {
  const int64_t p = options.padding(), height = image.size(1), width = image.size(2);
  const auto padded = torch::constant_pad_nd(image, {p, p, p, p}, 0);
  std::vector<torch::Tensor> all;
  for (int64_t dy = 0; dy <= 2 * p; ++dy) {
    for (int64_t dx = 0; dx <= 2 * p; ++dx) {
      const auto crop = padded.slice(1, dy, dy + height).slice(2, dx, dx + width);
      all.push_back(crop);
      if (options.flip()) all.push_back(crop.flip({2}));
    }
  }
  return torch::stack(all);
}

int64_t place(const CropFlip& draw, const CropFlipOptions& options) {
  const int64_t offset = draw.dy * (2 * options.padding() + 1) + draw.dx;
  return options.flip() ? 2 * offset + (draw.flip ? 1 : 0) : offset;
}

/// Which of the variants each output is; fails unless it is exactly one.
torch::Tensor found_places(const torch::Tensor& outputs, const torch::Tensor& all) {
  const auto same = (outputs.flatten(1).unsqueeze(1) == all.flatten(1).unsqueeze(0)).all(2);  // [n, variants]
  EXPECT_TRUE(torch::equal(same.sum(1), torch::ones({outputs.size(0)}, torch::kLong)));
  return same.to(torch::kLong).argmax(1);
}

DatasetPtr images(std::vector<int64_t> shape, torch::Dtype type = torch::kFloat) {
  DatasetInfo info;
  info.name = "toy";
  const auto inputs = normal(shape).to(type);
  return std::make_shared<TensorDataset>(inputs, torch::arange(shape[0], torch::kDouble), info);
}

/// All values different and none of them zero, so that every crop of it is another.
torch::Tensor small_image() {
  return torch::arange(1, 82, torch::kFloat).reshape({1, 9, 9});
}

/// The same image n times.
DatasetPtr copies(int64_t n) {
  DatasetInfo info;
  info.name = "toy";
  return std::make_shared<TensorDataset>(small_image().expand({n, 1, 9, 9}), torch::zeros({n}), info);
}

torch::Tensor numbers(int64_t begin, int64_t end) {
  return torch::arange(begin, end, torch::kLong);
}

/// Σ (found − expected)²/expected against equal frequencies lies within four deviations of its mean, the cells − 1.
void expect_uniform(const torch::Tensor& draws, int64_t cells) {
  const auto counts = draws.bincount({}, cells).to(torch::kDouble);
  ASSERT_EQ(counts.numel(), cells);
  const double expected = static_cast<double>(draws.numel()) / static_cast<double>(cells);
  ASSERT_GT(expected, 50);
  const double chi_squared = (counts - expected).pow(2).sum().item<double>() / expected;
  const double freedom = static_cast<double>(cells) - 1;
  EXPECT_LT(chi_squared, freedom + 4 * std::sqrt(2 * freedom)) << cells << " cells";
}

}  // namespace

TEST(Augmented, GivesExactlyACropOfThePaddedImageMirroredOrNot) {
  const auto try_all = [](std::vector<int64_t> shape, torch::Dtype type, const CropFlipOptions& options) {
    const auto source = images(shape, type);
    const Augmented view(source, options, /*seed=*/5);
    const auto all = numbers(0, shape[0]);
    const auto before = source->get(all), after = view.get(all);
    EXPECT_EQ(after.inputs.scalar_type(), type);
    EXPECT_TRUE(identical(before.targets, after.targets));
    for (int64_t i = 0; i < shape[0]; ++i) {
      const auto possible = variants(before.inputs[i], options);
      const auto draw = draw_crop_flip(options, 5, i);
      EXPECT_TRUE(identical(after.inputs[i], possible[place(draw, options)])) << c10::IntArrayRef(shape) << " " << i;
    }
    EXPECT_TRUE(identical(source->get(all).inputs, before.inputs)) << "the source stays as it is";
  };
  for (const int64_t padding : {0, 1, 4}) {
    for (const bool flip : {false, true}) {
      const auto options = CropFlipOptions().padding(padding).flip(flip);
      try_all({40, 3, 8, 8}, torch::kFloat, options);
      try_all({40, 2, 5, 9}, torch::kDouble, options);
      try_all({40, 1, 9, 5}, torch::kHalf, options);
    }
  }
}

TEST(Augmented, DrawsAllOffsetsAndBothSidesUniformlyAndIndependently) {
  constexpr int64_t kSamples = 162 * 200;
  const CropFlipOptions options;
  const Augmented view(copies(kSamples), options, /*seed=*/1);
  const auto possible = variants(small_image(), options);
  ASSERT_EQ(possible.size(0), 162);
  std::vector<torch::Tensor> found;
  for (int64_t begin = 0; begin < kSamples; begin += 810) {
    found.push_back(found_places(view.get(numbers(begin, begin + 810)).inputs, possible));
  }
  const auto draws = torch::cat(found);
  expect_uniform(draws, 162);  // all combinations alike: dy, dx and the side are independent of each other
  expect_uniform(draws.div(2, "floor"), 81);
  expect_uniform(draws.remainder(2), 2);
}

TEST(Augmented, DrawsNeighboursAndEpochsIndependently) {
  constexpr int64_t kSamples = 100000;
  const CropFlipOptions options;
  const auto draws = [&](uint64_t seed, int64_t first, auto part) {
    auto values = torch::empty({kSamples}, torch::kLong);
    auto* to = values.data_ptr<int64_t>();
    for (int64_t i = 0; i < kSamples; ++i) to[i] = part(draw_crop_flip(options, seed, first + i));
    return values;
  };
  const auto dy = [](const CropFlip& d) { return d.dy; };
  const auto dx = [](const CropFlip& d) { return d.dx; };
  const auto side = [](const CropFlip& d) { return static_cast<int64_t>(d.flip); };
  const uint64_t one = mix_seed(0, Stream::kAugmentation, 1), two = mix_seed(0, Stream::kAugmentation, 2);
  expect_uniform(draws(one, 0, dy) * 9 + draws(one, 1, dy), 81);
  expect_uniform(draws(one, 0, dx) * 9 + draws(two, 0, dx), 81);
  expect_uniform(draws(one, 0, dx) * 9 + draws(one, 1, dy), 81);
  expect_uniform(draws(one, 0, side) * 2 + draws(one, 1, side), 4);
  expect_uniform(draws(one, 0, side) * 2 + draws(two, 0, side), 4);
}

TEST(Augmented, GivesASampleTheSameBitsInAnyBatchAndOrder) {
  const auto source = toy_dataset(100, {3, 8, 8});
  const Augmented view(source, CropFlipOptions(), 3);
  const auto whole = view.get(numbers(0, 100));
  const auto order = torch::randperm(100, torch::kLong);
  EXPECT_TRUE(identical(view.get(order).inputs, whole.inputs.index_select(0, order)));
  EXPECT_TRUE(identical(view.get(order).targets, whole.targets.index_select(0, order)));
  const auto few = torch::tensor({7, 99, 7, 0}, torch::kLong);
  EXPECT_TRUE(identical(view.get(few).inputs, whole.inputs.index_select(0, few)));
  const Augmented again(limited(source, 50), CropFlipOptions(), 3);
  EXPECT_TRUE(identical(again.get(numbers(0, 50)).inputs, whole.inputs.slice(0, 0, 50)));
  EXPECT_EQ(again.size(), 50);
  EXPECT_EQ(again.info().name, "toy");
}

TEST(Augmented, AnotherSeedIsAnotherDraw) {
  const auto source = toy_dataset(100, {3, 8, 8});
  const auto inputs = [&](uint64_t seed) {
    return Augmented(source, CropFlipOptions(), seed).get(numbers(0, 100)).inputs;
  };
  const auto same = (inputs(1) == inputs(2)).flatten(1).all(1).sum().item<int64_t>();
  EXPECT_LT(same, 10) << "of 100, where 1 in 162 is expected";
}

TEST(Augmented, StandsOnBytes) {
  DatasetInfo info;
  info.name = "bytes";
  info.bounds = Bounds{0, 1};
  const auto bytes = torch::randint(1, 256, {20, 3, 6, 6}, torch::kByte);
  const auto source = std::make_shared<TensorDataset>(bytes, torch::zeros({20}), info);
  const auto options = CropFlipOptions().padding(2);
  const auto out = Augmented(source, options, 9).get(numbers(0, 20)).inputs;
  for (int64_t i = 0; i < 20; ++i) {
    const auto possible = variants(bytes[i].to(torch::kFloat).div(255), options);
    EXPECT_TRUE(identical(out[i], possible[place(draw_crop_flip(options, 9, i), options)]));
  }
  EXPECT_GE(out.min().item<float>(), 0);
  EXPECT_LE(out.max().item<float>(), 1);
}

TEST(Augmented, RefusesWhatIsNoImageAndPaddingThatDoesNotFit) {
  const auto view = [](const DatasetPtr& source, const CropFlipOptions& options) { Augmented(source, options, 0); };
  expect_error([&] { view(toy_dataset(4, {5}), CropFlipOptions()); },
               "augmentation needs images [c,h,w], but the samples of toy have the shape [5]");
  expect_error([&] { view(toy_dataset(4, {8, 8}), CropFlipOptions()); }, "have the shape [8, 8]");
  expect_error(
      [&] {
        view(toy_dataset(4, {3, 8, 6}), CropFlipOptions().padding(6));
      },
      "the padding of the crop must be 0 to 5 for images of 8x6, got 6");
  expect_error([&] { view(toy_dataset(4, {3, 8, 6}), CropFlipOptions().padding(-1)); }, "got -1");
  expect_error([&] { view(nullptr, CropFlipOptions()); }, "no data set given");
}

TEST(Augmented, RefusesZerosWhereTheyAreOutOfBounds) {
  DatasetInfo info;
  info.name = "shifted";
  info.bounds = Bounds{1, 2};
  const auto source = std::make_shared<TensorDataset>(torch::full({4, 1, 8, 8}, 1.5), torch::zeros({4}), info);
  expect_error([&] { Augmented(source, CropFlipOptions(), 0); },
               "the crop pads with zeros, which are outside the bounds of shifted, [1, 2]");
  EXPECT_EQ(Augmented(source, CropFlipOptions().padding(0), 0).size(), 4) << "mirrors need no zeros";
}

}  // namespace arks
