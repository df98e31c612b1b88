#pragma once
#include <torch/arg.h>
#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace arks {

/// The longest side of an image, in pixels.
constexpr int64_t kMaxImageSide = 65535;

/// Of an image, in pixels.
struct ImageSize {
  int64_t height = 0, width = 0;
};

inline bool operator==(const ImageSize& a, const ImageSize& b) {
  return a.height == b.height && a.width == b.width;
}
inline bool operator!=(const ImageSize& a, const ImageSize& b) {
  return !(a == b);
}

/// Throws Error unless both sides are 1 … kMaxImageSide; `what` begins the message.
void check(const ImageSize& size, const char* what);

/// Called on the thread that called load_images, after some of the images; false ends the loading with a RunError.
using ImageProgress = std::function<bool(int64_t done, int64_t total)>;

/// Something to tell the user that is no error. `important` ones should be seen, the others on request.
using ImageNote = std::function<void(const std::string& text, bool important)>;

struct ImageFilesOptions {
  TORCH_ARG(std::optional<ImageSize>, size);  // resize to this; none: all files must have one size
  TORCH_ARG(int64_t, channels) = 0;           // 1, 3, or 0: 1 when all files are grey, else 3
  TORCH_ARG(bool, tells_sizes) = false;       // the note tells how many files were resized
  TORCH_ARG(bool, grey_as_colour) = true;     // where 3 channels are wanted, a grey file fills all three; else an Error
  TORCH_ARG(int64_t, threads) = 0;            // that decode; 0: as many as torch uses
  TORCH_ARG(std::filesystem::path, cache_dir);  // where decoded images are kept for the next time; empty: nowhere
  TORCH_ARG(ImageProgress, progress);
  TORCH_ARG(ImageNote, note);
};

/// Reads PNG and JPEG files as read_image does, each resized as resize_bilinear does: uint8 [n,c,h,w] in the order of
/// `files`. Decoded by several threads straight into the result, so that the peak is the result and one image per
/// thread. Where 1 channel is wanted, a colour file becomes grey by 0.299 R + 0.587 G + 0.114 B (ITU-R BT.601, rounded
/// as Pillow does). Alpha channels are left out. `note` is told how many were used, how many files are grey where
/// others are in colour or in colour where grey is wanted, and how many were resized from what.
///
/// With a cache_dir the result is written there under a digest of the paths, sizes and times of change of the files
/// and of what is wanted (see image_cache.h), and the next call with the same reads it back.
///
/// Throws Error for the first file in order that cannot be read, or whose size or channels are not those wanted, and
/// when the result would not fit into the memory of the machine; RunError when `progress` returns false.
torch::Tensor load_images(const std::vector<std::filesystem::path>& files,
                          const ImageFilesOptions& options = ImageFilesOptions());

}  // namespace arks
