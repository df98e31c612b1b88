#include "data/standardise.h"

namespace arks {

Scaling learn_scaling(const Rows& train) {
  torch::Tensor low, high, sum, squares;
  train.each_piece([&](int64_t begin, const torch::Tensor& x) {
    low = begin == 0 ? x.amin(0) : torch::minimum(low, x.amin(0));
    high = begin == 0 ? x.amax(0) : torch::maximum(high, x.amax(0));
    sum = begin == 0 ? x.sum(0) : sum + x.sum(0);
  });
  const auto constant = low == high;
  const auto count = static_cast<double>(train.size());
  // of a constant input the mean is itself: rounding of the sum must not make a deviation of it
  const auto mean = torch::where(constant, low, sum / count);
  // squares of entries at most 1 neither overflow nor vanish
  const auto largest = torch::maximum(high - mean, mean - low).masked_fill(constant, 1);
  train.each_piece([&](int64_t begin, const torch::Tensor& x) {
    const auto of_piece = ((x - mean) / largest).pow(2).sum(0);
    squares = begin == 0 ? of_piece : squares + of_piece;
  });
  return {mean, ((squares / count).sqrt() * largest).masked_fill(constant, 1)};
}

Scaling learn_input_scaling(const Rows& train, const std::vector<Feature>& features) {
  auto scaling = learn_scaling(train);
  for (size_t i = 0; i < features.size(); ++i) {
    if (features[i].quantity) continue;
    scaling.mean[static_cast<int64_t>(i)] = 0;
    scaling.deviation[static_cast<int64_t>(i)] = 1;
  }
  return scaling;
}

torch::Tensor as_float(const Rows& rows, const Scaling& scaling, const EntryNames& names) {
  auto shape = rows.values.sizes().vec();
  shape[0] = rows.size();
  auto narrow = torch::empty(shape, torch::kFloat);
  rows.each_piece([&](int64_t begin, const torch::Tensor& x) {
    const auto end = begin + x.size(0);
    narrow.slice(0, begin, end).copy_(to_float32(scaling.apply(x), x, rows.numbers.slice(0, begin, end), names));
  });
  return narrow;
}

}  // namespace arks
