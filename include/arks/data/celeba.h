#pragma once
#include <arks/data/dataset.h>
#include <arks/data/image_files.h>
#include <torch/arg.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace arks {

struct CelebaOptions {
  TORCH_ARG(std::string, attribute) = "Eyeglasses";  // the label: 1 has it, 0 has it not
  TORCH_ARG(bool, balance) = true;                   // as many images with as without, by leaving some out
  TORCH_ARG(uint64_t, balance_seed) = 0;             // decides which ones are left out
  TORCH_ARG(ImageSize, size) = ImageSize{64, 48};    // that images are resized to, in pixels
  TORCH_ARG(ImageFilesOptions, files);               // threads, cache, progress; size and channels are set here
};

/// CelebA: faces of celebrities with 40 attributes, any of which can be the label. 202599 images in the full set.
///   inputs [n,3,64,48] in [0,1], kept as bytes; targets [n] in {0,1}.
/// Looks for img_align_celeba/, list_attr_celeba.txt and list_eval_partition.txt, as published, in data_dir/celeba,
/// data_dir/celeba-mini and data_dir (dataset_folders). Any part of the set is taken, so that a cut-down copy works.
///
/// Training is partition 0; the test set is partition 1, then partition 2. Balancing is done in each partition for
/// itself: of the more frequent class as many are drawn, without replacement, as the other has. The order stays that of
/// list_eval_partition.txt. Only images that are used are decoded; they are resized by resize_bilinear.
///
/// Throws Error naming file and line when a list is not well formed, when one list or the folder has images that
/// another lacks, and for an attribute that does not exist, with the nearest name; also when a partition has no image
/// of one class but shall be balanced, and for files that load_images refuses. A greyscale file is refused too: CelebA
/// has none, so it is not the published image. Liu, Luo, Wang, Tang, "Deep Learning Face Attributes in the Wild", 2015.
DatasetPtr load_celeba(const std::filesystem::path& data_dir, Split split,
                       const CelebaOptions& options = CelebaOptions());

}  // namespace arks
