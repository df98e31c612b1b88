#pragma once
// What the tests of drawings share: looking into PNG and SVG files, and a PATH without gnuplot.
#include "support/file.h"
#include "support/testing.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace arks::testing {

/// Width and height from the header of a PNG file; (0,0) when it is none, or cut short.
inline std::pair<int, int> png_size(const std::filesystem::path& path) {
  const auto bytes = read_file(path);
  if (bytes.substr(0, 8) != "\x89PNG\r\n\x1a\n" || bytes.substr(12, 4) != "IHDR") return {0, 0};
  if (bytes.find("IEND") != bytes.size() - 8) return {0, 0};
  const auto number = [&](size_t at) {
    int value = 0;
    for (size_t i = at; i < at + 4; ++i) value = value * 256 + static_cast<unsigned char>(bytes[i]);
    return value;
  };
  return {number(16), number(20)};
}

/// How often `part` occurs.
inline int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

inline bool is_svg(const std::string& text) {
  return text.rfind("<?xml", 0) == 0 && count(text, "<svg") == 1 && count(text, "</svg>") == 1;
}

/// Names in a folder.
inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

/// How often a label stands in a picture.
inline int texts(const std::string& svg, const std::string& label) {
  return count(svg, "<text>" + label + "</text>");
}

/// Another value of an environment variable to the end of the scope.
class ChangedVariable {
 public:
  ChangedVariable(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* before = std::getenv(name_.c_str())) before_ = before;
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  ~ChangedVariable() {
    if (before_) {
      ::setenv(name_.c_str(), before_->c_str(), 1);
    } else {
      ::unsetenv(name_.c_str());
    }
  }
  ChangedVariable(const ChangedVariable&) = delete;
  ChangedVariable& operator=(const ChangedVariable&) = delete;

 private:
  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace arks::testing
