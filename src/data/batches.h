#pragma once
#include <arks/data/dataset.h>

namespace arks {

enum class LastBatch { kKeep, kDrop };  ///< what happens to a last batch that is not full

/// One pass over a data set in batches. With a generator the order is a random permutation drawn from it, without one
/// it is the file's order.
class Batches {
 public:
  Batches(const Dataset& dataset, int64_t batch_size, LastBatch last = LastBatch::kKeep,
          const torch::Generator* shuffle = nullptr);

  int64_t count() const { return count_; }
  /// The i-th batch, 0 ≤ i < count().
  Batch get(int64_t i) const;

 private:
  const Dataset& dataset_;
  int64_t batch_size_;
  int64_t count_;
  torch::Tensor order_;  // [size] int64
};

}  // namespace arks
