#pragma once
#include <arks/data/image_files.h>
#include <arks/data/splits.h>
#include <torch/arg.h>

#include <filesystem>
#include <optional>
#include <vector>

namespace arks {

/// How a folder of images becomes a training and a test set.
struct ImageFolderOptions {
  TORCH_ARG(std::optional<ImageSize>, resize);  // of every image; none: all must have one size
  TORCH_ARG(int64_t, channels) = 0;             // 1 or 3; 0: 1 when all images are grey, else 3
  TORCH_ARG(double, test_fraction) = 0.2;       // of each class, where the folder is not divided itself; in (0,1)
  TORCH_ARG(uint64_t, split_seed) = 0;          // of the order of the images, and so of who is in which part
  TORCH_ARG(std::filesystem::path, test_data);  // a folder with the test images; empty: they are in this one
  TORCH_ARG(ImageFilesOptions, files);          // how the files are read: threads, cache, progress
};

/// Images (PNG, JPEG: read_image) in a folder for each class, in one of two forms:
///   FOLDER/CLASS/image                                    divided by test fraction and split seed, class by class
///   FOLDER/train/CLASS/image, FOLDER/test/CLASS/image     divided already; val, valid, validation are left alone
/// or in two folders of the first form when test_data is given. Classes are numbered alphabetically and named after
/// their folders. The images stay uint8 in memory, [n,c,h,w], and become x/255 per batch, with bounds [0,1]. The order
/// within both parts is drawn from the split seed, so that the first few hold all classes.
///
/// Hidden files and folders are skipped, and so are files beside the class folders that are no images by their name.
/// Throws Error naming the place: no class folders or only one, a class folder that is empty, a folder or something
/// else that is no file in it, an image beside the class folders, classes that are not the same in training and test,
/// train without test, both and other folders beside them, and all that load_images refuses.
DataSplits load_image_folder(const std::filesystem::path& folder,
                             const ImageFolderOptions& options = ImageFolderOptions());

/// The files that load_image_folder would read, class by class, those of the training part first; errors likewise.
std::vector<std::filesystem::path> list_image_folder(const std::filesystem::path& folder,
                                                     const std::filesystem::path& test_data = {});

}  // namespace arks
