#include "data/environment.h"
#include "data/registry.h"
#include "support/encoded_images.h"
#include "support/file.h"
#include "support/images.h"
#include "support/testing.h"

#include <set>
#include <sstream>

namespace arks {

namespace fs = std::filesystem;
using testing::encode_jpeg;
using testing::expect_error;
using testing::identical;
using testing::read_image;
using testing::resize_bilinear;
using testing::toy_faces;
using testing::toy_image;
using testing::ToyFace;
using testing::Variable;

namespace {

class Celeba : public ::testing::Test {
 protected:
  Celeba() { testing::write_toy_celeba(home()); }
  fs::path home() const { return folder_ / "celeba"; }
  fs::path image(const std::string& file) const { return home() / "img_align_celeba" / file; }
  fs::path attributes() const { return home() / "list_attr_celeba.txt"; }
  fs::path partitions() const { return home() / "list_eval_partition.txt"; }

  DatasetPtr load(Split split, const CelebaOptions& options = CelebaOptions()) const {
    return load_celeba(folder_.path(), split, options);
  }
  Batch all(Split split, const CelebaOptions& options = CelebaOptions()) const {
    const auto set = load(split, options);
    return set->get(torch::arange(set->size()));
  }
  void expect_refused(const std::string& part, const CelebaOptions& options = CelebaOptions()) const {
    expect_error([&] { load(Split::kTrain, options); }, part);
  }
  /// Replaces the one place where `from` stands.
  void edit(const fs::path& file, const std::string& from, const std::string& to) const {
    auto text = read_file(file);
    const auto where = text.find(from);
    ASSERT_NE(where, std::string::npos) << from;
    testing::write_bytes(file, text.replace(where, from.size(), to), /*gzip=*/false);
  }
  torch::Tensor resized(const ToyFace& face) const {
    return resize_bilinear(read_image(image(face.file)), {64, 48}).to(torch::kFloat) / 255;
  }

