#pragma once
#include <arks/data/splits.h>
#include <torch/arg.h>

#include <filesystem>
#include <optional>
#include <string>

namespace arks {

/// Where the channels of images stand: [n,c,h,w] or [n,h,w,c].
enum class ImageLayout { kChannelsFirst, kChannelsLast };

/// "chw", "hwc"
std::string to_string(ImageLayout layout);
ImageLayout parse_image_layout(const std::string& name);

/// How a pair of NPY files becomes a training and a test set of images.
struct NpyImagesOptions {
  TORCH_ARG(std::optional<ImageLayout>, layout);  // none: found by where the 1, 3 or 4 is
  TORCH_ARG(std::optional<Task>, task);           // none: classes for targets of an integer type, else as for tables
  TORCH_ARG(double, test_fraction) = 0.2;         // of the images; in (0,1)
  TORCH_ARG(uint64_t, split_seed) = 0;            // of the order of the images, and so of who is in which part
  TORCH_ARG(std::filesystem::path, test_data);    // a file of the same form with the test images; empty: a part of this
  TORCH_ARG(std::filesystem::path, test_targets);  // its targets
};

/// True for an NPY file that is taken for images by its header alone:
///   uint8             [n,h,w], [n,c,h,w] or [n,h,w,c], any c
///   floating point    [n,c,h,w] or [n,h,w,c] with c = 1, 3 or 4
/// False for all others, which are tables (a time series [n,times,values] is one), and for a file that cannot be read.
bool is_npy_images(const std::filesystem::path& path);

/// Images and targets ([n] or [n,1]) from NPY files, divided as a table is. Takes floating point [n,h,w] and any number
/// of channels too, where the layout is given. In memory the images are [n,c,h,w], c = 1 for [n,h,w], and only once,
/// except that a file in Fortran order is there a second time while it is read; they are not standardised.
///   uint8           stays so and becomes x/255 per batch; bounds [0,1]
///   float32, 64     is float32; bounds [0,1] when all values are within, else the least and the greatest value
/// Throws Error when it is not clear which dimension is that of the channels, a value is not finite or too large for
/// float32, all values are the same, the counts differ, or training and test images differ in shape or type.
DataSplits load_npy_images(const std::filesystem::path& inputs, const std::filesystem::path& targets,
                           const NpyImagesOptions& options = NpyImagesOptions());

}  // namespace arks
