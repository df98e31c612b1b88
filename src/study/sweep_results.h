#pragma once
// What a sweep has found so far, collected from its steps: always of the whole plan, whoever ran which part of it.
#include <arks/metric/intervals.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "study/run_parts.h"
#include "study/selection.h"
#include "study/spread.h"
#include "study/sweep_runs.h"

namespace arks::study {

/// The metrics that a sweep has: validation_error, validation_loss (of the paper's protocol test_error, test_loss),
/// train_error, surrogate and seconds (of training, all epochs), and with [evaluate] error@EPS and loss@EPS for each of
/// its radii, on the same part. A point is chosen by these, and so none is of the test part unless plan.on_test. Throws
/// Error when these are no numbers.
std::vector<std::string> metrics_of(const SweepPlan& plan);

/// A metric that is a fraction and is shown in percent: validation_error, test_error, train_error, error@EPS.
bool is_error_metric(const std::string& metric);

/// Seconds differ from run to run and stay out of what is compared.
inline constexpr const char* kSecondsMetric = "seconds";

struct RunResult {
  StepState state = StepState::kMissing;  ///< of the training, or once that is done of the attack
  std::string reason;                     ///< of a failure
  double seconds = 0;                     ///< wall time of its steps
  std::map<std::string, double> metrics;  ///< of a run that is done; what is not finite is not there
  std::map<std::string, double> test;     ///< likewise test_error and test_loss, for the point that is chosen
  std::map<std::string, PartSize> sizes;  ///< on how many samples those metrics were measured, as far as that is known
  std::string samples;                    ///< what they are called: "rows"
};

struct PointResult {
  StepState state = StepState::kMissing;  ///< done, failed (one seed or more), begun (some seeds missing), not run
  std::string reason;                     ///< of the first seed that failed
  int64_t n = 0;                          ///< runs that are done: seeds, times folds
  std::map<std::string, Spread> metrics;  ///< over these; only those that all of them have
  std::map<std::string, Spread> test;     ///< likewise test_error and test_loss; to be read once a point is chosen
  /// On how many different samples each of them was measured: folds add up, seeds see the same number again.
  std::map<std::string, PartSize> sizes;

  /// Where an error lies by the number of its samples, 95 %. None for what is no error, where that number is not known,
  /// and for samples in groups, which are alike: the mean does not say how far it can be trusted.
  std::optional<Interval> interval(const std::string& metric) const;
};

/// The groups without their points, and which of their losses cannot be compared. What is learned, classes or numbers,
/// is known from results alone; losses of classes do not depend on how numbers are scaled.
std::vector<CandidateGroup> groups_of(const SweepPlan& plan, bool regression);

struct SweepResults {
  std::vector<std::string> metrics;
  std::vector<RunResult> runs;                   ///< as runs_of gives them
  std::vector<std::vector<PointResult>> points;  ///< [group][point]
  std::string samples = "samples";               ///< what they are called

  /// As `select` takes them.
  std::vector<CandidateGroup> candidates(const SweepPlan& plan) const;
  /// How many points stand so.
  int64_t count(StepState state) const;
  /// Some point has the metric.
  bool has(const std::string& metric) const;
  /// Likewise of the test part.
  bool has_test(const std::string& metric) const;
};

SweepResults collect(const SweepPlan& plan, const std::vector<SweepRun>& runs, const StepStore& store);

/// A row per point, without times, so that two sweeps of the same plan give the same bytes:
///   group, the parameters, METRIC_mean and METRIC_deviation of each metric but seconds, n, state, reason
/// Errors are fractions; empty is what there is not. RFC 4180, as all CSV here.
std::string results_csv(const SweepPlan& plan, const SweepResults& results);

/// A row per run: group, the parameters, seed, fold, the metrics, state, reason, wall_seconds, step (its folder in
/// steps/).
std::string runs_csv(const SweepPlan& plan, const std::vector<SweepRun>& runs, const SweepResults& results);

/// The same as one document, with what the rule chose:
///   {command, rule, selected_on, seeds,
///    points: [{group, method, parameters, flags, n, state, reason, metrics: {NAME: SPREAD}}],
///    chosen: [{group, metric, value, target, left_out, tied, test: {NAME: SPREAD}, parameters, flags}],
///    runs: [{group, parameters, seed, fold, state, reason, wall_seconds, metrics, step}],
///    versions}
/// with SPREAD = {mean, deviation, n, low, high}. The n of a point counts runs, that of a SPREAD samples; low to high
/// is the interval of an error. selected_on is "validation" or "test". Null are: fold where a point has none, deviation
/// where it has one run, n, low and high where they are not known (PointResult::interval).
std::string results_json(const SweepPlan& plan, const std::vector<SweepRun>& runs, const SweepResults& results,
                         const std::string& rule, const SelectionRule& selection);

}  // namespace arks::study
