#pragma once
#include <map>
#include <string>

namespace arks {

/// Settings by name, each as it would be typed: {{"sigma", "0.5"}, {"inner-steps", "10"}}.
using SettingValues = std::map<std::string, std::string>;

}  // namespace arks
