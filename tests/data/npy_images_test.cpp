#include "data/npy_images.h"
#include "data/registry.h"
#include "data/splits.h"
#include "support/data_files.h"
#include "support/testing.h"

namespace arks {

namespace fs = std::filesystem;
using testing::all_of;
using testing::expect_error;
using testing::identical;
using testing::TemporaryFolder;
using testing::write_npy;

namespace {

class NpyImages : public ::testing::Test {
 protected:
  NpyImages() { write_npy(y(), torch::arange(10) % 2); }
  fs::path x() const { return folder_ / "x.npy"; }
  fs::path y() const { return folder_ / "y.npy"; }
  DataSplits load(const torch::Tensor& images, const NpyImagesOptions& options = NpyImagesOptions()) const {
    write_npy(x(), images);
    return load_npy_images(x(), y(), options);
  }
  std::vector<int64_t> shape(const torch::Tensor& images, const NpyImagesOptions& options = NpyImagesOptions()) const {
    return load(images, options).train->info().input_shape;
  }
  /// All images in the order of the file: their first value is their number.
  static torch::Tensor by_number(const DataSplits& splits) {
    const auto inputs = torch::cat({all_of(*splits.train).inputs, all_of(*splits.test).inputs});
    return inputs.index_select(0, inputs.flatten(1).select(1, 0).argsort());
  }
  /// uint8; the first value of each is its number.
  static torch::Tensor numbered(std::vector<int64_t> size) {
    const auto images = (testing::normal(size).abs() * 80).clamp_max(255).to(torch::kByte);
    images.flatten(1).select(1, 0).copy_(torch::arange(size[0]));
    return images;
  }

  TemporaryFolder folder_;
};

}  // namespace

TEST_F(NpyImages, KeepsBytesAndDividesThemAsATable) {
  const auto images = numbered({10, 3, 5, 6});
  const auto splits = load(images, NpyImagesOptions().test_fraction(0.3));
  EXPECT_EQ(splits.train->info().stored, "uint8");
  EXPECT_EQ(splits.train->size(), 7);
  EXPECT_EQ(splits.test->size(), 3);
  EXPECT_TRUE(identical(by_number(splits), images.to(torch::kFloat) / 255));
  const auto test = all_of(*splits.test);
  const auto numbers = (test.inputs.flatten(1).select(1, 0) * 255).round().to(torch::kLong);
  EXPECT_TRUE(identical(test.targets, numbers % 2)) << "targets stay with their images";
  EXPECT_TRUE(identical(numbers, divide(10, 0.3, 0, "x").test)) << "the rows that a table would keep";
  EXPECT_EQ(splits.summary,
            "x.npy: 10 images of 3x5x6 (channels, height, width), uint8; target 'y.npy', 2 classes (0 5, 1 5); bytes "
            "as x/255, bounds [0, 1]");
}

TEST_F(NpyImages, FindsTheLayout) {
  const auto last = numbered({10, 5, 4, 3});
  EXPECT_TRUE(identical(by_number(load(last)), last.permute({0, 3, 1, 2}).to(torch::kFloat) / 255));
  EXPECT_EQ(shape(numbered({10, 6, 7})), (std::vector<int64_t>{1, 6, 7}));
  EXPECT_EQ(shape(numbered({10, 1, 6, 7})), (std::vector<int64_t>{1, 6, 7}));
  EXPECT_EQ(shape(numbered({10, 6, 7, 4})), (std::vector<int64_t>{4, 6, 7}));
  expect_error([&] { load(numbered({10, 3, 5, 3})); }, "does not show where the channels are; --layout chw is [n, c, ");
  expect_error(
      [&] {
        load(numbered({10, 5, 6, 7}));
      },
      "the shape [10, 5, 6, 7] has no dimension of 1, 3 or 4 channels; if these are images with more of them, "
      "say where: --layout chw is [n, c, h, w], --layout hwc is [n, h, w, c]");
  const auto unclear = numbered({10, 3, 5, 4});
  EXPECT_EQ(shape(unclear, NpyImagesOptions().layout(ImageLayout::kChannelsLast)), (std::vector<int64_t>{4, 3, 5}));
  EXPECT_EQ(shape(numbered({10, 5, 6, 7}), NpyImagesOptions().layout(ImageLayout::kChannelsFirst)),
            (std::vector<int64_t>{5, 6, 7}));
  expect_error([] { parse_image_layout("whc"); }, "unknown layout 'whc' (did you mean 'chw'?); known: chw, hwc");
  EXPECT_EQ(parse_image_layout("chw"), ImageLayout::kChannelsFirst);
  EXPECT_EQ(parse_image_layout("hwc"), ImageLayout::kChannelsLast);
}

TEST_F(NpyImages, FindsTheBoundsOfFloats) {
  auto images = torch::rand({10, 4, 5}) * 0.5 + 0.2;
  images.flatten(1).select(1, 0).copy_(torch::arange(10) / 10.);
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    const auto unit = load(images.to(type));
    EXPECT_EQ(unit.train->info().stored, "float32");
    EXPECT_TRUE(identical(by_number(unit), images.unsqueeze(1)));
    EXPECT_EQ(to_string(*unit.train->info().bounds), "[0, 1]");
  }
  const auto wide = load(images * 10 - 2);
  EXPECT_EQ(wide.train->info().bounds->low(), -2);
  EXPECT_EQ(wide.train->info().bounds->high(), 7);
  EXPECT_NE(wide.summary.find("bounds [-2, 7], which is what the values span"), std::string::npos) << wide.summary;
  expect_error([&] { load(torch::full({10, 4, 5}, 3.0)); }, "all values are 3");
  images[7][1][1] = NAN;
  expect_error([&] { load(images); }, x().string() + ": row 7 (counted from 0) holds a value that is not finite");
  expect_error([&] { load(torch::full({10, 4, 5}, 1e300, torch::kDouble)); }, "too large for float32");
}

