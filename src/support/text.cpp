#include "support/text.h"

#include "support/edit_distance.h"

#include <arks/support/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

namespace arks {

namespace {

/// How many decimals a double of this magnitude holds for certain: 15 significant digits.
int safe_decimals(double magnitude) {
  if (magnitude == 0) return 0;
  return std::max(0, 14 - static_cast<int>(std::floor(std::log10(magnitude))));
}

/// The double nearest to the value written with so many decimals: 0.30000000000000004 becomes 0.3.
double round_to(double value, int decimals) {
  return std::strtod(fmt::format("{:.{}f}", value, decimals).c_str(), nullptr) + 0.0;  // + 0.0: no -0
}

}  // namespace

std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates) {
  std::string best;
  // two slips, one in a name of two letters, more in a long one
  size_t best_distance = (name.size() <= 2 ? 1 : std::max<size_t>(2, name.size() / 3)) + 1;
  for (const auto& candidate : candidates) {
    const size_t distance = edit_distance(lower_case(name), lower_case(candidate));
    // of two that are equally near the one that begins alike: --bata is --beta and not --data
    const bool alike = !name.empty() && !candidate.empty() && candidate[0] == name[0];
    if (distance < best_distance || (distance == best_distance && alike && !best.empty() && best[0] != name[0])) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() ? "" : " (did you mean '" + nearest + "'?)";
}

size_t place_of(const std::string& name, const std::vector<std::string>& known, const std::string& kind) {
  const auto found = std::find(known.begin(), known.end(), name);
  ARKS_CHECK(found != known.end(), "unknown ", kind, " '", name, "'", did_you_mean(name, known),
             "; known: ", join(known));
  return static_cast<size_t>(found - known.begin());
}

std::string join(const std::vector<std::string>& parts, const std::string& separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  if (!text.empty() && text.back() == separator) parts.emplace_back();
  return parts;
}

double parse_number(const std::string& text, const std::string& what) {
  const char* begin = text.c_str();
  char* end = nullptr;
  const double value = std::strtod(begin, &end);
  ARKS_CHECK(end != begin && *end == '\0' && std::isfinite(value), what, ": '", text, "' is not a number");
  return value;
}

int64_t parse_whole_number(const std::string& text, const std::string& what) {
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, value);
  ARKS_CHECK(failure != std::errc::result_out_of_range, what, ": ", text, " does not fit into 64 bits");
  ARKS_CHECK(failure == std::errc() && rest == end, what, ": expected a whole number, got '", text, "'");
  return value;
}

std::vector<double> parse_numbers(const std::string& text, const std::string& what) {
  ARKS_CHECK(!text.empty(), what, ": expected a number, a list a,b,c or a range a:b:step, got nothing");
  std::vector<double> numbers;
  if (text.find(':') != std::string::npos) {
    const auto parts = split(text, ':');
    ARKS_CHECK(parts.size() == 3, what, ": a range is a:b:step, got '", text, "'");
    const double low = parse_number(parts[0], what);
    const double high = parse_number(parts[1], what);
    const double step = parse_number(parts[2], what);
    ARKS_CHECK(step > 0 && high >= low, what, ": a range a:b:step needs a <= b and step > 0, got '", text, "'");
    // half a millionth of a step, so that 0:0.3:0.1 ends at 0.3 although 3 * 0.1 > 0.3
    const double count = std::floor((high - low) / step + 5e-7);
    ARKS_CHECK(count < 100000, what, ": '", text, "' has more than 100000 values");
    const int decimals = safe_decimals(std::max(std::abs(low), std::abs(high)));
    for (int64_t i = 0; i <= static_cast<int64_t>(count); ++i) {
      numbers.push_back(round_to(low + static_cast<double>(i) * step, decimals));
    }
    return numbers;
  }
  for (const auto& part : split(text, ',')) numbers.push_back(parse_number(part, what));
  return numbers;
}

double without_sign_of_nan(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

std::string shortest(double value) {
  std::array<char, 64> buffer{};
  value = without_sign_of_nan(value);
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string six_digits(double value) {
  return fmt::format("{:.6g}", without_sign_of_nan(value));
}

std::string percent(std::optional<double> fraction, int digits) {
  if (!fraction) return "-";
  return fmt::format("{:.{}f} %", 100 * without_sign_of_nan(*fraction), digits);
}

std::string hex(uint32_t value) {
  return fmt::format("{:#010x}", value);
}

std::string human_bytes(double bytes) {
  static const char* const kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  size_t unit = 0;
  // as printed: 999.96 kB is 1.0 MB and not 1000.0 kB
  while (std::round(bytes * 10) >= 10000 && unit + 1 < std::size(kUnits)) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, kUnits[unit]);
}

std::string count_of(int64_t count, const std::string& things) {
  const bool cut = count == 1 && !things.empty() && things.back() == 's';
  return std::to_string(count) + " " + (cut ? things.substr(0, things.size() - 1) : things);
}

std::string human_seconds(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(std::max(0.0, seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace arks
