#pragma once
// Made-up data in the layout of a real set, for trials of a study where the real set is not there.
#include <filesystem>
#include <string>
#include <vector>

namespace arks::study {

/// "cifar10", "celeba"
std::vector<std::string> stand_in_names();

/// Makes a small set that the loader of this name reads from the data folder `folder`; returns where it is:
///   cifar10  folder/cifar-10-batches-bin with the six official files, 200 images each; a class is a pattern of colours
///   celeba   folder/celeba with img_align_celeba (80 PNG, named .jpg as the lists want it) and both lists, with the
///            attributes Eyeglasses and Smiling; faces are drawn, half of each partition with glasses
/// The images are noisy and always the same. README.txt beside them says that they are made up.
///
/// The set is put together in a hidden folder and renamed when it is whole, so that what a killed run leaves never
/// counts as a set. One that is there already is kept. Throws Error for an unknown name, and when there is a set that
/// is no stand-in, which is never touched; RunError when the disk does not take it or another process is making it.
std::filesystem::path make_stand_in(const std::string& name, const std::filesystem::path& folder);

}  // namespace arks::study
