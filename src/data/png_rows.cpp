#include "data/png_rows.h"

#include <arks/support/error.h>
#include <png.h>

#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string>

namespace arks {

struct PngRows::State {
  std::string name;
  std::FILE* file = nullptr;
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string message;  // of libpng, when it gave up

  ~State() {
    png_destroy_read_struct(&png, &info, nullptr);
    if (file != nullptr) std::fclose(file);
  }
  [[noreturn]] void fail(const std::string& why) const { throw RunError(name + ": " + why); }
};

namespace {

// libpng is C: its errors leave by longjmp, so that the functions below hold nothing that needs a destructor between
// setjmp and the calls
[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  *static_cast<std::string*>(png_get_error_ptr(png)) = message;
  png_longjmp(png, 1);
}

void on_warning(png_structp /*png*/, png_const_charp /*message*/) {}

bool read_header(png_structp png, png_infop info, std::FILE* file) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_init_io(png, file);
  png_read_info(png, info);
  return true;
}

bool read_row(png_structp png, uint8_t* row) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_row(png, row, nullptr);
  return true;
}

}  // namespace

PngRows::PngRows(const std::filesystem::path& path) : state_(std::make_unique<State>()) {
  auto& s = *state_;
  s.name = path.string();
  s.file = std::fopen(path.c_str(), "rbe");
  if (s.file == nullptr) s.fail(std::strerror(errno));
  s.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &s.message, on_error, on_warning);
  if (s.png != nullptr) s.info = png_create_info_struct(s.png);
  if (s.info == nullptr) s.fail("no memory for libpng");
  if (!read_header(s.png, s.info, s.file)) s.fail(s.message);
  if (png_get_color_type(s.png, s.info) != PNG_COLOR_TYPE_RGB || png_get_bit_depth(s.png, s.info) != 8 ||
      png_get_interlace_type(s.png, s.info) != PNG_INTERLACE_NONE) {
    s.fail("a PNG of 8 bit RGB without interlacing was expected");
  }
  width_ = png_get_image_width(s.png, s.info);
  height_ = png_get_image_height(s.png, s.info);
}

PngRows::~PngRows() = default;

void PngRows::read(uint8_t* row) {
  if (!read_row(state_->png, row)) state_->fail(state_->message);
}

}  // namespace arks
