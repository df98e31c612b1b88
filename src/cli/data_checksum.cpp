#include "cli/data_settings.h"

#include <arks/support/error.h>
#include <arks/support/text.h>
#include <zlib.h>

#include <array>
#include <cstring>
#include <fstream>

namespace arks::cli {

namespace fs = std::filesystem;

namespace {

uLong add_to_sum(uLong sum, const std::string& text) {
  return crc32_z(sum, reinterpret_cast<const Bytef*>(text.data()), text.size());
}

/// Piece by piece: the file may be half as large as the memory, and its content is there already.
uLong add_file_to_sum(uLong sum, const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  ARKS_CHECK(in, "cannot read ", file, ": ", std::strerror(errno));
  std::array<char, 1 << 16> piece{};
  while (in) {
    in.read(piece.data(), piece.size());
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(piece.data()), static_cast<size_t>(in.gcount()));
  }
  ARKS_CHECK(in.eof(), "cannot read ", file, ": ", std::strerror(errno));
  return sum;
}

uLong sum_of_folder(const std::string& folder, const std::string& test_data) {
  uLong sum = 0;
  for (const auto& file : list_image_folder(folder, test_data)) {
    std::error_code failure;
    const auto bytes = fs::file_size(file, failure);
    ARKS_CHECK(!failure, "cannot read ", file.string(), ": ", failure.message());
    sum = add_to_sum(sum, c10::str(file.lexically_relative(folder).string(), "\n", bytes, "\n"));
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
    sum = sum_of_folder(resolved_data(data), s.test_data ? resolved_data(*s.test_data) : "");
  } else {
    for (const auto& file : {std::optional(data), s.targets, s.test_data, s.test_targets}) {
      if (file) sum = add_file_to_sum(sum, *file);
    }
  }
  const auto found = hex(static_cast<uint32_t>(sum));
  ARKS_CHECK(!s.checksum || *s.checksum == found, data, " has changed since the run was trained on it (check sum ",
             found, ", then ", s.checksum.value_or(""), "): split and scaling would be others");
  s.checksum = found;
}

}  // namespace arks::cli
