#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace arks {

/// Settings by name, each as it would be typed: {{"sigma", "0.5"}, {"inner-steps", "10"}}.
using SettingValues = std::map<std::string, std::string>;

/// A value of a configuration; JSON writes it as its own kind: true, 3, 0.1, "text", a list.
using ConfigValue = std::variant<bool, int64_t, double, std::string, std::vector<std::string>, std::vector<double>,
                                 std::vector<std::vector<double>>>;

}  // namespace arks
