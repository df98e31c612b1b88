#pragma once
// How the columns of a table become the numbers that a model takes: learned on training rows, then used for all others.
#include "data/csv.h"

#include <arks/data/load.h>

#include <optional>
#include <string>
#include <vector>

namespace arks {

enum class ColumnKind {
  kNumber,    ///< as it is
  kFlag,      ///< True and False as 1 and 0
  kDate,      ///< days since 1970 (parse_date)
  kCategory,  ///< one input for each value, 1 where the cell has it, else 0; all 0 for a value that training never saw.
              ///< Where all values are different numbers, a cell that writes one of them otherwise has it, too
};

/// "number", "true/false", "date", "category"
std::string to_string(ColumnKind kind);
ColumnKind parse_column_kind(const std::string& name);

/// The numbers of a column in the training rows.
struct NumberRange {
  double low = 0, high = 0;
  double size = 0;  ///< the median of their absolute values, of many rows of a part of them
};

/// What becomes of one column.
struct ColumnEncoding {
  std::string name;
  ColumnKind kind = ColumnKind::kNumber;
  std::string date_format;          ///< of dates (find_date_format)
  std::vector<std::string> values;  ///< of categories: those of the training rows, in the order of the inputs
  double fill = 0;                  ///< stands for a missing cell: median or mean, of categories the place in `values`
  bool indicator = false;           ///< one more input is 1 where the cell is missing; then a category has all 0 there
  std::string unit = {};            ///< of numbers: stands in every cell, "%" (number_with_unit); mostly empty
  std::optional<NumberRange> range = {};  ///< of numbers; says nothing about how they are read, and is not compared

  bool operator==(const ColumnEncoding& other) const;
};

/// What stands for a missing cell, in the user's own words: "2.5", "'red'", "2024-01-31", "no value".
std::string filled_with(const ColumnEncoding& column);

/// A column that is no input, and the reason in a few words: "constant in the training rows", "--drop", kGroupColumn.
struct LeftOutColumn {
  std::string name, why;
  std::string value = {};  ///< of a constant column: the one that every training row has
};
constexpr const char* kGroupColumn = "--group";
constexpr const char* kDropped = "--drop";

struct TableEncoding {
  std::vector<ColumnEncoding> columns;  ///< the inputs, in the order of the training file
  std::vector<LeftOutColumn> left_out;
  Missing missing = Missing::kError;
  std::optional<char> decimal;                 ///< the sign of the training file; none where its numbers have none
  std::vector<std::string> target_units = {};  ///< of the targets that are numbers (Targets::units)

  /// The column that kept rows together in training; empty where there was none.
  std::string group() const;
  /// The inputs that the columns become, in their order.
  std::vector<Feature> features() const;
};

/// A column that cannot become an input as things are, and what to do about it, in one line.
struct ColumnProblem {
  std::string name, problem;
  std::string missing = {};  ///< where only missing cells are the problem: "'age' 12 cells"
};

struct TableSurvey {
  TableEncoding encoding;
  std::vector<ColumnProblem> problems;  ///< a column of texts that is no flag, date or category, one in which texts
                                        ///< stand among numbers, missing cells where nobody said what to do
};

/// Throws Error where --drop or --categorical names a column that is none, or one of `not_inputs` (targets, groups).
void check_column_lists(const CsvTable& table, const TabularOptions& options,
                        const std::vector<std::string>& not_inputs);

/// Looks at the cells of these rows, the training rows. Columns of `not_inputs` are passed over. Throws Error as
/// check_column_lists does.
TableSurvey survey_columns(const CsvTable& table, const std::vector<int64_t>& rows,
                           const std::vector<std::string>& not_inputs, const TabularOptions& options);

/// The same. Throws Error for the first problem, and where no input is left.
TableEncoding learn_encoding(const CsvTable& table, const std::vector<int64_t>& rows,
                             const std::vector<std::string>& not_inputs, const TabularOptions& options);

struct EncodedInputs {
  torch::Tensor values;            ///< [rows, features] float64
  torch::Tensor filled;            ///< likewise bool: a number was filled in; not defined where no cell is missing
  std::vector<std::string> notes;  ///< how many cells were filled in, which values training never saw
};

/// All rows of a table with these columns, wherever they stand in it. Throws Error, with the line, for a cell that the
/// column's kind does not take, and for a column that is not there. The columns of the table are used up.
EncodedInputs encode(CsvTable& table, const TableEncoding& encoding);

/// What read_csv must know to read another file as the first one was, with these target columns; `with_targets`: they
/// must be in it, too.
CsvOptions csv_options(const TableEncoding& encoding, const CsvOptions& given, const std::vector<std::string>& targets,
                       bool with_targets);

}  // namespace arks
