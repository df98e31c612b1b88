#pragma once
// Values as TOML writes them.
#include <string>
#include <vector>

namespace arks::cli {

/// A text in quotes, with what TOML does not take as it is escaped.
std::string quoted(const std::string& text);

/// 1.0, which TOML tells from 1.
std::string real_of(double value);

/// [1.0, 2.5]
std::string list_of(const std::vector<double>& values);

}  // namespace arks::cli
