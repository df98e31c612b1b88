#pragma once
// Takes a text apart into records and fields (RFC 4180 and its relatives).
#include "data/csv_cell.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace arks {

/// A table as text: UTF-8 without a byte order mark.
struct CsvText {
  std::string_view text;
  std::string name;        ///< of the file, for messages
  int64_t first_line = 1;  ///< of the file, on which the text begins
};

/// "wine.csv, line 7"
inline std::string place(const std::string& name, int64_t line) {
  return name + ", line " + std::to_string(line);
}

/// Goes through the text field by field. Throws Error naming the line when a quote does not close or a text follows it.
class CsvReader {
 public:
  CsvReader(const CsvText& source, char separator)
      : rest_(source.text), name_(source.name), separator_(separator), line_(source.first_line) {}

  bool at_end() const { return rest_.empty(); }
  int64_t line() const { return line_; }
  size_t left() const { return rest_.size(); }

  /// Takes the fields up to the end of the line; none for an empty one. They live until the next call.
  template <typename Take>
  size_t record(const Take& take_field) {
    if (take_line_end()) return 0;
    size_t fields = 0;
    do {
      take_field(fields, field());
      ++fields;
    } while (take(separator_));
    ARKS_CHECK(at_end() || take_line_end(), place(name_, line_), ": text follows the closing quote of field ", fields);
    return fields;
  }
  std::vector<std::string> record() {
    std::vector<std::string> fields;
    record([&](size_t, std::string_view field) { fields.emplace_back(field); });
    return fields;
  }

 private:
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_line_end() {
    const size_t length = rest_.substr(0, 2) == "\r\n" ? 2 : rest_.substr(0, 1) == "\n" ? 1 : 0;
    rest_.remove_prefix(length);
    if (length > 0) ++line_;
    return length > 0;
  }
  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front()) && rest_.front() != separator_) rest_.remove_prefix(1);
  }
  std::string_view field() {
    skip_blanks();
    if (take('"')) return quoted();
    size_t length = 0;
    while (length < rest_.size() && rest_[length] != separator_ && rest_[length] != '\n') ++length;
    auto text = rest_.substr(0, length);
    if (length < rest_.size() && rest_[length] == '\n' && !text.empty() && text.back() == '\r') text.remove_suffix(1);
    rest_.remove_prefix(text.size());
    return trimmed(text);
  }
  std::string_view quoted() {
    const int64_t opened = line_;
    text_.clear();
    while (true) {
      const size_t quote = rest_.find('"');
      ARKS_CHECK(quote != std::string_view::npos, place(name_, opened), ": a quote opens here and is never closed");
      line_ += std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(quote), '\n');
      text_ += rest_.substr(0, quote);
      rest_.remove_prefix(quote + 1);
      if (!take('"')) break;
      text_ += '"';
    }
    skip_blanks();
    return trimmed(text_);  // of columns of fixed width, which programs fill up
  }

  std::string_view rest_;
  const std::string& name_;
  const char separator_;
  std::string text_;  // of a quoted field
  int64_t line_;
};

}  // namespace arks
