#pragma once
#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace arks {

/// A document for a file: indented by two blanks, with a line break at its end. Bytes that are no UTF-8, as names of
/// files may hold, become U+FFFD.
std::string json_text(const nlohmann::ordered_json& document);

/// The same in one line, without blanks.
std::string json_line(const nlohmann::ordered_json& document);

/// What a text holds; throws ordered_json::parse_error when it is no JSON.
nlohmann::ordered_json parse_json(std::string_view text);

/// The same for a text that may be anything: is_discarded() when it is no JSON.
nlohmann::ordered_json try_parse_json(std::string_view text);

/// JSON has no infinity and no NaN.
nlohmann::ordered_json finite_or_null(double value);

}  // namespace arks
