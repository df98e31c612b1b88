#include "support/file.h"

#include <arks/support/error.h>
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace arks {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path, int error) {
  throw RunError(c10::str("cannot write ", path.string(), ": ", std::strerror(error)));
}

/// 0, or the error.
int write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written >= 0) {
      content.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

/// Writes and flushes to disk, or leaves no file behind.
void write_durably(const fs::path& path, const std::vector<std::string_view>& parts) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) fail(path, errno);
  int error = 0;
  for (const auto& part : parts) {
    if (error == 0) error = write_all(descriptor, part);
  }
  if (error == 0 && ::fsync(descriptor) != 0) error = errno;
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error != 0) {
    ::unlink(path.c_str());
    fail(path, error);
  }
}

void flush_directory(const fs::path& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // a file system without directory handles: the rename is still atomic
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

fs::path unfinished(fs::path path) {
  return path += ".partial";
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  write_file_atomically(path, std::vector<std::string_view>{content});
}

void write_file_atomically(const fs::path& path, const std::vector<std::string_view>& parts) {
  const auto beside = unfinished(path);
  write_durably(beside, parts);
  if (::rename(beside.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(beside.c_str());
    fail(path, error);
  }
  flush_directory(path.has_parent_path() ? path.parent_path() : fs::path("."));
}

namespace {

/// Hands the file over in pieces. Throws Error naming the path when it cannot be read.
template <typename Take>
void read_pieces(const fs::path& path, Take take) {
  std::error_code ignored;
  ARKS_CHECK(!fs::is_directory(path, ignored), path.string(), " is a folder; expected a file");
  std::ifstream in(path, std::ios::binary);
  ARKS_CHECK(in, "cannot read ", path.string(), ": ", std::strerror(errno));
  std::array<char, 1 << 16> chunk{};
  // read, not << in.rdbuf(): that one hides a failing disk
  while (in.read(chunk.data(), chunk.size()) || in.gcount() > 0) {
    take(std::string_view(chunk.data(), static_cast<size_t>(in.gcount())));
  }
  ARKS_CHECK(!in.bad(), "cannot read ", path.string(), ": ", std::strerror(errno));
}

}  // namespace

std::string read_file(const fs::path& path) {
  std::string content;
  std::error_code failed;
  const auto size = fs::file_size(path, failed);
  if (!failed) content.reserve(size);
  read_pieces(path, [&](std::string_view piece) { content.append(piece); });
  return content;
}

uint32_t file_crc32(const fs::path& path) {
  uLong sum = 0;
  read_pieces(path, [&](std::string_view piece) {
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(piece.data()), piece.size());
  });
  return static_cast<uint32_t>(sum);
}

}  // namespace arks
