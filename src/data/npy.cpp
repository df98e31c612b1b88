#include "data/npy.h"

#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>

namespace arks {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMaxHeader = 1 << 16;  // NumPy itself writes some hundred bytes
constexpr size_t kMaxDimensions = 8;

struct Type {
  const char* name;
  torch::ScalarType type;
};
constexpr Type kTypes[] = {
    {"<f4", torch::kFloat}, {"<f8", torch::kDouble}, {"<i4", torch::kInt}, {"<i8", torch::kLong}, {"|u1", torch::kByte},
};

/// The dictionary, of which NumPy writes exactly one form; anything else is refused.
class HeaderParser {
 public:
  HeaderParser(const std::string& text, const std::string& name) : text_(text), name_(name) {}

  NpyHeader parse() {
    NpyHeader header;
    bool typed = false, ordered = false, shaped = false;
    expect('{');
    while (!take('}')) {
      const auto key = quoted();
      expect(':');
      if (key == "descr") {
        header.type = type_of(quoted());
        typed = true;
      } else if (key == "fortran_order") {
        header.fortran_order = boolean();
        ordered = true;
      } else if (key == "shape") {
        header.shape = shape();
        shaped = true;
      } else {
        fail();
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (at_ < text_.size() || !typed || !ordered || !shaped) fail();
    return header;
  }

 private:
  [[noreturn]] void fail() const {
    std::string shown = text_.substr(0, 80);
    for (char& c : shown) {
      if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
    }
    throw Error(name_ + ": the header is not that of one array of numbers: " + shown);
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail();
  }
  std::string quoted() {
    expect('\'');
    const size_t end = text_.find('\'', at_);
    if (end == std::string::npos) fail();
    const auto word = text_.substr(at_, end - at_);
    at_ = end + 1;
    return word;
  }
  bool boolean() {
    skip_blanks();
    for (const auto& [word, value] : {std::pair{"True", true}, std::pair{"False", false}}) {
      if (text_.compare(at_, std::strlen(word), word) == 0) {
        at_ += std::strlen(word);
        return value;
      }
    }
    fail();
  }
  std::vector<int64_t> shape() {
    std::vector<int64_t> sizes;
    expect('(');
    while (!take(')')) {
      skip_blanks();
      const size_t begin = at_;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
      if (at_ == begin) fail();
      sizes.push_back(parse_whole_number(text_.substr(begin, at_ - begin), name_ + ": shape"));
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    ARKS_CHECK(sizes.size() <= kMaxDimensions, name_, ": ", sizes.size(), " dimensions; at most ", kMaxDimensions,
               " are supported");
    return sizes;
  }
  torch::ScalarType type_of(const std::string& descr) const {
    std::vector<std::string> known;
    for (const auto& type : kTypes) {
      if (descr == type.name) return type.type;
      known.emplace_back(type.name);
    }
    throw Error(c10::str(name_, ": values of type '", descr.substr(0, 20), "' cannot be read; supported: ", join(known),
                         "; convert them with numpy's astype"));
  }

  const std::string& text_;
  const std::string& name_;
  size_t at_ = 0;
};

/// An open file that says how much of it is left.
class File {
 public:
  explicit File(const fs::path& path) : name_(path.string()) {
    std::error_code failure;
    ARKS_CHECK(!fs::is_directory(path, failure), name_, " is a folder; expected a file");
    in_.open(path, std::ios::binary);
    ARKS_CHECK(in_, "cannot read ", name_, ": ", std::strerror(errno));
    const auto size = fs::file_size(path, failure);
    ARKS_CHECK(!failure, "cannot read ", name_, ": ", failure.message());
    left_ = static_cast<int64_t>(size);
  }

  const std::string& name() const { return name_; }
  int64_t left() const { return left_; }
  void read(void* out, int64_t bytes) {
    ARKS_CHECK(bytes <= left_ && in_.read(static_cast<char*>(out), bytes), name_, ": ends within the header");
    left_ -= bytes;
  }

 private:
  std::string name_;
  std::ifstream in_;
  int64_t left_ = 0;
};

NpyHeader read_header(File& file) {
  static constexpr std::string_view kMagic = "\x93NUMPY";
  std::array<char, 6> magic{};
  ARKS_CHECK(file.left() >= 10, file.name(), ": ", file.left(), " bytes are too few for an NPY file");
  file.read(magic.data(), magic.size());
  ARKS_CHECK(std::string_view(magic.data(), magic.size()) == kMagic, file.name(),
             " is not an NPY file: it does not begin with \\x93NUMPY");
  std::array<uint8_t, 2> version{};
  file.read(version.data(), version.size());
  ARKS_CHECK(version[0] == 1 || version[0] == 2, file.name(), ": NPY version ", int{version[0]}, ".", int{version[1]},
             "; versions 1 and 2 are supported");
  std::array<uint8_t, 4> bytes{};
  file.read(bytes.data(), version[0] == 1 ? 2 : 4);
  const size_t length = bytes[0] | size_t{bytes[1]} << 8 | size_t{bytes[2]} << 16 | size_t{bytes[3]} << 24;
  ARKS_CHECK(length <= kMaxHeader, file.name(), ": a header of ", length, " bytes; at most ", kMaxHeader,
             " are accepted");
  std::string text(length, '\0');
  file.read(text.data(), static_cast<int64_t>(length));
  return HeaderParser(text, file.name()).parse();
}

/// How many bytes the header announces; compared with the file before memory is taken.
int64_t announced_bytes(const NpyHeader& header, const std::string& name) {
  auto bytes = static_cast<int64_t>(torch::elementSize(header.type));
  for (const int64_t size : header.shape) {
    ARKS_CHECK(size > 0, name, ": the shape is ", c10::IntArrayRef(header.shape), ", so there are no values");
    // divided, so that nothing overflows
    ARKS_CHECK(size <= std::numeric_limits<int64_t>::max() / bytes, name, ": the header announces the shape ",
               c10::IntArrayRef(header.shape), ", more than any file holds");
    bytes *= size;
  }
  return bytes;
}

/// The header, once the file is found to be as long as it announces.
NpyHeader read_checked_header(File& file) {
  auto header = read_header(file);
  ARKS_CHECK(!header.shape.empty(), file.name(), " holds a single number, of shape (); expected an array with rows");
  const int64_t bytes = announced_bytes(header, file.name());
  ARKS_CHECK(file.left() >= bytes, file.name(), ": ends after ", file.left(), " of ", bytes, " bytes of data");
  ARKS_CHECK(file.left() == bytes, file.name(), ": ", file.left() - bytes, " bytes follow the ", bytes,
             " that the header announces");
  return header;
}

torch::Tensor read_values(File& file, std::vector<int64_t> shape, torch::ScalarType type) {
  auto values = torch::empty(shape, type);
  file.read(values.data_ptr(), static_cast<int64_t>(values.nbytes()));
  return values;
}

torch::Tensor read_all(File& file, NpyHeader header) {
  if (!header.fortran_order) return read_values(file, header.shape, header.type);
  // Fortran order is C order of the dimensions turned round
  std::reverse(header.shape.begin(), header.shape.end());
  const auto values = read_values(file, header.shape, header.type);
  std::vector<int64_t> turned;
  for (int64_t i = values.dim() - 1; i >= 0; --i) turned.push_back(i);
  return values.permute(turned).contiguous();
}

}  // namespace

NpyHeader read_npy_header(const fs::path& path) {
  File file(path);
  return read_checked_header(file);
}

torch::Tensor read_npy(const fs::path& path) {
  File file(path);
  return read_all(file, read_checked_header(file));
}

void read_npy_rows(const fs::path& path, int64_t at_once,
                   const std::function<void(int64_t first, const torch::Tensor& rows)>& take) {
  ARKS_CHECK(at_once > 0, "rows at once must be positive, got ", at_once);
  File file(path);
  auto header = read_checked_header(file);
  const int64_t rows = header.shape[0];
  // the values of one row lie scattered over the whole file
  const auto all = header.fortran_order ? read_all(file, header) : torch::Tensor();
  for (int64_t first = 0; first < rows; first += at_once) {
    header.shape[0] = std::min(at_once, rows - first);
    take(first, all.defined() ? all.narrow(0, first, header.shape[0]) : read_values(file, header.shape, header.type));
  }
}

}  // namespace arks
