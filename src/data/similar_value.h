#pragma once
#include <optional>
#include <string>
#include <vector>

namespace arks {

/// The known value that a text seems to mean: the same but for capitals, blanks, dashes and the like, or but for a
/// letter, two in texts of five letters and more. Texts with other digits mean something else: "A10" is not "A11". None
/// where there is no such value.
std::optional<std::string> similar_value(const std::string& text, const std::vector<std::string>& known);

}  // namespace arks
