#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace arks {

/// What both lists of CelebA say of one image.
struct CelebaImage {
  std::string file;   // within img_align_celeba
  int partition = 0;  // 0, 1, 2
  bool label = false;
};

struct CelebaLists {
  std::vector<std::string> attributes;  // in the order of the file
  std::vector<CelebaImage> images;      // in the order of list_eval_partition.txt
};

inline constexpr const char* kCelebaName = "celeba";  ///< of the set and of its folder
inline constexpr const char* kCelebaAttributes = "list_attr_celeba.txt";
inline constexpr const char* kCelebaPartitions = "list_eval_partition.txt";
inline constexpr const char* kCelebaImages = "img_align_celeba";

/// Reads both lists of a folder:
///   list_attr_celeba.txt     the number of images; the names of the attributes; FILE and a value 1 or -1 for each
///   list_eval_partition.txt  FILE and 0, 1 or 2
/// Throws Error with file and line for anything else, when the lists do not speak of the same images, and for an
/// unknown attribute.
CelebaLists read_celeba_lists(const std::filesystem::path& folder, const std::string& attribute);

/// Throws Error when img_align_celeba lacks a listed image, or has one (.jpg, .jpeg, .png) that is not listed.
void check_celeba_images(const std::filesystem::path& folder, const CelebaLists& lists);

}  // namespace arks
