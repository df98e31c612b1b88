#include "settings/value.h"

#include "support/text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace arks {

namespace {

std::string toml_list(const std::vector<double>& values) {
  std::vector<std::string> parts;
  for (const double value : values) parts.push_back(to_toml(value));
  return "[" + join(parts) + "]";
}

std::string plain_list(const std::vector<double>& values) {
  std::vector<std::string> parts;
  for (const double value : values) parts.push_back(shortest(value));
  return join(parts, ",");
}

}  // namespace

std::string type_word(bool) {
  return "";
}
std::string type_word(int64_t) {
  return "N";
}
std::string type_word(double) {
  return "X";
}
std::string type_word(const std::string&) {
  return "NAME";
}
std::string type_word(const NumberList&) {
  return "LIST";
}
std::string type_word(const RangeList&) {
  return "LO,HI";
}

bool from_text(const std::string& text, const std::string& flag, bool, bool) {
  ARKS_CHECK(text == "true" || text == "false", flag, ": expected true or false, got '", text, "'");
  return text == "true";
}

int64_t from_text(const std::string& text, const std::string& flag, bool, int64_t) {
  return parse_whole_number(text, flag);
}

double from_text(const std::string& text, const std::string& flag, bool infinity, double) {
  if (infinity && text == "inf") return std::numeric_limits<double>::infinity();
  return parse_number(text, flag);
}

std::string from_text(const std::string& text, const std::string&, bool, const std::string&) {
  return text;
}

NumberList from_text(const std::string& text, const std::string& flag, bool infinity, const NumberList&) {
  NumberList list{text, {}};
  if (!infinity || text.find("inf") == std::string::npos) {
    list.values = parse_numbers(text, flag);
    return list;
  }
  for (const auto& part : split(text, ',')) list.values.push_back(from_text(part, flag, infinity, double()));
  return list;
}

RangeList from_text(const std::string& text, const std::string& flag, bool, const RangeList&) {
  RangeList list;
  for (const auto& range : split(text, ';')) {
    list.pairs.push_back(parse_numbers(range, flag));
    ARKS_CHECK(list.pairs.back().size() == 2, flag, ": expected lo,hi or one pair per feature lo,hi;lo,hi, got '",
               range, "'");
  }
  ARKS_CHECK(!list.pairs.empty(), flag, ": expected lo,hi, got nothing");
  return list;
}

std::string to_text(bool value) {
  return value ? "true" : "false";
}
std::string to_text(int64_t value) {
  return std::to_string(value);
}
std::string to_text(double value) {
  return shortest(value);
}
std::string to_text(const std::string& value) {
  return value;
}
std::string to_text(const NumberList& value) {
  return value.text;
}
std::string to_text(const RangeList& value) {
  std::vector<std::string> parts;
  for (const auto& pair : value.pairs) parts.push_back(plain_list(pair));
  return join(parts, ";");
}

std::string to_toml(bool value) {
  return to_text(value);
}
std::string to_toml(int64_t value) {
  return to_text(value);
}

std::string to_toml(double value) {
  // TOML tells 1.0 from 1; the exponent form needs a point as little as the other
  const auto digits = shortest(value);
  if (!std::isfinite(value)) return digits;
  return digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits;
}

std::string to_toml(const std::string& value) {
  std::string escaped = "\"";
  for (const char c : value) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      escaped += "\\u" + hex(static_cast<uint32_t>(static_cast<unsigned char>(c))).substr(6);
      continue;
    }
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped + "\"";
}

std::string to_toml(const NumberList& value) {
  return toml_list(value.values);
}

std::string to_toml(const RangeList& value) {
  if (value.pairs.size() == 1) return toml_list(value.pairs.front());
  std::vector<std::string> parts;
  for (const auto& pair : value.pairs) parts.push_back(toml_list(pair));
  return "[" + join(parts) + "]";
}

ConfigValue to_config(bool value) {
  return value;
}
ConfigValue to_config(int64_t value) {
  return value;
}
ConfigValue to_config(double value) {
  if (std::isinf(value)) return to_text(value);  // JSON has no number for it
  return value;
}
ConfigValue to_config(const std::string& value) {
  return value;
}
ConfigValue to_config(const NumberList& value) {
  const bool infinite = std::any_of(value.values.begin(), value.values.end(), [](double x) { return std::isinf(x); });
  if (infinite) return value.text;
  return value.values;
}
ConfigValue to_config(const RangeList& value) {
  if (value.pairs.size() == 1) return value.pairs.front();
  return value.pairs;
}

}  // namespace arks
