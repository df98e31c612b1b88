#include "data/csv_cell.h"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace arks {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

size_t leading_digits(std::string_view text) {
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}

/// As programs print what is not a number: "nan", "NaN", "-nan", "-nan(ind)".
bool is_nan(std::string_view text) {
  if (text.front() == '-' || text.front() == '+') text.remove_prefix(1);
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  constexpr std::string_view kWord = "nan";
  const auto word = text.substr(0, kWord.size());
  return std::equal(word.begin(), word.end(), kWord.begin(), kWord.end(), same) &&
         (text.size() == kWord.size() || text[kWord.size()] == '(');
}

/// A number whose digits stand in groups, without what divides them; none for any other text.
std::optional<std::string> without_groups(std::string_view text, char decimal) {
  const char between = decimal == '.' ? ',' : '.';
  if (text.find(between) == std::string_view::npos) return std::nullopt;
  text = trimmed(text);
  std::string number;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    number = text.front();
    text.remove_prefix(1);
  }
  const size_t first = leading_digits(text);
  if (first < 1 || first > 3 || text.front() == '0') return std::nullopt;
  number += text.substr(0, first);
  text.remove_prefix(first);
  while (!text.empty() && text.front() == between) {
    if (leading_digits(text.substr(1)) != 3) return std::nullopt;
    number += text.substr(1, 3);
    text.remove_prefix(4);
  }
  const bool fraction = !text.empty() && text.front() == decimal;
  if (!text.empty() && !(fraction && leading_digits(text.substr(1)) == text.size() - 1)) return std::nullopt;
  return number += text;
}

}  // namespace

std::optional<double> plain_number(std::string_view text, char decimal) {
  text = trimmed(text);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);  // fast_float knows no plus
  double value = 0;
  const char* const end = text.data() + text.size();
  const fast_float::parse_options options(fast_float::chars_format::general, decimal);
  const auto [rest, failure] = fast_float::from_chars_advanced(text.data(), end, value, options);
  const bool failed = failure != std::errc() && failure != std::errc::result_out_of_range;  // that is infinite, or 0
  if (text.empty() || rest != end || failed || std::isnan(value)) return std::nullopt;
  return value;
}

std::optional<double> cell_number(std::string_view text, char decimal) {
  if (const auto plain = plain_number(text, decimal)) return plain;
  const auto number = without_groups(text, decimal);
  return number ? plain_number(*number, decimal) : std::nullopt;
}

bool is_number(std::string_view text, char decimal) {
  return cell_number(text, decimal).has_value();
}

bool is_missing(std::string_view text) {
  if (text.empty()) return true;
  constexpr std::string_view kWords[] = {"NA",   "N/A",  "#N/A", "n/a", "<NA>", "n.a.", "N.A.", "null",
                                         "NULL", "Null", "None", "NaT", "?",    "-",    "--",   "."};
  if (is_nan(text)) return true;
  return text.size() <= 4 && std::find(std::begin(kWords), std::end(kWords), text) != std::end(kWords);
}

std::string shown(std::string_view cell) {
  constexpr size_t kLongest = 40;
  size_t length = std::min(cell.size(), kLongest);
  const auto within_letter = [&] { return (static_cast<unsigned char>(cell[length]) & 0xc0) == 0x80; };
  while (length > 0 && length < cell.size() && within_letter()) --length;
  std::string text(cell.substr(0, length));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return "'" + text + (cell.size() > length ? "...'" : "'");
}

}  // namespace arks
