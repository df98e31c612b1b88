#include "jpeg.h"

#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it before

#include <jpeglib.h>
// after jpeglib.h
#include <jerror.h>

#include <array>

namespace arks {

namespace {

/// libjpeg's errors come back as a jump, since an exception must not pass through C code.
struct ErrorManager {
  jpeg_error_mgr base;  // first, so that libjpeg's pointer to it is one to this
  std::jmp_buf back;
  std::array<char, JMSG_LENGTH_MAX> message;
};

[[noreturn]] void jump_back(j_common_ptr info) {
  auto* const errors = reinterpret_cast<ErrorManager*>(info->err);
  (*info->err->format_message)(info, errors->message.data());
  std::longjmp(errors->back, 1);
}

void take_message(j_common_ptr info, int level) {
  if (level >= 0) return;  // a trace
  const int code = info->err->msg_code;
  if (code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR) return;
  jump_back(info);  // damaged, and what libjpeg would put in its place is not in the file
}

/// True for what libjpeg says of files that may well be whole but are of a kind that it does not decode.
bool is_unsupported(int code) {
  switch (code) {
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_COMPONENT_COUNT:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_EMPTY_IMAGE:  // the height comes after the image
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_IMAGE_TOO_BIG:
    case JERR_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_OUT_OF_MEMORY:
    case JERR_SOF_UNSUPPORTED:
    case JERR_WIDTH_OVERFLOW:
      return true;
    default:
      return false;
  }
}

/// Owns libjpeg's state. No object with a destructor lives in a function that calls setjmp.
class Decompressor {
 public:
  explicit Decompressor(const std::string& name) : name_(name) {
    info_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = jump_back;
    errors_.base.emit_message = take_message;
    if (!create()) fail();
  }
  ~Decompressor() { jpeg_destroy_decompress(&info_); }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  void read_header(std::string_view bytes) {
    if (!try_read_header(bytes)) fail();
  }
  void decode(uint8_t* samples, size_t row_bytes) {
    if (!try_decode(samples, row_bytes)) fail();
  }
  jpeg_decompress_struct& info() { return info_; }

 private:
  [[noreturn]] void fail() const {
    const bool whole = is_unsupported(errors_.base.msg_code);
    throw Error(name_ + (whole ? ": a JPEG that cannot be decoded (" : ": damaged or cut off JPEG (") +
                errors_.message.data() + ")");
  }

  bool create() {
    if (setjmp(errors_.back) != 0) return false;
    jpeg_create_decompress(&info_);
    return true;
  }

  bool try_read_header(std::string_view bytes) {
    if (setjmp(errors_.back) != 0) return false;
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&info_, TRUE);
    return true;
  }

  bool try_decode(uint8_t* samples, size_t row_bytes) {
    if (setjmp(errors_.back) != 0) return false;
    jpeg_start_decompress(&info_);
    while (info_.output_scanline < info_.output_height) {
      JSAMPROW row = samples + info_.output_scanline * row_bytes;
      jpeg_read_scanlines(&info_, &row, 1);
    }
    jpeg_finish_decompress(&info_);
    return true;
  }

  const std::string& name_;
  ErrorManager errors_{};
  jpeg_decompress_struct info_{};
};

}  // namespace

bool is_jpeg(std::string_view bytes) {
  return bytes.substr(0, 3) == "\xff\xd8\xff";
}

DecodedImage decode_jpeg(std::string_view bytes, const std::string& name) {
  Decompressor decompressor(name);
  decompressor.read_header(bytes);
  auto& info = decompressor.info();
  ARKS_CHECK(info.jpeg_color_space != JCS_CMYK && info.jpeg_color_space != JCS_YCCK, name,
             ": a CMYK JPEG (four inks, for print); convert it to RGB first");
  const bool grey = info.jpeg_color_space == JCS_GRAYSCALE;
  info.out_color_space = grey ? JCS_GRAYSCALE : JCS_RGB;
  DecodedImage image;
  image.size = {static_cast<int64_t>(info.image_height), static_cast<int64_t>(info.image_width)};
  image.channels = grey ? 1 : 3;
  check_image_size(image.size, name);
  const auto row_bytes = static_cast<size_t>(image.size.width * image.channels);
  image.samples.resize(row_bytes * static_cast<size_t>(image.size.height));
  decompressor.decode(image.samples.data(), row_bytes);
  return image;
}

}  // namespace arks
