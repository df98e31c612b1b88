#pragma once
#include <string>
#include <vector>

namespace arks::study {

/// Numbers of an experiment in rows, in the forms that are wanted: for the console, a Markdown document, a spreadsheet.
class ResultTable {
 public:
  explicit ResultTable(std::vector<std::string> headers) : headers_(std::move(headers)) {}

  /// One cell per header.
  void add_row(std::vector<std::string> cells);

  std::string console() const;
  std::string markdown() const;
  /// RFC 4180, as all CSV here.
  std::string csv() const;

 private:
  std::vector<std::string> headers_;
  std::vector<std::vector<std::string>> rows_;
};

/// "12.3 ± 0.4", or "12.3" without a band.
std::string mean_and_band(double mean, double band, bool has_band, int digits);

}  // namespace arks::study
