#pragma once
#include <cstdint>
#include <vector>

namespace arks::study {

/// Of several runs of the same thing.
struct Spread {
  double mean = 0;
  double deviation = 0;  ///< standard deviation with n − 1; 0 for a single value
  double error = 0;      ///< standard error of the mean: deviation / √n
  int64_t count = 0;
};

/// Throws Error for no values, and for one that is not finite.
Spread spread(const std::vector<double>& values);

}  // namespace arks::study
