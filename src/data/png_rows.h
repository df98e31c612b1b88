#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>

namespace arks {

/// A PNG file of 8 bit RGB without interlacing, read row by row, so that a large picture takes no memory. Throws
/// RunError naming the file when it is damaged, cut off or of another kind.
class PngRows {
 public:
  explicit PngRows(const std::filesystem::path& path);
  ~PngRows();
  PngRows(const PngRows&) = delete;
  PngRows& operator=(const PngRows&) = delete;

  int64_t width() const { return width_; }
  int64_t height() const { return height_; }
  /// The next row to row[3·width]: red, green, blue of each pixel in turn.
  void read(uint8_t* row);

 private:
  struct State;
  std::unique_ptr<State> state_;
  int64_t width_ = 0, height_ = 0;
};

}  // namespace arks
