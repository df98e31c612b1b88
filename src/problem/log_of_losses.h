#pragma once
#include <torch/types.h>

namespace arks {

/// ln l of losses [n] with a floor of 1e-30, for those whose logarithm is not known better. Throws Error for a negative
/// one: with the floor it would pass for the smallest of all, and a method or certificate would say nonsense. NaN stays
/// NaN.
torch::Tensor log_of_losses(const torch::Tensor& losses);

}  // namespace arks
