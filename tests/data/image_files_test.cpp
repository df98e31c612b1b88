#include "support/encoded_images.h"
#include "support/images.h"
#include "support/testing.h"

#include <thread>

namespace arks {

namespace fs = std::filesystem;
using testing::encode_jpeg;
using testing::encode_png;
using testing::expect_error;
using testing::expect_run_error;
using testing::identical;
using testing::read_image;
using testing::resize_bilinear;
using testing::toy_image;

namespace {

class ImageFiles : public ::testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& bytes) const {
    testing::write_bytes(folder_ / name, bytes, /*gzip=*/false);
    return folder_ / name;
  }
  /// PNG files of one size.
  std::vector<fs::path> write_many(int64_t count, int64_t channels = 3) const {
    std::vector<fs::path> files;
    for (int64_t i = 0; i < count; ++i) {
      files.push_back(
          write(std::to_string(i) + ".png", encode_png(toy_image(channels, 12, 10, static_cast<uint64_t>(i)))));
    }
    return files;
  }

  testing::TemporaryFolder folder_;
};

}  // namespace

TEST_F(ImageFiles, AreReadInTheirOrder) {
  const auto files = write_many(9);
  const auto images = load_images(files);
  ASSERT_EQ(images.sizes(), (std::vector<int64_t>{9, 3, 12, 10}));
  for (int64_t i = 0; i < 9; ++i) {
    EXPECT_TRUE(identical(images[i], toy_image(3, 12, 10, static_cast<uint64_t>(i)))) << i;
  }
}

TEST_F(ImageFiles, AreResizedAsOneByOneWithAnyNumberOfThreads) {
  std::vector<fs::path> files;
  for (int64_t i = 0; i < 20; ++i) {
    const auto image = toy_image(3, 20 + i, 30 - i, static_cast<uint64_t>(i));
    files.push_back(write(std::to_string(i), i % 2 == 0 ? encode_jpeg(image) : encode_png(image)));
  }
  for (const int64_t threads : {0, 1, 2, 5, 64}) {
    const auto images = load_images(files, ImageFilesOptions().size(ImageSize{16, 11}).threads(threads));
    for (int64_t i = 0; i < 20; ++i) {
      EXPECT_TRUE(identical(images[i], resize_bilinear(read_image(files[static_cast<size_t>(i)]), {16, 11}))) << i;
    }
  }
}

TEST_F(ImageFiles, GreyOnesStayGreyUnlessThereIsColour) {
  auto files = write_many(4, /*channels=*/1);
  EXPECT_EQ(load_images(files).sizes(), (std::vector<int64_t>{4, 1, 12, 10}));
  EXPECT_EQ(load_images(files, ImageFilesOptions().channels(3)).sizes(), (std::vector<int64_t>{4, 3, 12, 10}));
  files.push_back(write("colour", encode_png(toy_image(3, 12, 10, 7))));
  for (int turn = 0; turn < 2; ++turn) {
    const auto images = load_images(files);
    ASSERT_EQ(images.sizes(), (std::vector<int64_t>{5, 3, 12, 10}));
    const int64_t grey = turn == 0 ? 0 : 4, colour = 4 - grey;
    EXPECT_TRUE(identical(images[grey], toy_image(1, 12, 10, 0).expand({3, 12, 10}).contiguous()));
    EXPECT_TRUE(identical(images[colour], toy_image(3, 12, 10, 7)));
    std::swap(files.front(), files.back());
  }
}

