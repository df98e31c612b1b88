#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace arks {

/// Checksum of files one behind the other: CRC-32 in hexadecimal. Throws Error naming one that cannot be read.
std::string checksum_of_files(const std::vector<std::filesystem::path>& files);

/// The same of a folder of images and, where there is one, that of the test images: of their names from that folder on,
/// and of their content.
std::string checksum_of_folder(const std::string& folder, const std::string& test_data);

}  // namespace arks
