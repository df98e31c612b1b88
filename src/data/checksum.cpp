#include "data/checksum.h"

#include "data/image_folder.h"
#include "support/file.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <zlib.h>

namespace arks {

namespace fs = std::filesystem;

std::string checksum_of_files(const std::vector<fs::path>& files) {
  uLong sum = 0;
  for (const auto& file : files) {
    const auto of_file = file_crc32(file);
    std::error_code failure;
    const auto bytes = fs::file_size(file, failure);
    ARKS_CHECK(!failure, "cannot read ", file.string(), ": ", failure.message());
    sum = crc32_combine(sum, of_file, static_cast<z_off_t>(bytes));
  }
  return hex(static_cast<uint32_t>(sum));
}

std::string checksum_of_folder(const std::string& folder, const std::string& test_data) {
  uLong sum = 0;
  for (const auto& file : list_image_folder(folder, test_data)) {
    const auto line = file.lexically_relative(folder).string() + "\n" + hex(file_crc32(file)) + "\n";
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(line.data()), line.size());
  }
  return hex(static_cast<uint32_t>(sum));
}

}  // namespace arks
