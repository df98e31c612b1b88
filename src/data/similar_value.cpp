#include "data/similar_value.h"

#include <utf8.h>

#include <algorithm>
#include <numeric>

namespace arks {

namespace {

using Letters = std::u32string;

/// Small letters for capitals, of Latin-1, Greek and Cyrillic.
char32_t small_letter(char32_t c) {
  const auto within = [&](char32_t first, char32_t last) { return c >= first && c <= last; };
  constexpr char32_t kTimes = 0xd7;
  if (within('A', 'Z') || (within(0xc0, 0xde) && c != kTimes) || within(0x391, 0x3a9) || within(0x410, 0x42f)) {
    return c + 0x20;
  }
  return within(0x400, 0x40f) ? c + 0x50 : c;
}

bool is_decimal_digit(char32_t c) {
  return c >= '0' && c <= '9';
}

/// Without what people write in one way or another.
Letters letters_of(const std::string& text) {
  const auto all = utf8::utf8to32(utf8::replace_invalid(text));
  constexpr std::u32string_view kLeftOut = U" \t\u00a0\u202f-_.,'\u2019\u2010\u2013/";
  Letters letters;
  for (const auto c : all) {
    if (kLeftOut.find(c) == std::u32string_view::npos) letters += small_letter(c);
  }
  return letters;
}

Letters digits_of(const Letters& letters) {
  Letters digits;
  std::copy_if(letters.begin(), letters.end(), std::back_inserter(digits), is_decimal_digit);
  return digits;
}

size_t letters_to_change(const Letters& a, const Letters& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t other = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, other});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> similar_value(const std::string& text, const std::vector<std::string>& known) {
  constexpr size_t kLongest = 100;  // nobody mistypes a whole sentence
  if (text.size() > kLongest) return std::nullopt;
  const auto own = letters_of(text);
  const auto digits = digits_of(own);
  const size_t most = own.size() >= 5 ? 2 : own.size() >= 3 ? 1 : 0;
  std::optional<std::string> best;
  size_t fewest = most + 1;
  for (const auto& value : known) {
    if (value.size() > kLongest) continue;
    const auto other = letters_of(value);
    if (own.empty() || other.empty() || digits_of(other) != digits) continue;
    const auto changed = letters_to_change(own, other);
    if (changed >= fewest) continue;
    fewest = changed;
    best = value;
  }
  return best;
}

}  // namespace arks
