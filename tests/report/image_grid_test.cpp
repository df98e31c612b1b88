#include <cmath>

#include "report/drawing.h"

using namespace arks;
using namespace arks::testing;

namespace {

GridSample sample(std::vector<int64_t> shape, bool fooled = true) {
  const auto clean = (0.5 + 0.1 * normal(shape, 3)).to(torch::kFloat);
  return {clean, clean + 0.05, "boot", "boot", fooled ? "bag" : "boot"};
}

}  // namespace

TEST(ImageGrid, TakesOneAndThreeChannels) {
  const TemporaryFolder folder;
  for (const int64_t channels : {1, 3}) {
    const std::vector<GridSample> samples(4, sample({channels, 28, 28}));
    write_image_grid(folder / "a.png", samples, ImageGridOptions().title("a title"));
    const auto [width, height] = png_size(folder / "a.png");
    EXPECT_GT(width, 4 * 112);
    EXPECT_GT(height, 3 * 112);
    write_image_grid(folder / "a.svg", samples);
    const auto text = read_file(folder / "a.svg");
    EXPECT_TRUE(is_svg(text));
    EXPECT_EQ(count(text, "data:image/png;base64"), 12);
  }
  EXPECT_EQ(names_in(folder.path()).size(), 2U);
}

TEST(ImageGrid, TakesSmallLargeAndFlatImages) {
  const TemporaryFolder folder;
  const std::vector<std::vector<int64_t>> shapes = {{1, 1, 1}, {3, 300, 500}, {1, 1, 224}, {1, 1, 900}, {1, 90, 2}};
  for (const auto& shape : shapes) {
    write_image_grid(folder / "a.png", {sample(shape)});
    EXPECT_GT(png_size(folder / "a.png").first, 0) << shape;
  }
}

TEST(ImageGrid, TakesTensorsWithGradientsAndOtherTypes) {
  const TemporaryFolder folder;
  auto s = sample({1, 8, 8});
  s.clean = s.clean.to(torch::kDouble).set_requires_grad(true);
  write_image_grid(folder / "a.png", {s});
  EXPECT_TRUE(s.clean.requires_grad());
}

TEST(ImageGrid, NamesRowsAndMarksWrongPredictions) {
  const TemporaryFolder folder;
  write_image_grid(folder / "a.svg", {sample({1, 8, 8}, true), sample({1, 8, 8}, false)});
  const auto text = read_file(folder / "a.svg");
  for (const char* label : {"clean", "perturbed", "difference", "true label", "✗ bag"}) {
    EXPECT_EQ(count(text, c10::str("<text>", label, "</text>")), 1) << label;
  }
  EXPECT_EQ(count(text, "<text>boot</text>"), 2);
  EXPECT_EQ(count(text, "<text>✓ boot</text>"), 3);
}

TEST(ImageGrid, PrintsTheScaleOfTheDifference) {
  const TemporaryFolder folder;
  auto small = sample({1, 8, 8}), large = sample({1, 8, 8});
  small.perturbed = small.clean + 0.01;
  large.perturbed = large.clean - 0.125;
  write_image_grid(folder / "a.svg", {small, large});
  EXPECT_EQ(count(read_file(folder / "a.svg"), "difference: dark −0.125, mid-grey 0, bright +0.125"), 1);
  small.perturbed = small.clean;
  write_image_grid(folder / "a.svg", {small});
  EXPECT_EQ(count(read_file(folder / "a.svg"), "difference: none"), 1);
}

TEST(ImageGrid, ShowsLabelsAsTheyAre) {
  const TemporaryFolder folder;
  auto s = sample({1, 8, 8});
  s.true_label = "T_s'h\"i\\r`t`";
  s.perturbed_prediction = "a name that goes on and on";
  write_image_grid(folder / "a.svg", {s}, ImageGridOptions().title("$(x) & <y>"));
  const auto text = read_file(folder / "a.svg");
  for (const char* label : {"T_s'h\"i\\r`t`", "✗ a name that goes on…", "$(x) &amp; &lt;y>"}) {
    EXPECT_EQ(count(text, c10::str("<text>", label, "</text>")), 1) << label;
  }
}

TEST(ImageGrid, RefusesWhatCannotBeDrawn) {
  const TemporaryFolder folder;
  const auto good = sample({1, 8, 8});
  const auto refuses = [&](const std::vector<GridSample>& samples, const std::string& message,
                           const ImageGridOptions& options = ImageGridOptions()) {
    expect_error([&] { write_image_grid(folder / "a.png", samples, options); }, message);
    EXPECT_TRUE(names_in(folder.path()).empty());
  };
  refuses({}, "image grid: no samples to draw");
  refuses({GridSample()}, "must be [c,h,w] with c = 1 or 3, got nothing");
  refuses({sample({2, 8, 8})}, "must be [c,h,w] with c = 1 or 3, got [2, 8, 8]");
  refuses({sample({8, 8})}, "must be [c,h,w] with c = 1 or 3, got [8, 8]");
  refuses({good, sample({1, 8, 9})}, "all images must have one shape, got [1, 8, 8] and [1, 8, 9]");
  refuses({good}, "low must be below high, got 1 and 1", ImageGridOptions().low(1));
  refuses(std::vector<GridSample>(101, good), "at most 100 samples fit, got 101");
  auto broken = good;
  broken.perturbed = broken.clean / 0.0;
  refuses({broken}, "an image has values that are not finite");
}

TEST(ImageGrid, RefusesWhereItCannotBeWritten) {
  const TemporaryFolder folder, empty;
  const auto good = sample({1, 8, 8});
  expect_error([&] { write_image_grid(folder / "a.jpg", {good}); }, "the name must end in .svg or .png");
  expect_error([&] { write_image_grid(folder.path() / "no" / "a.png", {good}); }, "/no does not exist");
  const ChangedVariable path("PATH", empty.path().string());
  expect_error([&] { write_image_grid(folder / "a.png", {good}); }, "gnuplot is not installed");
  EXPECT_TRUE(names_in(folder.path()).empty());
}
