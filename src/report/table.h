#pragma once
#include <string>
#include <vector>

namespace arks {

/// A table for the console, columns two spaces apart:
///
///   eps  runs/erm  runs/arks
///   ---  --------  ---------
///     0       8.9       10.2
///   0.1      74.3       31.0
///
/// A column whose cells are all numbers (with or without "%") is aligned right, any other left; empty cells and "-" are
/// neutral, and the header follows its column. Widths count what a terminal shows, not bytes: "ε" takes one place.
class Table {
 public:
  /// One header per column; line breaks in a header stack it, the last line next to the rule.
  explicit Table(std::vector<std::string> headers);

  /// One cell per column, else Error.
  void add_row(std::vector<std::string> cells);

  /// Every line ends with a line break and has no spaces before it.
  std::string str() const;

 private:
  std::vector<std::string> headers_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace arks
