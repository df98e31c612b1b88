#include "study/result_table.h"

#include "report/csv_field.h"
#include "report/table.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <fmt/format.h>

namespace arks::study {

void ResultTable::add_row(std::vector<std::string> cells) {
  ARKS_CHECK(cells.size() == headers_.size(), "a row of ", cells.size(), " cells in a table of ", headers_.size());
  rows_.push_back(std::move(cells));
}

std::string ResultTable::console() const {
  Table table(headers_);
  for (const auto& row : rows_) table.add_row(row);
  return table.str();
}

std::string ResultTable::markdown() const {
  std::string text = "| " + join(headers_, " | ") + " |\n|";
  for (size_t i = 0; i < headers_.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& row : rows_) text += "| " + join(row, " | ") + " |\n";
  return text;
}

std::string ResultTable::csv() const {
  std::string text = csv_line(headers_);
  for (const auto& row : rows_) text += csv_line(row);
  return text;
}

std::string mean_and_band(double mean, double band, bool has_band, int digits) {
  const auto text = fmt::format("{:.{}f}", mean, digits);
  return has_band ? fmt::format("{} ± {:.{}f}", text, band, digits) : text;
}

}  // namespace arks::study
