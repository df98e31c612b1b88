#pragma once
// What is worth saying about the cells of a column: how they were read, and what else they may be.
#include "data/csv.h"
#include "data/table_encoding.h"
#include "data/targets.h"

#include <optional>
#include <string>
#include <vector>

namespace arks {

/// `day_first` is what --dates says.
std::vector<std::string> notes_on_input(const CsvColumn& column, const ColumnEncoding& how,
                                        std::optional<bool> day_first);

/// Of these columns, which `targets` were made of.
std::vector<std::string> notes_on_targets(const CsvTable& csv, const std::vector<std::string>& columns,
                                          const Targets& targets);

}  // namespace arks
