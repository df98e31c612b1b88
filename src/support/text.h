#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace arks {

/// With small letters for the capitals of ASCII.
std::string lower_case(std::string text);

/// The candidate with the smallest edit distance to `name`, capitals or not; empty when none is close enough to be a
/// slip of the hand.
std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates);

/// " (did you mean 'x'?)" or an empty string.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& candidates);

/// Where `name` stands among the known ones. Throws Error for another: "unknown norm 'l3' (did you mean 'l2'?); known:
/// linf, l2", with "norm" as the kind.
size_t place_of(const std::string& name, const std::vector<std::string>& known, const std::string& kind);

/// Likewise, of an enumeration whose names are listed in the order of its values.
template <typename Enumeration>
Enumeration named_value(const std::string& name, const std::vector<std::string>& known, const std::string& kind) {
  return static_cast<Enumeration>(place_of(name, known, kind));
}

/// "a, b, c"
std::string join(const std::vector<std::string>& parts, const std::string& separator = ", ");

/// The parts between separators; none for an empty text.
std::vector<std::string> split(const std::string& text, char separator);

/// Throws Error naming `what` and the text when it is no finite number.
double parse_number(const std::string& text, const std::string& what);

/// Throws Error naming `what` and the text when it is no whole number or does not fit into 64 bits.
int64_t parse_whole_number(const std::string& text, const std::string& what);

/// Numbers from "0.1", a list "0,0.1,0.3" or an inclusive range "a:b:step". Throws Error naming `what` and the text.
std::vector<double> parse_numbers(const std::string& text, const std::string& what);

/// What is no number has no sign, and is never printed as "-nan": the bit says which processor it comes from.
double without_sign_of_nan(double value);

/// The shortest text that reads back as the same number: 0.1 and not 0.10000000000000001.
std::string shortest(double value);

/// For people: six digits at most, 0.333333.
std::string six_digits(double value);

/// "1 row", "80 rows": `things` are several.
std::string count_of(int64_t count, const std::string& things);

/// A fraction as "12.34 %", with that many digits after the point; "-" when there is none.
std::string percent(std::optional<double> fraction, int digits = 2);

/// "0x00000803": a magic number or a checksum, always 8 digits.
std::string hex(uint32_t value);

/// "512 B", "3.4 MB" (powers of 1000)
std::string human_bytes(double bytes);

/// "7 s", "3 min 20 s", "1 h 05 min"
std::string human_seconds(double seconds);

}  // namespace arks
