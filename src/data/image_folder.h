#pragma once
#include <arks/data/load.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace arks {

/// Images (PNG, JPEG: read_image) in a folder for each class, in one of two forms:
///   FOLDER/CLASS/image                                    divided by test fraction and split seed, class by class
///   FOLDER/train/CLASS/image, FOLDER/test/CLASS/image     divided already; val, valid, validation are left alone
/// or in two folders of the first form when test_data is given. Classes are numbered alphabetically and named after
/// their folders. The images stay uint8 in memory, [n,c,h,w], and become x/255 per batch, with bounds [0,1]. The order
/// within both parts is drawn from the split seed, so that the first few hold all classes.
///
/// Hidden files and folders are skipped, and so are files that are no images by their name; a note counts those in
/// class folders. Throws Error naming the place: no class folders or only one, a class folder that is empty, a folder
/// or something else that is no file in it, an image beside the class folders, classes that are not the same in
/// training and test, train without test, both and other folders beside them, and all that load_images refuses.
DataSplits load_image_folder(const std::filesystem::path& folder,
                             const ImageFolderOptions& options = ImageFolderOptions());

/// The files that load_image_folder would read, class by class, those of the training part first; errors likewise.
std::vector<std::filesystem::path> list_image_folder(const std::filesystem::path& folder,
                                                     const std::filesystem::path& test_data = {});

/// Images and the names of their classes, one for each.
struct LabelledImages {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> classes;
  std::vector<std::string> notes;  ///< of files that were left out, and of folders without images
};

/// The images in a folder for each class, as above, of any number of classes; folders may be empty, but not all. Where
/// no labels are needed the images may also lie in the folder itself, and class folders count for nothing.
LabelledImages list_labelled_images(const std::filesystem::path& folder, bool labels_needed);

}  // namespace arks