TEST_F(NpyImages, LearnsQuantitiesToo) {
  write_npy(y(), torch::arange(10) / 4.);
  const auto splits = load(numbered({10, 4, 5}));
  EXPECT_EQ(splits.task, Task::kRegression);
  EXPECT_EQ(splits.train->info().num_classes, 0);
  EXPECT_EQ(all_of(*splits.test).targets.scalar_type(), torch::kFloat);
}

TEST_F(NpyImages, LabelsOfAnIntegerTypeAreClassesHoweverMany) {
  const auto images = numbered({200, 4, 5});
  const auto labels = torch::arange(200) % 100;
  for (const auto type : {torch::kByte, torch::kInt, torch::kLong}) {
    write_npy(y(), labels.to(type));
    const auto splits = load(images);
    EXPECT_EQ(splits.task, Task::kClassification);
    EXPECT_EQ(splits.train->info().num_classes, 100);
    const auto test = all_of(*splits.test);
    const auto numbers = (test.inputs.flatten(1).select(1, 0) * 255).round().to(torch::kLong);
    EXPECT_TRUE(identical(test.targets, numbers % 100));
  }
  EXPECT_EQ(load(images, NpyImagesOptions().task(Task::kRegression)).train->info().num_classes, 0);
  write_npy(y(), labels.to(torch::kFloat));
  EXPECT_EQ(load(images).task, Task::kRegression) << "whole numbers of another type count as in a table";
  write_npy(y(), (labels % 20).to(torch::kFloat));
  EXPECT_EQ(load(images).train->info().num_classes, 20);
}

