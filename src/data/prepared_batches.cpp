#include "support/one_thread.h"

#include <arks/data/prepared_batches.h>

namespace arks {

PreparedBatches::PreparedBatches(const Batches& batches, int64_t first) : batches_(batches), next_(first) {
  prepare();
}

Batch PreparedBatches::next() {
  auto batch = coming_.valid() ? coming_.get() : batches_.get(next_);  // which says what is wrong with its number
  ++next_;
  prepare();
  return batch;
}

void PreparedBatches::prepare() {
  if (next_ >= batches_.count()) return;
  coming_ = std::async(std::launch::async, [this, number = next_] {
    const OneThread one;  // the others are at work on the batch before
    return batches_.get(number);
  });
}

}  // namespace arks
