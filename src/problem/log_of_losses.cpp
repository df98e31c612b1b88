#include "problem/log_of_losses.h"

#include <arks/support/error.h>

namespace arks {

torch::Tensor log_of_losses(const torch::Tensor& losses) {
  const double least = losses.numel() == 0 ? 0 : losses.detach().min().item<double>();
  ARKS_CHECK(!(least < 0), "the loss of a sample is ", least,
             ", which has no logarithm; arks needs a loss that is never negative: add a constant to it, or take wrm");
  return losses.clamp_min(1e-30).log();
}

}  // namespace arks
