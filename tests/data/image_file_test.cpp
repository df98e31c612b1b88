#include "support/encoded_images.h"
#include "support/images.h"
#include "support/testing.h"

#include <zlib.h>

namespace arks {

namespace fs = std::filesystem;
using testing::encode_jpeg;
using testing::encode_png;
using testing::expect_error;
using testing::identical;
using testing::JpegKind;
using testing::PngContent;
using testing::read_image;
using testing::toy_image;

namespace {

class ImageFile : public ::testing::Test {
 protected:
  fs::path write(const std::string& bytes, const std::string& name = "image") const {
    testing::write_bytes(folder_ / name, bytes, /*gzip=*/false);
    return folder_ / name;
  }
  torch::Tensor read(const std::string& bytes) const { return read_image(write(bytes)); }
  void expect_refused(const std::string& bytes, const std::string& part) const {
    const auto path = write(bytes);
    expect_error([&] { read_image(path); }, path.string() + ": " + part);
  }
  bool is_refused(const std::string& bytes) const {
    try {
      read(bytes);
      return false;
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      return message.rfind((folder_ / "image").string() + ": ", 0) == 0;
    }
  }

  testing::TemporaryFolder folder_;
};

std::string big_endian(uint32_t value, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) text += static_cast<char>((value >> shift) & 0xff);
  return text;
}

/// The same PNG with another size in its header, whose checksum is right.
std::string with_png_size(std::string bytes, uint32_t height, uint32_t width) {
  bytes.replace(16, 8, big_endian(width, 4) + big_endian(height, 4));
  const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()) + 12, 17);
  return bytes.replace(29, 4, big_endian(static_cast<uint32_t>(sum), 4));
}

std::string with_jpeg_size(std::string bytes, uint32_t height, uint32_t width) {
  const auto frame = bytes.find("\xff\xc0");
  return bytes.replace(frame + 5, 4, big_endian(height, 2) + big_endian(width, 2));
}

}  // namespace

TEST_F(ImageFile, PngIsReadBitForBit) {
  for (const int64_t channels : {1, 3}) {
    const auto image = torch::randint(256, {channels, 7, 5}, torch::kByte);
    EXPECT_TRUE(identical(read(encode_png(image)), image)) << channels;
    EXPECT_TRUE(identical(read(encode_png(image, /*interlaced=*/true)), image)) << channels;
  }
}

TEST_F(ImageFile, PngWithAPaletteBecomesColour) {
  PngContent content;
  content.width = 4;
  content.color_type = 3;
  content.bit_depth = 2;
  content.rows = "\x1b";  // entries 0, 1, 2, 3
  content.palette = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
  const auto expected = torch::tensor({1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12}, torch::kByte).view({3, 1, 4});
  EXPECT_TRUE(identical(read(encode_png(content)), expected));
  content.palette_alpha = "\xff\xff";
  EXPECT_TRUE(identical(read(encode_png(content)), expected));
  content.palette_alpha = "\xff\x80";
  EXPECT_TRUE(identical(read(encode_png(content)), expected));
}

TEST_F(ImageFile, PngOfOneBitIsSpreadAndOf16BitsRounded) {
  PngContent content;
  content.width = 8;
  content.bit_depth = 1;
  content.rows = "\xa1";
  EXPECT_TRUE(identical(read(encode_png(content)),
                        torch::tensor({255, 0, 255, 0, 0, 0, 0, 255}, torch::kByte).view({1, 1, 8})));
  content.width = 5;
  content.bit_depth = 16;
  content.rows.clear();
  for (const uint32_t value : {0, 128, 129, 65534, 65535}) content.rows += big_endian(value, 2);
  // 128·255/65535 = 0.498, 129·255/65535 = 0.502
  EXPECT_TRUE(identical(read(encode_png(content)), torch::tensor({0, 0, 1, 255, 255}, torch::kByte).view({1, 1, 5})));
}

TEST_F(ImageFile, AlphaIsLeftOut) {
  for (const int64_t channels : {1, 3}) {
    const auto image = toy_image(channels, 6, 4, 1);
    auto alpha = torch::full({1, 6, 4}, 255, torch::kByte);
    EXPECT_TRUE(identical(read(encode_png(torch::cat({image, alpha}))), image));
    alpha[0][5][3] = 254;
    EXPECT_TRUE(identical(read(encode_png(torch::cat({image, alpha}))), image));
  }
}

TEST_F(ImageFile, ATransparentGreyIsAGrey) {
  PngContent content;
  content.width = 3;
  content.rows = std::string("\x01\x02\x03");
  content.transparent_grey = 9;
  EXPECT_TRUE(identical(read(encode_png(content)), torch::tensor({1, 2, 3}, torch::kByte).view({1, 1, 3})));
  content.transparent_grey = 2;
  EXPECT_TRUE(identical(read(encode_png(content)), torch::tensor({1, 2, 3}, torch::kByte).view({1, 1, 3})));
}

TEST_F(ImageFile, JpegOfOneGreyIsExact) {
  for (const int value : {0, 17, 128, 255}) {
    const auto image = torch::full({1, 20, 13}, value, torch::kByte);
    EXPECT_TRUE(identical(read(encode_jpeg(image, 100)), image)) << value;
  }
}

TEST_F(ImageFile, JpegKeepsColoursInTheirPlaces) {
  const auto image = toy_image(3, 40, 30, 2);
  const auto decoded = read(encode_jpeg(image, 95));
  ASSERT_EQ(decoded.sizes(), image.sizes());
  const auto error = (decoded.to(torch::kDouble) - image.to(torch::kDouble)).abs().mean().item<double>();
  EXPECT_LT(error, 4);  // of 255: what quality 95 with halved chroma loses; exchanged channels or rows lose far more
}

