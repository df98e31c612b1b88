#pragma once
#include <torch/types.h>

#include <string>

namespace arks {

/// [n,...] → [n,d], one row per sample; [n] → [n,1].
torch::Tensor rows(const torch::Tensor& samples);

/// [n] → [n,1,1,...], so that it multiplies or selects whole samples of the shape of `like`.
torch::Tensor per_sample(const torch::Tensor& values, const torch::Tensor& like);

/// One value per feature, made ready to meet samples [n,...] → [1,...] of their type. `values` has the shape of one
/// sample, where a dimension may be 1 to hold for all along it, or is flat with one entry for each value of a sample,
/// in order. Throws Error naming `what` when it fits neither way.
torch::Tensor per_feature(const torch::Tensor& values, const torch::Tensor& samples, const std::string& what);

/// 0 … count−1 in random order, [count] int64.
torch::Tensor random_order(int64_t count, torch::Generator& generator);

/// `most` of the numbers 0 … count−1, the first in random order, [most] int64. All of them in their own order, and
/// nothing drawn, where there are no more.
torch::Tensor some_numbers(int64_t count, int64_t most, torch::Generator& generator);

/// ‖·‖₂ of every sample, [n,...] → [n]. Squares of very small or large entries neither vanish nor overflow.
torch::Tensor sample_norms(const torch::Tensor& samples);

/// Every sample divided by its ‖·‖₂, [n,...] → [n,...]; a zero sample stays zero.
torch::Tensor unit_samples(const torch::Tensor& samples);

}  // namespace arks
