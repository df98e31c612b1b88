#include "data/image_cache.h"

#include "support/environment.h"
#include "support/file.h"

#include <arks/support/error.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace arks {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t kMagic = 0x34474d49534b5241;  // "ARKSIMG4" where the least significant byte comes first
constexpr size_t kMagicAt = 0, kDigestAt = 8, kShapeAt = 24, kCountsAt = 56, kCrcAt = 96, kHeaderBytes = 104;

/// Of the header up to its checksum, and of the images.
uint32_t crc_of(const std::string& header, const void* images, size_t bytes) {
  const auto begun = crc32_z(0, reinterpret_cast<const Bytef*>(header.data()), kCrcAt);
  return static_cast<uint32_t>(crc32_z(begun, static_cast<const Bytef*>(images), bytes));
}

template <typename Value>
Value at(const std::string& header, size_t where) {
  Value value;
  std::memcpy(&value, header.data() + where, sizeof value);
  return value;
}

std::string hex_digits(const Digest& digest) {
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

std::string described(const ImageFilesOptions& options) {
  const auto size = options.size().value_or(ImageSize{});
  return c10::str("size ", size.height, "x", size.width, " channels ", options.channels(), " grey ",
                  options.grey_as_colour(), '\n');
}

/// "SIZE TIME TIME INODE\n", or an Error. Programs that copy and unpack put the time of the last write back; that of
/// the last change of any kind belongs to the system, and what is put in the place of a file has another inode.
std::string version_of(const fs::path& file) {
  struct stat found {};
  ARKS_CHECK(::stat(file.c_str(), &found) == 0, "cannot open ", file.string(), ": ", std::strerror(errno));
  const auto text = [](const timespec& time) { return c10::str(time.tv_sec, ".", time.tv_nsec); };
  return c10::str(found.st_size, " ", text(found.st_mtim), " ", text(found.st_ctim), " ", found.st_ino, "\n");
}

}  // namespace

fs::path default_cache_dir() {
  const auto chosen = environment_variable("ARKS_CACHE_DIR");
  return chosen.empty() ? user_folder("XDG_CACHE_HOME", ".cache") : fs::path(chosen);
}

Digest fnv1a_128(std::string_view bytes) {
  using Wide = unsigned __int128;
  constexpr Wide kPrime = (Wide{1} << 88) + 0x13b;
  Wide hash = (Wide{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
  for (const char byte : bytes) hash = (hash ^ static_cast<uint8_t>(byte)) * kPrime;
  Digest digest{};
  for (size_t i = digest.size(); i-- > 0; hash >>= 8) digest[i] = static_cast<uint8_t>(hash & 0xff);
  return digest;
}

ImageCache::ImageCache(const fs::path& folder, const std::vector<fs::path>& files, const ImageFilesOptions& options)
    : count_(static_cast<int64_t>(files.size())), size_(options.size()), channels_(options.channels()) {
  std::string wanted = described(options), versions = wanted;
  for (const auto& file : files) {
    // a byte that no path holds ends it
    const auto path = fs::absolute(file).lexically_normal().string() + '\0';
    wanted += path;
    versions += path + version_of(file);
  }
  digest_ = fnv1a_128(versions);
  path_ = folder / ("images-" + hex_digits(fnv1a_128(wanted)) + ".cache");
}

std::string ImageCache::header(torch::IntArrayRef shape, const ImageCounts& counts, uint32_t crc) const {
  std::string bytes(kHeaderBytes, '\0');
  std::memcpy(&bytes[kMagicAt], &kMagic, sizeof kMagic);
  std::memcpy(&bytes[kDigestAt], digest_.data(), digest_.size());
  std::memcpy(&bytes[kShapeAt], shape.data(), 4 * sizeof(int64_t));
  std::memcpy(&bytes[kCountsAt], &counts, sizeof counts);
  std::memcpy(&bytes[kCrcAt], &crc, sizeof crc);
  return bytes;
}

ImageCache::Found ImageCache::read() const {
  std::error_code error;
  const auto bytes_on_disk = fs::file_size(path_, error);
  if (error) return {};
  std::ifstream in(path_, std::ios::binary);
  std::string header(kHeaderBytes, '\0');
  if (!in.read(header.data(), kHeaderBytes)) return {{}, {}, "damaged: it ends within its header"};
  if (at<uint64_t>(header, kMagicAt) != kMagic) return {{}, {}, "in another format"};
  if (at<Digest>(header, kDigestAt) != digest_) return {{}, {}, "made from other versions of the images"};
  const auto shape = at<std::array<int64_t, 4>>(header, kShapeAt);
  const auto [count, channels, height, width] = shape;
  const bool as_wanted = count == count_ && (channels == 1 || channels == 3) &&
                         (channels_ == 0 || channels == channels_) && height >= 1 && height <= kMaxImageSide &&
                         width >= 1 && width <= kMaxImageSide && (!size_ || *size_ == ImageSize{height, width});
  if (!as_wanted) return {{}, {}, "damaged: it announces another shape"};
  const auto bytes = static_cast<uint64_t>(count * channels * height * width);
  if (bytes_on_disk != kHeaderBytes + bytes) return {{}, {}, "damaged: its length is not what it announces"};
  auto images = torch::empty(shape, torch::kByte);
  if (!in.read(static_cast<char*>(images.data_ptr()), static_cast<std::streamsize>(bytes))) {
    return {{}, {}, "damaged: it cannot be read to the end"};
  }
  if (crc_of(header, images.data_ptr(), bytes) != at<uint32_t>(header, kCrcAt)) {
    return {{}, {}, "damaged: its checksum is wrong"};
  }
  return {images, at<ImageCounts>(header, kCountsAt), ""};
}

void ImageCache::write(const torch::Tensor& images, const ImageCounts& counts) const {
  std::error_code error;
  fs::create_directories(path_.parent_path(), error);
  if (error) throw RunError(c10::str("cannot create the folder ", path_.parent_path().string(), ": ", error.message()));
  const std::string_view content(static_cast<const char*>(images.data_ptr()), images.nbytes());
  const auto crc = crc_of(header(images.sizes(), counts, 0), content.data(), content.size());
  // a name of its own, since several runs may begin at once
  const fs::path mine = path_.string() + "." + std::to_string(::getpid());
  write_file_atomically(mine, {header(images.sizes(), counts, crc), content});
  fs::rename(mine, path_, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(mine, ignored);
  throw RunError(c10::str("cannot write ", path_.string(), ": ", error.message()));
}

}  // namespace arks
