#pragma once
#include <cstdint>
#include <vector>

namespace arks::study {

/// How the values of independent runs lie.
struct Spread {
  double mean = 0;
  double deviation = 0;  ///< standard deviation, √(Σ(v−mean)²/(n−1)); 0 for one value
  double error = 0;      ///< standard error of the mean, deviation/√n
  int64_t count = 0;
};

/// Throws Error when there are no values, or one is not finite: a mean without it would be of something else. Their
/// order does not matter, to the last digit.
Spread spread(std::vector<double> values);

}  // namespace arks::study
