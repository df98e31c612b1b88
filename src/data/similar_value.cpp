#include "data/similar_value.h"

#include "support/edit_distance.h"

#include <utf8.h>

#include <algorithm>

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
    const auto changed = edit_distance(own, other);
    if (changed >= fewest) continue;
    fewest = changed;
    best = value;
  }
  return best;
}

}  // namespace arks
