#include "data/cifar10_files.h"
#include "data/dataset_folders.h"
#include "data/environment.h"
#include "data/registry.h"
#include "support/file.h"
#include "support/testing.h"
#include "support/text.h"

#include <algorithm>
#include <sstream>

namespace arks {

namespace fs = std::filesystem;
using namespace testing;

namespace {

constexpr int64_t kRecord = 3073;

/// Records with these labels; the pixels depend on `first` and the place.
std::string records(const std::string& labels, int first = 0) {
  std::string content;
  for (size_t i = 0; i < labels.size(); ++i) {
    content.push_back(labels[i]);
    for (int64_t pixel = 0; pixel < kRecord - 1; ++pixel) {
      content.push_back(static_cast<char>((first + 7 * static_cast<int64_t>(i) + pixel * 31 + pixel / 1024) % 256));
    }
  }
  return content;
}

void write(const fs::path& path, const std::string& content) {
  write_bytes(path, content, /*gzip=*/false);
}

/// A cut-down set: 2, 1, 3, 1, 2 records to train and 2 to test.
void write_small_set(const fs::path& folder) {
  const std::vector<std::string> labels{{'\6', '\x9'}, {'\0'}, {'\1', '\2', '\3'}, {'\4'}, {'\5', '\7'}, {'\x8', '\6'}};
  const auto files = cifar10_files();
  for (size_t i = 0; i < files.size(); ++i) {
    write(folder / files[i].name, records(labels[i], static_cast<int>(50 * i)));
  }
}

std::string verified(const fs::path& data_dir) {
  std::ostringstream out;
  verify_dataset("cifar10", data_dir, out);
  return out.str();
}

}  // namespace

TEST(Cifar10, LoadsAllFilesInOrderAndSaysWhatIsKnownOfThem) {
  const TemporaryFolder folder;
  write_small_set(folder / "cifar-10-batches-bin");
  const auto train = load_cifar10(folder.path(), Split::kTrain), test = load_cifar10(folder.path(), Split::kTest);
  EXPECT_TRUE(identical(all_of(*train).targets, torch::tensor({6, 9, 0, 1, 2, 3, 4, 5, 7}, torch::kLong)));
  EXPECT_TRUE(identical(all_of(*test).targets, torch::tensor({8, 6}, torch::kLong)));
  const auto inputs = all_of(*train).inputs;
  EXPECT_EQ(inputs.sizes(), c10::IntArrayRef({9, 3, 32, 32}));
  EXPECT_EQ(inputs.scalar_type(), torch::kFloat);
  const auto second_file = records({'\0'}, 50), third_file = records({'\1', '\2', '\3'}, 100);
  const auto bytes = [](const std::string& content, size_t record) {
    const auto* begin = content.data() + record * kRecord + 1;
    return torch::from_blob(const_cast<char*>(begin), {3, 32, 32}, torch::kByte).to(torch::kFloat).div(255);
  };
  EXPECT_TRUE(identical(inputs[2], bytes(second_file, 0)));
  EXPECT_TRUE(identical(inputs[5], bytes(third_file, 2)));
  const auto& info = train->info();
  EXPECT_EQ(info.name, "cifar10");
  EXPECT_EQ(info.input_shape, (std::vector<int64_t>{3, 32, 32}));
  EXPECT_EQ(info.num_classes, 10);
  ASSERT_TRUE(info.bounds.has_value());
  EXPECT_EQ(info.bounds->low(), 0);
  EXPECT_EQ(info.bounds->high(), 1);
  ASSERT_EQ(info.class_names.size(), 10U);
  EXPECT_EQ(info.class_names.front(), "airplane");
  EXPECT_EQ(info.class_names[6], "frog");
  EXPECT_EQ(info.class_names.back(), "truck");
}

TEST(Cifar10, PutsEveryPixelInItsPlace) {
  const TemporaryFolder folder;
  write_small_set(folder.path());
  std::string one(kRecord, '\0');
  one[0] = '\3';
  one[1 + 1 * 1024 + 5 * 32 + 9] = '\xff';  // green, row 5, column 9
  write(folder / "test_batch.bin", one);
  const auto image = all_of(*load_cifar10(folder.path(), Split::kTest)).inputs[0];
  EXPECT_EQ(image[1][5][9].item<float>(), 1);
  EXPECT_EQ(image.sum().item<float>(), 1);
}

TEST(Cifar10, LooksInThreePlacesAndPrefersAWholeSet) {
  for (const std::string place : {"cifar-10-batches-bin", "cifar10", "."}) {
    const TemporaryFolder folder;
    write_small_set(folder / place);
    EXPECT_EQ(load_dataset("cifar10", folder.path(), Split::kTrain)->size(), 9) << place;
    EXPECT_EQ(load_dataset("cifar10", folder.path(), Split::kTest)->size(), 2) << place;
  }
  const TemporaryFolder folder;
  write_small_set(folder / "cifar10");
  write(folder / "cifar-10-batches-bin/test_batch.bin", records({'\1'}));
  EXPECT_EQ(load_cifar10(folder.path(), Split::kTest)->size(), 2);
}

TEST(Cifar10, IsFoundInTheUsersFolderWhenNoneWasChosen) {
  const TemporaryFolder folder;
  write_small_set(folder / "arks/cifar-10-batches-bin");
  const Variable none("ARKS_DATA_DIR", nullptr), home("XDG_DATA_HOME", folder.path().string());
  EXPECT_EQ(user_data_dir(), folder / "arks");
  EXPECT_EQ(fetch_data_dir(), folder / "arks");
  // what Debian's folder holds comes first; it has no CIFAR-10
  EXPECT_EQ(find_dataset("cifar10").status(default_data_dir()).where, (folder / "arks/cifar-10-batches-bin").string());
  EXPECT_EQ(load_cifar10(default_data_dir(), Split::kTest)->size(), 2);
  const TemporaryFolder chosen;
  EXPECT_FALSE(find_dataset("cifar10").status(chosen.path()).found) << "a folder that was chosen is the only one";
}

TEST(UserDataDir, FollowsTheXdgSpecification) {
  const Variable none("ARKS_DATA_DIR", nullptr), home("HOME", "/home/somebody");
  {
    const Variable data("XDG_DATA_HOME", nullptr);
    EXPECT_EQ(user_data_dir(), fs::path("/home/somebody/.local/share/arks"));
  }
  {
    const Variable relative("XDG_DATA_HOME", "share");
    EXPECT_EQ(user_data_dir(), fs::path("/home/somebody/.local/share/arks"));
  }
  const Variable data("XDG_DATA_HOME", "/data");
  EXPECT_EQ(user_data_dir(), fs::path("/data/arks"));
  EXPECT_EQ(data_dirs("/usr/share/datasets"), (std::vector<fs::path>{"/usr/share/datasets", "/data/arks"}));
  EXPECT_EQ(data_dirs("/elsewhere"), std::vector<fs::path>{"/elsewhere"});
  const Variable chosen("ARKS_DATA_DIR", "/chosen");
  EXPECT_EQ(fetch_data_dir(), fs::path("/chosen"));
}

TEST(UserDataDir, IsAnErrorOnlyWhenItIsNeeded) {
  const Variable none("ARKS_DATA_DIR", nullptr), home("HOME", nullptr), data("XDG_DATA_HOME", nullptr);
  EXPECT_EQ(user_data_dir(), fs::path());
  EXPECT_EQ(data_dirs("/usr/share/datasets").size(), 1U);
  expect_error([] { fetch_data_dir(); }, "no folder for data sets: set --data-dir, ARKS_DATA_DIR or HOME");
}

TEST(Cifar10, SaysWhatIsMissingWhereAndHowToGetIt) {
  const TemporaryFolder folder;
  const auto path = folder.path().string();
  expect_error([&] { load_cifar10(folder.path(), Split::kTrain); },
               "cifar10: data_batch_1.bin was not found in " + path + "/cifar-10-batches-bin, " + path +
                   "/cifar10 or " + path + "; arks data fetch cifar10 gets the set");
  write_small_set(folder / "cifar10");
  fs::remove(folder / "cifar10" / "data_batch_4.bin");
  expect_error([&] { load_cifar10(folder.path(), Split::kTrain); },
               "cifar10: data_batch_4.bin was not found in " + path + "/cifar10; arks data fetch cifar10");
  EXPECT_EQ(load_cifar10(folder.path(), Split::kTest)->size(), 2);
  const auto status = find_dataset("cifar10").status(folder.path());
  EXPECT_FALSE(status.found);
  EXPECT_EQ(status.where, "");
  EXPECT_NE(status.detail.find("data_batch_4.bin was not found"), std::string::npos) << status.detail;
}

TEST(Cifar10, ListsWhereItLiesAndHowLargeItIs) {
  const TemporaryFolder folder;
  write_small_set(folder / "cifar10");
  const auto status = find_dataset("cifar10").status(folder.path());
  EXPECT_TRUE(status.found);
  EXPECT_EQ(status.where, (folder / "cifar10").string());
  EXPECT_EQ(status.detail,
            "6 files, " + human_bytes(11 * kRecord) + "; a cut-down copy: 9 of 50000 and 2 of 10000 images");
}

TEST(Cifar10, ListsACopyThatIsCutBetweenRecords) {
  const TemporaryFolder folder;
  write_small_set(folder.path());
  // only sizes are looked at, so that holes do for images
  for (const auto& file : cifar10_files()) {
    fs::resize_file(folder / file.name, static_cast<uintmax_t>(10000 * kRecord));
  }
  const auto detail = [&] { return find_dataset("cifar10").status(folder.path()).detail; };
  EXPECT_EQ(detail(), "6 files, " + human_bytes(60000 * kRecord));
  fs::resize_file(folder / "data_batch_2.bin", static_cast<uintmax_t>(5000 * kRecord));
  EXPECT_EQ(detail(),
            "6 files, " + human_bytes(55000 * kRecord) + "; a cut-down copy: 45000 of 50000 and 10000 of 10000 images");
  fs::resize_file(folder / "data_batch_2.bin", static_cast<uintmax_t>(10000 * kRecord));
  fs::resize_file(folder / "test_batch.bin", static_cast<uintmax_t>(kRecord));
  EXPECT_NE(detail().find("; a cut-down copy: 50000 of 50000 and 1 of 10000 images"), std::string::npos) << detail();
}

TEST(Cifar10, RefusesFilesThatAreNoWholeNumberOfRecords) {
  const TemporaryFolder folder;
  const auto path = folder / "data_batch_3.bin";
  for (const int64_t size : {3 * kRecord - 1, 3 * kRecord + 1, int64_t{100}}) {
    write_small_set(folder.path());
    fs::resize_file(path, static_cast<uintmax_t>(size));
    expect_error([&] { load_cifar10(folder.path(), Split::kTrain); },
                 c10::str(path.string(), ": ", size, " bytes are ", size / kRecord, " records of 3073 bytes and ",
                          size % kRecord, " more; the file is cut off"));
  }
  write(path, "");
  expect_error([&] { load_cifar10(folder.path(), Split::kTrain); }, path.string() + " is empty");
  fs::remove(path);
  fs::create_directory(path);
  expect_error([&] { load_cifar10(folder.path(), Split::kTrain); }, "cannot read " + path.string());
}

TEST(Cifar10, RefusesLabelsAboveNineAndNamesFileAndRecord) {
  const TemporaryFolder folder;
  write_small_set(folder.path());
  const auto path = folder / "data_batch_2.bin";
  std::string labels(200, '\1');
  labels[130] = '\xa';
  write(path, records(labels));
  expect_error([&] { load_cifar10(folder.path(), Split::kTrain); },
               path.string() + ": record 130 (counted from 0) has the label 10; labels are 0 to 9");
  labels[130] = '\xff';
  write(path, records(labels));
  expect_error([&] { load_cifar10(folder.path(), Split::kTrain); }, "has the label 255");
}

TEST(Cifar10, TakesNoMemoryForAFileThatOnlySaysItIsLarge) {
  const TemporaryFolder folder;
  write_small_set(folder.path());
  // a hole of 300 GB on disk, not a whole number of records: refused by its size, before memory is taken
  fs::resize_file(folder / "data_batch_1.bin", 100000000 * static_cast<uintmax_t>(kRecord) + 5);
  expect_error([&] { load_cifar10(folder.path(), Split::kTrain); }, "100000000 records of 3073 bytes and 5 more");
}

TEST(Cifar10, VerifyInsistsOnTheOfficialContent) {
  const TemporaryFolder folder;
  expect_error([&] { verified(folder.path()); }, "cifar10: data_batch_1.bin was not found in ");
  write_small_set(folder.path());
  expect_error([&] { verified(folder.path()); }, "data_batch_1.bin: 2 records, but the official file has 10000");
  write(folder / "data_batch_1.bin", std::string(10000 * kRecord, '\0'));
  expect_error([&] { verified(folder.path()); }, "data_batch_1.bin: content differs from the official file (CRC-32 0x");
  expect_error([&] { verified(folder.path()); }, " instead of 0xb3220c1f)");
}

TEST(Cifar10, VerifyReadsTheNamesOfTheClassesWhereTheyAre) {
  const TemporaryFolder folder;
  write_small_set(folder.path());
  std::vector<Cifar10File> files;
  for (const auto& file : cifar10_files()) {
    const auto path = folder / file.name;
    files.push_back({file.name, static_cast<int64_t>(fs::file_size(path)) / kRecord, file_crc32(path)});
  }
  const auto lines = [&] {
    std::ostringstream out;
    verify_cifar10_files(folder.path(), files, out);
    const auto text = out.str();
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(lines(), 6);
  write(folder / "batches.meta.txt", cifar10_meta());
  EXPECT_EQ(lines(), 7);
  write(folder / "batches.meta.txt", "cat\ndog\n");
  expect_error([&] { lines(); },
               "batches.meta.txt: does not name the ten classes in their order, airplane, automobile");
}

TEST(Cifar10, VerifyAcceptsTheOfficialSet) {
  const auto status = find_dataset("cifar10").status(default_data_dir());
  if (!status.found) GTEST_SKIP() << status.detail;
  const auto text = verified(default_data_dir());
  for (const auto& file : cifar10_files()) {
    EXPECT_NE(text.find(file.name + ": 10000 images, CRC-32 " + hex(file.crc32) + ", as published"), std::string::npos)
        << text;
  }
}

TEST(Cifar10, LoadsTheOfficialSet) {
  const auto status = find_dataset("cifar10").status(default_data_dir());
  if (!status.found) GTEST_SKIP() << status.detail;
  const auto train = load_cifar10(default_data_dir(), Split::kTrain),
             test = load_cifar10(default_data_dir(), Split::kTest);
  ASSERT_EQ(train->size(), 50000);
  ASSERT_EQ(test->size(), 10000);
  const auto ten = torch::arange(10, torch::kLong);
  EXPECT_TRUE(identical(train->get(ten).targets, torch::tensor({6, 9, 9, 4, 1, 1, 2, 7, 8, 3}, torch::kLong)));
  EXPECT_TRUE(identical(test->get(ten).targets, torch::tensor({3, 8, 8, 0, 6, 6, 1, 6, 3, 1}, torch::kLong)));
  EXPECT_TRUE(torch::equal(all_of(*test).targets.bincount(), torch::full({10}, 1000, torch::kLong)));
  auto counts = torch::zeros({10}, torch::kLong);
  for (int64_t begin = 0; begin < 50000; begin += 1000) {
    counts += train->get(torch::arange(begin, begin + 1000, torch::kLong)).targets.bincount({}, 10);
  }
  EXPECT_TRUE(torch::equal(counts, torch::full({10}, 5000, torch::kLong)));
  // the upper left pixels of the first frog and the first cat
  const auto corner = [](const Dataset& set) {
    return (set.get(torch::zeros({1}, torch::kLong)).inputs[0].index({torch::indexing::Slice(), 0, 0}) * 255).round();
  };
  EXPECT_TRUE(torch::equal(corner(*train), torch::tensor({59.F, 62.F, 63.F})));
  EXPECT_TRUE(torch::equal(corner(*test), torch::tensor({158.F, 112.F, 49.F})));
}

}  // namespace arks
