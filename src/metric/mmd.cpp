#include <arks/metric/mmd.h>

#include "support/samples.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace arks {

namespace {

constexpr int64_t kBlock = 1 << 22;  // entries of a matrix that are held at once: 32 MB

torch::Tensor checked(const torch::Tensor& samples, const char* name) {
  ARKS_CHECK(samples.defined() && samples.dim() >= 1 && samples.numel() > 0, "mmd: ", name,
             " must have at least 1 sample");
  const auto values = rows(samples.detach().to(torch::kDouble));
  ARKS_CHECK(values.isfinite().all().item<bool>(), "mmd: ", name, " has values that are not finite");
  return values;
}

struct Samples {
  torch::Tensor x, z;  // [m,d], [n,d]
};

Samples checked(const torch::Tensor& x, const torch::Tensor& z) {
  const Samples both{checked(x, "x"), checked(z, "z")};
  ARKS_CHECK(x.sizes().slice(1) == z.sizes().slice(1), "mmd: samples of x and z must have the same shape, got ",
             x.sizes(), " and ", z.sizes());
  return both;
}

/// Σ_ij k(a_i, b_j).
double kernel_sum(const Kernel& kernel, const torch::Tensor& a, const torch::Tensor& b) {
  double sum = 0;
  for (const auto& block : a.split(std::max<int64_t>(1, kBlock / b.size(0)))) {
    sum += kernel.matrix(block, b).sum().item<double>();
  }
  return sum;
}

/// Calls `use` with the distances of all pairs i < j, a part of them at a time; always in the same parts.
void for_distances(const torch::Tensor& samples, const std::function<void(const torch::Tensor&)>& use) {
  const L2 distance;
  const int64_t count = samples.size(0), height = std::max<int64_t>(1, kBlock / count);
  for (int64_t begin = 0; begin < count; begin += height) {
    const auto right = samples.narrow(0, begin, count - begin);
    const auto distances = distance.pairwise(right.narrow(0, 0, std::min(height, count - begin)), right);
    use(distances.masked_select(torch::ones_like(distances, torch::kBool).triu(1)));
  }
}

/// The distance at that place of all pairs in rising order, without holding them all: a histogram tells in which bin
/// it lies, and only that bin is sorted.
double ranked_distance(const torch::Tensor& samples, int64_t rank) {
  constexpr int64_t kBins = 1 << 14;
  double largest = 0;
  for_distances(samples, [&](const torch::Tensor& part) {
    if (part.numel() > 0) largest = std::max(largest, part.max().item<double>());
  });
  if (largest == 0) return 0;
  const auto bins = [&](const torch::Tensor& part) { return (part * (kBins / largest)).floor_().to(torch::kLong); };

  auto counts = torch::zeros({kBins + 1}, torch::kLong);  // the largest has a bin of its own
  for_distances(samples, [&](const torch::Tensor& part) { counts += bins(part).bincount({}, kBins + 1); });
  const auto below = counts.cumsum(0);
  const int64_t bin = (below <= rank).sum().item<int64_t>();

  // values and how often they occur: distances of discrete data are the same few over and over
  std::vector<torch::Tensor> values, times;
  for_distances(samples, [&](const torch::Tensor& part) {
    const auto [distinct, inverse, occurrences] =
        at::_unique2(part.masked_select(bins(part) == bin), /*sorted=*/true, /*return_inverse=*/false,
                     /*return_counts=*/true);
    values.push_back(distinct);
    times.push_back(occurrences);
  });
  const auto [sorted, order] = torch::cat(values).sort();
  const int64_t before = bin == 0 ? 0 : below[bin - 1].item<int64_t>();
  const auto reached = torch::cat(times).index_select(0, order).cumsum(0) + before;
  return sorted[(reached <= rank).sum()].item<double>();
}

}  // namespace

double mmd_squared(const Kernel& kernel, const torch::Tensor& x, const torch::Tensor& z) {
  const auto both = checked(x, z);
  const auto m = static_cast<double>(x.size(0)), n = static_cast<double>(z.size(0));
  return kernel_sum(kernel, both.x, both.x) / (m * m) + kernel_sum(kernel, both.z, both.z) / (n * n) -
         2 * kernel_sum(kernel, both.x, both.z) / (m * n);
}

double mmd(const Kernel& kernel, const torch::Tensor& x, const torch::Tensor& z) {
  return std::sqrt(std::max(0.0, mmd_squared(kernel, x, z)));  // equal samples: rounding may leave −1e-16
}

double median_bandwidth(const torch::Tensor& x, const torch::Tensor& z) {
  const auto both = checked(x, z);
  const auto pooled = torch::cat({both.x, both.z});
  const int64_t pairs = pooled.size(0) * (pooled.size(0) - 1) / 2;
  const double median = ranked_distance(pooled, (pairs - 1) / 2);
  ARKS_CHECK(median > 0, "mmd: the median distance of ", pooled.size(0),
             " samples is zero, since most of them coincide; give a bandwidth");
  return median;
}

}  // namespace arks
