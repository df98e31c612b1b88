#pragma once
#include "data/table_encoding.h"

#include <string>

namespace arks {

/// A sentence on columns of numbers that lie far from those of the training rows, as temperatures in °F do where
/// training had °C: their median is outside the range of training by more than half of it, or their usual size, the
/// median of the absolute values, is 10 times as large or small. Also on those of which only some numbers are far
/// (far_numbers), as a code such as -9999 is. Empty where there are none. `encoded` are the columns of a table, in the
/// user's units.
std::string far_columns(const EncodedInputs& encoded, const TableEncoding& encoding);

}  // namespace arks
