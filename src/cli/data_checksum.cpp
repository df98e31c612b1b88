#include "cli/data_settings.h"
#include "data/image_folder.h"
#include "data/registry.h"
#include "support/file.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <zlib.h>

namespace arks::cli {

namespace fs = std::filesystem;

namespace {

uLong add_to_sum(uLong sum, const std::string& text) {
  return crc32_z(sum, reinterpret_cast<const Bytef*>(text.data()), text.size());
}

/// As if the file followed, byte by byte, on what was summed up before.
uLong add_file_to_sum(uLong sum, const std::string& file) {
  const auto of_file = file_crc32(file);
  std::error_code failure;
  const auto bytes = fs::file_size(file, failure);
  ARKS_CHECK(!failure, "cannot read ", file, ": ", failure.message());
  return crc32_combine(sum, of_file, static_cast<z_off_t>(bytes));
}

uLong sum_of_folder(const std::string& folder, const std::string& test_data) {
  uLong sum = 0;
  for (const auto& file : list_image_folder(folder, test_data)) {
    sum = add_to_sum(sum, file.lexically_relative(folder).string() + "\n" + hex(file_crc32(file)) + "\n");
  }
  return sum;
}

}  // namespace

void check_unchanged(DataSettings& s, const std::string& data) {
  if (!is_own_data(data)) return;
  uLong sum = 0;
  std::error_code ignored;
  if (fs::is_directory(data, ignored)) {
    // absolute, so that the names come out the same however the folders were given
    sum = sum_of_folder(resolved_data(data), s.test_data.has_value() ? resolved_data(*s.test_data) : "");
  } else {
    for (const auto& file :
         {std::optional(data), s.targets.optional(), s.test_data.optional(), s.test_targets.optional()}) {
      if (file) sum = add_file_to_sum(sum, *file);
    }
  }
  const auto found = hex(static_cast<uint32_t>(sum));
  ARKS_CHECK(!s.checksum.has_value() || *s.checksum == found, data, " has checksum ", found, ", expected ",
             s.checksum.value_or(""), "; other data would be divided and scaled differently");
  s.checksum.found(found);
}

}  // namespace arks::cli
