#include "support/encoded_images.h"

#include "support/testing.h"

#include <cstdio>  // jpeglib.h needs it before

#include <jpeglib.h>
#include <png.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

namespace arks::testing {

namespace fs = std::filesystem;

namespace {

void append(png_structp png, png_bytep bytes, size_t count) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(bytes), count);
}

/// [h,w,c]
torch::Tensor interleaved(const torch::Tensor& image) {
  return image.permute({1, 2, 0}).contiguous();
}

}  // namespace

// libpng without a jump buffer ends the program at an error, which is good enough for images that are right
std::string encode_png(const PngContent& content) {
  std::string bytes;
  auto* png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  auto* info = png_create_info_struct(png);
  png_set_write_fn(png, &bytes, append, nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(content.width), static_cast<png_uint_32>(content.height),
               content.bit_depth, content.color_type, content.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  std::vector<png_color> palette;
  for (const auto& entry : content.palette) palette.push_back({entry[0], entry[1], entry[2]});
  if (!palette.empty()) png_set_PLTE(png, info, palette.data(), static_cast<int>(palette.size()));
  if (!content.palette_alpha.empty()) {
    png_set_tRNS(png, info, reinterpret_cast<png_const_bytep>(content.palette_alpha.data()),
                 static_cast<int>(content.palette_alpha.size()), nullptr);
  }
  png_color_16 transparent{};
  transparent.gray = static_cast<png_uint_16>(content.transparent_grey);
  if (content.transparent_grey >= 0) png_set_tRNS(png, info, nullptr, 0, &transparent);
  png_write_info(png, info);
  const size_t row_bytes = content.rows.size() / static_cast<size_t>(content.height);
  auto rows = content.rows;
  std::vector<png_bytep> pointers;
  for (int64_t y = 0; y < content.height; ++y) {
    pointers.push_back(reinterpret_cast<png_bytep>(rows.data()) + static_cast<size_t>(y) * row_bytes);
  }
  png_write_image(png, pointers.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

std::string encode_png(const torch::Tensor& image, bool interlaced) {
  constexpr std::array<int, 5> kTypes{-1, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                      PNG_COLOR_TYPE_RGB_ALPHA};
  const auto pixels = interleaved(image);
  PngContent content;
  content.height = image.size(1);
  content.width = image.size(2);
  content.color_type = kTypes.at(static_cast<size_t>(image.size(0)));
  content.rows.assign(static_cast<const char*>(pixels.data_ptr()), pixels.nbytes());
  content.interlaced = interlaced;
  return encode_png(content);
}

std::string encode_jpeg(const torch::Tensor& image, int quality, JpegKind kind) {
  const auto pixels = interleaved(image);
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* memory = nullptr;
  unsigned long size = 0;  // NOLINT: libjpeg's type
  jpeg_mem_dest(&info, &memory, &size);
  info.image_height = static_cast<JDIMENSION>(pixels.size(0));
  info.image_width = static_cast<JDIMENSION>(pixels.size(1));
  info.input_components = static_cast<int>(pixels.size(2));
  constexpr std::array<J_COLOR_SPACE, 5> kSpaces{JCS_UNKNOWN, JCS_GRAYSCALE, JCS_UNKNOWN, JCS_RGB, JCS_CMYK};
  info.in_color_space = kSpaces.at(static_cast<size_t>(pixels.size(2)));
  jpeg_set_defaults(&info);
  if (kind == JpegKind::kYcck) jpeg_set_colorspace(&info, JCS_YCCK);
  jpeg_set_quality(&info, quality, TRUE);
  if (kind == JpegKind::kProgressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row =
        pixels.data_ptr<uint8_t>() + info.next_scanline * static_cast<size_t>(pixels.size(1) * pixels.size(2));
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  const std::string bytes(reinterpret_cast<const char*>(memory), size);
  jpeg_destroy_compress(&info);
  std::free(memory);  // NOLINT: libjpeg took it by malloc
  return bytes;
}

torch::Tensor toy_image(int64_t channels, int64_t height, int64_t width, uint64_t seed) {
  const auto phases = normal({channels, 1, 1}, seed);
  const auto y = torch::arange(height, torch::kDouble).view({1, height, 1}) / 9;
  const auto x = torch::arange(width, torch::kDouble).view({1, 1, width}) / 7;
  return (127.5 + 100 * torch::sin(y + 3 * phases) * torch::cos(x + 5 * phases)).round().to(torch::kByte);
}

std::vector<ToyFace> toy_faces() {
  std::vector<ToyFace> faces;
  const auto add = [&](int partition, int count, const std::vector<int>& with) {
    for (int i = 0; i < count; ++i) {
      std::array<char, 16> name{};
      std::snprintf(name.data(), name.size(), "%06d.jpg", static_cast<int>(faces.size()) + 1);
      const bool glasses = std::find(with.begin(), with.end(), i) != with.end();
      faces.push_back({name.data(), partition, glasses});
    }
  };
  add(0, 12, {1, 4, 5, 10});
  add(1, 6, {0, 3});
  add(2, 8, {0, 2, 3, 6, 7});
  return faces;
}

void write_toy_celeba(const fs::path& folder, const std::vector<ToyFace>& faces) {
  fs::create_directories(folder / "img_align_celeba");
  std::ofstream attributes(folder / "list_attr_celeba.txt"), partitions(folder / "list_eval_partition.txt");
  attributes << faces.size() << "\nBald Eyeglasses Smiling \n";
  for (size_t i = 0; i < faces.size(); ++i) {
    const auto& face = faces[i];
    attributes << face.file << (i % 2 == 0 ? "  1 " : " -1 ") << (face.glasses ? " 1 " : "-1 ") << "-1\n";
    partitions << face.file << " " << face.partition << "\n";
    auto image = toy_image(3, 109, 89, i);
    if (face.glasses) image.slice(1, 45, 60).zero_();
    write_bytes(folder / "img_align_celeba" / face.file, encode_jpeg(image), /*gzip=*/false);
  }
}

}  // namespace arks::testing
