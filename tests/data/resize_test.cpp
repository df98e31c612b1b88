#include "support/images.h"
#include "support/testing.h"

namespace arks {

using testing::identical;
using testing::resize_bilinear;

namespace {

/// torch's own, in float64.
torch::Tensor interpolated(const torch::Tensor& image, ImageSize size) {
  return torch::upsample_bilinear2d(image.to(torch::kDouble).unsqueeze(0), {size.height, size.width},
                                    /*align_corners=*/false)
      .squeeze(0);
}

torch::Tensor row(const std::vector<int64_t>& values) {
  return torch::tensor(values, torch::kByte).view({1, 1, -1});
}

}  // namespace

TEST(Resize, IsTorchsInterpolationRounded) {
  auto generator = make_generator(1, Stream::kSamples);
  const auto side = [&] { return torch::randint(1, 70, {1}, generator, torch::kLong).item<int64_t>(); };
  for (int trial = 0; trial < 200; ++trial) {
    const ImageSize size{side(), side()};
    const auto image = torch::randint(256, {1 + trial % 3, side(), side()}, generator, torch::kByte);
    const auto resized = resize_bilinear(image, size);
    const auto exact = interpolated(image, size);
    ASSERT_EQ(resized.sizes(), exact.sizes());
    const auto distance = (resized.to(torch::kDouble) - exact).abs();
    // a value is its nearest whole number; where two are equally near, rounding errors of torch may decide either way
    EXPECT_LE(distance.max().item<double>(), 0.5 + 1e-10) << image.sizes() << " to " << exact.sizes();
    const auto clear = distance.lt(0.5 - 1e-10);
    EXPECT_TRUE(identical(resized.masked_select(clear), exact.round().to(torch::kByte).masked_select(clear)));
  }
}

TEST(Resize, IsTorchsInterpolationFromFacesToTheNetworksInput) {
  const auto image = torch::randint(256, {3, 218, 178}, torch::kByte);
  const auto exact = interpolated(image, {64, 48});
  const auto distance = (resize_bilinear(image, {64, 48}).to(torch::kDouble) - exact).abs();
  EXPECT_LE(distance.max().item<double>(), 0.5 + 1e-10);
}

TEST(Resize, HalvesGoToTheEvenNumber) {
  EXPECT_TRUE(identical(resize_bilinear(row({0, 1}), {1, 1}), row({0})));
  EXPECT_TRUE(identical(resize_bilinear(row({1, 2}), {1, 1}), row({2})));
  EXPECT_TRUE(identical(resize_bilinear(row({2, 3}), {1, 1}), row({2})));
  EXPECT_TRUE(identical(resize_bilinear(row({254, 255}), {1, 1}), row({254})));
  // weights of 1/6 and 5/6, which are no binary fractions: 1·5/6 + 4·1/6 = 1.5 and 0·5/6 + 3·1/6 = 0.5
  EXPECT_TRUE(identical(resize_bilinear(row({1, 4, 4, 1}), {1, 3}), row({2, 4, 2})));
  EXPECT_TRUE(identical(resize_bilinear(row({0, 3, 3, 0}), {1, 3}), row({0, 3, 0})));
}

TEST(Resize, InterpolatesBetweenPixelCentresAndHoldsTheBorder) {
  // centres at −1/4, 1/4, 3/4, 5/4 of the source
  EXPECT_TRUE(identical(resize_bilinear(row({0, 100}), {1, 4}), row({0, 25, 75, 100})));
  EXPECT_TRUE(identical(resize_bilinear(row({0, 100}), {3, 4}), row({0, 25, 75, 100}).expand({1, 3, 4}).contiguous()));
}

TEST(Resize, SkipsPixelsWhenMadeMuchSmaller) {
  EXPECT_TRUE(identical(resize_bilinear(row({9, 9, 9, 100, 50, 9, 9, 9}), {1, 1}), row({75})));
}

TEST(Resize, ToTheSameSizeChangesNothing) {
  const auto image = torch::randint(256, {3, 31, 17}, torch::kByte);
  EXPECT_TRUE(identical(resize_bilinear(image, {31, 17}), image));
  const auto turned = image.transpose(1, 2);  // not contiguous
  EXPECT_TRUE(identical(resize_bilinear(turned, {17, 31}), turned.contiguous()));
}

}  // namespace arks
