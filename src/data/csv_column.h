#pragma once
#include "data/csv.h"

#include <cmath>
#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>

namespace arks {

/// One column of a table while it is read: numbers as long as all cells are, then, in a second reading, texts. A "-" is
/// a text and no missing cell with `signs`, and where another cell of the column is "+".
class ColumnReader {
 public:
  ColumnReader(std::string name, char decimal, bool texts, bool signs) : decimal_(decimal), signs_(signs) {
    column_.name = std::move(name);
    column_.texts = texts;
  }

  void take(std::string_view cell) {
    if (done_) return;
    if (column_.texts) {
      take_text(cell);
    } else if (const auto number = cell_number(cell, decimal_); number && !std::isnan(*number)) {
      column_.numbers.push_back(*number);
      if (cell.front() == '0' || cell.front() == '(') look_at(cell);
    } else if (take_missing(cell)) {
      column_.numbers.push_back(std::numeric_limits<double>::quiet_NaN());
    } else {
      failed_ = done_ = true;
    }
  }

  /// After a reading: true when another one is needed, since a cell was a text.
  bool start_again() {
    const bool again = failed_;
    if (again) {
      const auto name = column_.name;
      column_ = CsvColumn();
      column_.name = name;
      column_.texts = true;
      first_missing_ = kNoRow;
    }
    done_ = !again;
    failed_ = false;
    return again;
  }

  void reserve(size_t rows) {
    if (column_.texts) {
      column_.codes.reserve(rows);
    } else {
      column_.numbers.reserve(rows);
    }
  }

  /// After the last reading, before all that follows. What a "-" among texts is shows at the end.
  void settle() {
    if (dash_ < 0 || signs_ || places_.count("+") > 0) return;
    for (auto& code : column_.codes) {
      if (code == dash_) {
        code = -1;
        ++column_.missing;
      } else if (code > dash_) {
        --code;
      }
    }
    if (first_dash_ < first_missing_) column_.first_missing = "-";
    places_.clear();
    values_.erase(values_.begin() + dash_);
    dash_ = -1;
  }

  CsvColumn finish() {
    column_.values.assign(std::make_move_iterator(values_.begin()), std::make_move_iterator(values_.end()));
    return std::move(column_);
  }
  bool all_missing(size_t rows) const { return column_.missing == static_cast<int64_t>(rows); }
  const std::string& name() const { return column_.name; }

 private:
  /// What a number cannot tell.
  void look_at(std::string_view cell) {
    if (in_parentheses(cell)) ++column_.in_parentheses;
    const bool leads = cell.size() > 1 && cell.find_first_not_of("0123456789") == std::string_view::npos;
    if (cell.front() == '0' && leads && column_.leading_zero.empty()) column_.leading_zero = cell;
  }
  bool take_missing(std::string_view cell) {
    const bool dash = cell == "-";
    if (!is_missing(cell) || (dash && (signs_ || column_.texts))) return false;
    if (column_.missing++ > 0) return true;
    column_.first_missing = cell;
    first_missing_ = column_.codes.size();
    return true;
  }
  void take_text(std::string_view cell) {
    if (take_missing(cell)) {
      column_.codes.push_back(-1);
      return;
    }
    auto found = places_.find(cell);
    if (found == places_.end()) {
      values_.emplace_back(cell);
      found = places_.emplace(values_.back(), static_cast<int32_t>(values_.size() - 1)).first;
      if (cell == "-") {
        dash_ = found->second;
        first_dash_ = column_.codes.size();
      }
    }
    column_.codes.push_back(found->second);
  }

  CsvColumn column_;
  char decimal_;
  bool signs_;
  bool failed_ = false, done_ = false;
  int32_t dash_ = -1;  // the code of "-"
  static constexpr size_t kNoRow = std::numeric_limits<size_t>::max();
  size_t first_dash_ = kNoRow, first_missing_ = kNoRow;
  std::deque<std::string> values_;  // stay where they are, so that places_ can point at them
  std::unordered_map<std::string_view, int32_t> places_;
};

}  // namespace arks
