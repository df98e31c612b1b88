#pragma once
// Finds out how a table is written, from the beginning of it.
#include "data/csv.h"
#include "data/csv_reader.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arks {

/// The first records, without empty ones, and the bytes that they take.
struct CsvSample {
  std::vector<std::vector<std::string>> records;
  size_t bytes = 0;
};
CsvSample first_records(const CsvText& source, char separator);

/// A first line "sep=;", which Excel reads and writes, is taken off; what it names.
std::optional<char> take_separator_line(CsvText& source);

/// A tab in a file ending in .tsv. Else the one that divides the most of the first lines into as many fields as the
/// first of them has. A comma comes last, since it is also a decimal sign; a text in which it stands as often on every
/// line is rarely divided by another.
char find_separator(const CsvText& source);

/// Lines at the end that are rows without content: nothing but separators and blanks.
struct EmptyRows {
  int64_t count = 0, first_line = 0;
};

/// Takes lines without content off the end, and says which of them were rows. Exports of spreadsheets have many.
EmptyRows take_off_empty_end(CsvText& source, char separator);

struct DecimalSign {
  char sign = '.';
  bool in_use = false;      ///< a number is written with it, or could be
  std::string either = {};  ///< where no cell decides, the first that could be read in both ways, such as "1.038"
  int64_t line = 0;         ///< on which that stands
};

/// A comma when, in the first 2 MB, more cells are numbers with a decimal comma alone ("2,5", "1.234,50") than with a
/// point alone. Where none of them is either, the first one behind them decides. Where no cell is either, but some
/// could be both, it is the `usual` sign. Where there is none, a comma in a number is the decimal sign unless commas
/// stand between columns, too: who writes "1,038;2" writes decimal commas more often than thousands.
DecimalSign find_decimal(const CsvText& source, char separator, std::optional<char> usual);

/// The first line is a row like the others when every column that holds numbers below it holds one there, too, unless
/// counts_columns(); and, where there are only texts, when each of its cells stands again below it. Where there are
/// only texts, or only this line, it is also one when it is as wide as rows of `unnamed` and holds none of their names.
bool find_header(const std::vector<std::vector<std::string>>& records, char decimal,
                 const std::optional<UnnamedColumns>& unnamed);

/// True when all rows have a field more than the first line, and begin with texts of which none stands there twice: R
/// leaves the column of its row names without a name. A last field that is always empty is another matter.
bool leaves_out_row_names(const std::vector<std::vector<std::string>>& records);

/// The number of a column that is called c1, c2, …; 0 for any other name.
size_t column_number(std::string_view name);

/// True when the first line, and no other, is 0, 1, 2, …: the names that pandas gives columns without one.
bool counts_columns(const std::vector<std::vector<std::string>>& records);

}  // namespace arks
