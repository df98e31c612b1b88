#include "problem/kl_divergence.h"

#include "problem/log_of_losses.h"

#include <arks/support/error.h>

namespace arks {

namespace {

void check_probabilities(const torch::Tensor& logits, const torch::Tensor& y) {
  constexpr double kTolerance = 1e-3;  // softmax in float32 is off by 1e-7 per class
  ARKS_CHECK(logits.dim() == 2 && logits.size(1) >= 2 && logits.is_floating_point(),
             "kl divergence: logits must be floating point of shape [n, classes >= 2], got ", logits.sizes(),
             " of type ", logits.scalar_type());
  ARKS_CHECK(y.is_floating_point() && y.sizes() == logits.sizes(),
             "kl divergence: targets must be probabilities of shape ", logits.sizes(), ", got ", y.sizes(), " of type ",
             y.scalar_type());
  if (y.numel() == 0) return;
  const auto lowest = y.min().item<double>();
  const auto furthest = (y.sum(1) - 1).abs().max().item<double>();
  // NaN passes: it is no bad input but a model that diverged, which the loss then says
  ARKS_CHECK(!(lowest < 0) && !(furthest > kTolerance),
             "kl divergence: targets must be probabilities that sum to 1 in ", "every row; the least is ", lowest,
             ", the sum furthest from 1 is off by ", furthest);
}

}  // namespace

torch::Tensor KlDivergence::operator()(const torch::Tensor& logits, const torch::Tensor& y) const {
  check_probabilities(logits, y);
  const auto p = y.detach().to(logits.scalar_type());
  return (torch::xlogy(p, p) - p * logits.log_softmax(1)).sum(1);
}

torch::Tensor KlDivergence::log(const torch::Tensor& logits, const torch::Tensor& y) const {
  return log_of_losses((*this)(logits, y).clamp_min(0));
}

torch::Tensor kl_divergence(const torch::Tensor& logits, const torch::Tensor& other_logits) {
  const auto log_p = logits.log_softmax(1);
  return (log_p.exp() * (log_p - other_logits.log_softmax(1))).sum(1);
}

}  // namespace arks
