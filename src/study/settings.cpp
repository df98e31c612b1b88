#include "study/settings.h"

#include "settings/toml_file.h"
#include "support/contains.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace arks::study {

struct Settings::Node {
  toml::table values;
  std::string what;
  std::filesystem::path folder;  // of the file
  std::set<std::string> read;
  std::vector<std::shared_ptr<Node>> inner;

  std::vector<std::string> keys() const {
    std::vector<std::string> names;
    for (const auto& [key, item] : values) names.emplace_back(key.str());
    return names;
  }

  /// Notes that it was read. Throws Error when it is missing.
  const toml::node& value(const std::string& key) {
    read.insert(key);
    const auto* found = values.get(key);
    if (found != nullptr) return *found;
    const auto like = nearest_name(key, keys());
    throw Error(what + ": '" + key + "' is missing" + (like.empty() ? "" : "; is '" + like + "' a misspelling of it?"));
  }

  /// A table within this one; null values are an empty table.
  std::shared_ptr<Node> within(const std::string& name, const toml::table* table) {
    auto node = std::make_shared<Node>();
    node->what = name;
    node->folder = folder;
    if (table != nullptr) node->values = *table;
    inner.push_back(node);
    return node;
  }
};

namespace {

void overlay(toml::table& base, const toml::table& over) {
  for (const auto& [key, item] : over) {
    auto* own = base.get(key.str());
    if (item.is_table() && own != nullptr && own->is_table()) {
      overlay(*own->as_table(), *item.as_table());
    } else {
      base.insert_or_assign(key.str(), item);
    }
  }
}

/// The items of a list; one value counts as a list of one.
std::vector<const toml::node*> items_of(const toml::node& node) {
  const auto* list = node.as_array();
  if (list == nullptr) return {&node};
  std::vector<const toml::node*> items;
  for (const auto& item : *list) items.push_back(&item);
  return items;
}

}  // namespace

void check_key(const std::string& key, const std::string& file, const std::string& table, const std::string& command,
               const KnownFlags& known) {
  const auto& names = known.at(command).names;
  const auto& refused = known.at(command).refused;
  const auto reason = refused.find(key == "seeds" ? "seed" : key);
  ARKS_CHECK(reason == refused.end(), file, ": '", key, "' is not allowed", table, ": ", reason->second);
  ARKS_CHECK(contains(names, key), file, ": unknown key '", key, "'", table, did_you_mean(key, names), "; arks ",
             command, " --help lists the flags");
}

std::string CommandFlags::typed(const std::string& flag, const std::string& value,
                                const std::filesystem::path& folder) const {
  const auto rule = paths.find(flag);
  // whole, so that a step is the same one wherever a search is started
  return rule == paths.end() ? value : path_from_folder(std::filesystem::current_path() / folder, value, rule->second);
}

std::vector<std::string> as_arguments(const FlagValues& flags) {
  std::vector<std::string> arguments;
  for (const auto& [name, value] : flags) arguments.push_back("--" + name + "=" + value);
  return arguments;
}

std::string value_or(const FlagValues& flags, const std::string& name, const std::string& otherwise) {
  const auto found = flags.find(name);
  return found != flags.end() ? found->second : otherwise;
}

FlagValues merged(FlagValues base, const FlagValues& over) {
  for (const auto& [name, value] : over) base[name] = value;
  return base;
}

Settings Settings::parse(const std::string& toml, const std::string& what) {
  auto node = std::make_shared<Node>();
  node->what = what;
  node->folder = std::filesystem::path(what).parent_path();
  node->values = parse_toml(toml, what);
  return Settings(node);
}

Settings Settings::overlaid(const Settings& over) const {
  auto node = std::make_shared<Node>();
  node->what = node_->what;
  node->folder = node_->folder;
  node->values = node_->values;
  overlay(node->values, over.node_->values);
  return Settings(node);
}

Settings Settings::without(const std::string& key) const {
  auto node = std::make_shared<Node>();
  node->what = node_->what;
  node->folder = node_->folder;
  node->values = node_->values;
  node->values.erase(key);
  return Settings(node);
}

const toml::table& Settings::values() const {
  return node_->values;
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
  return node_->keys();
}

