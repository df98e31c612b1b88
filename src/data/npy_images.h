#pragma once
#include <arks/data/load.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace arks {

/// True for an NPY file that is taken for images by its header alone:
///   uint8             [n,h,w], [n,c,h,w] or [n,h,w,c], any c
///   floating point    [n,c,h,w] or [n,h,w,c] with c = 1, 3 or 4
/// False for all others, which are tables (a time series [n,times,values] is one), and for a file that cannot be read.
bool is_npy_images(const std::filesystem::path& path);

/// The shape [c,h,w] of one image, by the header alone; errors as for load_npy_images.
std::vector<int64_t> npy_image_shape(const std::filesystem::path& path, std::optional<ImageLayout> layout);

struct NpyImageValues {
  torch::Tensor values;  ///< [n,c,h,w] uint8 or float32
  std::vector<std::string> notes;
};

/// The images alone, resized where a size is given; errors likewise.
NpyImageValues read_npy_images(const std::filesystem::path& path, std::optional<ImageLayout> layout,
                               std::optional<ImageSize> size = std::nullopt);

/// Images and targets ([n] or [n,1]) from NPY files, divided as a table is. Takes floating point [n,h,w] and any number
/// of channels too, where the layout is given. In memory the images are [n,c,h,w], c = 1 for [n,h,w], and only once,
/// except that a file in Fortran order is there a second time while it is read; they are not standardised.
///   uint8           stays so and becomes x/255 per batch; bounds [0,1]
///   float32, 64     is float32; bounds [0,1] when all values are within, else the least and the greatest value. Where
///                   all are whole numbers from 0 to 255, some above 20, they are bytes; a note says so
/// Throws Error when it is not clear which dimension is that of the channels, a value is not finite or too large for
/// float32, all values are the same, the counts differ, or training and test images differ in shape or type.
DataSplits load_npy_images(const std::filesystem::path& inputs, const std::filesystem::path& targets,
                           const NpyImagesOptions& options = NpyImagesOptions());

}  // namespace arks
