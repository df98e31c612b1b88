#include "data/repeats.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace arks {

namespace {

/// Calls visit(checksum) for each sample, a few at a time: images may be many.
template <typename Visit>
void each_checksum(const Dataset& dataset, const Visit& visit) {
  constexpr int64_t kAtOnce = 4096;
  for (int64_t begin = 0; begin < dataset.size(); begin += kAtOnce) {
    const auto batch = dataset.get(torch::arange(begin, std::min(begin + kAtOnce, dataset.size())));
    const auto inputs = batch.inputs.contiguous(), targets = batch.targets.contiguous();
    const auto row = [](const torch::Tensor& all, int64_t i) {
      const auto bytes = all.nbytes() / static_cast<size_t>(all.size(0));
      return std::string_view(static_cast<const char*>(all.data_ptr()) + static_cast<size_t>(i) * bytes, bytes);
    };
    const std::hash<std::string_view> hash;
    constexpr uint64_t kMix = 0x9e3779b97f4a7c15U;
    for (int64_t i = 0; i < inputs.size(0); ++i) visit(hash(row(inputs, i)) * kMix ^ hash(row(targets, i)));
  }
}

}  // namespace

int64_t repeated_samples(const Dataset& some, const Dataset& others) {
  std::unordered_set<uint64_t> known;
  each_checksum(some, [&](uint64_t sum) { known.insert(sum); });
  std::unordered_set<uint64_t> met;  // the smaller part is remembered twice, the larger one only looked up
  each_checksum(others, [&](uint64_t sum) {
    if (known.count(sum) > 0) met.insert(sum);
  });
  int64_t count = 0;
  each_checksum(some, [&](uint64_t sum) { count += met.count(sum) > 0 ? 1 : 0; });
  return count;
}

}  // namespace arks