TEST_F(ImageFiles, MixedModesBecomeColourAndAreCounted) {
  using testing::PngContent;
  auto files = write_many(2, /*channels=*/1);
  const auto grey = toy_image(1, 12, 10, 1), colour = toy_image(3, 12, 10, 2);
  auto alpha = torch::full({1, 12, 10}, 255, torch::kByte);
  files.push_back(write("opaque", encode_png(torch::cat({colour, alpha}))));
  alpha[0][3][3] = 7;
  files.push_back(write("alpha", encode_png(torch::cat({colour, alpha}))));
  files.push_back(write("grey-alpha", encode_png(torch::cat({grey, alpha}))));
  files.push_back(write("photo", testing::encode_jpeg(colour)));
  PngContent palette;
  palette.height = 12;
  palette.width = 10;
  palette.color_type = 3;
  palette.palette = {{1, 2, 3}, {4, 5, 6}};
  palette.rows = std::string(120, '\1');
  files.push_back(write("palette", encode_png(palette)));
  PngContent deep;
  deep.height = 12;
  deep.width = 10;
  deep.bit_depth = 16;
  deep.rows = std::string(240, '\x40');
  files.push_back(write("deep", encode_png(deep)));
  for (const bool cached : {false, true, true}) {
    std::vector<std::string> notes;
    ImageFilesOptions options;
    if (cached) options.cache_dir(folder_ / "cache");
    options.note([&](const std::string& text, bool important) {
      if (important) notes.push_back(text);
    });
    const auto images = load_images(files, options);
    ASSERT_EQ(images.sizes(), (std::vector<int64_t>{8, 3, 12, 10}));
    EXPECT_EQ(notes,
              (std::vector<std::string>{"2 of 8 images have an alpha channel; it was left out, colours are as stored",
                                        "4 of 8 images are grey, the others are in colour; all are read as colour"}));
    EXPECT_TRUE(identical(images[2], colour));
    EXPECT_TRUE(identical(images[3], colour));
    EXPECT_TRUE(identical(images[4], grey.expand({3, 12, 10}).contiguous()));
    EXPECT_EQ(images[6].select(0, 2).max().item<int>(), 6);
    EXPECT_EQ(images[7].min().item<int>(), 0x40);
  }
}

TEST_F(ImageFiles, OtherChannelsThanWantedAreErrors) {
  auto files = write_many(3, /*channels=*/1);
  expect_error([&] { load_images(files, ImageFilesOptions().channels(3).grey_as_colour(false)); },
               files[0].string() + ": a greyscale image where colour (RGB) is expected");
  files.push_back(write("colour", encode_png(toy_image(3, 12, 10, 7))));
  expect_error([&] { load_images(files, ImageFilesOptions().channels(4)); },
               "images: channels must be 1, 3, or 0 (as found), got 4");
}

/// As Pillow's convert("L"): (19595 R + 38470 G + 7471 B + 2^15) >> 16.
TEST_F(ImageFiles, ColourBecomesGreyByLuma) {
  auto files = write_many(1, /*channels=*/1);
  auto colours = torch::zeros({3, 12, 10}, torch::kByte);
  colours[0].fill_(200);
  colours[1].fill_(100);
  colours[2].fill_(30);
  files.push_back(write("colour", encode_png(colours)));
  files.push_back(write("grey in colour", encode_png(torch::full({3, 12, 10}, 77, torch::kByte))));
  std::vector<std::string> said;
  const auto images =
      load_images(files, ImageFilesOptions().channels(1).note([&](const std::string& text, bool important) {
        if (important) said.push_back(text);
      }));
  EXPECT_EQ(images.sizes(), torch::IntArrayRef({3, 1, 12, 10}));
  EXPECT_EQ(images[1].min().item<int>(), 122);  // 59.8 + 58.7 + 3.42
  EXPECT_EQ(images[1].max().item<int>(), 122);
  EXPECT_EQ(images[2].min().item<int>(), 77);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0], "2 of 3 images are in colour; they are read as grey, 0.299 R + 0.587 G + 0.114 B");
}

