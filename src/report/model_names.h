#pragma once
#include "report/utf8.h"

#include <set>
#include <string>

namespace arks {

/// Names of models as a header shows them: cut to a width, so that a few runs with long names fit side by side, unless
/// that would make two of them the same.
class ModelNames {
 public:
  explicit ModelNames(std::set<std::string> all) : all_(std::move(all)) {}

  std::string operator()(const std::string& name) const {
    constexpr size_t kWidth = 24;
    const auto cut = shortened(printable(name), kWidth);
    for (const auto& other : all_) {
      if (other != name && shortened(printable(other), kWidth) == cut) return printable(name);
    }
    return cut;
  }

 private:
  std::set<std::string> all_;
};

}  // namespace arks
