#pragma once
// Environment variables for the time of a test.
#include <cstdlib>
#include <optional>
#include <string>

namespace arks::testing {

/// Sets a variable, or unsets it for nullptr, and puts the old value back at the end of the scope.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  Variable(const char* name, const std::string& value) : Variable(name, value.c_str()) {}
  ~Variable() { set(old_ ? old_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) const { value != nullptr ? ::setenv(name_, value, 1) : ::unsetenv(name_); }
  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace arks::testing
