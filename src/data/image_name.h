#pragma once
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>

namespace arks {

/// True for the name of a PNG or JPEG file, capitals or not, that is not hidden. Says nothing of the content.
inline bool has_image_name(const std::filesystem::path& path) {
  auto extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool hidden = path.filename().string().rfind('.', 0) == 0;
  return !hidden && (extension == ".png" || extension == ".jpg" || extension == ".jpeg");
}

}  // namespace arks
