#include "data/idx.h"

#include "support/text.h"

#include <arks/support/error.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace arks {

namespace fs = std::filesystem;

namespace {

constexpr uint32_t kIdxMagic = 0x00000800;  // uint8; the number of dimensions goes into the last byte
constexpr uint32_t kMaxIdxDimensions = 4;
constexpr int64_t kMaxBytes = int64_t{1} << 40;
constexpr int64_t kMaxGzipRatio = 1032;  // 258 bytes from 2 bits is the best that deflate can do
constexpr int64_t kChunk = int64_t{1} << 20;

/// A file read from front to back, decompressed when it is gzip.
class IdxReader {
 public:
  explicit IdxReader(const fs::path& path);
  ~IdxReader();
  IdxReader(const IdxReader&) = delete;
  IdxReader& operator=(const IdxReader&) = delete;

  /// Up to `size` bytes; fewer only where the content ends.
  int64_t read(uint8_t* to, int64_t size);
  /// Throws Error unless the content ends here and was whole.
  void finish();

  int64_t bytes_on_disk() const { return bytes_on_disk_; }
  /// Known after the first read.
  bool is_gzip() const { return gzdirect(file_) == 0; }
  uint32_t crc() const { return crc_; }
  std::string name() const { return path_.string(); }

 private:
  [[noreturn]] void fail() const;

  fs::path path_;
  int64_t bytes_on_disk_ = 0;
  gzFile file_ = nullptr;
  uint32_t crc_ = 0;
};

IdxReader::IdxReader(const fs::path& path) : path_(path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  ARKS_CHECK(fs::exists(status), "cannot open ", name(), ": ", error ? error.message() : std::strerror(ENOENT));
  // before opening, since a pipe would block
  ARKS_CHECK(fs::is_regular_file(status), "cannot open ", name(), ": not a regular file");
  bytes_on_disk_ = static_cast<int64_t>(fs::file_size(path, error));
  ARKS_CHECK(!error, "cannot open ", name(), ": ", error.message());
  file_ = gzopen(path.c_str(), "rb");
  ARKS_CHECK(file_ != nullptr, "cannot open ", name(), ": ", std::strerror(errno));
  gzbuffer(file_, 1 << 17);
}

IdxReader::~IdxReader() {
  if (file_ != nullptr) gzclose_r(file_);
}

int64_t IdxReader::read(uint8_t* to, int64_t size) {
  int64_t total = 0;
  while (total < size) {
    const int got = gzread(file_, to + total, static_cast<unsigned>(std::min(kChunk, size - total)));
    if (got < 0) fail();
    if (got == 0) break;
    crc_ = static_cast<uint32_t>(::crc32(crc_, to + total, static_cast<unsigned>(got)));
    total += got;
  }
  return total;
}

void IdxReader::fail() const {
  int code = Z_OK;
  std::string reason = gzerror(file_, &code);
  const std::string prefix = name() + ": ";  // zlib puts the path first itself
  if (reason.rfind(prefix, 0) == 0) reason.erase(0, prefix.size());
  throw Error(prefix + (code == Z_DATA_ERROR ? "corrupt gzip data: " : "cannot be read: ") + reason);
}

void IdxReader::finish() {
  uint8_t beyond = 0;
  ARKS_CHECK(read(&beyond, 1) == 0, name(), ": has more bytes than its header announces");
  // the trailer with gzip's checksum may be missing although every byte before it was there
  int code = Z_OK;
  gzerror(file_, &code);
  const int closed = gzclose_r(std::exchange(file_, nullptr));
  ARKS_CHECK(code == Z_OK && closed == Z_OK, name(), ": the gzip stream is cut off at its end");
}

uint32_t big_endian(const uint8_t* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | uint32_t{bytes[3]};
}

uint32_t read_word(IdxReader& reader) {
  uint8_t bytes[4] = {};
  const int64_t got = reader.read(bytes, 4);
  ARKS_CHECK(got == 4, reader.name(), ": ends within the header of an IDX file, 4 bytes plus 4 for each dimension");
  return big_endian(bytes);
}

/// The sizes, all positive.
std::vector<int64_t> read_header(IdxReader& reader) {
  const uint32_t magic = read_word(reader);
  const uint32_t dimensions = magic - kIdxMagic;  // wraps to something large when the magic number is smaller
  ARKS_CHECK(dimensions >= 1 && dimensions <= kMaxIdxDimensions, reader.name(), ": magic number ", hex(magic),
             ", expected ", hex(kIdxMagic + 1), " to ", hex(kIdxMagic + kMaxIdxDimensions), " (IDX, uint8, 1 to ",
             kMaxIdxDimensions, " dimensions)");
  std::vector<int64_t> sizes;
  for (uint32_t i = 0; i < dimensions; ++i) sizes.push_back(read_word(reader));
  return sizes;
}

int64_t checked_product(const std::vector<int64_t>& sizes, const std::string& name) {
  int64_t product = 1;
  for (const int64_t size : sizes) {
    ARKS_CHECK(size > 0, name, ": the header announces the shape ", c10::IntArrayRef(sizes),
               "; every size must be at least 1");
    // divided, so that nothing overflows
    ARKS_CHECK(size <= kMaxBytes / product, name, ": the header announces the shape ", c10::IntArrayRef(sizes),
               ", more than the ", kMaxBytes, " bytes that are accepted");
    product *= size;
  }
  return product;
}

[[noreturn]] void fail_short(const IdxReader& reader, int64_t got, int64_t expected) {
  throw Error(c10::str(reader.name(), ": ends after ", got, " of ", expected, " bytes of data"));
}

/// Throws Error when a file of this size cannot hold `data` bytes, so that a damaged header costs no memory.
void check_size_on_disk(const IdxReader& reader, int64_t header, int64_t data) {
  const int64_t on_disk = reader.bytes_on_disk();
  if (reader.is_gzip()) {
    ARKS_CHECK(on_disk >= (data + kMaxGzipRatio - 1) / kMaxGzipRatio, reader.name(), ": the header announces ", data,
               " bytes, but a gzip file of ", on_disk, " bytes holds at most ", on_disk * kMaxGzipRatio);
    return;
  }
  if (on_disk < header + data) fail_short(reader, on_disk - header, data);
  ARKS_CHECK(on_disk == header + data, reader.name(), ": ", on_disk - header - data, " bytes follow the ", data,
             " that the header announces");
}

}  // namespace

IdxFile read_idx_file(const fs::path& path) {
  IdxReader reader(path);
  const auto sizes = read_header(reader);
  const int64_t bytes = checked_product(sizes, reader.name());
  check_size_on_disk(reader, 4 + 4 * static_cast<int64_t>(sizes.size()), bytes);
  IdxFile file;
  file.tensor = torch::empty(sizes, torch::kByte);
  const int64_t got = reader.read(file.tensor.data_ptr<uint8_t>(), bytes);
  if (got < bytes) fail_short(reader, got, bytes);
  reader.finish();
  file.crc32 = reader.crc();
  return file;
}

torch::Tensor read_idx(const fs::path& path) {
  return read_idx_file(path).tensor;
}

}  // namespace arks
