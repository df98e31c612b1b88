#include "data/image_folder.h"
#include "support/data_files.h"
#include "support/testing.h"

#include <fstream>
#include <set>

namespace arks {

namespace fs = std::filesystem;
using testing::all_of;
using testing::expect_error;
using testing::TemporaryFolder;
using testing::write_class;
using testing::write_png;

namespace {

/// The values that write_class gave to the images of a part, in its order.
std::vector<int64_t> images_in(const DatasetPtr& set) {
  std::vector<int64_t> values;
  const auto inputs = all_of(*set).inputs;
  for (int64_t i = 0; i < set->size(); ++i) values.push_back(std::lround(inputs[i].max().item<double>() * 255));
  return values;
}

std::multiset<int64_t> sorted(const std::vector<int64_t>& values) {
  return {values.begin(), values.end()};
}

class ImageFolder : public ::testing::Test {
 protected:
  DataSplits load(const ImageFolderOptions& options = ImageFolderOptions()) const {
    return load_image_folder(folder_.path(), options);
  }
  void refused(const std::string& part, const ImageFolderOptions& options = ImageFolderOptions()) const {
    expect_error([&] { load(options); }, part);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  TemporaryFolder folder_;
};

}  // namespace

TEST_F(ImageFolder, DividesEveryClassInTheSameProportion) {
  write_class(folder_ / "dog", 20, 100);
  write_class(folder_ / "cat", 10, 0);
  write_class(folder_ / "ant", 2, 200);
  const auto splits = load(ImageFolderOptions().test_fraction(0.3));
  EXPECT_TRUE(splits.divided);
  EXPECT_EQ(splits.train->info().class_names, (std::vector<std::string>{"ant", "cat", "dog"}));
  EXPECT_EQ(splits.train->info().input_shape, (std::vector<int64_t>{1, 4, 3}));
  EXPECT_EQ(splits.train->info().stored, "uint8");
  const auto train = torch::bincount(all_of(*splits.train).targets),
             test = torch::bincount(all_of(*splits.test).targets);
  EXPECT_TRUE(testing::identical(test, torch::tensor({1, 3, 6}, torch::kLong))) << test;
  EXPECT_TRUE(testing::identical(train, torch::tensor({1, 7, 14}, torch::kLong))) << train;
  auto every = sorted(images_in(splits.train));
  for (const auto value : images_in(splits.test)) every.insert(value);
  EXPECT_EQ(every.size(), 32U);
  EXPECT_EQ(std::set<int64_t>(every.begin(), every.end()).size(), 32U) << "no image twice";
  for (const auto& part : {splits.train, splits.test}) {
    const auto values = images_in(part);
    const auto targets = all_of(*part).targets;
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t expected = values[i] >= 200 ? 0 : values[i] < 100 ? 1 : 2;
      EXPECT_EQ(targets[static_cast<int64_t>(i)].item<int64_t>(), expected) << values[i];
    }
  }
  EXPECT_EQ(splits.summary, folder_.path().filename().string() +
                                ": 32 images of 1x4x3 (channels, height, width); 3 classes (ant 2, cat 10, dog 20); "
                                "divided class by class; bytes as x/255, bounds [0, 1]");
}

TEST_F(ImageFolder, OrderAndDivisionFollowTheSplitSeed) {
  write_class(folder_ / "a", 30, 0);
  write_class(folder_ / "b", 30, 100);
  const auto first = load(), again = load(), other = load(ImageFolderOptions().split_seed(1));
  EXPECT_EQ(images_in(first.train), images_in(again.train));
  EXPECT_EQ(images_in(first.test), images_in(again.test));
  EXPECT_NE(sorted(images_in(first.test)), sorted(images_in(other.test)));
  const auto targets = all_of(*first.train).targets.slice(0, 0, 12);
  EXPECT_GT(targets.sum().item<int64_t>(), 0) << "the first few hold both classes";
  EXPECT_LT(targets.sum().item<int64_t>(), 12);
}

TEST_F(ImageFolder, TakesTheDivisionOfTheFolders) {
  write_class(folder_ / "train/a", 3, 0);
  write_class(folder_ / "train/b", 4, 10);
  write_class(folder_ / "test/a", 2, 100);
  write_class(folder_ / "test/b", 1, 110);
  write_class(folder_ / "val/a", 2, 200);
  const auto splits = load(ImageFolderOptions().test_fraction(0.9));
  EXPECT_FALSE(splits.divided);
  EXPECT_EQ(sorted(images_in(splits.train)), (std::multiset<int64_t>{0, 1, 2, 10, 11, 12, 13}));
  EXPECT_EQ(sorted(images_in(splits.test)), (std::multiset<int64_t>{100, 101, 110}));
  EXPECT_NE(splits.summary.find("2 classes (a 5, b 5); divided as in the folders; val is not used"), std::string::npos)
      << splits.summary;
  EXPECT_EQ(list_image_folder(folder_.path()).size(), 10U);
  write_class(folder_ / "others/a", 1, 1);
  refused("has train, test and others: class folders belong in train and test");
}

TEST_F(ImageFolder, TakesTestImagesFromAnotherFolder) {
  write_class(folder_ / "one/a", 3, 0);
  write_class(folder_ / "one/b", 3, 10);
  write_class(folder_ / "two/a", 1, 100);
  write_class(folder_ / "two/b", 1, 110);
  const auto splits = load_image_folder(folder_ / "one/", ImageFolderOptions().test_data(folder_ / "two"));
  EXPECT_EQ(splits.train->info().name, "one") << "also with a slash at the end";
  EXPECT_EQ(splits.train->size(), 6);
  EXPECT_EQ(sorted(images_in(splits.test)), (std::multiset<int64_t>{100, 110}));
  write_class(folder_ / "two/c", 1, 120);
  const auto load_both = [&] { load_image_folder(folder_ / "one", ImageFolderOptions().test_data(folder_ / "two")); };
  expect_error(load_both, "the class 'c' is in " + path("two") + " but not in " + path("one"));
  fs::remove_all(folder_ / "two/b");
  fs::remove_all(folder_ / "two/c");
  write_class(folder_ / "two/b2", 1, 120);
  expect_error(load_both, "the class 'b2' is in " + path("two") + " but not in " + path("one"));
}

TEST_F(ImageFolder, AClassMayBeCalledTrainOrTest) {
  write_class(folder_ / "train", 3, 0);
  write_class(folder_ / "plane", 3, 10);
  EXPECT_EQ(load().train->info().class_names, (std::vector<std::string>{"plane", "train"}));
  write_class(folder_ / "test", 3, 20);
  EXPECT_EQ(load().train->info().num_classes, 3);
}

TEST_F(ImageFolder, FindsTheChannelsAndResizes) {
  write_class(folder_ / "a", 2, 0);
  write_class(folder_ / "b", 2, 10, {3, 4, 3});
  EXPECT_EQ(load().train->info().input_shape, (std::vector<int64_t>{3, 4, 3})) << "one colour image is enough";
  EXPECT_EQ(load(ImageFolderOptions().channels(1)).train->info().input_shape, (std::vector<int64_t>{1, 4, 3}));
  refused("channels must be 1 or 3, got 2", ImageFolderOptions().channels(2));
  fs::remove_all(folder_ / "b");
  write_class(folder_ / "b", 2, 10);
  EXPECT_EQ(load().train->info().input_shape, (std::vector<int64_t>{1, 4, 3}));
  EXPECT_EQ(load(ImageFolderOptions().channels(3)).train->info().input_shape, (std::vector<int64_t>{3, 4, 3}));
  const auto small = load(ImageFolderOptions().resize(ImageSize{2, 5}));
  EXPECT_EQ(small.train->info().input_shape, (std::vector<int64_t>{1, 2, 5}));
  write_class(folder_ / "b", 2, 10, {1, 5, 3});
  refused(path("b"));
  EXPECT_EQ(load(ImageFolderOptions().resize(ImageSize{2, 2})).train->size(), 2);
}

TEST_F(ImageFolder, SkipsHiddenFilesAndTextsBesideTheClasses) {
  write_class(folder_ / "a", 2, 0);
  write_class(folder_ / "b", 2, 10);
  std::ofstream(folder_ / "a/.DS_Store") << "x";
  fs::create_directory(folder_ / ".git");
  std::ofstream(folder_ / "README.txt") << "x";
  EXPECT_EQ(load().train->size() + load().test->size(), 4);
}

TEST_F(ImageFolder, CountsFilesInClassesThatAreNoImagesByTheirNames) {
  write_class(folder_ / "a", 2, 0);
  write_class(folder_ / "b", 2, 10);
  EXPECT_TRUE(load().notes.empty());
  std::ofstream(folder_ / "a/Thumbs.db") << "x";
  EXPECT_EQ(load().notes, std::vector<std::string>{"1 file is left out, no PNG or JPEG by its name (Thumbs.db)"});
  std::ofstream(folder_ / "b/readme.txt") << "x";
  const auto splits = load();
  EXPECT_EQ(splits.train->size() + splits.test->size(), 4);
  EXPECT_EQ(splits.notes,
            std::vector<std::string>{"2 files are left out, no PNG or JPEG by their names (Thumbs.db, ...)"});
  EXPECT_EQ(list_labelled_images(folder_.path(), true).notes, splits.notes);
  std::ofstream(folder_ / "b/broken.png") << "x";
  refused(path("b/broken.png"));
  fs::remove(folder_ / "b/broken.png");
  fs::create_directory(folder_ / "c");
  std::ofstream(folder_ / "c/only.txt") << "x";
  refused("the class folder " + path("c") + " has no files that are called .png, .jpg or .jpeg");
}

TEST_F(ImageFolder, RefusesWhatIsNoFolderOfClasses) {
  refused(folder_.path().string() + " has no class folders");
  std::ofstream(folder_ / "file") << "x";
  refused("has no class folders: images are expected in " + path("CLASS"));
  write_class(folder_ / "a", 2, 0);
  refused("has only one class folder, 'a'");
  fs::create_directory(folder_ / "b");
  refused("the class folder " + path("b") + " is empty");
  std::ofstream(folder_ / "b/.hidden") << "x";
  refused("the class folder " + path("b") + " is empty");
  write_class(folder_ / "b/more", 1, 0);
  refused(path("b/more") + " is a folder inside a class folder");
  fs::remove_all(folder_ / "b/more");
  write_class(folder_ / "b", 1, 0);
  refused("class 'b' has 1 sample; two are needed, one for each part");
  fs::create_symlink("nowhere", folder_ / "b/gone.png");
  refused(path("b/gone.png") + " is not a regular file");
  fs::remove(folder_ / "b/gone.png");
  write_png(folder_ / "stray.PNG", torch::zeros({1, 4, 3}, torch::kByte));
  refused(path("stray.PNG") + " is next to the class folders");
  expect_error([&] { load_image_folder(folder_ / "file"); }, path("file") + " is not a folder");
  expect_error([&] { load_image_folder(folder_ / "none"); }, path("none") + " is not a folder");
}

/// Data from the field may lack some classes, and who sorts them makes all folders.
TEST_F(ImageFolder, MayHaveEmptyClassesInTheField) {
  write_class(folder_ / "a", 2, 0);
  fs::create_directory(folder_ / "b");
  fs::create_directory(folder_ / "c");
  std::ofstream(folder_ / "c/only.txt") << "x";
  for (const bool labels_needed : {true, false}) {
    const auto found = list_labelled_images(folder_.path(), labels_needed);
    EXPECT_EQ(found.classes, (std::vector<std::string>{"a", "a"}));
    EXPECT_EQ(found.files.size(), 2U);
    EXPECT_EQ(found.notes, (std::vector<std::string>{"1 file is left out, no PNG or JPEG by its name (only.txt)",
                                                     "no images are in b, c"}));
  }
  fs::remove_all(folder_ / "a");
  expect_error([&] { list_labelled_images(folder_.path(), true); }, " has no images: nothing is in b, c");
  expect_error([&] { load_image_folder(folder_.path()); }, "the class folder " + path("b") + " is empty");
}

TEST_F(ImageFolder, RefusesHalfADivision) {
  write_class(folder_ / "train/a", 2, 0);
  write_class(folder_ / "train/b", 2, 0);
  write_class(folder_ / "val/a", 2, 0);
  refused("has train with class folders but no test next to it");
  write_class(folder_ / "test/a", 2, 0);
  write_class(folder_ / "test/c", 2, 0);
  refused("the class 'c' is in " + path("test") + " but not in " + path("train"));
  fs::remove_all(folder_ / "test/c");
  refused(path("test") + " has only one class folder, 'a'");
  refused("has a test part of its own", ImageFolderOptions().test_data(folder_ / "val"));
}

}  // namespace arks
