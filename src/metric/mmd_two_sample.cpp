#include "metric/mmd_two_sample.h"

#include "support/samples.h"

#include <arks/kernel/kernel.h>
#include <arks/metric/mmd.h>
#include <arks/support/error.h>

#include <cmath>
#include <vector>

namespace arks {

namespace {

/// The estimates of several divisions: each column of `first` [N,B] is 1 where a sample is one of the m, else 0.
torch::Tensor estimates(const torch::Tensor& kernel, const torch::Tensor& first, double m, double n) {
  const auto second = 1 - first;
  const auto with_first = kernel.mm(first);
  const auto with_second = kernel.sum(1, /*keepdim=*/true) - with_first;
  const auto within_first = (first * with_first).sum(0) - m;  // k(x,x) = 1
  const auto within_second = (second * with_second).sum(0) - n;
  const auto across = (second * with_first).sum(0);
  return within_first / (m * (m - 1)) + within_second / (n * (n - 1)) - across * (2 / (m * n));
}

}  // namespace

double MmdTwoSample::mmd() const {
  return std::sqrt(std::max(0.0, squared));
}

MmdTwoSample mmd_two_sample(const torch::Tensor& x, const torch::Tensor& z, int64_t permutations,
                            torch::Generator& generator) {
  ARKS_CHECK(x.size(0) >= 2 && z.size(0) >= 2, "mmd: needs at least 2 samples on both sides, got ", x.size(0), " and ",
             z.size(0));
  ARKS_CHECK(permutations >= 1, "mmd: permutations must be positive, got ", permutations);
  const auto m = static_cast<double>(x.size(0)), n = static_cast<double>(z.size(0));
  const auto pooled = torch::cat({rows(x.to(torch::kDouble)), rows(z.to(torch::kDouble))});
  const int64_t count = pooled.size(0);
  MmdTwoSample result;
  result.permutations = permutations;
  if ((pooled == pooled[0]).all().item<bool>()) return result;
  try {
    result.bandwidth = median_bandwidth(x, z);
  } catch (const Error&) {  // most samples coincide; then the root mean square of the distances
    const auto centred = pooled - pooled.mean(0);
    result.bandwidth = std::sqrt(2 * centred.square().sum().item<double>() / static_cast<double>(count));
  }
  const auto kernel = GaussianKernel(result.bandwidth).matrix(pooled, pooled);
  const auto given = (torch::arange(count) < x.size(0)).to(torch::kDouble).unsqueeze(1);
  result.squared = estimates(kernel, given, m, n).item<double>();
  std::vector<torch::Tensor> orders;
  const auto whole = torch::TensorOptions().dtype(torch::kLong);
  for (int64_t i = 0; i < permutations; ++i) {
    orders.push_back(given.squeeze(1).index_select(0, torch::randperm(count, generator, whole)));
  }
  // as many digits as the sums have, so that a division that is the given one with names exchanged counts as equal
  const auto others = estimates(kernel, torch::stack(orders, 1), m, n);
  const auto as_large = (others >= result.squared - 1e-12).sum().item<double>();
  result.p_value = (1 + as_large) / (1 + static_cast<double>(permutations));
  return result;
}

}  // namespace arks