TEST_F(ImageFile, ProgressiveJpegIsTheSameAsBaseline) {
  const auto image = toy_image(3, 33, 50, 3);
  EXPECT_TRUE(identical(read(encode_jpeg(image)), read(encode_jpeg(image, 90, JpegKind::kProgressive))));
}

TEST_F(ImageFile, TheNameDoesNotMatter) {
  const auto image = toy_image(3, 6, 7, 1);
  EXPECT_TRUE(identical(read_image(write(encode_png(image), "photo.jpg")), image));
  EXPECT_EQ(read_image(write(encode_jpeg(image), "photo.png")).sizes(), image.sizes());
}

TEST_F(ImageFile, EveryCutIsAnError) {
  const auto image = toy_image(3, 9, 10, 1);
  for (const auto& whole : {encode_png(image), encode_jpeg(image), encode_jpeg(image, 90, JpegKind::kProgressive)}) {
    EXPECT_NO_THROW(read(whole));
    for (size_t length = 0; length < whole.size(); ++length) {
      EXPECT_TRUE(is_refused(whole.substr(0, length))) << length << " of " << whole.size();
    }
  }
}

TEST_F(ImageFile, ACutJpegSaysSo) {
  const auto whole = encode_jpeg(toy_image(3, 60, 60, 1));
  expect_refused(whole.substr(0, whole.size() * 2 / 3), "damaged or cut off JPEG (Premature end of JPEG file)");
}

TEST_F(ImageFile, AJpegOfAKindThatIsNotDecodedIsNotCalledDamaged) {
  const auto whole = encode_jpeg(toy_image(3, 20, 20, 1));
  const auto frame = whole.find("\xff\xc0");
  auto precise = whole, differential = whole;
  precise[frame + 4] = 12;  // bits
  expect_refused(precise, "a JPEG that cannot be decoded (Unsupported JPEG data precision 12)");
  differential[frame + 1] = '\xc5';
  expect_refused(differential, "a JPEG that cannot be decoded (Unsupported JPEG process: SOF type 0xc5)");
  expect_refused(encode_jpeg(toy_image(2, 20, 20, 1)), "a JPEG that cannot be decoded (Unsupported color conversion");
  auto bogus = whole;
  bogus[whole.find("\xff\xc4") + 5] = '\xff';  // more codes of one bit than there are
  expect_refused(bogus, "damaged or cut off JPEG (Bogus Huffman table definition)");
}

TEST_F(ImageFile, EveryWrongByteInAPngIsAnError) {
  const auto whole = encode_png(toy_image(3, 9, 10, 1));
  for (size_t i = 0; i < whole.size(); ++i) {
    auto damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_TRUE(is_refused(damaged)) << "byte " << i << " of " << whole.size();
  }
}

TEST_F(ImageFile, AWrongByteInAJpegIsAnErrorOrAnImage) {
  const auto whole = encode_jpeg(toy_image(3, 9, 10, 1));
  for (size_t i = 0; i < whole.size(); ++i) {
    auto damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    if (!is_refused(damaged)) EXPECT_EQ(read(damaged).dim(), 3) << i;  // JPEG has no checksums
  }
}

TEST_F(ImageFile, BytesBetweenMarkersDoNoHarm) {
  auto bytes = encode_jpeg(toy_image(1, 9, 10, 1));
  const auto expected = read(bytes);
  bytes.insert(2, "stray");
  EXPECT_TRUE(is_refused(bytes));  // FF D8 FF is how a JPEG is recognised
  bytes.erase(2, 5).insert(bytes.find("\xff\xdb"), "stray");
  EXPECT_TRUE(identical(read(bytes), expected));
}

TEST_F(ImageFile, FourInksAreRefused) {
  const auto inks = toy_image(4, 16, 16, 1);
  for (const auto kind : {JpegKind::kCmyk, JpegKind::kYcck}) {
    expect_refused(encode_jpeg(inks, 90, kind), "a CMYK JPEG (four inks, for print); convert it to RGB first");
  }
}

TEST_F(ImageFile, WhatIsNoImageIsRefused) {
  expect_refused("", "the file is empty; expected a PNG or JPEG image");
  expect_refused("GIF89a....", "neither a PNG nor a JPEG image; convert it to one of them");
  expect_error([&] { read_image(folder_ / "nothing"); },
               "cannot open " + (folder_ / "nothing").string() + ": No such file");
  expect_error([&] { read_image(folder_.path()); }, folder_.path().string() + ": not a regular file");
}

TEST_F(ImageFile, AbsurdSizesAreRefusedBeforeMemoryIsTaken) {
  const auto image = toy_image(3, 8, 8, 1);
  expect_refused(with_png_size(encode_png(image), 60000, 60000),
                 "the header announces 60000x60000 pixels (height x width); at most 134217728 are accepted");
  expect_refused(with_png_size(encode_png(image), 8000, 9000),
                 "the header announces 8000x9000 pixels (height x width), "
                 "more than a PNG of ");
  expect_refused(with_jpeg_size(encode_jpeg(image), 50000, 40000),
                 "the header announces 50000x40000 pixels (height x width); at most 134217728 are accepted");
  EXPECT_TRUE(is_refused(with_jpeg_size(encode_jpeg(image), 800, 900)));
}

}  // namespace arks
