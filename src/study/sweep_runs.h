#pragma once
// What a plan of a sweep has to be run: every point with every seed, dealt out to shards.
#include <optional>
#include <string>
#include <vector>

#include "study/step.h"
#include "study/sweep_plan.h"

namespace arks::study {

/// One model, and the attack on it where the plan has one.
struct SweepRun {
  size_t group = 0, point = 0;  ///< in the plan
  int64_t seed = 0;
  std::optional<int64_t> fold;  ///< of a point with folds
  Step train;
  std::optional<Step> evaluate;
};

/// All runs, group by group, point by point, seed by seed, fold by fold. A step is named by what it does alone,
/// its flags are sorted, and the name of the group is not among them: so a point is found again whichever way the file
/// was changed that still has it.
std::vector<SweepRun> runs_of(const SweepPlan& plan, const std::filesystem::path& data_dir = {});

/// The steps of some runs, one after the other.
std::vector<Step> steps_of(const std::vector<SweepRun>& runs);

/// "arks, sigma 0.5, inner-lr 0.01, seed 10": group, searched values, seed; for progress.
std::string describe(const SweepPlan& plan, const SweepRun& run);

/// Part `index` of `count`, 0 ≤ index < count.
struct Shard {
  int64_t index = 0, count = 1;
};

/// "2/8". Throws Error for anything else, saying what is right.
Shard parse_shard(const std::string& text);

/// The runs of a shard: number i belongs to shard i mod count, so that long and short points are spread. Runs that do
/// the same (of two groups) have one number. The shards have no run in common and together all of them.
std::vector<SweepRun> runs_in(const Shard& shard, const std::vector<SweepRun>& runs);

}  // namespace arks::study
