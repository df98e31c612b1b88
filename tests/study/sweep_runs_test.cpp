// The runs of a plan and how shards share them.
#include "support/testing.h"

#include <set>

#include "study/sweep_runs.h"

namespace arks::study {

namespace {

SweepPlan iris_plan_of(const std::string& toml) {
  return read_sweep_plan(
      toml, "s.toml",
      {{"train", {{"data", "method", "sigma", "lr", "epochs"}, {}}}, {"evaluate", {{"attack", "eps"}, {}}}},
      {"fashion-mnist", "arks", "pgd"});
}

using Words = std::vector<std::string>;

Words keys_of(const std::vector<SweepRun>& runs) {
  Words keys;
  for (const auto& run : runs) keys.push_back(key_of(run.train));
  return keys;
}

}  // namespace

TEST(SweepRuns, EveryPointMeetsEverySeed) {
  const auto runs = runs_of(iris_plan_of("seeds = [0, 7]\n[train]\ndata = \"iris\"\n[grid]\nsigma = [0.1, 1]\n"));
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_EQ(runs[1].train.command, (Words{"train", "--data=iris", "--seed=7", "--sigma=0.1"}));
  EXPECT_EQ(runs[1].train.name, "iris-arks-sigma-0.1-seed-7");
  EXPECT_EQ(runs[2].point, 1U);
  EXPECT_FALSE(runs[0].evaluate);
}

TEST(SweepRuns, TheAttackNamesItsModel) {
  const auto runs = runs_of(iris_plan_of("[evaluate]\neps = [0.1, 0.2]\n[grid]\nsigma = [0.1]\n"));
  ASSERT_TRUE(runs[0].evaluate);
  EXPECT_EQ(runs[0].evaluate->command, (Words{"evaluate", "@{" + key_of(runs[0].train) + "}", "--eps=0.1,0.2"}));
  EXPECT_EQ(steps_of(runs).size(), 2U);
}

TEST(SweepRuns, APointIsFoundAgainHoweverTheFileIsWritten) {
  const auto one = runs_of(iris_plan_of("[train]\nepochs = 3\nlr = 0.1\n[grid]\nsigma = [0.5, 1]\n"));
  const auto other =
      runs_of(iris_plan_of("[[search]]\nname = \"other\"\n[search.train]\nsigma = 1.0\n[search.grid]\n"
                           "lr = [1, 0.10]\nepochs = [3]\n"));
  EXPECT_EQ(key_of(one[1].train), key_of(other[1].train));
  EXPECT_NE(key_of(one[0].train), key_of(other[0].train));
}

TEST(SweepRuns, ShardsAreDisjointAndComplete) {
  // the second group repeats two points of the first
  const auto runs =
      runs_of(iris_plan_of("seeds = [0, 1, 2]\n[[search]]\n[search.grid]\nsigma = [1, 2, 3, 4, 5]\n"
                           "[[search]]\nname = \"again\"\n[search.grid]\nsigma = [9, 2, 4]\n"));
  const auto all = keys_of(runs);
  const std::set<std::string> distinct(all.begin(), all.end());
  ASSERT_EQ(distinct.size(), 18U);
  for (int64_t count = 1; count <= 5; ++count) {
    std::multiset<std::string> together;
    for (int64_t i = 0; i < count; ++i) {
      const auto keys = keys_of(runs_in({i, count}, runs));
      const std::set<std::string> of_shard(keys.begin(), keys.end());
      EXPECT_NEAR(static_cast<double>(of_shard.size()), 18.0 / static_cast<double>(count), 1) << i << "/" << count;
      together.insert(of_shard.begin(), of_shard.end());
    }
    EXPECT_EQ(together.size(), distinct.size()) << "no run twice, of " << count;
    EXPECT_EQ(std::set<std::string>(together.begin(), together.end()), distinct) << "no run missing, of " << count;
  }
}

TEST(SweepRuns, MoreShardsThanRunsLeaveSomeEmpty) {
  const auto runs = runs_of(iris_plan_of("[grid]\nsigma = [1, 2]\n"));
  EXPECT_EQ(runs_in({1, 9}, runs).size(), 1U);
  EXPECT_TRUE(runs_in({8, 9}, runs).empty());
}

TEST(SweepRuns, AShardThatIsNotThereIsRefusedWithThoseThatAre) {
  EXPECT_EQ(parse_shard("3/4").index, 3);
  EXPECT_EQ(parse_shard("3/4").count, 4);
  testing::expect_error([] { parse_shard("4/4"); }, "--shard: '4/4' does not exist: 4 shards are 0/4 to 3/4");
  testing::expect_error([] { parse_shard("1/1"); }, "1 shard is 0/1");
  testing::expect_error([] { parse_shard("-1/4"); }, "4 shards are 0/4 to 3/4");
  testing::expect_error([] { parse_shard("0/0"); }, "at least 1");
  testing::expect_error([] { parse_shard("2"); }, "expected i/n, such as 0/4, got '2'");
  testing::expect_error([] { parse_shard("a/4"); }, "expected a whole number, got 'a'");
}

}  // namespace arks::study
