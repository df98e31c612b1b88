#include "settings/toml_file.h"

#include "support/text.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace arks {

namespace {

std::string scalar_text(const toml::node& node, const std::string& where) {
  if (const auto text = node.value_exact<std::string>()) {
    ARKS_CHECK(!text->empty(), where, " has no value; leave the line out for the default");
    return *text;
  }
  if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  if (const auto whole = node.value_exact<int64_t>()) return std::to_string(*whole);
  if (const auto real = node.value_exact<double>()) return shortest(*real);
  throw Error(where + ": expected a number, a string, true or false");
}

/// Whether the parser stumbled over a value that is no text in quotes: a number, a date, true or false.
bool is_bare_value(const std::string& description) {
  const std::string begin = "Error while parsing ";
  if (description.rfind(begin, 0) != 0) return false;
  const auto kind = description.substr(begin.size(), description.find(':') - begin.size());
  const std::vector<std::string> kinds{"value", "boolean", "floating-point", "decimal integer", "date", "time"};
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

/// What the parser says of common slips, in plain words; else its own.
std::string plain_words(const std::string& description) {
  const auto says = [&](const char* part) { return description.find(part) != std::string::npos; };
  if (is_bare_value(description)) return "this value cannot be read; a string must be in quotes";
  if (!says("cannot redefine existing")) return description;
  const auto quote = description.find('\'', description.find("existing"));
  // of a key with a dot the parser gives no name
  if (quote == std::string::npos) return "the name before the dot is already given; remove one of them";
  const auto name = description.substr(quote, description.find('\'', quote + 1) + 1 - quote);
  return name + (says(" as table") ? " is given as a value and as a table; remove one of them" : " is given twice");
}

}  // namespace

toml::table parse_toml(const std::string& text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw Error(
        c10::str(file, ", line ", error.source().begin.line, ": ", plain_words(std::string(error.description()))));
  }
}

std::vector<std::string> keys_in_order(const toml::table& table) {
  std::vector<std::pair<toml::source_position, std::string>> found;
  for (const auto& [key, node] : table) found.emplace_back(key.source().begin, std::string(key.str()));
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> keys;
  for (auto& [place, key] : found) keys.push_back(std::move(key));
  return keys;
}

std::string flag_text(const toml::node& node, const std::string& where) {
  const auto* list = node.as_array();
  if (list == nullptr) return scalar_text(node, where);
  ARKS_CHECK(!list->empty(), where, " has no value: an empty list");
  std::vector<std::string> parts;
  bool nested = false;
  for (const auto& item : *list) {
    nested = nested || item.is_array();
    parts.push_back(flag_text(item, where));
  }
  return join(parts, nested ? ";" : ",");
}

std::optional<PathRule> path_rule(const AnySetting& setting) {
  if (!setting.is_path()) return std::nullopt;
  return PathRule{setting.words(), setting.several_paths()};
}

std::string path_from_folder(const std::filesystem::path& folder, const std::string& value, const PathRule& rule) {
  if (rule.several) {
    std::vector<std::string> parts;
    for (const auto& part : split(value, ',')) {
      const auto equals = part.find('='), slash = part.find('/');
      const auto path = equals < slash ? equals + 1 : 0;  // behind a name
      parts.push_back(part.substr(0, path) + path_from_folder(folder, part.substr(path), {rule.names}));
    }
    return join(parts, ",");
  }
  const auto path = (folder / value).lexically_normal();  // an absolute value replaces the folder
  if (folder.empty() || value.empty() || value == "-") return value;
  if (rule.names.empty()) return path.string();
  const bool is_known = std::find(rule.names.begin(), rule.names.end(), value) != rule.names.end();
  std::error_code ignored;
  const bool is_path = value.find_first_of("/.") != std::string::npos || std::filesystem::exists(path, ignored);
  return is_path && !is_known ? path.string() : value;
}

const toml::table* table_of(const toml::table& parent, const std::string& name, const std::string& where) {
  const auto* node = parent.get(name);
  if (node == nullptr) return nullptr;
  ARKS_CHECK(node->is_table(), where, ": '", name, "' must be a table, [", name, "]");
  return node->as_table();
}

std::string inline_toml(const toml::node& node) {
  std::vector<std::string> parts;
  if (const auto* list = node.as_array()) {
    for (const auto& item : *list) parts.push_back(inline_toml(item));
    return "[" + join(parts) + "]";
  }
  if (const auto* table = node.as_table()) {
    for (const auto& [key, item] : *table) parts.push_back(to_toml(std::string(key.str())) + " = " + inline_toml(item));
    return "{" + join(parts) + "}";
  }
  if (const auto text = node.value_exact<std::string>()) return to_toml(*text);
  if (const auto flag = node.value_exact<bool>()) return to_toml(*flag);
  if (const auto whole = node.value_exact<int64_t>()) return to_toml(*whole);
  if (const auto real = node.value_exact<double>()) return to_toml(*real);
  std::ostringstream date;
  date << toml::toml_formatter(node);
  return date.str();
}

double number_of(const toml::node& node, const std::string& where) {
  if (const auto whole = node.value_exact<int64_t>()) return static_cast<double>(*whole);
  const auto real = node.value_exact<double>();
  ARKS_CHECK(real && std::isfinite(*real), where, ": expected a number, got ", inline_toml(node));
  return *real;
}

int64_t whole_number_of(const toml::node& node, const std::string& where, int64_t least) {
  const auto whole = node.value_exact<int64_t>();
  ARKS_CHECK(whole && *whole >= least, where, ": expected a whole number >= ", least, ", got ", inline_toml(node));
  return *whole;
}

std::string toml_as_json(const std::string& toml, const std::string& what) {
  std::ostringstream json;
  json << toml::json_formatter(parse_toml(toml, what));
  return json.str();
}

SettingValues read_flat_toml(const std::string& toml, const std::string& what) {
  SettingValues values;
  for (const auto& [key, node] : parse_toml(toml, what)) {
    const std::string name(key.str());
    values.emplace(name, flag_text(node, what + ": '" + name + "'"));
  }
  return values;
}

}  // namespace arks
