#pragma once
// What `arks sweep` prints about a plan and its results.
#include <string>
#include <vector>

#include "study/sweep_results.h"

namespace arks::cli {

/// What the test error of a group's choice is of; a count of 0 is not known.
struct TestSamples {
  int64_t count = 0;
  std::string word;    // "rows"
  int64_t groups = 0;  // of samples that belong together; 0: none
};

/// "3 groups, 12 points, 3 seeds, 36 runs"
std::string brief(const study::SweepPlan& plan);

/// A row per point: group, parameters, clean error and what the attack leaves, how it stands. Those chosen have a star.
std::string results_table(const study::SweepPlan& plan, const study::SweepResults& results,
                          const study::SelectionRule& rule, const std::vector<study::Choice>& choices);

/// What the rule chose in each group, a line each, and how many points it had to leave out; the test error with its
/// interval, of as many samples as stand there for each group; and what ± means.
std::string chosen_lines(const study::SweepPlan& plan, const study::SweepResults& results,
                         const study::SelectionRule& rule, const std::vector<study::Choice>& choices,
                         const std::vector<TestSamples>& test_samples);

/// The commands of the runs, one line each, as they could be typed: what --dry-run prints.
std::string commands_of(const std::vector<study::SweepRun>& runs, const study::StepStore& store);

/// 0.0873 of an error as "8.73 %", of anything else in four digits.
std::string metric_text(const std::string& metric, double value);

}  // namespace arks::cli
