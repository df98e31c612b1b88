#pragma once
// Tables as text: comma-separated values and what exports make of them. Knows nothing of tensors.
#include "data/csv_cell.h"

#include <arks/support/error.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arks {

/// Of a table like one without a header, whose columns are called c1, c2, …: how many a row may have.
struct UnnamedColumns {
  size_t least = 0, most = 0;
};

/// How the text is written; what is not given is found.
struct CsvOptions {
  std::optional<char> separator;          ///< parse_separator(); found: find_separator()
  std::optional<char> decimal;            ///< the decimal sign, '.' or ','; found: find_decimal()
  std::optional<char> usual_decimal;      ///< the one where nothing in the text decides
  std::optional<bool> header;             ///< the first line names the columns; found: find_header()
  std::optional<UnnamedColumns> unnamed;  ///< says it where nothing in the text does
  std::vector<std::string> as_texts;      ///< columns whose cells are texts, whatever they look like
  std::vector<std::string> dashes;        ///< columns in which "-" is a text; found: those that also hold "+"
};

/// A column: numbers where every cell is one or missing, else texts.
struct CsvColumn {
  std::string name;
  bool texts = false;
  std::vector<double> numbers;      ///< of a column of numbers: the cells, NaN where one is missing
  std::vector<int32_t> codes;       ///< of texts: the place in `values`, −1 where the cell is missing
  std::vector<std::string> values;  ///< of texts: every text once, in the order in which they come
  int64_t missing = 0;              ///< cells
  std::string first_missing;        ///< what stands in the first of them: nothing, or "NA"
  std::string leading_zero = {};    ///< of numbers: the first that is written as "00123"
  int64_t in_parentheses = 0;       ///< of numbers: how many are written as "(1.30)", and so are negative
};

/// A file as columns.
struct CsvTable {
  std::string name;  ///< of the file, for messages
  std::vector<CsvColumn> columns;
  std::vector<int64_t> lines;      ///< the line of the file on which each row begins, from 1
  char separator = ',';            ///< as found
  char decimal = '.';              ///< sign, as found
  bool holds_decimals = false;     ///< some numbers are written with it, or it was given
  bool header = true;              ///< false: columns are named c1, c2, …
  std::string index;               ///< name of the first column, where it was left out as the index of an export
  std::vector<std::string> notes;  ///< what was found that is worth saying, a sentence each

  int64_t rows() const { return static_cast<int64_t>(lines.size()); }
};

/// Reads a table (RFC 4180 and its relatives) in any character set that read_text knows. Fields may stand in double
/// quotes, in which "" is a quote and separators and line breaks belong to the text; lines end in LF, CRLF or CR; a
/// first line "sep=;", blanks around a field, also within its quotes, and lines without content at the end are skipped,
/// the last with a note where they have separators. Numbers are what cell_number() reads, missing what is_missing()
/// says, but for `dashes`. A first column without a name, or called "Unnamed: 0", is the index of an export and is left
/// out; so is a last one without name and content, which separators at the ends of lines make. Throws Error naming file
/// and line when a column name is missing elsewhere or appears twice, a row has more or fewer fields than the first, a
/// quote does not close, there are no rows, or more than kMostColumns columns.
CsvTable read_csv(const std::filesystem::path& path, const CsvOptions& options = CsvOptions());

/// The same of a text; `name` stands for the file in messages.
CsvTable parse_csv(std::string_view text, const std::string& name, const CsvOptions& options = CsvOptions());

constexpr size_t kMostColumns = 20000;

/// What in a file does not fit a separator or a decimal sign that was given, in a sentence that names the flag; empty
/// where nothing does, or none was given.
std::string misfit_of_flags(const std::filesystem::path& path, const CsvOptions& options);

/// An error about a file, or about the columns found in it: the same, and what misfit_of_flags says before it.
Error explained(const Error& error, const std::filesystem::path& path, const CsvOptions& options);

/// True for the names of such files, capitals or not: .csv, .tsv, .txt, and these with .gz behind them.
bool is_csv_name(const std::filesystem::path& path);
/// The endings of tables, for messages.
constexpr const char* kTableEndings = ".csv, .tsv, .txt (also with .gz) or .npy";

/// "comma", "semicolon", "tab", "pipe", "space": the words of --sep, and the character that a word or itself stands
/// for. Letters, digits, quotes and what numbers are made of cannot divide columns.
std::vector<std::string> csv_separators();
char parse_separator(const std::string& word);

/// "point" and "comma": the words of --decimal, and the sign that a word or itself stands for.
std::vector<std::string> decimal_signs();
char parse_decimal(const std::string& word);

/// The place of a column. Throws Error with the nearest name and the first of them when there is none of this name.
size_t find_column(const CsvTable& table, const std::string& column);

/// Names of columns, "a, b": blanks around them do not count, and one with a comma in it stands in double quotes.
/// Throws Error naming the flag when a quote does not close.
std::vector<std::string> names_in(const std::string& text, const std::string& flag);

/// "is empty" or "is missing ('NA')", of the first missing cell of a column.
std::string missing_words(const CsvColumn& column);

/// "wine.csv, line 7", of a row counted from 0.
std::string place(const CsvTable& table, int64_t row);

}  // namespace arks
