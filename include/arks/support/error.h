#pragma once
#include <c10/util/StringUtil.h>

#include <stdexcept>
#include <string>

namespace arks {

/// What the caller gave cannot be used: an option, a file, a shape. Nothing has been written.
/// The message is one line: what, where, and what would be right. The tool exits with 2.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

/// The work itself failed: it diverged, or the disk is full. The tool exits with 1.
class RunError : public std::runtime_error {
 public:
  explicit RunError(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace arks

/// TORCH_CHECK without the stack trace: throws arks::Error with the concatenated arguments.
#define ARKS_CHECK(condition, ...)                  \
  do {                                              \
    if (!(condition)) {                             \
      throw ::arks::Error(::c10::str(__VA_ARGS__)); \
    }                                               \
  } while (false)
