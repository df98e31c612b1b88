#include "data/image_cache.h"
#include "data/environment.h"
#include "support/encoded_images.h"
#include "support/file.h"
#include "support/testing.h"

#include <chrono>
#include <thread>

namespace arks {

namespace fs = std::filesystem;
using testing::encode_png;
using testing::identical;
using testing::toy_image;
using testing::Variable;

namespace {

std::string digits(const Digest& digest) {
  std::string text;
  for (const uint8_t byte : digest) {
    for (const int digit : {byte / 16, byte % 16}) text += "0123456789abcdef"[digit];
  }
  return text;
}

class ImageCacheTest : public ::testing::Test {
 protected:
  ImageCacheTest() {
    for (int i = 0; i < 5; ++i) {
      files_.push_back(folder_ / (std::to_string(i) + ".png"));
      write(i, static_cast<uint64_t>(i));
    }
    decoded_ = load_images(files_);
  }

  /// An image in a file of always the same size: what follows a PNG does not count.
  static void write(const fs::path& file, uint64_t seed) {
    auto bytes = encode_png(toy_image(3, 8, 6, seed));
    bytes.resize(1000);
    testing::write_bytes(file, bytes, /*gzip=*/false);
  }
  void write(int number, uint64_t seed) const { write(files_[static_cast<size_t>(number)], seed); }
  ImageFilesOptions options() {
    return ImageFilesOptions().cache_dir(folder_ / "cache").note([this](const std::string& text, bool important) {
      notes_.push_back((important ? "! " : "  ") + text);
    });
  }
  fs::path cache_file() { return ImageCache(folder_ / "cache", files_, options()).path(); }
  bool last_note_has(const std::string& part) const {
    return !notes_.empty() && notes_.back().find(part) != std::string::npos;
  }

  testing::TemporaryFolder folder_;
  std::vector<fs::path> files_;
  torch::Tensor decoded_;
  std::vector<std::string> notes_;
};

}  // namespace

TEST_F(ImageCacheTest, GivesTheSameImagesWithoutDecodingThemAgain) {
  EXPECT_TRUE(identical(load_images(files_, options()), decoded_));
  EXPECT_TRUE(last_note_has("  5 images decoded, kept in " + cache_file().string())) << notes_.back();
  // other images than those of the files, put there in secret, show who answered
  const auto others = decoded_.flip(0).contiguous();
  ImageCache(folder_ / "cache", files_, options()).write(others);
  EXPECT_TRUE(identical(load_images(files_, options()), others));
  EXPECT_TRUE(last_note_has("  5 images from the cache " + cache_file().string())) << notes_.back();
}

TEST_F(ImageCacheTest, AReplacedSourceIsNoticedThoughItsTimeWasPutBack) {
  load_images(files_, options());
  const auto time = fs::last_write_time(files_[2]);
  const auto expect_anew = [&] {
    fs::last_write_time(files_[2], time);
    ASSERT_EQ(fs::file_size(files_[2]), 1000U);
    ASSERT_EQ(fs::last_write_time(files_[2]), time);
    const auto now = load_images(files_);
    EXPECT_TRUE(identical(load_images(files_, options()), now));
    EXPECT_TRUE(last_note_has("  5 images decoded")) << notes_.back();
  };
  // the clock of the file system ticks every few milliseconds
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  write(2, 77);
  expect_anew();
  write(folder_ / "new.png", 78);
  fs::rename(folder_ / "new.png", files_[2]);
  expect_anew();
}

TEST_F(ImageCacheTest, IsMadeAnewWhenASourceChanges) {
  load_images(files_, options());
  write(2, 77);
  fs::last_write_time(files_[2], fs::last_write_time(files_[2]) + std::chrono::seconds(1));
  const auto now = load_images(files_);
  ASSERT_FALSE(identical(now, decoded_));
  EXPECT_TRUE(identical(load_images(files_, options()), now));
  EXPECT_NE(notes_[1].find("  the cache " + cache_file().string() +
                           " is made from other versions of the images; it is rebuilt"),
            std::string::npos)
      << notes_[1];
  EXPECT_TRUE(identical(load_images(files_, options()), now));
  EXPECT_TRUE(last_note_has("from the cache"));
  const auto count = std::distance(fs::directory_iterator(folder_ / "cache"), fs::directory_iterator());
  EXPECT_EQ(count, 1) << "the old one, or a part, was left behind";
}

TEST_F(ImageCacheTest, EveryDamageIsFoundAndMended) {
  load_images(files_, options());
  const auto whole = read_file(cache_file());
  std::vector<std::string> damaged{"", whole.substr(0, 30), whole.substr(0, whole.size() - 1), whole + "x"};
  for (size_t i = 0; i < whole.size() && i < 60; ++i) {  // the last 4 bytes of the header are padding
    damaged.push_back(whole);
    damaged.back()[i] = static_cast<char>(damaged.back()[i] ^ 0x40);
  }
  for (const size_t i : {size_t{64}, whole.size() / 2, whole.size() - 1}) {
    damaged.push_back(whole);
    damaged.back()[i] = static_cast<char>(damaged.back()[i] ^ 0x01);
  }
  for (size_t i = 0; i < damaged.size(); ++i) {
    testing::write_bytes(cache_file(), damaged[i], /*gzip=*/false);
    const auto found = ImageCache(folder_ / "cache", files_, options()).read();
    EXPECT_FALSE(found.images) << i;
    EXPECT_FALSE(found.reason.empty()) << i;
  }
  EXPECT_TRUE(identical(load_images(files_, options()), decoded_));
  EXPECT_EQ(read_file(cache_file()), whole);
}

TEST_F(ImageCacheTest, DoesNotConfuseWhatWasWantedOfTheImages) {
  const auto small = options().size(ImageSize{4, 4});
  const auto expected = load_images(files_, ImageFilesOptions().size(ImageSize{4, 4}));
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_TRUE(identical(load_images(files_, options()), decoded_));
    EXPECT_TRUE(identical(load_images(files_, small), expected));
    const std::vector<fs::path> fewer(files_.begin(), files_.end() - 1);
    EXPECT_TRUE(identical(load_images(fewer, options()), decoded_.slice(0, 0, 4)));
    const std::vector<fs::path> turned(files_.rbegin(), files_.rend());
    EXPECT_TRUE(identical(load_images(turned, options()), decoded_.flip(0)));
  }
  EXPECT_TRUE(last_note_has("from the cache"));
}

