#pragma once
#include "data/csv.h"

#include <cmath>
#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>

namespace arks {

/// One column of a table while it is read: numbers as long as all cells are, then, in a second reading, texts. With
/// `signs` a "-" is a text and no missing cell.
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

  CsvColumn finish() {
    column_.values.assign(std::make_move_iterator(values_.begin()), std::make_move_iterator(values_.end()));
    return std::move(column_);
  }
  bool all_missing(size_t rows) const { return column_.missing == static_cast<int64_t>(rows); }
  const std::string& name() const { return column_.name; }

 private:
  bool take_missing(std::string_view cell) {
    if (!is_missing(cell) || (signs_ && cell == "-")) return false;
    if (column_.missing++ == 0) column_.first_missing = cell;
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
    }
    column_.codes.push_back(found->second);
  }

  CsvColumn column_;
  char decimal_;
  bool signs_;
  bool failed_ = false, done_ = false;
  std::deque<std::string> values_;  // stay where they are, so that places_ can point at them
  std::unordered_map<std::string_view, int32_t> places_;
};

}  // namespace arks
