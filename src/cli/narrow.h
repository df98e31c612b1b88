#pragma once
// Text that fits a terminal of 80 columns.
#include "report/table.h"

#include <string>
#include <vector>

namespace arks::cli {

constexpr size_t kTerminal = 80;

/// The text in lines of so many columns at most, broken at blanks; words that are longer are broken anywhere.
std::vector<std::string> lines_within(const std::string& text, size_t width);

/// Adds a row whose cells take several lines where they are wider than the columns may be (0: any width).
void add_narrow_row(Table& table, const std::vector<std::string>& cells, const std::vector<size_t>& widths);

}  // namespace arks::cli