std::string Settings::text(const std::string& key) const {
  const auto& found = node_->value(key);
  ARKS_CHECK(found.is_string(), where(key), ": expected a string, got ", inline_toml(found));
  return *found.value<std::string>();
}

std::string Settings::text(const std::string& key, const std::string& fallback) const {
  node_->read.insert(key);
  return has(key) ? text(key) : fallback;
}

double Settings::number(const std::string& key) const {
  return number_of(node_->value(key), where(key));
}

int64_t Settings::whole(const std::string& key) const {
  const auto& found = node_->value(key);
  ARKS_CHECK(found.is_integer(), where(key), ": expected a whole number, got ", inline_toml(found));
  return *found.value<int64_t>();
}

bool Settings::yes(const std::string& key, bool fallback) const {
  node_->read.insert(key);
  if (!has(key)) return fallback;
  const auto& found = node_->value(key);
  ARKS_CHECK(found.is_boolean(), where(key), ": expected true or false, got ", inline_toml(found));
  return *found.value<bool>();
}

std::vector<double> Settings::numbers(const std::string& key) const {
  const auto& found = node_->value(key);
  if (found.is_string()) return parse_numbers(*found.value<std::string>(), where(key));  // "0:0.3:0.05"
  std::vector<double> list;
  for (const auto* item : items_of(found)) list.push_back(number_of(*item, where(key)));
  ARKS_CHECK(!list.empty(), where(key), ": the list is empty");
  return list;
}

std::vector<int64_t> Settings::whole_numbers(const std::string& key) const {
  std::vector<int64_t> list;
  for (const double number : numbers(key)) {
    ARKS_CHECK(number == std::floor(number) && number >= 0 && number < 1e15, where(key),
               ": expected whole numbers >= 0, got ", shortest(number));
    list.push_back(static_cast<int64_t>(number));
  }
  return list;
}

std::vector<std::string> Settings::texts(const std::string& key) const {
  std::vector<std::string> list;
  for (const auto* item : items_of(node_->value(key))) {
    ARKS_CHECK(item->is_string(), where(key), ": expected strings, got ", inline_toml(*item));
    list.push_back(*item->value<std::string>());
  }
  return list;
}

Settings Settings::table(const std::string& key) const {
  node_->read.insert(key);
  const auto* found = node_->values.get(key);
  ARKS_CHECK(found == nullptr || found->is_table(), where(key), ": expected a table [", key, "]");
  return Settings(node_->within(node_->what + ", [" + key + "]", found == nullptr ? nullptr : found->as_table()));
}

std::vector<Settings> Settings::tables(const std::string& key) const {
  node_->read.insert(key);
  std::vector<Settings> list;
  if (!has(key)) return list;
  const auto* found = node_->values.get(key)->as_array();
  ARKS_CHECK(found != nullptr, where(key), ": expected tables [[", key, "]]");
  for (const auto& item : *found) {
    ARKS_CHECK(item.is_table(), where(key), ": expected tables [[", key, "]]");
    const auto name = c10::str(node_->what, ", [[", key, "]] ", list.size() + 1);
    list.push_back(Settings(node_->within(name, item.as_table())));
  }
  return list;
}

FlagValues Settings::flags(const std::string& command, const KnownFlags& known) const {
  FlagValues found;
  for (const auto& key : keys()) {
    if (!node_->read.insert(key).second) continue;
    check_key(key, node_->what, "", command, known);
    found[key] = known.at(command).typed(key, flag_text(*node_->values.get(key), where(key)), node_->folder);
  }
  return found;
}

void Settings::refuse_unread() const {
  std::vector<std::shared_ptr<Node>> nodes{node_};
  while (!nodes.empty()) {
    const auto node = nodes.back();
    nodes.pop_back();
    for (const auto& key : node->keys()) {
      const std::vector<std::string> known(node->read.begin(), node->read.end());
      ARKS_CHECK(node->read.count(key) > 0, node->what, ": unknown key '", key, "'", did_you_mean(key, known));
    }
    nodes.insert(nodes.end(), node->inner.begin(), node->inner.end());
  }
}

}  // namespace arks::study
