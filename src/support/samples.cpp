#include "support/samples.h"

#include <arks/support/error.h>

#include <limits>

namespace arks {

namespace {

/// Largest |entry| of every sample, [n,1]; at least the smallest normal number, to divide by.
torch::Tensor scales(const torch::Tensor& flat) {
  const double smallest =
      flat.scalar_type() == torch::kFloat ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  return flat.abs().amax(1, /*keepdim=*/true).clamp_min(smallest);
}

}  // namespace

torch::Tensor rows(const torch::Tensor& samples) {
  return samples.dim() == 1 ? samples.unsqueeze(1) : samples.flatten(1);
}

torch::Tensor per_sample(const torch::Tensor& values, const torch::Tensor& like) {
  std::vector<int64_t> shape(static_cast<size_t>(like.dim()), 1);
  shape[0] = like.size(0);
  return values.view(shape);
}

torch::Tensor per_feature(const torch::Tensor& values, const torch::Tensor& samples, const std::string& what) {
  const auto shape = samples.sizes().slice(1);
  const int64_t features = c10::multiply_integers(shape);
  std::vector<int64_t> broad{1};
  if (values.dim() == 1 && values.numel() == features) {
    broad.insert(broad.end(), shape.begin(), shape.end());
  } else {
    // stricter than torch, which would repeat 28 values over every row of an image without a word
    bool fits = values.dim() == static_cast<int64_t>(shape.size());
    for (size_t i = 0; fits && i < shape.size(); ++i) fits = values.size(i) == shape[i] || values.size(i) == 1;
    ARKS_CHECK(fits, what, ": shape ", values.sizes(), " does not fit samples of shape ", shape,
               "; expected that shape, with 1 for a dimension along which all values are the same, or a flat list of ",
               features, features == 1 ? " value" : " values");
    broad.insert(broad.end(), values.sizes().begin(), values.sizes().end());
  }
  return values.to(samples.scalar_type()).reshape(broad);
}

torch::Tensor random_order(int64_t count, torch::Generator& generator) {
  return torch::randperm(count, generator, torch::TensorOptions().dtype(torch::kLong));
}

torch::Tensor some_numbers(int64_t count, int64_t most, torch::Generator& generator) {
  if (count <= most) return torch::arange(count, torch::kLong);
  return random_order(count, generator).narrow(0, 0, most);
}

torch::Tensor sample_norms(const torch::Tensor& samples) {
  const auto flat = rows(samples);
  const auto scale = scales(flat);
  return (flat / scale).norm(2, 1) * scale.squeeze(1);
}

torch::Tensor unit_samples(const torch::Tensor& samples) {
  const auto flat = rows(samples);
  const auto scaled = flat / scales(flat);
  const auto norm = scaled.norm(2, 1, /*keepdim=*/true);
  return (scaled / norm.masked_fill(norm == 0, 1)).reshape(samples.sizes());
}

}  // namespace arks
