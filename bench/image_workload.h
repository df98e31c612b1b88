#pragma once
#include "suite.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace arks::bench {

/// Image files as CelebA has them, to be decoded and resized as its loader does it.
class ImageWorkload {
 public:
  /// So many JPEGs of 178×218 made up and written to a temporary folder: smooth shapes, edges and noise in such measure
  /// that at quality 87 a file has the 7 to 10 kB of a real one.
  explicit ImageWorkload(int64_t made);
  /// The first 1000 files of a folder.
  explicit ImageWorkload(const std::filesystem::path& folder);
  ~ImageWorkload();
  ImageWorkload(const ImageWorkload&) = delete;
  ImageWorkload& operator=(const ImageWorkload&) = delete;

  int64_t count() const { return static_cast<int64_t>(files_.size()); }
  double mean_bytes() const;
  void decode(int64_t threads) const;

 private:
  std::filesystem::path temporary_;  // removed at the end
  std::vector<std::filesystem::path> files_;
};

/// img_align_celeba in the data folder; empty when there is none.
std::filesystem::path celeba_folder();

void register_decoding(Suite& suite);

}  // namespace arks::bench
