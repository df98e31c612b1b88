#include "data/registry.h"
#include "support/testing.h"
#include "support/text.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace arks {

namespace fs = std::filesystem;
using testing::expect_error;
using testing::TemporaryFolder;
using testing::write_idx;
using testing::write_toy_fashion_mnist;

namespace {

DatasetStatus fashion_status(const fs::path& data_dir) {
  for (const auto& status : list_datasets(data_dir)) {
    if (status.name == "fashion-mnist") return status;
  }
  throw RunError("fashion-mnist is not listed");
}

}  // namespace

TEST(Registry, KnowsEverySetByOneNameWithAllItsParts) {
  const auto names = dataset_names();
  EXPECT_NE(std::find(names.begin(), names.end(), "fashion-mnist"), names.end());
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  for (const auto& entry : known_datasets()) {
    EXPECT_FALSE(entry.description.empty()) << entry.name;
    EXPECT_EQ(entry.description.find('\n'), std::string::npos) << entry.name;
    EXPECT_TRUE(entry.load && entry.status && entry.verify) << entry.name;
  }
}

TEST(Registry, LoadsByName) {
  const TemporaryFolder folder;
  write_toy_fashion_mnist(folder.path(), 12, 8);
  EXPECT_EQ(load_dataset("fashion-mnist", folder.path(), Split::kTrain)->size(), 12);
  EXPECT_EQ(load_dataset("fashion-mnist", folder.path(), Split::kTest)->size(), 8);
}

TEST(Registry, SuggestsTheNearestNameAndListsAll) {
  expect_error([] { load_dataset("fashion-mnits", "", Split::kTrain); },
               "unknown data set 'fashion-mnits' (did you mean 'fashion-mnist'?); known: ");
  expect_error([] { load_dataset("fashion-mnits", "", Split::kTrain); }, "known: " + join(dataset_names()));
  expect_error([] { load_dataset("imagenet-22k", "", Split::kTrain); }, "unknown data set 'imagenet-22k'; known: ");
  std::ostringstream out;
  expect_error([&] { verify_dataset("nonsense", "", out); }, "unknown data set 'nonsense'");
}

TEST(Registry, ListsWhereASetLiesAndHowLargeItIs) {
  const TemporaryFolder folder;
  write_toy_fashion_mnist(folder.path(), 12, 8);
  double bytes = 0;
  for (const auto& file : fs::directory_iterator(folder / "fashion-mnist"))
    bytes += static_cast<double>(file.file_size());
  const auto status = fashion_status(folder.path());
  EXPECT_TRUE(status.found);
  EXPECT_EQ(status.where, (folder / "fashion-mnist").string());
  EXPECT_EQ(status.detail, "4 files, " + human_bytes(bytes));
}

TEST(Registry, ListsWhatIsMissing) {
  const TemporaryFolder folder;
  write_toy_fashion_mnist(folder.path(), 12, 8);
  fs::remove(folder / "fashion-mnist" / "t10k-images-idx3-ubyte.gz");
  const auto status = fashion_status(folder.path());
  EXPECT_FALSE(status.found);
  EXPECT_EQ(status.where, "");
  EXPECT_NE(status.detail.find("t10k-images-idx3-ubyte.gz"), std::string::npos) << status.detail;
  EXPECT_NE(status.detail.find("apt-get install dataset-fashion-mnist"), std::string::npos) << status.detail;
}

TEST(Registry, ListsWithoutReading) {
  const TemporaryFolder folder;
  for (const char* name :
       {"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"}) {
    testing::write_bytes(folder / name, "no IDX file at all", /*gzip=*/false);
  }
  EXPECT_TRUE(fashion_status(folder.path()).found);
  std::ostringstream out;
  expect_error([&] { verify_dataset("fashion-mnist", folder.path(), out); }, "magic number");
}

TEST(Registry, VerifyRefusesAMissingFile) {
  const TemporaryFolder folder;
  std::ostringstream out;
  expect_error([&] { verify_dataset("fashion-mnist", folder.path(), out); }, "train-images-idx3-ubyte.gz");
}

TEST(Registry, VerifyRefusesOtherCounts) {
  const TemporaryFolder folder;
  write_toy_fashion_mnist(folder.path(), 12, 8);
  std::ostringstream out;
  expect_error([&] { verify_dataset("fashion-mnist", folder.path(), out); },
               "train-images-idx3-ubyte.gz: 12 samples, but the official file has 60000");
  EXPECT_EQ(out.str(), "");
}

TEST(Registry, VerifyRefusesOtherContent) {
  const TemporaryFolder folder;
  write_idx(folder / "train-images-idx3-ubyte", {60000, 28, 28}, std::string(60000 * 28 * 28, '\0'));
  std::ostringstream out;
  const auto path = (folder / "train-images-idx3-ubyte").string();
  expect_error([&] { verify_dataset("fashion-mnist", folder.path(), out); },
               path + ": content differs from the official file (CRC-32 0x");
  expect_error([&] { verify_dataset("fashion-mnist", folder.path(), out); }, " instead of 0xb4f29f28)");
}

