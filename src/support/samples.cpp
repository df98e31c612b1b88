#include <arks/support/samples.h>

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
