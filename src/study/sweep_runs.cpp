#include "study/sweep_runs.h"

#include "study/train_step.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <map>

namespace arks::study {

namespace {

SweepRun run_of(const SweepPlan& plan, size_t group, size_t point, int64_t seed, std::optional<int64_t> fold,
                const std::filesystem::path& data_dir) {
  auto flags = plan.groups[group].points[point].flags;
  if (fold) flags["fold"] = std::to_string(*fold);
  const auto data = flags.find("data");
  SweepRun run{group, point, seed, fold, {}, {}};
  const auto identity = data == flags.end() ? "" : data_identity(data->second, data_dir);
  run.train = make_train_step(flags, seed, identity, plan.defaults);
  if (!plan.evaluate) return run;
  Step evaluate;
  evaluate.name = run.train.name + "-" + value_or(*plan.evaluate, "attack", plan.defaults.attack);
  evaluate.command = as_arguments(*plan.evaluate);
  evaluate.command.insert(evaluate.command.begin(), {"evaluate", "@{" + key_of(run.train) + "}"});
  evaluate.memory_bytes = run.train.memory_bytes;
  run.evaluate = std::move(evaluate);
  return run;
}

/// The longest training takes ten times what it takes to start a program and read the data, or to attack a model: no
/// more than a guess, but long steps begin first, and of the many short ones of a small table none counts for nothing.
void scale_costs(std::vector<SweepRun>& runs) {
  double longest = 1;
  for (const auto& run : runs) longest = std::max(longest, run.train.cost);
  for (auto& run : runs) run.train.cost = 1 + 9 * run.train.cost / longest;
}

}  // namespace

std::vector<SweepRun> runs_of(const SweepPlan& plan, const std::filesystem::path& data_dir) {
  std::vector<SweepRun> runs;
  for (size_t group = 0; group < plan.groups.size(); ++group) {
    for (size_t point = 0; point < plan.groups[group].points.size(); ++point) {
      const auto& flags = plan.groups[group].points[point].flags;
      const int64_t folds = plan.folds_of(plan.groups[group].points[point]);
      for (const auto seed : plan.seeds) {
        for (int64_t fold = 0; fold < folds; ++fold) {
          const auto which = flags.count("folds") > 0 ? std::optional(fold) : std::nullopt;
          runs.push_back(run_of(plan, group, point, seed, which, data_dir));
        }
      }
    }
  }
  scale_costs(runs);
  return runs;
}

std::vector<Step> steps_of(const std::vector<SweepRun>& runs) {
  std::vector<Step> steps;
  for (const auto& run : runs) {
    steps.push_back(run.train);
    if (run.evaluate) steps.push_back(*run.evaluate);
  }
  return steps;
}

std::string describe(const SweepPlan& plan, const SweepRun& run) {
  const auto& group = plan.groups[run.group];
  std::string text = group.name;
  for (const auto& [name, value] : group.points[run.point].parameters) text += ", " + name + " " + value;
  text += ", seed " + std::to_string(run.seed);
  return run.fold ? text + ", fold " + std::to_string(*run.fold) : text;
}

Shard parse_shard(const std::string& text) {
  const auto parts = split(text, '/');
  ARKS_CHECK(parts.size() == 2, "--shard: expected i/n, such as 0/4, got '", text, "'");
  const Shard shard{parse_whole_number(parts[0], "--shard"), parse_whole_number(parts[1], "--shard")};
  ARKS_CHECK(shard.count >= 1, "--shard: the number of shards must be at least 1, got '", text, "'");
  ARKS_CHECK(shard.index >= 0 && shard.index < shard.count, "--shard: '", text, "' does not exist: ", shard.count,
             shard.count == 1 ? " shard is 0/1"
                              : c10::str(" shards are 0/", shard.count, " to ", shard.count - 1, "/", shard.count));
  return shard;
}

std::vector<SweepRun> runs_in(const Shard& shard, const std::vector<SweepRun>& runs) {
  std::map<std::string, int64_t> numbers;
  std::vector<SweepRun> chosen;
  for (const auto& run : runs) {
    const auto number = numbers.emplace(key_of(run.train), static_cast<int64_t>(numbers.size())).first->second;
    if (number % shard.count == shard.index) chosen.push_back(run);
  }
  return chosen;
}

}  // namespace arks::study
