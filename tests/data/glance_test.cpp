#include "data/glance.h"

#include "data/published.h"
#include "support/data_files.h"
#include "support/testing.h"

#include <set>

namespace arks {

using testing::TemporaryFolder;

namespace {

/// The networks that such data may take, as far as a glance tells.
std::set<std::string> networks_for(const std::filesystem::path& data, const DataOptions& options = DataOptions()) {
  std::set<std::string> found;
  for (const auto& info : possible_infos(data.string(), options)) {
    found.insert(published_settings(data.string(), info, kManyImages).model);
  }
  return found;
}

using Networks = std::set<std::string>;

}  // namespace

TEST(Glance, TellsTheShapeOfImagesInAFolder) {
  const TemporaryFolder folder;
  for (const std::string name : {"a", "b"}) {
    testing::write_class(folder / "photos" / name, 1, 0, {3, 32, 32});
    testing::write_class(folder / "grey" / name, 1, 0, {1, 28, 28});
  }
  EXPECT_EQ(networks_for(folder / "photos"), Networks{"resnet20"});
  EXPECT_EQ(networks_for(folder / "grey"), (Networks{"cnn", "fashion-cnn"})) << "the next one may be in colour";
  auto options = DataOptions().image_folder(ImageFolderOptions().channels(1));
  EXPECT_EQ(networks_for(folder / "grey", options), Networks{"fashion-cnn"});
  options.image_folder().channels(3).resize(ImageSize{64, 48});
  EXPECT_EQ(networks_for(folder / "grey", options), Networks{"celeba-cnn"});
}

TEST(Glance, CountsTheImages) {
  const TemporaryFolder folder;
  for (const std::string name : {"a", "b"}) testing::write_class(folder / "photos" / name, 3, 0, {1, 4, 4});
  testing::write_npy(folder / "x.npy", torch::zeros({7, 4, 4}, torch::kByte));
  EXPECT_EQ(count_images((folder / "photos").string(), DataOptions()), 6);
  EXPECT_EQ(count_images((folder / "x.npy").string(), DataOptions()), 7);
  EXPECT_FALSE(count_images(folder.path().string(), DataOptions()).has_value());
  EXPECT_FALSE(count_images("iris", DataOptions()).has_value());
}

TEST(Glance, TellsTheShapeOfImagesInAFile) {
  const TemporaryFolder folder;
  testing::write_npy(folder / "x.npy", torch::zeros({4, 28, 28}, torch::kByte));
  testing::write_npy(folder / "y.npy", torch::zeros({4}, torch::kLong));
  testing::write_npy(folder / "z.npy", torch::zeros({4}));
  const auto with = [&](const std::string& targets) { return DataOptions().targets(folder / targets); };
  EXPECT_EQ(networks_for(folder / "x.npy", with("y.npy")), Networks{"fashion-cnn"});
  EXPECT_EQ(networks_for(folder / "x.npy", with("z.npy")), (Networks{"cnn", "fashion-cnn"})) << "classes or not";
  auto regression = with("z.npy");
  regression.npy_images().task(Task::kRegression);
  EXPECT_EQ(networks_for(folder / "x.npy", regression), Networks{"cnn"});
}

TEST(Glance, LeavesEverythingOpenWhereNothingCanBeRead) {
  const TemporaryFolder folder;
  EXPECT_EQ(networks_for(folder.path()), (Networks{"celeba-cnn", "cnn", "fashion-cnn", "linear", "resnet20"}));
  EXPECT_EQ(networks_for("iris"), Networks{published_settings("iris").model}) << "nothing is asked of a table";
}

}  // namespace arks
