#pragma once
// The kinds of values a setting can have, and each as text, as TOML and as JSON will have it.
#include <arks/settings/setting_values.h>
#include <arks/support/error.h>

#include <cstdint>
#include <string>
#include <vector>

namespace arks {

/// "a,b,c" or the inclusive range "a:b:step"; kept as it was written.
struct NumberList {
  std::string text;
  std::vector<double> values;
};

/// "lo,hi" for all features, or one pair for each, "lo,hi;lo,hi".
struct RangeList {
  std::vector<std::vector<double>> pairs;
};

/// The word that --help writes for a value of this kind.
std::string type_word(bool);
std::string type_word(int64_t);
std::string type_word(double);
std::string type_word(const std::string&);
std::string type_word(const NumberList&);
std::string type_word(const RangeList&);

/// Throw Error naming `flag` and the text. The last argument only chooses the kind.
bool from_text(const std::string& text, const std::string& flag, bool infinity, bool);
int64_t from_text(const std::string& text, const std::string& flag, bool infinity, int64_t);
double from_text(const std::string& text, const std::string& flag, bool infinity, double);
std::string from_text(const std::string& text, const std::string& flag, bool infinity, const std::string&);
NumberList from_text(const std::string& text, const std::string& flag, bool infinity, const NumberList&);
RangeList from_text(const std::string& text, const std::string& flag, bool infinity, const RangeList&);

std::string to_text(bool value);
std::string to_text(int64_t value);
std::string to_text(double value);
std::string to_text(const std::string& value);
std::string to_text(const NumberList& value);
std::string to_text(const RangeList& value);

std::string to_toml(bool value);
std::string to_toml(int64_t value);
std::string to_toml(double value);
std::string to_toml(const std::string& value);
std::string to_toml(const NumberList& value);
std::string to_toml(const RangeList& value);

ConfigValue to_config(bool value);
ConfigValue to_config(int64_t value);
ConfigValue to_config(double value);
ConfigValue to_config(const std::string& value);
ConfigValue to_config(const NumberList& value);
ConfigValue to_config(const RangeList& value);

}  // namespace arks
