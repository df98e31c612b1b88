#include "data/csv_guess.h"

#include "data/text_encoding.h"

#include <algorithm>
#include <set>

namespace arks {

namespace {

using Records = std::vector<std::vector<std::string>>;

constexpr size_t kSampleRecords = 1000;
constexpr size_t kSampleBytes = size_t{1} << 22;
constexpr size_t kDecimalBytes = size_t{1} << 21;  // takes a fiftieth of the time of reading a million rows

/// The first lines of a long text, whole ones unless the first is longer than all that is looked at.
CsvText first_lines(const CsvText& source, size_t bytes) {
  CsvText lines = source;
  if (source.text.size() <= bytes) return lines;
  lines.text = source.text.substr(0, bytes);
  const size_t last = lines.text.rfind('\n');
  if (last != std::string_view::npos) lines.text = lines.text.substr(0, last + 1);
  return lines;
}

/// The next record; false at the end, and where a quote does not close: whoever reads it in earnest says what is wrong.
template <typename Take>
bool next_record(CsvReader& reader, const Take& take_field) {
  if (reader.at_end()) return false;
  try {
    reader.record(take_field);
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool stands_below(const Records& records, size_t column) {
  return std::any_of(records.begin() + 1, records.end(), [&](const auto& record) {
    return column < record.size() && record[column] == records[0][column];
  });
}

/// Whether each cell of the first line stands again in its column.
bool recurs(const Records& records) {
  for (size_t column = 0; column < records[0].size(); ++column) {
    if (!stands_below(records, column)) return false;
  }
  return true;
}

bool is_row_of(const std::optional<UnnamedColumns>& columns, const std::vector<std::string>& record) {
  if (!columns || record.size() < columns->least || record.size() > columns->most) return false;
  return std::none_of(record.begin(), record.end(), [&](const auto& cell) {
    const size_t number = column_number(cell);
    return number > 0 && number <= columns->most;
  });
}

bool holds_numbers_below(const Records& records, size_t column, char decimal) {
  bool any = false;
  for (size_t row = 1; row < records.size(); ++row) {
    if (column >= records[row].size() || is_missing(records[row][column])) continue;
    if (!is_number(records[row][column], decimal)) return false;
    any = true;
  }
  return any;
}

}  // namespace

CsvSample first_records(const CsvText& source, char separator) {
  const auto lines = first_lines(source, kSampleBytes);
  const bool cut = lines.text.size() < source.text.size() && lines.text.back() != '\n';
  CsvReader reader(lines, separator);
  CsvSample sample;
  std::vector<std::string> record;
  const auto take = [&](size_t, std::string_view field) { record.emplace_back(field); };
  while (sample.records.size() < kSampleRecords && next_record(reader, take)) {
    if (cut && reader.at_end()) break;
    if (record.size() > 1 || (record.size() == 1 && !record[0].empty())) sample.records.push_back(std::move(record));
    record.clear();
    sample.bytes = lines.text.size() - reader.left();
  }
  return sample;
}

std::optional<char> take_separator_line(CsvText& source) {
  const size_t end = source.text.find('\n');
  auto line = source.text.substr(0, end);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (trimmed(line).size() > 1 && trimmed(line).front() == '"' && trimmed(line).back() == '"') {
    line = trimmed(line);
    line = line.substr(1, line.size() - 2);
  }
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  constexpr std::string_view kStart = "sep=";
  if (end == std::string_view::npos || line.substr(0, kStart.size()) != kStart) return std::nullopt;
  line.remove_prefix(kStart.size());
  // the sign itself may be a blank or a tab
  if (line.empty() || !trimmed(line.substr(1)).empty() || !may_separate(line.front())) return std::nullopt;
  source.text.remove_prefix(end + 1);
  ++source.first_line;
  return line.front();
}

char find_separator(const CsvText& source) {
  if (text_extension(source.name) == ".tsv") return '\t';
  char best = ',';
  size_t most = 0;
  for (const char separator : {'\t', ';', '|', ',', ' '}) {
    if (separator == ' ' && most > 0) continue;  // a last resort: blanks stand in texts
    const auto records = first_records(source, separator).records;
    if (records.empty() || records[0].size() < 2) continue;
    auto alike = std::count_if(records.begin(), records.end(),
                               [&](const auto& record) { return record.size() == records[0].size(); });
    if (leaves_out_row_names(records)) alike = static_cast<std::ptrdiff_t>(records.size());
    if (separator == ' ' && alike < static_cast<std::ptrdiff_t>(std::max<size_t>(records.size(), 2))) continue;
    const auto share = static_cast<size_t>(alike) * 1000 / records.size();
    if (share > most) {
      most = share;
      best = separator;
    }
  }
  return best;
}

EmptyRows take_off_empty_end(CsvText& source, char separator) {
  const auto text = source.text;
  const auto counts = [&](char c) { return !is_blank(c) && c != separator && c != '\n' && c != '\r'; };
  const auto last = std::find_if(text.rbegin(), text.rend(), counts);
  const size_t line_end = text.find('\n', static_cast<size_t>(text.rend() - last));
  if (last == text.rend()) {
    source.text = {};
    return {};
  }
  if (line_end == std::string_view::npos) return {};
  source.text = text.substr(0, line_end + 1);
  EmptyRows rows;
  int64_t lines = 0, first = 0;
  for (auto rest = text.substr(line_end + 1); !rest.empty(); ++lines) {
    const size_t end = std::min(rest.find('\n'), rest.size() - 1);
    const bool divided = separator != ' ' && rest.substr(0, end + 1).find(separator) != std::string_view::npos;
    if (divided && rows.count++ == 0) first = lines;
    rest.remove_prefix(end + 1);
  }
  if (rows.count == 0) return {};  // a long text is looked through only where the number of the line is needed
  rows.first_line = source.first_line + std::count(source.text.begin(), source.text.end(), '\n') + first;
  return rows;
}

DecimalSign find_decimal(const CsvText& source, char separator, std::optional<char> usual) {
  CsvReader reader(source, separator);
  int64_t points = 0, commas = 0, line = 0;
  DecimalSign found, with_comma;
  const auto take = [&](size_t, std::string_view cell) {
    if (cell.find_first_of(".,") == std::string_view::npos) return;
    const auto reads = [&](char sign) { return is_number(cell, sign) || number_with_unit(cell, sign); };
    const bool point = reads('.'), comma = reads(',');
    if (point && !comma) ++points;
    if (comma && !point) ++commas;
    if (!point || !comma) return;
    auto& either = cell.find(',') == std::string_view::npos ? found : with_comma;
    if (either.either.empty()) either = {'.', true, std::string(cell), line};
  };
  const auto left = [&] { return source.text.size() - reader.left() < kDecimalBytes || points + commas == 0; };
  do {
    line = reader.line();
  } while (left() && next_record(reader, take));
  if (points + commas > 0) return {commas > points ? ',' : '.', true};
  if (with_comma.in_use) {
    found = with_comma;
    if (separator != ',') found.sign = ',';
  }
  found.sign = usual.value_or(found.sign);
  return found;
}

bool find_header(const Records& records, char decimal, const std::optional<UnnamedColumns>& unnamed) {
  const auto number = [&](const std::string& cell) { return is_number(cell, decimal); };
  const auto& first = records[0];
  if (records.size() == 1) return !std::all_of(first.begin(), first.end(), number) && !is_row_of(unnamed, first);
  if (counts_columns(records)) return true;
  bool numbers = false;
  for (size_t column = 0; column < first.size(); ++column) {
    if (!holds_numbers_below(records, column, decimal)) continue;
    if (first[column].empty() && column == 0) return true;  // the index of an export
    if (!number(first[column]) && !is_missing(first[column])) return true;
    numbers = true;
  }
  return !numbers && !recurs(records) && !is_row_of(unnamed, first);
}

size_t column_number(std::string_view name) {
  constexpr size_t kLongest = 7;
  if (name.size() < 2 || name.size() > kLongest || name[0] != 'c' || name[1] == '0') return 0;
  size_t number = 0;
  for (const char c : name.substr(1)) {
    if (c < '0' || c > '9') return 0;
    number = 10 * number + static_cast<size_t>(c - '0');
  }
  return number;
}

bool leaves_out_row_names(const Records& records) {
  std::set<std::string> seen;
  bool ends = false;
  for (size_t row = 1; row < records.size(); ++row) {
    const auto& record = records[row];
    if (record.size() != records[0].size() + 1 || !seen.insert(record[0]).second) return false;
    ends = ends || !record.back().empty();
  }
  return ends && seen.size() > 1;
}

bool counts_columns(const Records& records) {
  const auto& first = records[0];
  if (first.size() < 2 || records.size() < 2) return false;
  for (size_t column = 0; column < first.size(); ++column) {
    if (first[column] != std::to_string(column)) return false;
  }
  return std::count(records.begin(), records.end(), first) == 1;
}

}  // namespace arks
