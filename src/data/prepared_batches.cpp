#include "data/prepared_batches.h"

#include "support/one_thread.h"

#include <arks/support/error.h>

namespace arks {

// One thread for all batches and not one for each: torch sets up pools of its own in every thread that it meets.
PreparedBatches::PreparedBatches(const Batches& batches, int64_t first)
    : batches_(batches), next_(first), thread_([this, first] { prepare_all(first); }) {}

PreparedBatches::~PreparedBatches() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Batch PreparedBatches::next() {
  ARKS_CHECK(next_ < batches_.count(), "there is no batch ", next_, "; there are ", batches_.count(),
             ", counted from 0");
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return ready_ || error_; });
  if (error_) std::rethrow_exception(error_);
  auto batch = std::move(*ready_);
  ready_.reset();
  ++next_;
  changed_.notify_all();
  return batch;
}

void PreparedBatches::prepare_all(int64_t first) {
  const OneThread one;  // the others are at work on the batch before
  for (int64_t i = first; i < batches_.count(); ++i) {
    std::optional<Batch> made;
    std::exception_ptr error;
    try {
      made = batches_.get(i);
    } catch (...) {
      error = std::current_exception();
    }
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || !ready_; });
    if (stopped_) return;
    ready_ = std::move(made);
    error_ = error;
    changed_.notify_all();
    if (error) return;
  }
}

}  // namespace arks
