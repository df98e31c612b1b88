#pragma once
// The one reader of TOML: configurations of runs, searches and experiments.
#include "settings/setting.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <toml++/toml.h>

namespace arks {

/// Throws Error with file and line for a text that is no TOML.
toml::table parse_toml(const std::string& text, const std::string& file);

/// The keys in the order of the file.
std::vector<std::string> keys_in_order(const toml::table& table);

/// A value as it would be typed behind a flag: numbers in their shortest form, lists as "a,b", lists of lists as
/// "a,b;c,d". Throws Error beginning with `where` for what is empty, and for tables.
std::string flag_text(const toml::node& node, const std::string& where);

/// Which values of a setting are paths.
struct PathRule {
  std::vector<std::string> names;  ///< known names, which are no paths
  bool several = false;            ///< a list with commas, whose items may be NAME=PATH
};

/// The rule for a setting; nothing where its values are no paths.
std::optional<PathRule> path_rule(const AnySetting& setting);

/// A relative path in a file begins at the folder of that file, not where the program runs. What is neither there nor
/// looks like a path stays as it is where there are known names: it is a slip in one of them.
std::string path_from_folder(const std::filesystem::path& folder, const std::string& value, const PathRule& rule);

/// The table of this name, or null. Error when it is something else.
const toml::table* table_of(const toml::table& parent, const std::string& name, const std::string& where);

/// A value on one line.
std::string inline_toml(const toml::node& node);

/// Throw Error beginning with `where` for anything else.
double number_of(const toml::node& node, const std::string& where);
int64_t whole_number_of(const toml::node& node, const std::string& where, int64_t least);

/// The same as JSON, each value of its own kind.
std::string toml_as_json(const std::string& toml, const std::string& what);

/// All keys and values of a file without tables, as a run's configuration is.
SettingValues read_flat_toml(const std::string& toml, const std::string& what);

}  // namespace arks
