#pragma once
// Numbers brought to mean 0 and deviation 1 on the training rows.
#include "data/float32_range.h"

#include <arks/data/dataset.h>

#include <algorithm>
#include <string>
#include <vector>

namespace arks {

/// Some rows of a table. They are looked at piece by piece, so that no copy of all of them is needed.
struct Rows {
  torch::Tensor values, numbers;

  int64_t size() const { return numbers.size(0); }
  template <typename Take>
  void each_piece(const Take& take) const {
    constexpr int64_t kPiece = 4096;
    for (int64_t begin = 0; begin < size(); begin += kPiece) {
      take(begin, values.index_select(0, numbers.slice(0, begin, begin + kPiece)));
    }
  }
};

/// What takes numbers to mean 0 and deviation 1 on the training samples.
struct Scaling {
  torch::Tensor mean, deviation;  // not defined: numbers stay as they are
  torch::Tensor apply(const torch::Tensor& x) const { return mean.defined() ? (x - mean) / deviation : x; }
};

/// Mean, and deviation divided by n, of each column of these rows. A constant column is only shifted.
Scaling learn_scaling(const Rows& train);

/// The same of inputs; what is 0 or 1 stays so.
Scaling learn_input_scaling(const Rows& train, const std::vector<Feature>& features);

/// The rows, scaled, in float32. Throws Error naming the first number that does not fit.
torch::Tensor as_float(const Rows& rows, const Scaling& scaling, const EntryNames& names);

}  // namespace arks
