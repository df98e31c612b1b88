#include "data/missing_code.h"

#include "data/far_numbers.h"
#include "support/text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace arks {

namespace {

/// `others` are sorted, and the code is none of them.
bool is_far_from(const std::vector<double>& others, double code) {
  constexpr double kRanges = 10;
  const double range = others.back() - others.front();
  const double quartiles = others[others.size() * 3 / 4] - others[others.size() / 4];
  const double gap = std::max(others.front() - code, code - others.back());
  return gap > (quartiles > 0 ? kRanges * quartiles : range);
}

}  // namespace

std::string missing_code(const CsvColumn& column) {
  constexpr size_t kFewestOthers = 5;
  constexpr double kLeastCode = 999;  // 99 is often a number like all others
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double number : column.numbers) {  // what is no number is neither lower nor higher
    if (number < low) low = number;
    if (number > high) high = number;
  }
  for (const double code : {low, high}) {
    if (!is_made_of_nines(code, kLeastCode)) continue;
    std::vector<double> others;
    std::copy_if(column.numbers.begin(), column.numbers.end(), std::back_inserter(others),
                 [&](double number) { return !std::isnan(number) && number != code; });
    const auto times = std::count(column.numbers.begin(), column.numbers.end(), code);
    std::sort(others.begin(), others.end());
    if (times < 2 || others.size() < kFewestOthers || !is_far_from(others, code)) continue;
    return c10::str("holds ", shortest(code), " ", times, " times, far from all else: a code for a missing value?");
  }
  return "";
}

}  // namespace arks
