// Work on torch's threads.
#include "engine/team.h"

#include <ATen/Parallel.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "engine/threads.h"
#include "support/testing.h"

namespace arks {

using engine::on_threads;

namespace {

/// Waits until `arrived` is `all`, as it never will be when one has to finish before the next begins.
bool meet(std::atomic<int>& arrived, int all) {
  using Clock = std::chrono::steady_clock;
  ++arrived;
  const auto end = Clock::now() + std::chrono::seconds(20);
  while (arrived < all && Clock::now() < end) std::this_thread::yield();
  return arrived >= all;
}

}  // namespace

TEST(EngineTeam, RunsAtTheSameTime) {
  for (const int threads : {2, 3}) {
    const Threads taken(threads);
    std::atomic<int> arrived{0}, met{0};
    on_threads(threads, [&](int64_t /*i*/) { met += meet(arrived, threads) ? 1 : 0; });
    EXPECT_EQ(met, threads);
  }
}

TEST(EngineTeam, DoesEverythingOnce) {
  for (const int threads : {1, 2, 5}) {
    const Threads taken(threads);
    for (const int64_t count : {0, 1, 2, 3, 100}) {
      std::vector<std::atomic<int>> done(static_cast<size_t>(count));
      on_threads(count, [&](int64_t i) { ++done[static_cast<size_t>(i)]; });
      for (const auto& times : done) EXPECT_EQ(times, 1);
    }
  }
}

TEST(EngineTeam, StaysOnOneThreadWhereThereIsOneOrItIsAtWorkAlready) {
  const auto on_one = [] {
    std::atomic<int> elsewhere{0};
    const auto here = std::this_thread::get_id();
    on_threads(8, [&](int64_t /*i*/) { elsewhere += std::this_thread::get_id() == here ? 0 : 1; });
    return elsewhere == 0;
  };
  {
    const Threads taken(1);
    EXPECT_TRUE(on_one());
  }
  const Threads taken(2);
  std::atomic<int> alone{0}, parallel{0};
  on_threads(2, [&](int64_t /*i*/) {
    alone += on_one() ? 1 : 0;
    parallel += at::in_parallel_region() ? 1 : 0;
  });
  EXPECT_EQ(alone, 2);
  EXPECT_EQ(parallel, 2);
}

TEST(EngineTeam, PassesExceptionsOn) {
  for (const int threads : {1, 2}) {
    const Threads taken(threads);
    std::atomic<int> done{0};
    testing::expect_error(
        [&] {
          on_threads(10, [&](int64_t i) {
            ++done;
            if (i % 3 == 1) throw Error("number 1, 4 or 7");
          });
        },
        "number");
    EXPECT_EQ(done, 10);
  }
}

}  // namespace arks
