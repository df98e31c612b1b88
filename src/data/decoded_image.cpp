#include "decoded_image.h"

#include "jpeg.h"
#include "png.h"
#include "support/file.h"

#include <cerrno>
#include <cstring>

namespace arks {

namespace fs = std::filesystem;

namespace {

constexpr uintmax_t kMaxFileBytes = uintmax_t{1} << 29;

std::string read_bytes(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  ARKS_CHECK(fs::exists(status), "cannot open ", path.string(), ": ", error ? error.message() : std::strerror(ENOENT));
  // before opening, since a pipe would block
  ARKS_CHECK(fs::is_regular_file(status), "cannot open ", path.string(), ": not a regular file");
  const auto size = fs::file_size(path, error);
  ARKS_CHECK(!error, "cannot open ", path.string(), ": ", error.message());
  ARKS_CHECK(size > 0, path.string(), ": the file is empty; expected a PNG or JPEG image");
  ARKS_CHECK(size <= kMaxFileBytes, path.string(), ": ", size, " bytes; images of at most ", kMaxFileBytes,
             " bytes are accepted");
  return read_file(path);
}

}  // namespace

DecodedImage decode_image_file(const fs::path& path) {
  const auto bytes = read_bytes(path);
  if (is_jpeg(bytes)) return decode_jpeg(bytes, path.string());
  ARKS_CHECK(is_png(bytes), path.string(), ": neither a PNG nor a JPEG image; convert it to one of them");
  return decode_png(bytes, path.string());
}

}  // namespace arks