TEST_F(NpyImages, TakesTestImagesFromAnotherFile) {
  const auto images = numbered({10, 3, 5, 6});
  const auto test_x = folder_ / "test_x.npy", test_y = folder_ / "test_y.npy";
  write_npy(test_x, images.slice(0, 0, 3));
  write_npy(test_y, torch::tensor({1, 1, 1}));
  const auto options = NpyImagesOptions().test_data(test_x).test_targets(test_y);
  const auto splits = load(images, options);
  EXPECT_FALSE(splits.divided);
  EXPECT_EQ(splits.train->size(), 10);
  EXPECT_TRUE(identical(all_of(*splits.test).inputs, images.slice(0, 0, 3).to(torch::kFloat) / 255));
  EXPECT_TRUE(identical(all_of(*splits.test).targets, torch::tensor({1, 1, 1}))) << "numbered as in training";
  EXPECT_NE(splits.summary.find("3 test images in test_x.npy"), std::string::npos) << splits.summary;
  write_npy(test_y, torch::tensor({1, 2, 1}));
  expect_error([&] { load(images, options); }, "test_x.npy: the class '2' of the target 'test_y.npy' is not in the");
  write_npy(test_y, torch::tensor({1, 1}));
  expect_error([&] { load(images, options); }, " has 3 rows but " + test_y.string() + " has 2");
  write_npy(test_x, numbered({3, 3, 6, 5}));
  expect_error([&] { load(images, options); }, "images of shape [3, 6, 5], but those of " + x().string());
  write_npy(test_x, numbered({3, 3, 5, 6}) / 255);
  expect_error([&] { load(images, options); }, "must both be uint8 or both floating point");
  expect_error([&] { load(images, NpyImagesOptions().test_targets(test_y)); }, "need test data");
}

TEST_F(NpyImages, AreToldFromTablesByTypeAndDimensions) {
  const auto kind = [&](const torch::Tensor& values) {
    write_npy(x(), values);
    return data_kind(x().string());
  };
  EXPECT_EQ(kind(torch::zeros({4, 5, 6}, torch::kByte)), DataKind::kImages);
  EXPECT_EQ(kind(torch::zeros({4, 5, 6, 7}, torch::kByte)), DataKind::kImages);
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    EXPECT_EQ(kind(torch::zeros({4, 5, 6, 3}, type)), DataKind::kImages);
    EXPECT_EQ(kind(torch::zeros({4, 1, 5, 6}, type)), DataKind::kImages);
    EXPECT_EQ(kind(torch::zeros({4, 4, 5, 4}, type)), DataKind::kImages);
    EXPECT_EQ(kind(torch::zeros({4, 5, 3, 6}, type)), DataKind::kTable) << "neither place is one of channels";
    EXPECT_EQ(kind(torch::zeros({20, 10, 5}, type)), DataKind::kTable) << "a time series";
    EXPECT_EQ(kind(torch::zeros({20, 10, 3}, type)), DataKind::kTable);
  }
  EXPECT_EQ(kind(torch::zeros({4, 5}, torch::kByte)), DataKind::kTable);
  EXPECT_EQ(kind(torch::zeros({4, 5, 6}, torch::kLong)), DataKind::kTable);
  EXPECT_EQ(kind(torch::zeros({4, 5, 6, 3, 2}, torch::kFloat)), DataKind::kTable);
  EXPECT_EQ(data_kind((folder_ / "none.npy").string()), DataKind::kTable);
  EXPECT_FALSE(is_npy_images(folder_ / "none.npy"));
  write_npy(x(), torch::zeros({4, 5}));
  expect_error([&] { load_npy_images(x(), y()); }, "images must be uint8, float32 or float64 of shape [n, h, w]");
}

TEST_F(NpyImages, NeedTargetsAndAWholeFile) {
  write_npy(x(), numbered({9, 4, 5}));
  expect_error([&] { load_npy_images(x(), y()); }, x().string() + " has 9 rows but " + y().string() + " has 10");
  expect_error([&] { load_npy_images(x(), ""); }, "the targets are needed too");
  write_npy(y(), torch::zeros({10, 2}));
  EXPECT_EQ(num_outputs(load(numbered({10, 4, 5})).train->info()), 2) << "several numbers";
  write_npy(y(), torch::zeros({10}));
  expect_error([&] { load(numbered({10, 4, 5})); }, "holds only one class, '0'");
  fs::resize_file(x(), fs::file_size(x()) - 1);
  expect_error([&] { load_npy_images(x(), y()); }, "ends after 199 of 200 bytes of data");
}

}  // namespace arks
