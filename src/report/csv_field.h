#pragma once
// RFC 4180: fields with commas, quotes or line breaks stand in quotes, lines end with CR LF.
#include <string>
#include <vector>

namespace arks {

std::string csv_field(const std::string& text);
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace arks
