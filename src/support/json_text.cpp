#include "support/json_text.h"

#include <nlohmann/json.hpp>

namespace arks {

std::string json_text(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string json_line(const nlohmann::ordered_json& document) {
  return document.dump();
}

nlohmann::ordered_json parse_json(std::string_view text) {
  return nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
}

}  // namespace arks
