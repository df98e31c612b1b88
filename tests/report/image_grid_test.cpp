#include "report/image_grid.h"
#include "report/drawing.h"
#include "support/file.h"
#include "support/samples.h"

#include <torch/nn/functional/upsampling.h>
#include <zlib.h>

using namespace arks;
using namespace arks::testing;

namespace {

GridSample sample(std::vector<int64_t> shape, bool fooled = true) {
  const auto clean = (0.5 + 0.1 * normal(shape, 3)).to(torch::kFloat);
  return {clean, clean + 0.05, "boot", "boot", fooled ? "bag" : "boot"};
}

std::string decode_base64(const std::string& text) {
  static const std::string kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const auto digit = kDigits.find(c);
    if (digit == std::string::npos) continue;
    bits = bits << 6U | static_cast<uint32_t>(digit);
    held += 6;
    if (held >= 8) bytes.push_back(static_cast<char>(bits >> static_cast<uint32_t>(held -= 8)));
  }
  return bytes;
}

uint32_t big_endian(const std::string& bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = at; i < at + 4; ++i) value = value << 8U | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// Undoes the prediction of a PNG row from its left, upper and upper left neighbours.
int predicted(int filter, int left, int up, int corner) {
  const int estimate = left + up - corner;
  const int to_left = std::abs(estimate - left), to_up = std::abs(estimate - up),
            to_corner = std::abs(estimate - corner);
  const int paeth = to_left <= to_up && to_left <= to_corner ? left : to_up <= to_corner ? up : corner;
  const int all[] = {0, left, up, (left + up) / 2, paeth};
  return all[filter];
}

/// The pixels of a PNG of three channels with 8 bits, [h,w,3].
torch::Tensor png_pixels(const std::string& png) {
  const int64_t width = big_endian(png, 16), height = big_endian(png, 20);
  std::string packed;
  for (size_t at = 8; at < png.size(); at += 12 + big_endian(png, at)) {
    if (png.substr(at + 4, 4) == "IDAT") packed += png.substr(at + 8, big_endian(png, at));
  }
  std::vector<unsigned char> rows(static_cast<size_t>(height * (1 + 3 * width)));
  uLongf size = rows.size();
  EXPECT_EQ(uncompress(rows.data(), &size, reinterpret_cast<const Bytef*>(packed.data()), packed.size()), Z_OK);
  auto pixels = torch::zeros({height + 1, 3 * width + 3}, torch::kInt);  // a border of zeros above and to the left
  auto at = pixels.accessor<int, 2>();
  for (int64_t y = 0; y < height; ++y) {
    const unsigned char* row = &rows[static_cast<size_t>(y * (1 + 3 * width))];
    for (int64_t x = 0; x < 3 * width; ++x) {
      at[y + 1][x + 3] = (row[x + 1] + predicted(row[0], at[y + 1][x], at[y][x + 3], at[y][x])) % 256;
    }
  }
  return pixels.slice(0, 1).slice(1, 3).reshape({height, width, 3});
}

/// The images inside an SVG in the order of drawing, [h,w,3] each.
std::vector<torch::Tensor> embedded_images(const std::string& svg) {
  const std::string mark = "data:image/png;base64,";
  std::vector<torch::Tensor> images;
  for (size_t at = svg.find(mark); at != std::string::npos; at = svg.find(mark, at + 1)) {
    const size_t begin = at + mark.size();
    images.push_back(png_pixels(decode_base64(svg.substr(begin, svg.find('\'', begin) - begin))));
  }
  return images;
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

TEST(ImageGrid, ShowsCleanPerturbedAndDifferenceOfEachSample) {
  const TemporaryFolder folder;
  auto first = sample({1, 2, 3}), second = sample({1, 2, 3});
  first.clean = torch::tensor({0.0, 1.0, 0.2, 0.4, 0.6, 0.8}).view({1, 2, 3});
  first.perturbed = first.clean + torch::tensor({0.0, 0.1, -0.1, 0.2, -0.2, 0.05}).view({1, 2, 3});
  second.clean = first.clean + 3;  // brighter than white
  second.perturbed = second.clean;
  write_image_grid(folder / "a.svg", {first, second});
  const auto images = embedded_images(read_file(folder / "a.svg"));
  ASSERT_EQ(images.size(), 6U);
  const auto grey = [](const torch::Tensor& image) {
    EXPECT_EQ(image.sizes(), (std::vector<int64_t>{64, 96, 3}));
    EXPECT_TRUE(torch::equal(image.select(2, 0), image.select(2, 2)));
    return torch::nn::functional::interpolate(
               image.select(2, 1).to(torch::kDouble).view({1, 1, 64, 96}),
               torch::nn::functional::InterpolateFuncOptions().size(std::vector<int64_t>{2, 3}).mode(torch::kArea))
        .flatten();
  };
  const auto levels = [](std::vector<double> values) { return torch::tensor(values, torch::kDouble); };
  EXPECT_LE(max_difference(grey(images[0]), levels({0, 255, 51, 102, 153, 204})), 0.5);
  EXPECT_LE(max_difference(grey(images[1]), levels({0, 255, 25.5, 153, 102, 216.75})), 0.5001);
  EXPECT_LE(max_difference(grey(images[2]), levels({127.5, 191.25, 63.75, 255, 0, 159.375})), 0.5001);
  EXPECT_LE(max_difference(grey(images[3]), levels({255, 255, 255, 255, 255, 255})), 0);
  EXPECT_LE(max_difference(grey(images[5]), levels({128, 128, 128, 128, 128, 128})), 0);
}

TEST(ImageGrid, KeepsTheOrderOfColours) {
  const TemporaryFolder folder;
  auto coloured = sample({3, 2, 2});
  coloured.clean = torch::tensor({1.0, 0.2, 0.0}).view({3, 1, 1}).expand({3, 2, 2});
  coloured.perturbed = coloured.clean;
  write_image_grid(folder / "a.svg", {coloured});
  const auto pixel = embedded_images(read_file(folder / "a.svg"))[0][0][0];
  EXPECT_TRUE(torch::equal(pixel, torch::tensor({255, 51, 0}, torch::kInt))) << pixel;
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
  for (const char* label : {"T_s'h\"i\\r`t`", "✗ a name tha…on and on", "$(x) &amp; &lt;y>"}) {
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
