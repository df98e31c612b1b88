#pragma once
// What `arks sweep` prints about a plan and its results.
#include <string>
#include <vector>

#include "study/sweep_results.h"

namespace arks::cli {

/// "3 groups, 12 points, 3 seeds, 36 runs"
std::string brief(const study::SweepPlan& plan);

/// A row per point: group, parameters, clean error and what the attack leaves, each with its interval, and how it
/// stands. Those chosen have a star.
std::string results_table(const study::SweepPlan& plan, const study::SweepResults& results,
                          const study::SelectionRule& rule, const std::vector<study::Choice>& choices);

/// What the rule chose in each group, a line each, and how many points it had to leave out; the test error with its
/// interval and the number of samples; and what the signs mean.
std::string chosen_lines(const study::SweepPlan& plan, const study::SweepResults& results,
                         const study::SelectionRule& rule, const std::vector<study::Choice>& choices);

/// The commands of the runs, one line each, as they could be typed: what --dry-run prints.
std::string commands_of(const std::vector<study::SweepRun>& runs, const study::StepStore& store);

/// 0.0873 of an error as "8.73 %", of anything else in four digits.
std::string metric_text(const std::string& metric, double value);

}  // namespace arks::cli
