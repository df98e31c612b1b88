#pragma once
#include <string>

namespace arks {

/// For people: "0.0123", and "< 0.0001" below that.
std::string p_value_text(double p_value);
/// In a sentence: "p = 0.0123", "p < 0.0001".
std::string p_value_phrase(double p_value);

}  // namespace arks
