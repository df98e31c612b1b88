// Batches that are made ready in the background are those that would have been made anyway.
#include "data/prepared_batches.h"

#include "data/batches.h"
#include "support/testing.h"

namespace arks {
namespace {

/// Fails from some sample on.
class Broken : public Dataset {
 public:
  explicit Broken(DatasetPtr whole) : whole_(std::move(whole)) {}
  int64_t size() const override { return whole_->size(); }
  const DatasetInfo& info() const override { return whole_->info(); }
  Batch get(const torch::Tensor& indices) const override {
    ARKS_CHECK(indices.max().item<int64_t>() < 8, "sample 8 is broken");
    return whole_->get(indices);
  }

 private:
  DatasetPtr whole_;
};

TEST(PreparedBatches, AreTheSameFromAnyFirstOn) {
  const auto set = testing::toy_dataset(21, {1, 4, 4}, 3);
  const Batches batches(*set, 4);
  for (int64_t first = 0; first <= batches.count(); ++first) {
    PreparedBatches prepared(batches, first);
    for (int64_t i = first; i < batches.count(); ++i) {
      const auto expected = batches.get(i), found = prepared.next();
      EXPECT_TRUE(testing::identical(found.inputs, expected.inputs));
      EXPECT_TRUE(testing::identical(found.targets, expected.targets));
    }
    testing::expect_error([&] { prepared.next(); }, "there is no batch 6; there are 6");
  }
}

TEST(PreparedBatches, MayBeLeftInTheMiddle) {
  const auto set = testing::toy_dataset(21, {1, 4, 4}, 3);
  const Batches batches(*set, 4);
  PreparedBatches unused(batches, 0);
  PreparedBatches begun(batches, 0);
  begun.next();
}

TEST(PreparedBatches, HandOnAnErrorWhenItsBatchIsDue) {
  const Broken set(testing::toy_dataset(21, {1, 4, 4}, 3));
  const Batches batches(set, 4);
  PreparedBatches prepared(batches, 0);
  prepared.next();
  prepared.next();
  testing::expect_error([&] { prepared.next(); }, "sample 8 is broken");
}

TEST(PreparedBatches, LeaveTheThreadsOfTheCallerAlone) {
  const auto set = testing::toy_dataset(21, {1, 4, 4}, 3);
  const Batches batches(*set, 4);
  const int before = torch::get_num_threads();
  PreparedBatches(batches, 0).next();
  EXPECT_EQ(torch::get_num_threads(), before);
}

}  // namespace
}  // namespace arks
