#pragma once
// How long to train on data of which nothing is published.
#include <cstdint>

namespace arks {

/// A fifth of fewer samples says next to nothing of when to stop.
constexpr int64_t kEnoughForValidation = 40;

/// Samples of a step, where nobody says: the largest power of two that gives an epoch at least 16 steps, but at least
/// 16, and no more than are published. With the batches of large sets an epoch of few samples is one step, and training
/// ends before it has learned. A larger one where a single sample would be left over, which batch norm cannot take.
int64_t usual_batch_size(int64_t samples, int64_t published);

/// The most epochs of the user's own data that early stopping allows, if no more are published. Small sets need as
/// many: they have few steps in an epoch.
constexpr int64_t kMostEpochs = 1000;

/// Epochs without a lower validation loss after which training stops: 500 steps, but 5 to 100 epochs. So few samples
/// that an epoch is a step have a validation part as small: the longer the wait, the more likely is a lower loss by
/// chance.
int64_t usual_patience(int64_t samples, int64_t batch_size);

/// Epochs where no validation part says when to stop: the number published for larger sets makes an overfitted model of
/// few samples. About 100 steps, as are usual where a validation part decides, 5 epochs at least, and no more than are
/// published.
int64_t usual_epochs(int64_t samples, int64_t batch_size, int64_t published);

}  // namespace arks
