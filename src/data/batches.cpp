#include "data/batches.h"

#include <arks/support/error.h>

#include <algorithm>

namespace arks {

Batches::Batches(const Dataset& dataset, int64_t batch_size, LastBatch last, const torch::Generator* shuffle)
    : dataset_(dataset), batch_size_(batch_size) {
  ARKS_CHECK(batch_size_ > 0, "batch size must be positive, got ", batch_size_);
  const int64_t size = dataset.size();
  count_ = last == LastBatch::kKeep ? (size + batch_size_ - 1) / batch_size_ : size / batch_size_;
  ARKS_CHECK(count_ > 0, dataset.info().name, ": ", size, " samples do not fill one batch of ", batch_size_);
  order_ = shuffle != nullptr ? torch::randperm(size, *shuffle, torch::kLong) : torch::arange(size, torch::kLong);
}

Batch Batches::get(int64_t i) const {
  ARKS_CHECK(i >= 0 && i < count_, "there is no batch ", i, "; there are ", count_, ", counted from 0");
  const int64_t begin = i * batch_size_;
  return dataset_.get(order_.slice(0, begin, std::min(begin + batch_size_, order_.size(0))));
}

}  // namespace arks