TEST_F(ImageFiles, SaysFromWhatTheyWereResized) {
  auto files = write_many(3, /*channels=*/1);
  files.push_back(write("other", encode_png(toy_image(1, 20, 30, 1))));
  files.push_back(write("another", encode_png(toy_image(1, 40, 30, 1))));
  const auto options = ImageFilesOptions().size(ImageSize{12, 10}).threads(2);
  for (const bool tells : {false, true}) {
    std::vector<std::string> said;
    load_images(files, ImageFilesOptions(options).tells_sizes(tells).note([&](const std::string& text, bool important) {
      EXPECT_EQ(important, tells);
      said.push_back(text);
    }));
    ASSERT_EQ(said.size(), tells ? 1U : 0U);
    if (!tells) continue;
    EXPECT_EQ(said[0], "2 of 5 images are resized to 12x10 (height x width), the first from 20x30");
  }
}

TEST_F(ImageFiles, SizesThatDifferNeedOneToResizeTo) {
  auto files = write_many(6);
  files[4] = write("other", encode_png(toy_image(3, 12, 11, 1)));
  files[5] = write("another", encode_png(toy_image(3, 13, 10, 1)));
  expect_error([&] { load_images(files); }, files[4].string() + ": 12x11 pixels (height x width), but the first, " +
                                                files[0].string() +
                                                ", has 12x10; choose one size for all, as in --resize 12x10");
  EXPECT_EQ(load_images(files, ImageFilesOptions().size(ImageSize{5, 6})).sizes(), (std::vector<int64_t>{6, 3, 5, 6}));
}

TEST_F(ImageFiles, TheFirstBadFileInOrderIsTheOneReported) {
  auto files = write_many(40);
  for (const size_t bad : {13, 14, 15, 20, 39}) files[bad] = write("bad" + std::to_string(bad), "no image");
  for (int trial = 0; trial < 30; ++trial) {
    expect_error([&] { load_images(files, ImageFilesOptions().threads(4)); },
                 files[13].string() + ": neither a PNG nor a JPEG");
  }
}

TEST_F(ImageFiles, ProgressComesOnTheCallersThreadAndEndsWithAll) {
  const auto files = write_many(30);
  std::vector<int64_t> seen;
  load_images(files, ImageFilesOptions().threads(3).progress(
                         [&, caller = std::this_thread::get_id()](int64_t done, int64_t total) {
                           EXPECT_EQ(std::this_thread::get_id(), caller);
                           EXPECT_EQ(total, 30);
                           seen.push_back(done);
                           return true;
                         }));
  ASSERT_FALSE(seen.empty());
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), 30);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 30), 1);
}

TEST_F(ImageFiles, ProgressCanStopTheLoading) {
  const auto files = write_many(30);
  for (const int64_t threads : {1, 3}) {
    const auto options = ImageFilesOptions().threads(threads);
    expect_run_error(
        [&] { load_images(files, ImageFilesOptions(options).progress([](int64_t, int64_t) { return false; })); },
        "interrupted after reading ");
    EXPECT_THROW(load_images(files, ImageFilesOptions(options).progress(
                                        [](int64_t, int64_t) -> bool { throw std::out_of_range("from outside"); })),
                 std::out_of_range);
  }
}

TEST_F(ImageFiles, MoreThanTheMachineHoldsIsRefusedBeforeMemoryIsTaken) {
  const auto one = write_many(1).front();
  const std::vector<fs::path> files(100000, one);
  expect_error(
      [&] {
        load_images(files, ImageFilesOptions().size(ImageSize{65535, 65535}));
      },
      "100000 images of 65535x65535 pixels take ");
}

TEST_F(ImageFiles, NoneAndNonsenseAreErrors) {
  expect_error([] { load_images({}); }, "images: no files given");
  const auto files = write_many(1);
  expect_error([&] { load_images(files, ImageFilesOptions().threads(-1)); },
               "images: threads must not be negative, got -1");
  expect_error(
      [&] {
        load_images(files, ImageFilesOptions().size(ImageSize{0, 5}));
      },
      "images: size: height and width must be 1 to 65535, got 0x5");
}

}  // namespace arks