TEST_F(ImageCacheTest, WithoutAFolderToWriteToTheImagesAreStillThere) {
  testing::write_bytes(folder_ / "cache", "a file where a folder should be", /*gzip=*/false);
  EXPECT_TRUE(identical(load_images(files_, options()), decoded_));
  EXPECT_TRUE(last_note_has("! decoded images cannot be cached: cannot create the folder ")) << notes_.back();
}

TEST_F(ImageCacheTest, AMissingSourceIsAnError) {
  load_images(files_, options());
  fs::remove(files_[3]);
  testing::expect_error([&] { load_images(files_, options()); },
                        "cannot open " + files_[3].string() + ": No such file");
}

TEST(ImageCacheFolder, IsTheOneThatTheUserChose) {
  const Variable home("HOME", "/home/someone");
  const Variable arks("ARKS_CACHE_DIR", "/cache/mine");
  const Variable xdg("XDG_CACHE_HOME", "/cache/all");
  EXPECT_EQ(default_cache_dir(), "/cache/mine");
  {
    const Variable unset("ARKS_CACHE_DIR", nullptr);
    EXPECT_EQ(default_cache_dir(), "/cache/all/arks");
    for (const char* nothing : {"", "cache", "./cache"}) {
      const Variable ignored("XDG_CACHE_HOME", nothing);
      EXPECT_EQ(default_cache_dir(), "/home/someone/.cache/arks") << nothing;
    }
    const Variable empty("XDG_CACHE_HOME", ""), homeless("HOME", nullptr);
    EXPECT_EQ(default_cache_dir(), "");
  }
  EXPECT_EQ(default_cache_dir(), "/cache/mine");
}

TEST(ImageCacheDigest, IsFnv1aOf128Bits) {
  EXPECT_EQ(digits(fnv1a_128("")), "6c62272e07bb014262b821756295c58d");
  EXPECT_EQ(digits(fnv1a_128("a")), "d228cb696f1a8caf78912b704e4a8964");
  EXPECT_EQ(digits(fnv1a_128("foobar")), "343e1662793c64bf6f0d3597ba446f18");
}

}  // namespace arks
