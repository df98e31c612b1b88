#include "complaint.h"
#include "support/text.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cctype>

namespace arks {

std::string complaint_of(const std::exception& failure) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&failure);
  const std::string text = torch_error != nullptr ? torch_error->what_without_backtrace() : failure.what();
  // the interpreter puts a trace of the program in front of "RuntimeError: …"
  std::string best;
  for (const auto& line : split(text, '\n')) {
    const auto colon = line.find("Error: ");
    const bool starts_with_word =
        colon != std::string::npos &&
        std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon),
                    [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '_'; });
    if (starts_with_word) best = line.substr(colon + 7);
  }
  if (best.empty()) best = text.substr(0, text.find('\n'));
  while (!best.empty() && (best.back() == '.' || std::isspace(static_cast<unsigned char>(best.back())) != 0))
    best.pop_back();
  return best;
}

}  // namespace arks
