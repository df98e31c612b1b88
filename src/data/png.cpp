#include "png.h"

#include <png.h>

#include <array>
#include <csetjmp>
#include <cstring>

namespace arks {

namespace {

constexpr size_t kSignature = 8;
constexpr size_t kMaxDeflateRatio = 1032;  // 258 bytes from 2 bits is the best that deflate can do

/// What libpng's callbacks need: the rest of the file, and room for the message of an error.
struct Source {
  const char* next;
  size_t left;
  std::array<char, 160> message;
};

void take_bytes(png_structp png, png_bytep to, size_t count) {
  auto* const source = static_cast<Source*>(png_get_io_ptr(png));
  if (count > source->left) png_error(png, "the file ends early");
  std::memcpy(to, source->next, count);
  source->next += count;
  source->left -= count;
}

/// libpng's errors come back as a jump, since an exception must not pass through C code.
[[noreturn]] void jump_back(png_structp png, png_const_charp message) {
  auto& buffer = static_cast<Source*>(png_get_error_ptr(png))->message;
  std::strncpy(buffer.data(), message, buffer.size() - 1);
  png_longjmp(png, 1);
}

void ignore_warning(png_structp /*png*/, png_const_charp /*message*/) {}

/// Owns libpng's state. No object with a destructor lives in a function that calls setjmp.
class PngReader {
 public:
  PngReader(std::string_view bytes, const std::string& name) : name_(name), source_{bytes.data(), bytes.size(), {}} {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source_, jump_back, ignore_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw RunError(name_ + ": libpng ran out of memory");
    }
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  void read_header() {
    if (!try_read_header()) fail();
  }
  void convert_to_bytes() {
    if (!try_convert_to_bytes()) fail();
  }
  void read_rows(png_bytep* rows) {
    if (!try_read_rows(rows)) fail();
  }
  int64_t height() const { return png_get_image_height(png_, info_); }
  int64_t width() const { return png_get_image_width(png_, info_); }
  int64_t channels() const { return png_get_channels(png_, info_); }
  /// Of one row in the file, before any conversion.
  size_t bits_per_pixel() const { return size_t{png_get_bit_depth(png_, info_)} * png_get_channels(png_, info_); }

 private:
  [[noreturn]] void fail() const { throw Error(name_ + ": damaged or cut off PNG (" + source_.message.data() + ")"); }

  bool try_read_header() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_read_fn(png_, &source_, take_bytes);
    png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);  // a lost tRNS chunk would be a lost alpha
    png_read_info(png_, info_);
    return true;
  }

  bool try_convert_to_bytes() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_expand(png_);  // palette to RGB, few bits to 8, transparent colour to alpha
    png_set_scale_16(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    return true;
  }

  bool try_read_rows(png_bytep* rows) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_image(png_, rows);
    png_read_end(png_, nullptr);
    return true;
  }

  const std::string& name_;
  Source source_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

/// [h,w,c+1] → [h,w,c], and whether any of it was used.
void drop_alpha(DecodedImage& image) {
  const auto with_alpha = static_cast<size_t>(image.channels), channels = with_alpha - 1;
  const size_t pixels = image.samples.size() / with_alpha;
  for (size_t pixel = 0; pixel < pixels; ++pixel) {
    const uint8_t* const from = image.samples.data() + pixel * with_alpha;
    image.transparent = image.transparent || from[channels] != 255;
    std::memmove(image.samples.data() + pixel * channels, from, channels);
  }
  image.samples.resize(pixels * channels);
  image.channels -= 1;
}

}  // namespace

bool is_png(std::string_view bytes) {
  return bytes.substr(0, kSignature) == std::string_view("\x89PNG\r\n\x1a\n", kSignature);
}

DecodedImage decode_png(std::string_view bytes, const std::string& name) {
  PngReader reader(bytes, name);
  reader.read_header();
  DecodedImage image;
  image.size = {reader.height(), reader.width()};
  check_image_size(image.size, name);
  const auto height = static_cast<size_t>(image.size.height), width = static_cast<size_t>(image.size.width);
  ARKS_CHECK(height * ((width * reader.bits_per_pixel() + 7) / 8) / kMaxDeflateRatio <= bytes.size(), name,
             ": the header announces ", height, "x", width, " pixels (height x width), more than a PNG of ",
             bytes.size(), " bytes can hold");
  reader.convert_to_bytes();
  image.channels = reader.channels();
  const size_t row_bytes = width * static_cast<size_t>(image.channels);
  image.samples.resize(height * row_bytes);
  std::vector<png_bytep> rows;
  for (size_t row = 0; row < height; ++row) rows.push_back(image.samples.data() + row * row_bytes);
  reader.read_rows(rows.data());
  if (image.channels == 2 || image.channels == 4) drop_alpha(image);
  return image;
}

}  // namespace arks
