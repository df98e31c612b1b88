#include "settings/named_settings.h"

#include <cctype>

namespace arks {

std::string without_dashes(std::string text) {
  const std::string dashes = "--";
  const auto is_flag = [&](size_t at) {
    const bool begins = at == 0 || std::isspace(static_cast<unsigned char>(text[at - 1])) != 0 || text[at - 1] == '(';
    const auto next = at + dashes.size();
    return begins && next < text.size() && std::isalpha(static_cast<unsigned char>(text[next])) != 0;
  };
  for (auto at = text.find(dashes); at != std::string::npos; at = text.find(dashes, at + 1)) {
    if (is_flag(at)) text.erase(at, dashes.size());
  }
  return text;
}

}  // namespace arks
