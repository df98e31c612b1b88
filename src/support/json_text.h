#pragma once
#include <nlohmann/json_fwd.hpp>

#include <string>

namespace arks {

/// A document for a file: indented by two blanks, with a line break at its end. Bytes that are no UTF-8, as names of
/// files may hold, become U+FFFD.
std::string json_text(const nlohmann::ordered_json& document);

}  // namespace arks
