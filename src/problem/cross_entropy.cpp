#include <arks/problem/cross_entropy.h>
#include <arks/support/error.h>

#include <cmath>
#include <limits>
#include <typeinfo>

namespace arks {

namespace {

void check_labels(const torch::Tensor& logits, const torch::Tensor& y) {
  ARKS_CHECK(logits.dim() == 2 && logits.size(1) >= 2 && logits.is_floating_point(),
             "cross entropy: logits must be floating point of shape [n, classes >= 2], got ", logits.sizes(),
             " of type ", logits.scalar_type());
  ARKS_CHECK(y.dim() == 1 && y.size(0) == logits.size(0) && y.scalar_type() == torch::kLong,
             "cross entropy: labels must be int64 of shape [", logits.size(0), "], got ", y.sizes(), " of type ",
             y.scalar_type());
  if (y.size(0) == 0) return;
  const auto [lowest, highest] = torch::aminmax(y);
  const auto low = lowest.item<int64_t>(), high = highest.item<int64_t>();
  ARKS_CHECK(low >= 0 && high < logits.size(1), "cross entropy: labels must be in 0..", logits.size(1) - 1, " for ",
             logits.size(1), " classes, they span ", low, "..", high);
}

/// m = ln Σ_{j≠y} exp(z_j) − z_y, [n]
torch::Tensor margin(const torch::Tensor& logits, const torch::Tensor& y) {
  check_labels(logits, y);
  const auto index = y.unsqueeze(1);
  const auto others = logits.scatter(1, index, -std::numeric_limits<double>::infinity());
  return others.logsumexp(1) - logits.gather(1, index).squeeze(1);
}

torch::Tensor log_one_plus_exp(const torch::Tensor& m) {
  // log_sigmoid takes log1p(exp(−|m|)); torch::softplus returns m itself above 20 and so jumps by 2e-9, and
  // torch::logaddexp takes the logarithm of the rounded 1 + exp(m), which has lost a small m
  return -torch::log_sigmoid(-m);
}

}  // namespace

torch::Tensor CrossEntropy::operator()(const torch::Tensor& logits, const torch::Tensor& y) const {
  return log_one_plus_exp(margin(logits, y));
}

torch::Tensor CrossEntropy::log(const torch::Tensor& logits, const torch::Tensor& y) const {
  constexpr double kSwitch = -15;  // below it the series ln softplus(m) = m − e^m/2 + O(e^2m) is exact to 1e-13
  const auto m = margin(logits, y);
  const auto low = m.clamp_max(kSwitch);
  const auto high = m.clamp_min(kSwitch);  // clamped, so that the branch not taken sends no NaN through backward
  return torch::where(m < kSwitch, low - low.exp() / 2, log_one_plus_exp(high).log());
}

torch::Tensor CrossEntropy::wrong(const torch::Tensor& logits, const torch::Tensor& y) const {
  check_labels(logits, y);
  // argmax takes NaN for the largest, so a NaN in the right place would pass for right
  return (logits.argmax(1) != y).logical_or(logits.gather(1, y.unsqueeze(1)).squeeze(1).isnan());
}

CriterionBounds CrossEntropy::bounds(bool log) const {
  if (typeid(*this) != typeid(CrossEntropy)) return Criterion::bounds(log);  // a derived class may compute another loss
  CriterionBounds bounds;
  bounds.lipschitz = std::sqrt(2.0);
  bounds.curvature = 0.5;
  return bounds;
}

}  // namespace arks
