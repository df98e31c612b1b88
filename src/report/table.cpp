#include "report/table.h"

#include "utf8.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cstdlib>

namespace arks {

namespace {

struct Column {
  size_t width = 0;
  bool right = false;
};

bool is_neutral(const std::string& cell) {
  return cell.empty() || cell == "-";
}

bool is_number(const std::string& cell) {
  char* end = nullptr;
  std::strtod(cell.c_str(), &end);
  const std::string rest = end;
  return end != cell.c_str() && (rest.empty() || rest == "%" || rest == " %");
}

std::vector<std::string> lines_of(const std::string& header) {
  std::vector<std::string> lines;
  size_t begin = 0;
  for (size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = header.find('\n', begin);
    lines.push_back(printable(header.substr(begin, end == std::string::npos ? end : end - begin)));
  }
  return lines;
}

std::string padded(const std::string& text, const Column& column) {
  const std::string space(column.width - display_width(text), ' ');
  return column.right ? space + text : text + space;
}

std::string line_of(const std::vector<std::string>& cells, const std::vector<Column>& columns) {
  std::string line;
  for (size_t c = 0; c < cells.size(); ++c) line += (c == 0 ? "" : "  ") + padded(cells[c], columns[c]);
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

/// The stacked header as rows of cells, filled up with empty cells at the top.
std::vector<std::vector<std::string>> header_rows(const std::vector<std::string>& headers) {
  std::vector<std::vector<std::string>> stacks;
  size_t height = 0;
  for (const auto& header : headers) height = std::max(height, stacks.emplace_back(lines_of(header)).size());
  std::vector<std::vector<std::string>> rows(height, std::vector<std::string>(headers.size()));
  for (size_t c = 0; c < stacks.size(); ++c) {
    const size_t top = height - stacks[c].size();
    for (size_t i = 0; i < stacks[c].size(); ++i) rows[top + i][c] = stacks[c][i];
  }
  return rows;
}

bool all_numbers(const std::vector<std::vector<std::string>>& rows, size_t column) {
  bool any = false;
  for (const auto& row : rows) {
    if (is_neutral(row[column])) continue;
    if (!is_number(row[column])) return false;
    any = true;
  }
  return any;
}

void widen(std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows) {
  for (const auto& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) columns[c].width = std::max(columns[c].width, display_width(row[c]));
  }
}

}  // namespace

Table::Table(std::vector<std::string> headers) : headers_(std::move(headers)) {
  ARKS_CHECK(!headers_.empty(), "table: at least one column is needed");
}

void Table::add_row(std::vector<std::string> cells) {
  ARKS_CHECK(cells.size() == headers_.size(), "table: a row needs ", headers_.size(), " cells, got ", cells.size());
  for (auto& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::str() const {
  const auto header = header_rows(headers_);
  std::vector<Column> columns(headers_.size());
  widen(columns, header);
  widen(columns, rows_);
  std::vector<std::string> rule;
  for (size_t c = 0; c < columns.size(); ++c) {
    columns[c].right = all_numbers(rows_, c);
    rule.emplace_back(columns[c].width, '-');
  }
  std::string text;
  for (const auto& row : header) text += line_of(row, columns);
  text += line_of(rule, columns);
  for (const auto& row : rows_) text += line_of(row, columns);
  return text;
}

}  // namespace arks