  testing::TemporaryFolder folder_;
};

}  // namespace

TEST_F(Celeba, HasTheImagesOfThePartitionWithTheirLabels) {
  const auto options = CelebaOptions().balance(false);
  for (const auto split : {Split::kTrain, Split::kTest}) {
    const auto batch = all(split, options);
    int64_t i = 0;
    for (const auto& face : toy_faces()) {
      if ((face.partition == 0) != (split == Split::kTrain)) continue;
      EXPECT_EQ(batch.targets[i].item<int64_t>(), face.glasses ? 1 : 0) << face.file;
      EXPECT_TRUE(identical(batch.inputs[i], resized(face))) << face.file;
      ++i;
    }
    EXPECT_EQ(batch.inputs.size(0), i);
  }
}

TEST_F(Celeba, SaysWhatItIs) {
  const auto set = load(Split::kTrain);
  const auto& info = set->info();
  EXPECT_EQ(info.name, "celeba");
  EXPECT_EQ(info.input_shape, (std::vector<int64_t>{3, 64, 48}));
  EXPECT_EQ(info.num_classes, 2);
  EXPECT_EQ(info.class_names, (std::vector<std::string>{"no Eyeglasses", "Eyeglasses"}));
  ASSERT_TRUE(info.bounds);
  EXPECT_EQ(load(Split::kTrain, CelebaOptions().size(ImageSize{8, 9}))->info().input_shape,
            (std::vector<int64_t>{3, 8, 9}));
}

TEST_F(Celeba, IsBalancedInEachPartitionForItself) {
  // 4 of 12; 2 of 6 and 5 of 8, where those with glasses are too many
  const auto train = all(Split::kTrain), test = all(Split::kTest);
  EXPECT_EQ(train.targets.size(0), 8);
  EXPECT_EQ(train.targets.sum().item<int64_t>(), 4);
  EXPECT_EQ(test.targets.size(0), 4 + 6);
  EXPECT_EQ(test.targets.slice(0, 0, 4).sum().item<int64_t>(), 2);
  EXPECT_EQ(test.targets.slice(0, 4).sum().item<int64_t>(), 3);
}

TEST_F(Celeba, TheSeedDecidesWhoIsLeftOutAndTheOrderStays) {
  const auto whole = all(Split::kTrain, CelebaOptions().balance(false));
  const auto positions = [&](uint64_t seed) {
    const auto part = all(Split::kTrain, CelebaOptions().balance_seed(seed));
    std::vector<int64_t> found;
    for (int64_t i = 0; i < part.inputs.size(0); ++i) {
      const auto same = (whole.inputs == part.inputs[i]).flatten(1).all(1).nonzero();
      EXPECT_EQ(same.numel(), 1);
      found.push_back(same.item<int64_t>());
      EXPECT_EQ(whole.targets[found.back()].item<int64_t>(), part.targets[i].item<int64_t>());
    }
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
    return found;
  };
  EXPECT_EQ(positions(3), positions(3));
  std::set<std::vector<int64_t>> draws;
  for (uint64_t seed = 0; seed < 8; ++seed) draws.insert(positions(seed));
  EXPECT_GE(draws.size(), 5U);  // of 70 possible ones
}

TEST_F(Celeba, AnyAttributeCanBeTheLabel) {
  const auto options = CelebaOptions().attribute("Bald").balance(false);
  const auto batch = all(Split::kTrain, options);
  for (int64_t i = 0; i < 12; ++i) EXPECT_EQ(batch.targets[i].item<int64_t>(), i % 2 == 0 ? 1 : 0) << i;
  EXPECT_EQ(load(Split::kTrain, options)->info().class_names, (std::vector<std::string>{"no Bald", "Bald"}));
}

TEST_F(Celeba, AnUnknownAttributeGetsTheNearestName) {
  expect_refused("unknown attribute 'eyeglases' (did you mean 'Eyeglasses'?); ",
                 CelebaOptions().attribute("eyeglases"));
  expect_refused(attributes().string() + " has: Bald, Eyeglasses, Smiling", CelebaOptions().attribute("Hat"));
}

TEST_F(Celeba, OnlyImagesThatAreUsedAreDecoded) {
  for (const auto& face : toy_faces()) {
    if (face.partition != 0) testing::write_bytes(image(face.file), "no image", /*gzip=*/false);
  }
  EXPECT_EQ(load(Split::kTrain)->size(), 8);
  expect_error([&] { load(Split::kTest); }, "000013.jpg: neither a PNG nor a JPEG image");
}

TEST_F(Celeba, BadImagesAreNamed) {
  const auto options = CelebaOptions().balance(false);
  const auto whole = read_file(image("000003.jpg"));
  const auto refused = [&](const std::string& bytes, const std::string& part) {
    testing::write_bytes(image("000003.jpg"), bytes, /*gzip=*/false);
    expect_refused(image("000003.jpg").string() + ": " + part, options);
  };
  refused(whole.substr(0, whole.size() / 2), "damaged or cut off JPEG");
  refused(encode_jpeg(toy_image(4, 20, 20, 1), 90, testing::JpegKind::kCmyk), "a CMYK JPEG");
  refused(encode_jpeg(toy_image(1, 20, 20, 1)), "a greyscale image where colour (RGB) is expected");
  refused("hello", "neither a PNG nor a JPEG image");
  refused("", "the file is empty");
}

TEST_F(Celeba, AnAttributeListWithFewerRowsThanImagesIsRefused) {
  edit(attributes(), "26\n", "25\n");
  expect_refused(attributes().string() + ", line 28: one row more than the 25 announced in line 1");
  edit(attributes(), "000026.jpg -1  1 -1\n", "");
  expect_refused(partitions().string() + ", line 26: 000026.jpg has no row in list_attr_celeba.txt");
  edit(partitions(), "000026.jpg 2\n", "");
  expect_refused((home() / "img_align_celeba").string() +
                 " has 26 images but list_attr_celeba.txt has only 25 rows: 000026.jpg has none");
  fs::remove(image("000026.jpg"));
  EXPECT_EQ(load(Split::kTrain)->size(), 8);
}

TEST_F(Celeba, AnAttributeListThatEndsEarlyIsRefused) {
  edit(attributes(), "000026.jpg -1  1 -1\n", "");
  expect_refused(attributes().string() + ": ends after 25 rows, but line 1 announces 26");
}

TEST_F(Celeba, RowsThatAreNotAsPublishedAreRefusedWithTheirLine) {
  const auto attribute_text = read_file(attributes()), partition_text = read_file(partitions());
  const auto refused = [&](const fs::path& file, const std::string& from, const std::string& to,
                           const std::string& part) {
    edit(file, from, to);
    expect_refused(file.string() + part);
    testing::write_bytes(attributes(), attribute_text, /*gzip=*/false);
    testing::write_bytes(partitions(), partition_text, /*gzip=*/false);
  };
  refused(attributes(), "26\n", "many\n", ", line 1");
  refused(attributes(), "26\n", "0\n", ", line 1: the number of images must be positive, got 0");
  refused(attributes(), "26\n", "26 images\n", ", line 1: expected only the number of images, found 2 words");
  refused(attributes(), "000004.jpg -1 -1 -1", "000004.jpg -1 -1",
          ", line 6: expected a file and 3 values, one for each attribute, found 3 words");
  refused(attributes(), "000004.jpg -1 -1 -1", "000004.jpg -1 0 -1",
          ", line 6: the value of Eyeglasses is '0', expected 1 or -1");
  refused(attributes(), "000004.jpg", "000003.jpg", ", line 6: 000003.jpg is listed twice, first in line 5");
  refused(partitions(), "000004.jpg 0", "000004.jpg 3",
          ", line 4: the partition is '3', expected 0 (training), 1 or 2");
  refused(partitions(), "000004.jpg 0", "000004.jpg", ", line 4: expected a file and its partition, found 1 words");
  refused(partitions(), "000004.jpg", "000003.jpg", ", line 4: 000003.jpg is listed twice");
  edit(partitions(), "000004.jpg 0\n", "");
  expect_refused(attributes().string() + ", line 6: 000004.jpg has no row in list_eval_partition.txt");
  testing::write_bytes(attributes(), "", /*gzip=*/false);
  expect_refused(attributes().string() + " is empty");
  testing::write_bytes(attributes(), "26\n", /*gzip=*/false);
  expect_refused(attributes().string() + ", line 2: expected the names of the attributes");
}

TEST_F(Celeba, LinesMayEndAsOnWindows) {
  for (const auto& file : {attributes(), partitions()}) {
    std::string text;
    for (const char c : read_file(file)) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
    testing::write_bytes(file, text, /*gzip=*/false);
  }
  EXPECT_EQ(load(Split::kTrain)->size(), 8);
}

TEST_F(Celeba, AMissingImageIsNamed) {
  fs::remove(image("000020.jpg"));  // of the test part
  expect_refused((home() / "img_align_celeba").string() + " has no 000020.jpg, which list_attr_celeba.txt lists");
}

TEST_F(Celeba, OtherFilesBesideTheImagesDoNotMatter) {
  testing::write_bytes(image(".hidden.jpg"), "x", /*gzip=*/false);
  testing::write_bytes(image("Thumbs.db"), "x", /*gzip=*/false);
  EXPECT_EQ(load(Split::kTrain)->size(), 8);
}

TEST_F(Celeba, WhatCannotBeBalancedIsRefused) {
  expect_refused(
      "celeba: partition 0 has 0 images with Smiling and 12 without, which cannot be balanced; use them as "
      "they are (--no-balance)",
      CelebaOptions().attribute("Smiling"));
  EXPECT_EQ(load(Split::kTrain, CelebaOptions().attribute("Smiling").balance(false))->size(), 12);
}

TEST_F(Celeba, ASetWithoutATestPartIsRefused) {
  auto faces = toy_faces();
  faces.resize(12);
  fs::remove_all(home());
  testing::write_toy_celeba(home(), faces);
  EXPECT_EQ(load(Split::kTrain)->size(), 8);
  expect_error([&] { load(Split::kTest); },
               "celeba: list_eval_partition.txt has no image for testing, partitions 1 and 2");
}

TEST_F(Celeba, IsFoundInAnyOfItsThreeFolders) {
  for (const char* place : {"a/celeba-mini", "b"}) {
    fs::create_directories((folder_ / place).parent_path());
    fs::copy(home(), folder_ / place, fs::copy_options::recursive);
  }
  EXPECT_EQ(load_celeba(folder_ / "a", Split::kTrain)->size(), 8);
  EXPECT_EQ(load_celeba(folder_ / "b", Split::kTrain)->size(), 8);
  expect_error([&] { load_celeba(folder_ / "c", Split::kTrain); },
               "celeba: img_align_celeba, list_attr_celeba.txt and list_eval_partition.txt were not found in ");
  fs::remove(partitions());
  expect_refused("celeba: " + home().string() + " has no list_eval_partition.txt; download");
}

TEST_F(Celeba, IsFoundInTheUsersFolderWhenNoneWasChosen) {
  const Variable none("ARKS_DATA_DIR", nullptr), data("XDG_DATA_HOME", folder_.path().string());
  fs::create_directory(folder_ / "arks");
  fs::rename(home(), folder_ / "arks/celeba-mini");
  // what Debian's folder holds comes first; it has no CelebA
  EXPECT_EQ(find_dataset("celeba").status(default_data_dir()).where, (folder_ / "arks/celeba-mini").string());
  EXPECT_EQ(load_celeba(default_data_dir(), Split::kTrain)->size(), 8);
  EXPECT_FALSE(find_dataset("celeba").status(folder_ / "chosen").found) << "a folder that was chosen is the only one";
  fs::rename(folder_ / "arks/celeba-mini", home());
  const auto detail = find_dataset("celeba").status(default_data_dir()).detail;
  EXPECT_NE(detail.find(" or " + (folder_ / "arks").string() + "; download"), std::string::npos) << detail;
}

TEST_F(Celeba, IsListedAndVerified) {
  const auto list = list_datasets(folder_.path());
  const auto status = std::find_if(list.begin(), list.end(), [](const auto& item) { return item.name == "celeba"; });
  ASSERT_NE(status, list.end());
  EXPECT_TRUE(status->found);
  EXPECT_EQ(status->where, home().string());
  std::ostringstream out;
  verify_dataset("celeba", folder_.path(), out);
  EXPECT_EQ(out.str(), attributes().string() + ": 26 images, 3 attributes\n" + (home() / "img_align_celeba").string() +
                           ": 26 images, all intact and in colour\n"
                           "partition 0 (training): 12 images, 4 with Eyeglasses, 8 without\n"
                           "partition 1 (test): 6 images, 2 with Eyeglasses, 4 without\n"
                           "partition 2 (test): 8 images, 5 with Eyeglasses, 3 without\n");
  // one that no training would touch shows too
  testing::write_bytes(image("000026.jpg"), "no image", /*gzip=*/false);
  expect_error([&] { verify_dataset("celeba", folder_.path(), out); }, "000026.jpg: neither a PNG nor a JPEG image");
}

TEST_F(Celeba, LoadsByNameWithItsOptionsAndTheCache) {
  std::vector<std::string> notes;
  const auto options =
      DataOptions(folder_.path())
          .celeba(CelebaOptions().attribute("Bald").balance(false))
          .image_files(ImageFilesOptions().cache_dir(folder_ / "cache").note([&](const std::string& text, bool) {
            notes.push_back(text);
          }));
  const auto first = load_dataset("celeba", options, Split::kTest),
             second = load_dataset("celeba", options, Split::kTest);
  EXPECT_EQ(first->info().class_names.back(), "Bald");
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_NE(notes[1].find("14 images from the cache"), std::string::npos) << notes[1];
  const auto indices = torch::arange(14);
  EXPECT_TRUE(identical(first->get(indices).inputs, second->get(indices).inputs));
}

TEST(CelebaMini, IsReadAsItIs) {
  const auto list = list_datasets(default_data_dir());
  const auto status = std::find_if(list.begin(), list.end(), [](const auto& item) { return item.name == "celeba"; });
  if (!status->found) GTEST_SKIP() << status->detail;
  if (status->where.find("celeba-mini") == std::string::npos) GTEST_SKIP() << status->where << " is not celeba-mini";
  const auto train = load_celeba(default_data_dir(), Split::kTrain),
             test = load_celeba(default_data_dir(), Split::kTest);
  for (const auto& set : {train, test}) {
    const auto batch = set->get(torch::arange(set->size()));
    EXPECT_EQ(2 * batch.targets.sum().item<int64_t>(), set->size());
    EXPECT_EQ(batch.inputs.sizes().slice(1), (std::vector<int64_t>{3, 64, 48}));
    // photographs: neither black nor white, and no two alike
    const auto means = batch.inputs.mean({1, 2, 3});
    EXPECT_GT(means.min().item<double>(), 0.02);
    EXPECT_LT(means.max().item<double>(), 0.98);
    EXPECT_GT(means.std().item<double>(), 0.05);
  }
  EXPECT_GT(train->size(), 400);
  EXPECT_EQ(test->size(), 92);
}

}  // namespace arks
