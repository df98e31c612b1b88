#pragma once
// -9999 and its like: numbers that stand in a table for a missing value, and would be learned from as all others.
#include "data/csv.h"

#include <string>

namespace arks {

/// What to say of such a code in a column of numbers, "holds -9999 15 times, …": the least or the greatest of them,
/// made of nines, three at least, that occurs twice or more and lies farther from all other numbers than ten times
/// their interquartile range (where that is 0, than their range). Empty without one.
std::string missing_code(const CsvColumn& column);

}  // namespace arks
