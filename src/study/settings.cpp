#include "study/settings.h"

#include "settings/toml_file.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace arks::study {

using Json = nlohmann::ordered_json;

struct Settings::Node {
  Json values = Json::object();
  std::string what;
  std::set<std::string> read;
  std::vector<std::shared_ptr<Node>> inner;
};

namespace {

/// Where results go, how many threads, which seed: these are the study's to say.
const std::set<std::string>& own_flags() {
  static const std::set<std::string> kOwn{"out",  "resume", "force",  "json", "threads", "quiet", "verbose", "config",
                                          "seed", "csv",    "figure", "grid", "help",    "title", "data-dir"};
  return kOwn;
}

void overlay(Json& base, const Json& over) {
  for (const auto& [key, value] : over.items()) {
    if (value.is_object() && base.contains(key) && base[key].is_object()) {
      overlay(base[key], value);
    } else {
      base[key] = value;
    }
  }
}

/// A value of TOML on one line; texts, numbers, true and false are written as in JSON.
std::string inline_toml(const Json& value) {
  std::vector<std::string> parts;
  if (value.is_array()) {
    for (const auto& item : value) parts.push_back(inline_toml(item));
    return "[" + join(parts) + "]";
  }
  if (!value.is_object()) return value.dump();
  for (const auto& [key, item] : value.items()) parts.push_back(Json(key).dump() + " = " + inline_toml(item));
  return "{" + join(parts) + "}";
}

}  // namespace

std::vector<std::string> as_arguments(const FlagValues& flags) {
  std::vector<std::string> arguments;
  for (const auto& [name, value] : flags) arguments.push_back("--" + name + "=" + value);
  return arguments;
}

FlagValues merged(FlagValues base, const FlagValues& over) {
  for (const auto& [name, value] : over) base[name] = value;
  return base;
}

std::string flag_text(const Json& value, const std::string& where) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_integer()) return std::to_string(value.get<int64_t>());
  if (value.is_number()) return shortest(value.get<double>());
  ARKS_CHECK(value.is_array() && !value.empty(), where, ": expected a number, a text, true, false or a list of them");
  std::vector<std::string> parts;
  for (const auto& item : value) {
    ARKS_CHECK(item.is_primitive(), where, ": expected a list of numbers or texts");
    parts.push_back(flag_text(item, where));
  }
  return join(parts, ",");
}

Settings Settings::parse(const std::string& toml, const std::string& what) {
  auto node = std::make_shared<Node>();
  node->what = what;
  node->values = Json::parse(toml_as_json(toml, what));
  return Settings(node);
}

Settings Settings::overlaid(const Settings& over) const {
  auto node = std::make_shared<Node>();
  node->what = node_->what;
  node->values = node_->values;
  overlay(node->values, over.node_->values);
  return Settings(node);
}

Settings Settings::without(const std::string& key) const {
  auto node = std::make_shared<Node>();
  node->what = node_->what;
  node->values = node_->values;
  node->values.erase(key);
  return Settings(node);
}

std::string Settings::toml() const {
  std::string text;
  for (const auto& [key, value] : node_->values.items()) text += Json(key).dump() + " = " + inline_toml(value) + "\n";
  return text;
}

const std::string& Settings::what() const {
  return node_->what;
}

std::string Settings::where(const std::string& key) const {
  return node_->what + ": " + key;
}

bool Settings::has(const std::string& key) const {
  return node_->values.contains(key);
}

std::vector<std::string> Settings::keys() const {
  std::vector<std::string> names;
  for (const auto& [key, value] : node_->values.items()) names.push_back(key);
  return names;
}

const Json& Settings::value(const std::string& key) const {
  node_->read.insert(key);
  if (!has(key)) {
    const auto like = nearest_name(key, keys());
    throw Error(node_->what + ": '" + key + "' is missing" +
                (like.empty() ? "" : "; is '" + like + "' meant to be it?"));
  }
  return node_->values[key];
}

std::string Settings::text(const std::string& key) const {
  const auto& found = value(key);
  ARKS_CHECK(found.is_string(), where(key), ": expected a text, got ", found.dump());
  return found.get<std::string>();
}

std::string Settings::text(const std::string& key, const std::string& fallback) const {
  node_->read.insert(key);
  return has(key) ? text(key) : fallback;
}

