#pragma once
#include <arks/data/batches.h>

#include <future>

namespace arks {

/// The batches in their order, each made ready on a thread of its own while the one before is worked on. What is in a
/// batch does not depend on who makes it, so they are the same as without. An error in the making comes out of next().
class PreparedBatches {
 public:
  /// From batch `first` on. The batches must outlive this object.
  PreparedBatches(const Batches& batches, int64_t first);

  /// The next one; there must be one left.
  Batch next();

 private:
  void prepare();

  const Batches& batches_;
  int64_t next_;
  std::future<Batch> coming_;  // not valid when there is none
};

}  // namespace arks
