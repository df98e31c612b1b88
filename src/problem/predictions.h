#pragma once
// What the outputs of a model say to its user.
#include <arks/data/dataset.h>

#include <vector>

namespace arks {

/// Outputs [n, k] in float64 as probabilities of the classes, softmax over k; of a regression as numbers in the user's
/// own units, output·deviation + mean.
torch::Tensor predictions_of(const torch::Tensor& outputs, const DatasetInfo& info);

/// Digits of each of the k, so that a text says what a float32 of the network does: nine of its own size, and one more
/// for each power of ten by which a regression's mean is larger than its deviation.
std::vector<int> digits_of_predictions(const DatasetInfo& info, int64_t outputs);

}  // namespace arks
