#pragma once
// The cells of a column as what its kind makes of them: shared by those who learn an encoding and those who use one.
#include "data/table_encoding.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace arks {

/// 1 for True and 0 for False in any case; none for another text.
std::optional<double> to_flag(const std::string& text);

/// The unit that all of these texts have behind or before their numbers; empty when one has none or another.
std::string unit_of(const std::vector<std::string>& texts, char decimal);

/// The unit that more than half of the cells have behind or before their numbers, where each text stands in so many
/// cells; empty where there is none. One with a single number is none: "18 to 25" is a name.
std::string usual_unit(const std::vector<std::string>& texts, const std::vector<int64_t>& counts, char decimal);

/// How often each value of a column of texts stands in it, or in these rows of it.
std::vector<int64_t> counts_of_values(const CsvColumn& column);
std::vector<int64_t> counts_of_values(const CsvColumn& column, const std::vector<int64_t>& rows);

/// Throws Error for the first text that does not fit where more than half of the cells do: a slip, and no sign that the
/// column holds names. `what` are those that do, as "dates like Y-M-D".
void check_no_slips(const CsvTable& table, const CsvColumn& column, const std::vector<int64_t>& counts,
                    const std::function<bool(const std::string&)>& fits, const std::string& what,
                    const std::string& advice);

bool is_missing_at(const CsvColumn& column, int64_t row);

/// A cell that is not missing, as text.
std::string cell_text(const CsvColumn& column, int64_t row);

/// True for a column of numbers, all whole, none twice and without a gap, in whatever order: 1, 2, 3, … of the rows.
bool counts_rows(const CsvColumn& column);

/// Numbers 0, 1, … of the cells of a column without missing ones, in the order in which values are met. [rows] int64
torch::Tensor numbered_cells(const CsvColumn& column);

/// The first row with this text; there must be one.
int64_t first_row_with(const CsvColumn& column, int32_t code);

/// The encoding of a column with the format in which the dates of this file are written (date_format_like).
ColumnEncoding as_written(const CsvTable& table, const CsvColumn& column, ColumnEncoding encoding);

/// A column of numbers, flags or dates as numbers, NaN where a cell is missing. Throws Error for a cell of another
/// kind, an infinite one, and one that is too large for float32.
std::vector<double> as_numbers(const CsvTable& table, const CsvColumn& column, const ColumnEncoding& encoding);

}  // namespace arks
