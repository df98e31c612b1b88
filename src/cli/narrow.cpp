#include "cli/narrow.h"

#include "report/utf8.h"
#include "support/text.h"

#include <algorithm>

namespace arks::cli {

std::vector<std::string> lines_within(const std::string& text, size_t width) {
  std::vector<std::string> lines;
  std::string line;
  const auto finish = [&] {
    if (!line.empty()) lines.push_back(line);
    line.clear();
  };
  for (const auto& word : split(printable(text), ' ')) {
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) finish();
    if (!line.empty()) line += " ";
    for (const auto point : decode_utf8(word)) {
      const auto letter = encode_utf8({&point, 1});
      if (display_width(line) + display_width(letter) > width) finish();
      line += letter;
    }
  }
  finish();
  if (lines.empty()) lines.emplace_back();
  return lines;
}

void add_narrow_row(Table& table, const std::vector<std::string>& cells, const std::vector<size_t>& widths) {
  std::vector<std::vector<std::string>> stacks;
  size_t height = 1;
  for (size_t i = 0; i < cells.size(); ++i) {
    stacks.push_back(widths[i] == 0 ? std::vector<std::string>{cells[i]} : lines_within(cells[i], widths[i]));
    height = std::max(height, stacks.back().size());
  }
  for (size_t line = 0; line < height; ++line) {
    std::vector<std::string> row;
    for (const auto& stack : stacks) row.push_back(line < stack.size() ? stack[line] : "");
    table.add_row(row);
  }
}

}  // namespace arks::cli
