#include "data/csv.h"

#include "data/csv_column.h"
#include "data/csv_guess.h"
#include "data/csv_reader.h"
#include "data/text_encoding.h"
#include "support/contains.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <set>

namespace arks {

namespace fs = std::filesystem;

namespace {

using Records = std::vector<std::vector<std::string>>;

/// Whether the first rows show that a column is no column of numbers, so that it need not be read twice.
bool text_at(const Records& records, size_t column, const CsvTable& table) {
  for (size_t row = table.header ? 1 : 0; row < records.size(); ++row) {
    if (column >= records[row].size() || is_missing(records[row][column])) continue;
    if (!is_number(records[row][column], table.decimal)) return true;
  }
  return false;
}

std::vector<std::string> column_names(std::vector<std::string> names, bool header, const CsvText& source) {
  const auto where = place(source.name, source.first_line);
  if (!header) {
    for (size_t i = 0; i < names.size(); ++i) names[i] = "c" + std::to_string(i + 1);
    return names;
  }
  std::set<std::string> seen;
  for (size_t i = 0; i < names.size(); ++i) {
    const bool edge = i == 0 || i + 1 == names.size();
    ARKS_CHECK(!names[i].empty() || (edge && names.size() > 1), where, ": column ", i + 1,
               " has no name; lines above the names of the columns have to be removed");
    ARKS_CHECK(names[i].empty() || seen.insert(names[i]).second, where, ": the column ", shown(names[i]),
               " appears twice; rename one of them");
  }
  return names;
}

/// Reads all rows into the columns. Returns the line on which each begins.
std::vector<int64_t> read_rows(const CsvText& source, const CsvTable& table, std::vector<ColumnReader>& columns) {
  CsvReader reader(source, table.separator);
  if (table.header) reader.record();
  const size_t width = columns.size();
  std::vector<int64_t> lines;
  std::string first;       // is taken once a second field shows that the line is not an empty one
  int64_t empty_line = 0;  // the first of a run of them
  while (!reader.at_end()) {
    const int64_t line = reader.line();
    const size_t fields = reader.record([&](size_t i, std::string_view field) {
      if (i == 0) first = field;
      if (i == 1) columns[0].take(first);
      if (i > 0 && i < width) columns[i].take(field);
    });
    const bool blank = first.empty();
    if (fields == 0 || (fields == 1 && blank)) {
      if (empty_line == 0) empty_line = line;
      continue;
    }
    ARKS_CHECK(empty_line == 0, place(table.name, empty_line), " is empty, but rows follow it",
               lines.empty() ? "; lines above the names of the columns have to be removed" : "");
    ARKS_CHECK(fields == width, place(table.name, line), " has ", fields, fields == 1 ? " field" : " fields",
               table.header ? ", but the header has " : ", but the first line has ", width,
               width == 1 ? "; lines above the names of the columns have to be removed" : "");
    if (fields == 1) columns[0].take(first);
    lines.push_back(line);
  }
  return lines;
}

/// Columns that only an export put there, without name: its index, and what separators at the ends of lines make.
void leave_out_unnamed(std::vector<ColumnReader>& columns, const CsvText& source, CsvTable& table) {
  const auto rows = static_cast<size_t>(table.rows());
  if (columns.size() > 1 && columns.back().name().empty()) {
    ARKS_CHECK(columns.back().all_missing(rows), place(source.name, source.first_line), ": column ", columns.size(),
               " has no name");
    columns.pop_back();
    table.notes.push_back("the last column has neither name nor content and is left out");
  }
  const auto first = columns.front().name();
  if (columns.size() < 2 || !(first.empty() || first == "Unnamed: 0")) return;
  table.index = first;
  columns.erase(columns.begin());
  table.notes.push_back(
      (first.empty() ? "the first column has no name" : "the first column is called " + shown(first)) +
      std::string(": taken for the index of an export and left out"));
}

/// A little more than there seem to be, and never more than fit into the text: a field takes at least one byte.
size_t rows_to_reserve(const CsvSample& sample, size_t bytes, size_t columns) {
  const double rows_per_byte = static_cast<double>(sample.records.size()) / static_cast<double>(sample.bytes);
  const auto expected = static_cast<size_t>(1.02 * rows_per_byte * static_cast<double>(bytes));
  return std::min(expected, bytes / columns) + 1;
}

void check_beginning(const CsvText& source, const CsvSample& sample, char separator) {
  const bool blank = source.text.find_first_not_of("\r\n") >= source.text.find('\n');
  ARKS_CHECK(!source.text.empty() && !blank, place(source.name, source.first_line),
             ": the names of the columns are missing");
  // a first line that does not fit into the sample is counted alone; also says what is wrong with its quotes
  const auto columns = sample.records.empty() ? CsvReader(source, separator).record([](size_t, std::string_view) {})
                                              : sample.records[0].size();
  ARKS_CHECK(columns <= kMostColumns, source.name, ": ", columns, " columns, but at most ", kMostColumns,
             " are read; such data are better kept in an .npy file");
  ARKS_CHECK(!sample.records.empty(), place(source.name, source.first_line), " is longer than 4 MB");
}

struct NamedSign {
  const char* word;
  char character;
};
constexpr NamedSign kSeparators[] = {{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"pipe", '|'}, {"space", ' '}};
constexpr NamedSign kDecimals[] = {{"point", '.'}, {"comma", ','}};

template <size_t n>
std::vector<std::string> words_of(const NamedSign (&signs)[n]) {
  std::vector<std::string> words;
  for (const auto& sign : signs) words.emplace_back(sign.word);
  return words;
}

/// The character that a word, or itself, stands for.
template <size_t n>
std::optional<char> find_sign(const NamedSign (&signs)[n], const std::string& word) {
  for (const auto& sign : signs) {
    if (word == sign.word || word == std::string(1, sign.character)) return sign.character;
  }
  return std::nullopt;
}

std::string in_words(char separator) {
  for (const auto& known : kSeparators) {
    if (known.character == separator) return std::string(known.word) + "s";
  }
  return shown(std::string(1, separator));
}

/// How a flag was given: "--sep comma".
template <size_t n>
std::string given_as(const char* flag, const NamedSign (&signs)[n], char given) {
  for (const auto& sign : signs) {
    if (sign.character == given) return c10::str(flag, " ", sign.word);
  }
  return c10::str(flag, " ", shown(std::string(1, given)));
}

/// Whether it makes columns of most lines.
bool divides(const CsvText& source, char separator) {
  const auto records = first_records(source, separator).records;
  if (records.empty() || records[0].size() < 2) return false;
  const auto alike = std::count_if(records.begin(), records.end(),
                                   [&](const auto& record) { return record.size() == records[0].size(); });
  return 2 * static_cast<size_t>(alike) > records.size();
}

std::string misfit_of_separator(CsvText source, const CsvOptions& options) {
  const auto named = take_separator_line(source);
  const char separator = named ? *named : find_separator(source);
  if (!options.separator || divides(source, *options.separator) || !divides(source, separator)) return "";
  return given_as("--sep", kSeparators, *options.separator) + " was given, but columns look separated by " +
         in_words(separator);
}

std::string misfit_of_decimal(const CsvText& source, char separator, const CsvOptions& options) {
  if (!options.decimal) return "";
  const auto decimal = find_decimal(source, separator, std::nullopt);
  if (!decimal.in_use || !decimal.either.empty() || decimal.sign == *options.decimal) return "";
  return given_as("--decimal", kDecimals, *options.decimal) + " was given, but numbers look as if written with a " +
         (decimal.sign == ',' ? "comma" : "point");
}

/// What was found of how the text is written, where nobody gave it.
void note_findings(CsvTable& table, const CsvOptions& options, const DecimalSign& decimal, const Records& records) {
  const auto note = [&](const std::string& sentence) { table.notes.push_back(sentence); };
  if (!options.separator && table.separator != ',') {
    note("columns are separated by " + in_words(table.separator));
  }
  if (!decimal.either.empty()) {
    const bool comma = table.decimal == ',';
    const auto read_with = [&](char sign) { return shortest(*cell_number(decimal.either, sign)); };
    note(c10::str("no cell shows whether the decimal sign is a point or a comma: ", shown(decimal.either), " in line ",
                  decimal.line, " is read as ", read_with(table.decimal),
                  options.usual_decimal ? ", as in training" : "", "; --decimal ", comma ? "point" : "comma",
                  " reads it as ", read_with(comma ? '.' : ',')));
  } else if (!options.decimal && table.decimal == ',' && decimal.in_use) {
    note("numbers have a decimal comma");
  }
  if (options.header) return;
  if (!table.header) {
    note("the first line is a row like the others, so columns are called c1, c2, ... (--header if not)");
  } else if (counts_columns(records)) {
    note("the first line counts 0, 1, 2, ... and is taken for the names of the columns (--no-header if not)");
  }
}

/// Of a text that is UTF-8.
CsvTable parse_utf8(CsvText source, const CsvOptions& options) {
  ARKS_CHECK(source.text.find('\0') == std::string_view::npos, source.name,
             " is not a text file; expected values separated by commas, semicolons or tabs");
  ARKS_CHECK(source.text.find_first_not_of(" \t\r\n") != std::string_view::npos, source.name,
             source.text.empty() ? " is empty" : " holds nothing but empty lines",
             "; expected a line with the names of the columns, and rows below it");
  CsvTable table;
  table.name = source.name;
  const auto named = take_separator_line(source);
  table.separator = options.separator ? *options.separator : named ? *named : find_separator(source);
  const auto empty = take_off_empty_end(source, table.separator);
  const auto sample = first_records(source, table.separator);
  check_beginning(source, sample, table.separator);
  const auto& records = sample.records;
  const auto decimal = options.decimal ? DecimalSign{*options.decimal, true}
                                       : find_decimal(source, table.separator, options.usual_decimal);
  table.decimal = decimal.sign;
  table.holds_decimals = decimal.in_use;
  table.header = options.header.value_or(find_header(records, table.decimal, options.unnamed));
  std::vector<ColumnReader> columns;
  auto names = records[0];
  if (table.header && leaves_out_row_names(records)) names.insert(names.begin(), "");
  for (const auto& column : column_names(names, table.header, source)) {
    const auto is_in = [&](const auto& names) { return contains(names, column); };
    const auto place = columns.size();
    const bool texts = is_in(options.as_texts) || text_at(records, place, table);
    columns.emplace_back(column, table.decimal, texts, is_in(options.dashes));
    columns.back().reserve(rows_to_reserve(sample, source.text.size(), records[0].size()));
  }
  table.lines = read_rows(source, table, columns);
  const bool again = std::count_if(columns.begin(), columns.end(), [](auto& c) { return c.start_again(); }) > 0;
  if (again) read_rows(source, table, columns);
  for (auto& column : columns) column.settle();
  ARKS_CHECK(!table.lines.empty(), source.name, ": no rows below the header",
             options.header ? "" : "; --no-header takes the first line for a row");
  note_findings(table, options, decimal, records);
  if (auto misfit = misfit_of_decimal(source, table.separator, options); !misfit.empty()) {
    table.notes.push_back(std::move(misfit));
  }
  if (empty.count > 0) {
    table.notes.push_back(c10::str(count_of(empty.count, "rows"), " at the end, from line ", empty.first_line,
                                   " on, without a single cell ", empty.count == 1 ? "is" : "are", " left out"));
  }
  leave_out_unnamed(columns, source, table);
  for (auto& column : columns) table.columns.push_back(column.finish());
  return table;
}

CsvTable parse_decoded(DecodedText decoded, const std::string& name, const CsvOptions& options) {
  ARKS_CHECK(!options.decimal || *options.decimal == '.' || *options.decimal == ',',
             "the decimal sign must be '.' or ',', got '", *options.decimal, "'");
  auto& text = decoded.text;
  if (text.find('\n') == std::string::npos) std::replace(text.begin(), text.end(), '\r', '\n');  // an old Mac's
  auto table = parse_utf8({text, name}, options);
  table.notes.insert(table.notes.begin(), decoded.notes.begin(), decoded.notes.end());
  return table;
}

}  // namespace

std::string place(const CsvTable& table, int64_t row) {
  return place(table.name, table.lines[static_cast<size_t>(row)]);
}

CsvTable parse_csv(std::string_view text, const std::string& name, const CsvOptions& options) {
  return parse_decoded(to_utf8(std::string(text), name), name, options);
}

CsvTable read_csv(const fs::path& path, const CsvOptions& options) {
  auto text = read_text(path);
  try {
    return parse_decoded(std::move(text), path.string(), options);
  } catch (const Error& error) {
    throw explained(error, path, options);
  }
}

std::string misfit_of_flags(const fs::path& path, const CsvOptions& options) {
  if (!options.separator && !options.decimal) return "";
  try {
    auto text = read_text(path).text;
    if (text.find('\n') == std::string::npos) std::replace(text.begin(), text.end(), '\r', '\n');
    CsvText source{text, path.string()};
    if (const auto misfit = misfit_of_separator(source, options); !misfit.empty()) return misfit;
    const auto named = take_separator_line(source);
    const char separator = named ? *named : find_separator(source);
    return misfit_of_decimal(source, options.separator.value_or(separator), options);
  } catch (const Error&) {
    return "";  // whoever reads it says what is wrong
  }
}

Error explained(const Error& error, const fs::path& path, const CsvOptions& options) {
  const std::string what = error.what();
  const auto misfit = misfit_of_flags(path, options);
  return misfit.empty() || what.find(misfit) != std::string::npos ? error : Error(misfit + "; so read, " + what);
}

bool is_csv_name(const fs::path& path) {
  const auto extension = text_extension(path);
  return extension == ".csv" || extension == ".tsv" || extension == ".txt";
}

std::vector<std::string> csv_separators() {
  return words_of(kSeparators);
}

char parse_separator(const std::string& word) {
  if (const auto known = find_sign(kSeparators, word)) return *known;
  ARKS_CHECK(word.size() == 1 && may_separate(word[0]), "unknown separator '", word, "'",
             did_you_mean(word, csv_separators()), "; known: ", join(csv_separators()),
             ", and any other single character, such as ':'");
  return word[0];
}

std::vector<std::string> decimal_signs() {
  return words_of(kDecimals);
}

char parse_decimal(const std::string& word) {
  if (const auto known = find_sign(kDecimals, word)) return *known;
  return kDecimals[place_of(word, decimal_signs(), "decimal sign")].character;
}

size_t find_column(const CsvTable& table, const std::string& column) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const CsvColumn& known) { return known.name == column; });
  if (found != table.columns.end()) return static_cast<size_t>(found - table.columns.begin());
  std::vector<std::string> names;
  for (const auto& known : table.columns) names.push_back(known.name);
  constexpr size_t kNames = 30;
  const auto nearest = did_you_mean(column, names);
  const bool more = names.size() > kNames;
  if (more) names.resize(kNames);
  throw Error(table.name + ": no column '" + column + "'" + nearest + "; columns: " + join(names) +
              (more ? ", ..." : "") +
              (table.header ? "" : "; the first line was taken for a row, --header takes it for the names"));
}

std::vector<std::string> names_in(const std::string& text, const std::string& flag) {
  if (trimmed(text).empty()) return {};
  const auto lines = std::count(text.begin(), text.end(), '\n');
  ARKS_CHECK(lines == 0, flag, ": names of columns stand on one line, got ", lines + 1);
  return CsvReader({text, flag}, ',').record();
}

std::string missing_words(const CsvColumn& column) {
  return column.first_missing.empty() ? "is empty" : "is missing (" + shown(column.first_missing) + ")";
}

}  // namespace arks
