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

/// Takes what a text begins with off it.
bool take(std::string_view& text, std::string_view start) {
  if (text.substr(0, start.size()) != start) return false;
  text.remove_prefix(start.size());
  return true;
}

/// A number whose digits stand in groups that this divides, without it; none for any other text.
std::optional<std::string> without_groups(std::string_view text, char decimal, std::string_view between) {
  std::string number;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    number = text.front();
    text.remove_prefix(1);
  }
  const size_t first = leading_digits(text);
  if (first < 1 || first > 3 || text.front() == '0') return std::nullopt;
  number += text.substr(0, first);
  text.remove_prefix(first);
  while (take(text, between)) {
    if (leading_digits(text) != 3) return std::nullopt;
    number += text.substr(0, 3);
    text.remove_prefix(3);
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

namespace {

constexpr std::string_view kMinusSign = "\u2212";  // of typesetting, and of some statistics programs

// beside the sign that is not the decimal one: apostrophes, a blank, and two that do not break lines
constexpr std::string_view kGroupSigns[] = {"'", "\u2019", " ", "\u00a0", "\u202f"};

std::optional<double> grouped_number(std::string_view text, char decimal) {
  const auto read = [&](std::string_view between) -> std::optional<double> {
    if (text.find(between) == std::string_view::npos) return std::nullopt;
    const auto number = without_groups(text, decimal, between);
    return number ? plain_number(*number, decimal) : std::nullopt;
  };
  if (const auto number = read(decimal == '.' ? "," : ".")) return number;
  for (const auto sign : kGroupSigns) {
    if (const auto number = read(sign)) return number;
  }
  return std::nullopt;
}

/// Takes what a text ends with off it.
bool take_end(std::string_view& text, std::string_view end) {
  if (text.size() < end.size() || text.substr(text.size() - end.size()) != end) return false;
  text.remove_suffix(end.size());
  return true;
}

/// "100," of "100,-": in prices, dashes right behind the decimal sign say that there are no cents. Any other text
/// stays.
std::string_view without_no_cents(std::string_view text, char decimal) {
  auto rest = text;
  while (take_end(rest, "-") || take_end(rest, "\u2013") || take_end(rest, "\u2014")) {
  }
  return !rest.empty() && rest.back() == decimal ? rest : text;
}

}  // namespace

bool in_parentheses(std::string_view text) {
  text = trimmed(text);
  return text.size() > 2 && text.front() == '(' && text.back() == ')';
}

std::optional<double> cell_number(std::string_view text, char decimal) {
  if (const auto plain = plain_number(text, decimal)) return plain;
  text = trimmed(text);
  const bool enclosed = in_parentheses(text);
  if (auto rest = enclosed ? trimmed(text.substr(1, text.size() - 2)) : text; enclosed || take(rest, kMinusSign)) {
    if (rest.empty() || !(is_digit(rest.front()) || rest.front() == decimal)) return std::nullopt;  // a second sign
    const auto number = cell_number(rest, decimal);
    return number ? std::optional(-*number) : std::nullopt;
  }
  text = without_no_cents(text, decimal);
  if (text.empty()) return std::nullopt;
  // 12.5- is how some programs write -12.5
  const bool minus_behind =
      text.size() > 1 && text.back() == '-' && is_digit(text.front()) && is_digit(text[text.size() - 2]);
  if (minus_behind) text.remove_suffix(1);
  const auto number = plain_number(text, decimal);
  const auto found = number ? number : grouped_number(text, decimal);
  return minus_behind && found ? std::optional(-*found) : found;
}

namespace {

constexpr std::string_view kCurrencies[] = {"$", "€", "£", "¥"};
constexpr std::string_view kParts[] = {"%", "‰", "°", "\u2103", "\u2109"};
constexpr std::string_view kLetters[] = {"\u00b5", "\u03bc", "\u03a9", "\u2126"};  // µ, Ω: no name ends like that

bool begins_with_any(std::string_view text, const std::string_view* begin, const std::string_view* end) {
  return std::any_of(begin, end, [&](auto start) { return text.substr(0, start.size()) == start; });
}

bool is_sign(std::string_view text) {
  return begins_with_any(text, std::begin(kCurrencies), std::end(kCurrencies)) ||
         begins_with_any(text, std::begin(kParts), std::end(kParts)) ||
         begins_with_any(text, std::begin(kLetters), std::end(kLetters));
}

/// Signs that look alike are the same unit: the letter µ and the sign, Ω and ohm, ℃ and °C.
std::string as_usual(std::string_view unit) {
  constexpr std::pair<std::string_view, std::string_view> kSame[] = {
      {"\u03bc", "\u00b5"}, {"\u2126", "\u03a9"}, {"\u2103", "°C"}, {"\u2109", "°F"}};
  std::string usual(unit);
  for (const auto& [other, sign] : kSame) {
    for (auto at = usual.find(other); at != std::string::npos; at = usual.find(other, at + sign.size())) {
      usual.replace(at, other.size(), sign);
    }
  }
  return usual;
}

/// Without blanks at the front, also those that do not break lines.
std::string_view without_blanks(std::string_view text) {
  for (;;) {
    const auto before = text.size();
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    for (const std::string_view blank : {"\u00a0", "\u202f"}) take(text, blank);
    if (text.size() == before) return text;
  }
}

}  // namespace

std::optional<NumberWithUnit> number_with_unit(std::string_view text, char decimal) {
  text = trimmed(text);
  if (in_parentheses(text)) {
    const auto enclosed = text.substr(1, text.size() - 2);
    if (in_parentheses(enclosed)) return std::nullopt;  // nor does a cell of nothing else take the stack
    const auto inside = number_with_unit(enclosed, decimal);
    return inside && inside->number >= 0 ? std::optional(NumberWithUnit{-inside->number, inside->unit}) : std::nullopt;
  }
  for (const auto currency : kCurrencies) {
    auto rest = text;
    const bool minus = take(rest, "-") || take(rest, kMinusSign);
    if (!take(rest, currency)) continue;
    const auto number = cell_number(without_blanks(rest), decimal);
    return number ? std::optional(NumberWithUnit{minus ? -*number : *number, std::string(currency)}) : std::nullopt;
  }
  constexpr std::string_view kStarts = "0123456789+-.,";
  const bool minus = text.substr(0, kMinusSign.size()) == kMinusSign;
  if (text.empty() || !(minus || kStarts.find(text.front()) != std::string_view::npos)) return std::nullopt;  // names
  constexpr size_t kLongest = 16;
  for (size_t end = text.size() - std::min<size_t>(text.size(), 1); end > 0; --end) {
    const auto unit = without_blanks(text.substr(end));
    if (unit.size() > kLongest || text.size() - end > kLongest + 4) break;
    const bool apart = unit.size() < text.size() - end || is_blank(text[end - 1]);
    if (unit.empty() || !(is_sign(unit) || (apart && is_letter(unit.front())))) continue;
    if (const auto number = cell_number(text.substr(0, end), decimal)) return NumberWithUnit{*number, as_usual(unit)};
  }
  return std::nullopt;
}

bool is_number(std::string_view text, char decimal) {
  return cell_number(text, decimal).has_value();
}

bool may_separate(char c) {
  constexpr std::string_view kOfNumbersAndLines = "0123456789+-.\"\r\n";
  return !is_letter(c) && static_cast<unsigned char>(c) < 0x80 && kOfNumbersAndLines.find(c) == std::string_view::npos;
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
