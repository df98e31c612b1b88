#include "data/environment.h"
#include "data/registry.h"
#include "support/testing.h"

namespace arks {

namespace fs = std::filesystem;
using testing::all_of;
using testing::expect_error;
using testing::identical;
using testing::TemporaryFolder;
using testing::write_idx;
using testing::write_toy_fashion_mnist;

namespace {

void write_test_files(const fs::path& folder, const std::vector<int64_t>& image_shape, const std::string& labels) {
  const auto pixels = c10::multiply_integers(image_shape);
  write_idx(folder / "t10k-images-idx3-ubyte", image_shape, std::string(static_cast<size_t>(pixels), '\x33'));
  write_idx(folder / "t10k-labels-idx1-ubyte", {static_cast<int64_t>(labels.size())}, labels);
}

}  // namespace

TEST(FashionMnist, LoadsImagesLabelsAndWhatIsKnownOfThem) {
  const TemporaryFolder folder;
  write_toy_fashion_mnist(folder.path(), 30, 20);
  const auto train = load_fashion_mnist(folder.path(), Split::kTrain);
  const auto test = load_fashion_mnist(folder.path(), Split::kTest);
  EXPECT_EQ(train->size(), 30);
  EXPECT_EQ(test->size(), 20);
  const auto batch = all_of(*train);
  EXPECT_EQ(batch.inputs.sizes(), c10::IntArrayRef({30, 1, 28, 28}));
  EXPECT_EQ(batch.inputs.scalar_type(), torch::kFloat);
  EXPECT_TRUE(identical(batch.targets, torch::arange(30, torch::kLong).remainder(10)));
  const auto& info = train->info();
  EXPECT_EQ(info.name, "fashion-mnist");
  EXPECT_EQ(info.input_shape, (std::vector<int64_t>{1, 28, 28}));
  EXPECT_EQ(info.num_classes, 10);
  ASSERT_TRUE(info.bounds.has_value());
  EXPECT_EQ(info.bounds->low(), 0);
  EXPECT_EQ(info.bounds->high(), 1);
  ASSERT_EQ(info.class_names.size(), 10u);
  EXPECT_EQ(info.class_names.front(), "T-shirt/top");
  EXPECT_EQ(info.class_names[6], "Shirt");
  EXPECT_EQ(info.class_names.back(), "Ankle boot");
}

TEST(FashionMnist, KeepsTheImagesTheRightWayUp) {
  const TemporaryFolder folder;
  std::string pixels(2 * 28 * 28, '\0');
  pixels[28 * 28 + 3 * 28 + 5] = '\xff';  // image 1, row 3, column 5
  write_idx(folder / "t10k-images-idx3-ubyte", {2, 28, 28}, pixels);
  write_idx(folder / "t10k-labels-idx1-ubyte", {2}, {'\x04', '\x09'});
  const auto batch = all_of(*load_fashion_mnist(folder.path(), Split::kTest));
  EXPECT_EQ(batch.inputs[1][0][3][5].item<float>(), 1);
  EXPECT_EQ(batch.inputs.sum().item<float>(), 1);
}

TEST(FashionMnist, TakesPlainFilesAndTheFolderItself) {
  const TemporaryFolder folder;
  write_test_files(folder.path(), {3, 28, 28}, {'\x01', '\x02', '\x03'});
  const auto batch = all_of(*load_fashion_mnist(folder.path(), Split::kTest));
  EXPECT_TRUE(identical(batch.targets, torch::tensor({1, 2, 3}, torch::kLong)));
  EXPECT_EQ(batch.inputs.max().item<float>(), 0.2f);
}

TEST(FashionMnist, PrefersItsOwnFolder) {
  const TemporaryFolder folder;
  write_test_files(folder.path(), {1, 28, 28}, {'\x01'});
  write_test_files(folder / "fashion-mnist", {1, 28, 28}, {'\x02'});
  EXPECT_EQ(all_of(*load_fashion_mnist(folder.path(), Split::kTest)).targets.item<int64_t>(), 2);
}

TEST(FashionMnist, SaysWhatIsMissingWhereAndHowToGetIt) {
  const TemporaryFolder folder;
  const auto path = folder.path().string();
  expect_error([&] { load_fashion_mnist(folder.path(), Split::kTrain); },
               "fashion-mnist: train-images-idx3-ubyte.gz (or the same without .gz) was not found in " + path +
                   "/fashion-mnist or " + path +
                   "; apt-get install dataset-fashion-mnist, or set --data-dir or ARKS_DATA_DIR");
  write_toy_fashion_mnist(folder.path(), 10, 10);
  fs::remove(folder / "fashion-mnist" / "t10k-labels-idx1-ubyte.gz");
  expect_error([&] { load_fashion_mnist(folder.path(), Split::kTest); }, "t10k-labels-idx1-ubyte.gz");
  EXPECT_EQ(load_fashion_mnist(folder.path(), Split::kTrain)->size(), 10);
}

TEST(FashionMnist, RefusesImagesOfAnotherSize) {
  const TemporaryFolder folder;
  const auto images = (folder / "t10k-images-idx3-ubyte").string();
  write_test_files(folder.path(), {2, 28, 27}, {'\x01', '\x02'});
  expect_error([&] { load_fashion_mnist(folder.path(), Split::kTest); },
               images + ": the shape is [2, 28, 27], expected [n, 28, 28]");
  write_test_files(folder.path(), {2, 784}, {'\x01', '\x02'});
  expect_error([&] { load_fashion_mnist(folder.path(), Split::kTest); }, images + ": the shape is [2, 784]");
}

TEST(FashionMnist, RefusesLabelsThatAreNoList) {
  const TemporaryFolder folder;
  write_test_files(folder.path(), {2, 28, 28}, {'\x01', '\x02'});
  write_idx(folder / "t10k-labels-idx1-ubyte", {2, 1}, {'\x01', '\x02'});
  expect_error([&] { load_fashion_mnist(folder.path(), Split::kTest); },
               (folder / "t10k-labels-idx1-ubyte").string() + ": the shape is [2, 1], expected [n]");
}

TEST(FashionMnist, RefusesOtherCountsOfImagesAndLabels) {
  const TemporaryFolder folder;
  write_test_files(folder.path(), {2, 28, 28}, {'\x01', '\x02', '\x03'});
  expect_error([&] { load_fashion_mnist(folder.path(), Split::kTest); },
               (folder / "t10k-images-idx3-ubyte").string() + " has 2 images but " +
                   (folder / "t10k-labels-idx1-ubyte").string() + " has 3 labels");
}

TEST(FashionMnist, RefusesLabelsAboveNine) {
  const TemporaryFolder folder;
  write_test_files(folder.path(), {3, 28, 28}, {'\x09', '\x0a', '\x00'});
  expect_error([&] { load_fashion_mnist(folder.path(), Split::kTest); },
               (folder / "t10k-labels-idx1-ubyte").string() + ": sample 1 has the label 10; labels are 0 to 9");
}

TEST(FashionMnist, PassesOnWhatIsWrongWithAFile) {
  const TemporaryFolder folder;
  write_test_files(folder.path(), {3, 28, 28}, {'\x01', '\x02', '\x03'});
  fs::resize_file(folder / "t10k-images-idx3-ubyte", 1000);
  expect_error([&] { load_fashion_mnist(folder.path(), Split::kTest); },
               "t10k-images-idx3-ubyte: ends after 984 of 2352");
}

TEST(DefaultDataDir, IsTheVariableWhenItSaysSomething) {
  {
    const testing::Variable chosen("ARKS_DATA_DIR", "/some/where");
    EXPECT_EQ(default_data_dir(), fs::path("/some/where"));
  }
  for (const char* nothing : {"", static_cast<const char*>(nullptr)}) {
    const testing::Variable chosen("ARKS_DATA_DIR", nothing);
    EXPECT_EQ(default_data_dir(), fs::path("/usr/share/datasets"));
  }
}

TEST(FashionMnist, LoadsTheOfficialSet) {
  const auto status = find_dataset("fashion-mnist").status(default_data_dir());
  if (!status.found) GTEST_SKIP() << status.detail;
  const auto train = load_fashion_mnist(default_data_dir(), Split::kTrain);
  const auto test = load_fashion_mnist(default_data_dir(), Split::kTest);
  EXPECT_EQ(train->size(), 60000);
  EXPECT_EQ(test->size(), 10000);
  const auto five = torch::arange(5, torch::kLong);
  EXPECT_EQ(train->get(five).inputs.sizes(), c10::IntArrayRef({5, 1, 28, 28}));
  EXPECT_TRUE(identical(train->get(five).targets, torch::tensor({9, 0, 0, 3, 0}, torch::kLong)));
  EXPECT_TRUE(identical(test->get(five).targets, torch::tensor({9, 2, 1, 1, 6}, torch::kLong)));
  // the classes are balanced
  const auto labels = all_of(*test).targets;
  EXPECT_TRUE(torch::equal(labels.bincount(), torch::full({10}, 1000, torch::kLong)));
}

}  // namespace arks