TEST(Registry, VerifyAcceptsTheOfficialSetAndPrintsALinePerFile) {
  const auto status = fashion_status(default_data_dir());
  if (!status.found) GTEST_SKIP() << status.detail;
  std::ostringstream out;
  verify_dataset("fashion-mnist", default_data_dir(), out);
  const auto text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
  for (const char* part : {"0xb4f29f28", "0x741a4657", "0x678fe0b1", "0x80142c1f", "[60000, 28, 28]", "[10000]"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
}

TEST(Registry, VerifyFindsOneChangedLabelOfTheOfficialSet) {
  const auto status = fashion_status(default_data_dir());
  if (!status.found) GTEST_SKIP() << status.detail;
  const TemporaryFolder folder;
  for (const auto& file : fs::directory_iterator(status.where)) {
    fs::create_symlink(file.path(), folder.path() / file.path().filename());
  }
  auto labels =
      load_fashion_mnist(default_data_dir(), Split::kTest)->get(torch::arange(10000)).targets.to(torch::kByte);
  labels[1234] = (labels[1234].item<int64_t>() + 1) % 10;
  for (const char* name : {"t10k-labels-idx1-ubyte.gz", "t10k-labels-idx1-ubyte"}) fs::remove(folder / name);
  write_idx(folder / "t10k-labels-idx1-ubyte.gz", {10000},
            std::string(static_cast<const char*>(labels.data_ptr()), 10000));
  std::ostringstream out;
  expect_error([&] { verify_dataset("fashion-mnist", folder.path(), out); }, " instead of 0x80142c1f)");
}

TEST(Registry, ListsAndVerifiesWhatIsBuiltIn) {
  for (const std::string name : {"iris", "diabetes"}) {
    const auto list = list_datasets("/nowhere");
    const auto status = std::find_if(list.begin(), list.end(), [&](const auto& item) { return item.name == name; });
    ASSERT_NE(status, list.end()) << name;
    EXPECT_TRUE(status->found);
    EXPECT_EQ(status->where, "built in");
    std::ostringstream out;
    verify_dataset(name, "/nowhere", out);
    EXPECT_EQ(out.str().rfind(name + " (built in): [", 0), 0U) << out.str();
    EXPECT_EQ(load_dataset(name, "/nowhere", Split::kTest)->info().name, name);
  }
}

TEST(Registry, LoadsTablesByNameAndByPath) {
  const TemporaryFolder folder;
  testing::write_bytes(folder / "a.csv", "a,y,b\n1,u,1\n2,v,2\n3,u,3\n4,v,4\n", /*gzip=*/false);
  const auto path = (folder / "a.csv").string();
  for (const auto& name : {path, std::string("b.npy"), std::string("iris")}) EXPECT_TRUE(is_table(name)) << name;
  for (const std::string name : {"fashion-mnist", "nonsense", "a.xlsx"}) EXPECT_FALSE(is_table(name)) << name;
  const auto options = DataOptions(folder.path()).tabular(TabularOptions().target("y").test_fraction(0.5));
  EXPECT_EQ(load_dataset(path, options, Split::kTrain)->size(), 2);
  EXPECT_EQ(load_splits(path, options).test->info().num_classes, 2);
  EXPECT_EQ(load_splits("iris", DataOptions().tabular(TabularOptions().train_limit(7))).train->size(), 7);
  expect_error([&] { load_splits("fashion-mnist", options); }, "fashion-mnist is not divided here");
  expect_error([] { load_splits("iris", DataOptions().targets("y.npy")); }, "the targets of iris are part of it");
  expect_error([&] { load_dataset((folder / "b.csv").string(), options, Split::kTrain); }, "cannot read ");
}

TEST(Registry, TellsKnownNamesFromTheUsersOwnData) {
  const TemporaryFolder folder;
  for (const std::string name : {"fashion-mnist", "nonsense", "a.xlsx"}) {
    EXPECT_FALSE(is_own_data(name)) << name;
    EXPECT_EQ(data_kind(name), DataKind::kOfficial) << name;
  }
  EXPECT_FALSE(is_own_data("iris"));
  EXPECT_EQ(data_kind("iris"), DataKind::kTable);
  EXPECT_EQ(data_kind("a.csv"), DataKind::kTable);
  EXPECT_EQ(data_kind(folder.path().string()), DataKind::kImages);
  expect_error([&] { load_splits(folder.path().string(), DataOptions()); }, "has no class folders");
  expect_error([] { find_dataset("no/such"); }, "no/such does not exist");
  const auto sheet = folder / "table.xlsx";
  testing::write_bytes(sheet, "", /*gzip=*/false);
  expect_error([&] { find_dataset(sheet.string()); },
               "table.xlsx is neither a folder nor a file ending in .csv, .tsv, .txt (also with .gz) or .npy");
}

}  // namespace arks
