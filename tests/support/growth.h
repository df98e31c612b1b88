#pragma once
#include <algorithm>
#include <ctime>
#include <functional>

namespace arks::testing {

/// How many times more of the processor the work takes for ten times the size: about 10 where it is proportional, 100
/// where it grows with the square. Neither the speed of the machine nor what else runs on it matters; of several
/// tries the least, since what disturbs only adds.
inline double growth(const std::function<void(int64_t size)>& work, int64_t size) {
  const auto least = [&](int64_t of) {
    double seconds = 1e9;
    for (int tries = 0; tries < 3; ++tries) {
      const auto begin = std::clock();
      work(of);
      seconds = std::min(seconds, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
    return std::max(seconds, 1e-6);
  };
  work(size);  // what is made once
  return least(10 * size) / least(size);
}

}  // namespace arks::testing
