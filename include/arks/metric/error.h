#pragma once
#include <arks/data/dataset.h>
#include <arks/metric/intervals.h>
#include <arks/problem/problem.h>

#include <optional>

namespace arks {

/// Mean loss and errors on some samples.
struct Measured {
  int64_t samples = 0;
  double loss = 0;                      ///< mean
  std::optional<int64_t> errors;        ///< misclassified; none where a problem knows no right and wrong
  std::optional<Interval> interval;     ///< 95 %, of the error; over groups where rows belong together
  std::optional<double> error() const;  ///< the fraction
};

/// One pass over the data in evaluation mode, without gradients; the mode is restored.
Measured measure(Problem& problem, const Dataset& dataset, int64_t batch_size = 256);

}  // namespace arks
