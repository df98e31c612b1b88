#pragma once
// One cell of a table as text: whether it is a number, whether it is missing, how it is shown.
#include <optional>
#include <string>
#include <string_view>

namespace arks {

/// Blanks and tabs.
inline bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/// One of ASCII.
inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Without the blanks around it.
inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// The number that a text is in full, blanks apart: "1", "-2.5e3", also "inf", never "nan". `decimal` is its decimal
/// sign, '.' or ','. None where the text is no number.
std::optional<double> plain_number(std::string_view text, char decimal);

/// The same, and numbers with their digits in groups of three, which the other sign divides, an apostrophe or a blank:
/// "1,234.50", "1'234.50", or "1.234,50" with a decimal comma. The first group has one to three digits and no leading
/// zero. A minus may stand behind: "12.5-". Dashes right behind the decimal sign are no minus: "100,-" is 100, without
/// cents. The minus of typesetting, U+2212, is one, and a number in parentheses is negative, as in accounts: "(1.30)".
std::optional<double> cell_number(std::string_view text, char decimal = '.');
bool is_number(std::string_view text, char decimal = '.');
/// "(1.30)", whatever stands inside.
bool in_parentheses(std::string_view text);

/// A number and what it counts: "7,6 %", "12 kg", "5 km/h", "$1,549.34", "-20°C". A unit of letters stands behind a
/// blank, but for µ and Ω; signs of currencies may also stand in front. "℃" is "°C", and so on. None for a text that is
/// none, and for a number alone.
struct NumberWithUnit {
  double number = 0;
  std::string unit;
};
std::optional<NumberWithUnit> number_with_unit(std::string_view text, char decimal);

/// Whether a character can stand between columns: letters, digits, quotes and what numbers are made of cannot.
bool may_separate(char c);

/// True for what exports write where there is no value: "", "NA", "N/A", "<NA>", "n.a.", "NaN", "null", "None", "?",
/// "-", "." and the like.
bool is_missing(std::string_view text);

/// A cell in a message: in quotes, short, and on one line whatever is in it.
std::string shown(std::string_view cell);

}  // namespace arks