double Settings::number(const std::string& key) const {
  const auto& found = value(key);
  ARKS_CHECK(found.is_number(), where(key), ": expected a number, got ", found.dump());
  return found.get<double>();
}

int64_t Settings::whole(const std::string& key) const {
  const auto& found = value(key);
  ARKS_CHECK(found.is_number_integer(), where(key), ": expected a whole number, got ", found.dump());
  return found.get<int64_t>();
}

bool Settings::yes(const std::string& key, bool fallback) const {
  node_->read.insert(key);
  if (!has(key)) return fallback;
  ARKS_CHECK(node_->values[key].is_boolean(), where(key), ": expected true or false, got ", node_->values[key].dump());
  return node_->values[key].get<bool>();
}

std::vector<double> Settings::numbers(const std::string& key) const {
  const auto& found = value(key);
  if (found.is_string()) return parse_numbers(found.get<std::string>(), where(key));  // "0:0.3:0.05"
  std::vector<double> list;
  for (const auto& item : found.is_array() ? found : Json::array({found})) {
    ARKS_CHECK(item.is_number(), where(key), ": expected numbers, got ", item.dump());
    list.push_back(item.get<double>());
  }
  ARKS_CHECK(!list.empty(), where(key), ": the list is empty");
  return list;
}

std::vector<int64_t> Settings::whole_numbers(const std::string& key) const {
  std::vector<int64_t> list;
  for (const double number : numbers(key)) {
    ARKS_CHECK(number == std::floor(number) && number >= 0 && number < 1e15, where(key),
               ": expected whole numbers from 0 on, got ", shortest(number));
    list.push_back(static_cast<int64_t>(number));
  }
  return list;
}

std::vector<std::string> Settings::texts(const std::string& key) const {
  const auto& found = value(key);
  std::vector<std::string> list;
  for (const auto& item : found.is_array() ? found : Json::array({found})) {
    ARKS_CHECK(item.is_string(), where(key), ": expected texts, got ", item.dump());
    list.push_back(item.get<std::string>());
  }
  return list;
}

Settings Settings::table(const std::string& key) const {
  node_->read.insert(key);
  auto inner = std::make_shared<Node>();
  inner->what = node_->what + ", [" + key + "]";
  if (has(key)) {
    ARKS_CHECK(node_->values[key].is_object(), where(key), ": expected a table [", key, "]");
    inner->values = node_->values[key];
  }
  node_->inner.push_back(inner);
  return Settings(inner);
}

std::vector<Settings> Settings::tables(const std::string& key) const {
  node_->read.insert(key);
  std::vector<Settings> list;
  if (!has(key)) return list;
  ARKS_CHECK(node_->values[key].is_array(), where(key), ": expected tables [[", key, "]]");
  for (const auto& item : node_->values[key]) {
    ARKS_CHECK(item.is_object(), where(key), ": expected tables [[", key, "]]");
    auto inner = std::make_shared<Node>();
    inner->what = c10::str(node_->what, ", [[", key, "]] ", list.size() + 1);
    inner->values = item;
    node_->inner.push_back(inner);
    list.push_back(Settings(inner));
  }
  return list;
}

FlagValues Settings::flags(const std::string& command, const KnownFlags& known) const {
  const auto& names = known.at(command);
  FlagValues found;
  for (const auto& [key, item] : node_->values.items()) {
    if (!node_->read.insert(key).second) continue;
    ARKS_CHECK(own_flags().count(key) == 0, node_->what, ": '", key,
               "' is set by the study itself and not by the file");
    ARKS_CHECK(std::find(names.begin(), names.end(), key) != names.end(), node_->what, ": unknown key '", key, "'",
               did_you_mean(key, names), "; keys here are the flags of arks ", command);
    found[key] = flag_text(item, where(key));
  }
  return found;
}

void Settings::refuse_unread() const {
  std::vector<std::shared_ptr<Node>> nodes{node_};
  while (!nodes.empty()) {
    const auto node = nodes.back();
    nodes.pop_back();
    for (const auto& [key, item] : node->values.items()) {
      const std::vector<std::string> known(node->read.begin(), node->read.end());
      ARKS_CHECK(node->read.count(key) > 0, node->what, ": unknown key '", key, "', which nobody reads",
                 did_you_mean(key, known));
    }
    nodes.insert(nodes.end(), node->inner.begin(), node->inner.end());
  }
}

}  // namespace arks::study
