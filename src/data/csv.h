#pragma once
#include <torch/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace arks {

/// A CSV file as text: the names of the columns and the cells below them.
struct CsvTable {
  std::string name;                            ///< of the file, for messages
  std::vector<std::string> header;             ///< every name once, none empty
  std::vector<std::vector<std::string>> rows;  ///< at least one, each as long as the header
  std::vector<int64_t> lines;                  ///< the line of the file on which each row begins, from 1
};

/// Reads comma-separated values (RFC 4180) with a header line: fields may stand in double quotes, in which "" is a
/// quote and commas and line breaks belong to the text; lines end in LF or CRLF; a UTF-8 byte order mark, blanks around
/// a field that is not quoted, and empty lines at the end are skipped. Throws Error naming file and line when there is
/// no header (the first line holds only numbers), a column name is missing or appears twice, a row has more or fewer
/// fields than the header, a quote does not close, or there are no rows.
CsvTable read_csv(const std::filesystem::path& path);

/// The same of a text; `name` stands for the file in messages.
CsvTable parse_csv(std::string_view text, const std::string& name);

/// The place of a column. Throws Error with the nearest name and all of them when there is none of this name.
size_t find_column(const CsvTable& table, const std::string& column);

/// True when the text is a number in full, blanks apart: "1", "-2.5e3", also "nan" and "inf".
bool is_number(std::string_view text);

/// One column as numbers, [rows] float64. Throws Error naming file, line, column and cell for text, an empty cell, and
/// what is not finite.
torch::Tensor number_column(const CsvTable& table, size_t column);

}  // namespace arks
