#pragma once
// What readers of TOML files share. Every Error names the file and the key.
#include <string>
#include <vector>

#include <toml++/toml.h>

namespace arks::study {

/// Throws Error with file and line.
toml::table parse_toml(const std::string& text, const std::string& file);

/// The keys in the order of the file, which toml++ does not keep.
std::vector<std::string> keys_in_order(const toml::table& table);

/// The value as a flag takes it: numbers in their shortest form, lists as "a,b", lists of lists as "a,b;c,d". Throws
/// Error for anything else, an empty text and an empty list.
std::string flag_text(const toml::node& node, const std::string& where);

/// A number, whole or not. Throws Error for anything else.
double number_of(const toml::node& node, const std::string& where);
/// A whole number ≥ least. Throws Error for anything else.
int64_t whole_number_of(const toml::node& node, const std::string& where, int64_t least);
/// The table of this name; none when it is not there. Throws Error when it is something else.
const toml::table* table_of(const toml::table& parent, const std::string& name, const std::string& where);

}  // namespace arks::study
