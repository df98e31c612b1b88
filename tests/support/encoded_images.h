#pragma once
// Images as files hold them, made by libpng and libjpeg, and a small CelebA of them.
#include <torch/types.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace arks::testing {

/// A PNG in its own terms: color_type and bit_depth as libpng numbers them, rows packed one after the other.
struct PngContent {
  int64_t height = 1, width = 1;
  int color_type = 0, bit_depth = 8;
  std::string rows;
  std::vector<std::array<uint8_t, 3>> palette;
  std::string palette_alpha;  // of the first entries of the palette
  int transparent_grey = -1;  // the value that is transparent, of grey images
  bool interlaced = false;
};
std::string encode_png(const PngContent& content);

/// uint8 [c,h,w], c = 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha.
std::string encode_png(const torch::Tensor& image, bool interlaced = false);

enum class JpegKind { kBaseline, kProgressive, kCmyk, kYcck };

/// uint8 [c,h,w], c = 1 grey, 2 something unknown, 3 RGB, 4 inks for kCmyk and kYcck.
std::string encode_jpeg(const torch::Tensor& image, int quality = 90, JpegKind kind = JpegKind::kBaseline);

/// uint8 [c,h,w], smooth and different for every seed.
torch::Tensor toy_image(int64_t channels, int64_t height, int64_t width, uint64_t seed);

/// One line of both lists of CelebA, and its image.
struct ToyFace {
  std::string file;
  int partition;
  bool glasses;  // in the picture a dark bar
};

/// 12 training faces, of which 4 have glasses, 6 of partition 1 (2 with) and 8 of partition 2 (5 with).
std::vector<ToyFace> toy_faces();

/// folder/img_align_celeba and both lists, with the attributes Bald, Eyeglasses and Smiling.
void write_toy_celeba(const std::filesystem::path& folder, const std::vector<ToyFace>& faces = toy_faces());

}  // namespace arks::testing
