#include "data/far_numbers.h"

#include <algorithm>
#include <cmath>

namespace arks {

FarNumbers far_numbers(const std::vector<double>& numbers, double low, double high) {
  constexpr double kSurely = 10, kLeastNines = 99;
  const double width = high - low;
  if (!(width > 0)) return {};
  const auto beyond = [&](double number) { return std::max(low - number, number - high); };
  std::vector<double> far;
  std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(far), [&](double n) { return beyond(n) > width; });
  if (far.empty()) return {};
  std::sort(far.begin(), far.end());
  const double farthest = beyond(far.front()) > beyond(far.back()) ? far.front() : far.back();
  const bool telling = beyond(farthest) > kSurely * width || std::adjacent_find(far.begin(), far.end()) != far.end() ||
                       std::any_of(far.begin(), far.end(), [](double n) { return is_made_of_nines(n, kLeastNines); });
  return telling ? FarNumbers{static_cast<int64_t>(far.size()), farthest} : FarNumbers();
}

bool is_made_of_nines(double number, double least) {
  constexpr double kMost = 1e12;
  const double size = std::abs(number);
  for (double nines = least; nines < kMost; nines = 10 * nines + 9) {
    if (size == nines) return true;
  }
  return false;
}

}  // namespace arks
