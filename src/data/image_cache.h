#pragma once
#include <arks/data/image_files.h>
#include <torch/types.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arks {

/// $ARKS_CACHE_DIR, else $XDG_CACHE_HOME/arks unless that is relative, else $HOME/.cache/arks; empty when none of them
/// is set.
std::filesystem::path default_cache_dir();

/// 128 bits of FNV-1a (Fowler, Noll, Vo), most significant byte first: tells contents apart, is no protection against
/// one made to collide.
using Digest = std::array<uint8_t, 16>;
Digest fnv1a_128(std::string_view bytes);

/// What there is to say of images that were decoded.
struct ImageCounts {
  int64_t transparent = 0;        ///< have an alpha channel that is used; it was left out
  int64_t grey = 0;               ///< are grey
  int64_t resized = 0;            ///< had another size
  int64_t height = 0, width = 0;  ///< of the first that had; 0: none
};

/// The result of one load_images in a file, valid as long as its sources do not change. The name of the file stands for
/// the paths and for what is wanted of them (size, channels), so that a new version takes the place of the old one. The
/// content, in the byte order of the machine:
///   8 bytes   magic number and version
///   16 bytes  digest of all paths with their sizes, times (of the last write and of the last change of any kind) and
///             inodes, and of what is wanted
///   32 bytes  n, c, h, w as int64
///   40 bytes  ImageCounts, as int64
///   4 bytes   CRC-32 of all before and of the images; 4 bytes zero
///   n·c·h·w   the images
class ImageCache {
 public:
  /// Looks at the files but opens none. Throws Error when one is not there.
  ImageCache(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& files,
             const ImageFilesOptions& options);

  const std::filesystem::path& path() const { return path_; }

  /// What was found; either images, or the reason why there are none.
  struct Found {
    std::optional<torch::Tensor> images;  ///< uint8 [n,c,h,w]
    ImageCounts counts;
    std::string reason;  ///< "made from other versions of the images", "damaged …"; empty: no file
  };

  /// Lengths are checked before memory is taken.
  Found read() const;

  /// Atomically; makes the folder. Throws RunError when it cannot be written.
  void write(const torch::Tensor& images, const ImageCounts& counts = {}) const;

 private:
  std::string header(torch::IntArrayRef shape, const ImageCounts& counts, uint32_t crc) const;

  int64_t count_;
  std::optional<ImageSize> size_;
  int64_t channels_;
  Digest digest_;
  std::filesystem::path path_;
};

}  // namespace arks
