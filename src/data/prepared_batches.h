#pragma once
#include "data/batches.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

namespace arks {

/// The batches in their order, each made ready on a thread of its own while the one before is worked on. What is in a
/// batch does not depend on who makes it, so they are the same as without. An error in the making comes out of next().
class PreparedBatches {
 public:
  /// From batch `first` on. The batches must outlive this object.
  PreparedBatches(const Batches& batches, int64_t first);
  ~PreparedBatches();
  PreparedBatches(const PreparedBatches&) = delete;
  PreparedBatches& operator=(const PreparedBatches&) = delete;

  /// The next one; there must be one left.
  Batch next();

 private:
  void prepare_all(int64_t first);

  const Batches& batches_;
  int64_t next_;  // of next(); the thread does not look at it
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Batch> ready_;
  std::exception_ptr error_;
  bool stopped_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace arks
