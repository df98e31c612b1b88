#include "data/csv.h"

#include "support/file.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

namespace arks {

namespace fs = std::filesystem;

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// A cell in a message: in quotes, short, and on one line whatever is in it.
std::string shown(std::string_view cell) {
  constexpr size_t kLongest = 40;
  std::string text(cell.substr(0, kLongest));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return "'" + text + (cell.size() > kLongest ? "...'" : "'");
}

std::string place(const std::string& name, int64_t line) {
  return name + ", line " + std::to_string(line);
}

/// The number that a text is in full, NaN and infinities included.
std::optional<double> to_number(std::string_view text) {
  text = trimmed(text);
  // from_chars takes no hexadecimal numbers, unlike strtod, which is only asked for what is too large or too small; it
  // knows no plus
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, value);
  if (rest != end || failure == std::errc::invalid_argument) return std::nullopt;
  if (failure == std::errc::result_out_of_range) return std::strtod(std::string(text).c_str(), nullptr);
  return value;
}

/// Goes through the text field by field.
class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& name) : rest_(text), name_(name) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (rest_.substr(0, kByteOrderMark.size()) == kByteOrderMark) rest_.remove_prefix(kByteOrderMark.size());
  }

  bool at_end() const { return rest_.empty(); }
  int64_t line() const { return line_; }

  /// The fields up to the end of the line; none for an empty one.
  std::vector<std::string> record() {
    std::vector<std::string> fields;
    if (take_line_end()) return fields;
    do {
      fields.push_back(field());
    } while (take(','));
    ARKS_CHECK(at_end() || take_line_end(), place(name_, line_), ": text follows the closing quote of field ",
               fields.size());
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
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }
  std::string field() {
    skip_blanks();
    if (take('"')) return quoted();
    size_t length = std::min(rest_.find_first_of(",\n"), rest_.size());
    if (length < rest_.size() && rest_[length] == '\n' && length > 0 && rest_[length - 1] == '\r') --length;
    const auto text = trimmed(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return std::string(text);
  }
  std::string quoted() {
    const int64_t opened = line_;
    std::string text;
    while (true) {
      const size_t quote = rest_.find('"');
      ARKS_CHECK(quote != std::string_view::npos, place(name_, opened), ": a quote opens here and is never closed");
      line_ += std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(quote), '\n');
      text += rest_.substr(0, quote);
      rest_.remove_prefix(quote + 1);
      if (!take('"')) break;
      text += '"';
    }
    skip_blanks();
    return text;
  }

  std::string_view rest_;
  const std::string& name_;
  int64_t line_ = 1;
};

void check_header(const std::vector<std::string>& header, const std::string& name) {
  ARKS_CHECK(!header.empty() && !(header.size() == 1 && header[0].empty()), place(name, 1),
             ": the names of the columns are missing");
  ARKS_CHECK(!std::all_of(header.begin(), header.end(), is_number), place(name, 1),
             ": the first line must name the columns, found only numbers");
  ARKS_CHECK(header.size() > 1 || header[0].find_first_of(";\t") == std::string::npos, place(name, 1),
             ": fields must be separated by commas, found ", shown(header[0]));
  std::set<std::string> seen;
  for (size_t i = 0; i < header.size(); ++i) {
    ARKS_CHECK(!header[i].empty(), place(name, 1), ": column ", i + 1, " has no name");
    ARKS_CHECK(seen.insert(header[i]).second, place(name, 1), ": the column ", shown(header[i]), " appears twice");
  }
}

}  // namespace

CsvTable parse_csv(std::string_view text, const std::string& name) {
  ARKS_CHECK(text.find('\0') == std::string_view::npos, name, " is not a text file; expected comma-separated values");
  CsvTable table;
  table.name = name;
  CsvReader reader(text, table.name);
  table.header = reader.record();
  check_header(table.header, name);
  int64_t empty_line = 0;  // the first of a run of them
  while (!reader.at_end()) {
    const int64_t line = reader.line();
    auto fields = reader.record();
    if (fields.empty() || (fields.size() == 1 && fields[0].empty())) {
      if (empty_line == 0) empty_line = line;
      continue;
    }
    ARKS_CHECK(empty_line == 0, place(name, empty_line), " is empty, but rows follow it");
    ARKS_CHECK(fields.size() == table.header.size(), place(name, line), " has ", fields.size(),
               fields.size() == 1 ? " field" : " fields", ", but the header has ", table.header.size());
    table.rows.push_back(std::move(fields));
    table.lines.push_back(line);
  }
  ARKS_CHECK(!table.rows.empty(), name, ": no rows below the header");
  return table;
}

CsvTable read_csv(const fs::path& path) {
  return parse_csv(read_file(path), path.string());
}

size_t find_column(const CsvTable& table, const std::string& column) {
  const auto found = std::find(table.header.begin(), table.header.end(), column);
  ARKS_CHECK(found != table.header.end(), table.name, ": no column '", column, "'", did_you_mean(column, table.header),
             "; columns: ", join(table.header));
  return static_cast<size_t>(found - table.header.begin());
}

bool is_number(std::string_view text) {
  return to_number(text).has_value();
}

torch::Tensor number_column(const CsvTable& table, size_t column) {
  auto values = torch::empty({static_cast<int64_t>(table.rows.size())}, torch::kDouble);
  auto* out = values.data_ptr<double>();
  for (size_t row = 0; row < table.rows.size(); ++row) {
    const auto& cell = table.rows[row][column];
    const auto where = [&] { return place(table.name, table.lines[row]) + ": column " + shown(table.header[column]); };
    ARKS_CHECK(!trimmed(cell).empty(), where(), " is empty; expected a number");
    const auto value = to_number(cell);
    ARKS_CHECK(value, where(), " holds the text ", shown(cell), "; expected a number");
    ARKS_CHECK(std::isfinite(*value), where(), " is ", shown(cell), "; expected a finite number");
    out[row] = *value;
  }
  return values;
}

}  // namespace arks
