#include "study/sweep_results.h"

#include "attack/attack_method.h"
#include "data/registry.h"
#include "support/file.h"
#include "support/json_text.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

namespace arks::study {

namespace {

using Json = nlohmann::ordered_json;

/// That of [evaluate]; null for a name that there is not, which the check of its flags refuses.
std::unique_ptr<AttackMethod> attack_of(const SweepPlan& plan) {
  const auto name = value_or(*plan.evaluate, "attack", plan.defaults.attack);
  for (const auto& entry : attacks()) {
    if (entry.name == name) return entry.make();
  }
  return nullptr;
}

std::vector<double> radii_of(const SweepPlan& plan) {
  const auto attack = attack_of(plan);
  if (attack == nullptr) return {};
  return parse_numbers(value_or(*plan.evaluate, "eps", attack->usual_strengths()), "[evaluate] eps");
}

void put(std::map<std::string, double>& metrics, const std::string& name, const Json& from, const char* key) {
  if (!from.contains(key) || !from.at(key).is_number()) return;
  const double value = from.at(key).get<double>();
  if (std::isfinite(value)) metrics[name] = value;
}

constexpr std::array<const char*, 2> kTestMetrics{"test_error", "test_loss"};

/// Of the epoch whose weights were taken, and the time of all of them, however often the run was interrupted.
void put_training(RunResult& result, bool on_test, const StepStore& store, const std::string& key) {
  auto& metrics = result.metrics;
  const auto taken = parse_json(store.result(key));
  for (const char* name : {"validation_error", "validation_loss", "train_error", "surrogate"}) {
    put(metrics, name, taken, name);
  }
  for (const char* name : kTestMetrics) {
    put(result.test, name, taken, name);
    if (on_test) put(metrics, name, taken, name);
  }
  double seconds = 0;
  for (const auto& line : split(read_file(store.run_folder(key) / "metrics.jsonl"), '\n')) {
    if (!line.empty()) seconds += parse_json(line).value(kSecondsMetric, 0.0);
  }
  metrics[kSecondsMetric] = seconds;
}

void put_sizes(RunResult& result, const RunParts& parts) {
  if (parts.test.samples == 0) return;
  result.samples = parts.word;
  for (const char* name : kTestMetrics) result.sizes[name] = parts.test;
  if (parts.validation.samples == 0) return;
  for (const char* name : {"validation_error", "validation_loss"}) result.sizes[name] = parts.validation;
}

void put_attack(RunResult& result, const StepStore& store, const std::string& key) {
  const auto document = parse_json(store.result(key));
  for (const auto& point : document.at("points")) {
    const auto eps = shortest(point.at("eps").get<double>());
    for (const char* kind : {"error", "loss"}) {
      const auto name = std::string(kind) + "@" + eps;
      put(result.metrics, name, point, kind);
      const PartSize size{point.value("n", int64_t{0}), point.value("groups", int64_t{0})};
      if (size.samples > 0) result.sizes[name] = size;
    }
  }
}

RunResult result_of(const SweepPlan& plan, const SweepRun& run, const StepStore& store) {
  RunResult result;
  std::vector<const Step*> steps{&run.train};
  if (run.evaluate) steps.push_back(&*run.evaluate);
  for (const auto* step : steps) {
    const auto outcome = store.outcome(*step);
    result.state = outcome.state;
    result.reason = outcome.reason;
    result.seconds += outcome.seconds;
    if (outcome.done()) continue;
    // the model is there, the attack was not begun
    if (step != steps.front() && outcome.state == StepState::kMissing) result.state = StepState::kPartial;
    return result;
  }
  try {
    put_training(result, plan.on_test, store, key_of(run.train));
    put_sizes(result, read_parts(store.run_folder(key_of(run.train))));
    if (run.evaluate) put_attack(result, store, key_of(*run.evaluate));
  } catch (const std::exception&) {  // of the parser, or of who reads metrics
    result.metrics.clear();
    result.test.clear();
    result.sizes.clear();
    result.state = StepState::kFailed;
    result.reason = "its result in steps/" + key_of(run.evaluate ? *run.evaluate : run.train) + " cannot be read";
  }
  return result;
}

/// Over all runs that are done, where each of them has the metric.
std::optional<Spread> spread_of(const std::vector<const RunResult*>& runs, int64_t done, const std::string& metric,
                                std::map<std::string, double> RunResult::*metrics) {
  std::vector<double> values;
  for (const auto* run : runs) {
    const auto found = (run->*metrics).find(metric);
    if (found != (run->*metrics).end()) values.push_back(found->second);
  }
  if (values.empty() || static_cast<int64_t>(values.size()) != done) return std::nullopt;
  return spread(values);
}

/// Of the models of one seed: each fold has a validation part of its own, and all have one test part.
std::map<std::string, PartSize> sizes_of(const std::vector<const RunResult*>& runs, size_t folds, bool on_test) {
  auto sizes = runs.front()->sizes;
  if (folds < 2) return sizes;
  for (auto& [metric, size] : sizes) {
    if (on_test || metric.rfind("test_", 0) == 0) continue;
    for (size_t i = 1; i < folds; ++i) {
      const auto found = runs[i]->sizes.find(metric);
      const auto of_fold = found == runs[i]->sizes.end() ? PartSize() : found->second;
      size.samples = of_fold.samples == 0 ? 0 : size.samples + (size.samples == 0 ? 0 : of_fold.samples);
      size.groups += of_fold.groups;
    }
  }
  return sizes;
}

PointResult point_of(const std::vector<const RunResult*>& runs, const std::vector<std::string>& metrics, size_t folds,
                     bool on_test) {
  PointResult point;
  point.sizes = sizes_of(runs, folds, on_test);
  bool begun = false;
  for (const auto* run : runs) {
    point.n += run->state == StepState::kDone ? 1 : 0;
    begun = begun || run->state != StepState::kMissing;
    if (run->state == StepState::kFailed && point.state != StepState::kFailed) {
      point.state = StepState::kFailed;
      point.reason = run->reason;
    }
  }
  if (point.state != StepState::kFailed && begun) {
    point.state = point.n == static_cast<int64_t>(runs.size()) ? StepState::kDone : StepState::kPartial;
  }
  for (const auto& metric : metrics) {
    if (const auto found = spread_of(runs, point.n, metric, &RunResult::metrics)) point.metrics[metric] = *found;
  }
  for (const char* metric : kTestMetrics) {
    if (const auto found = spread_of(runs, point.n, metric, &RunResult::test)) point.test[metric] = *found;
  }
  return point;
}

}  // namespace

std::vector<std::string> metrics_of(const SweepPlan& plan) {
  const std::string part = plan.on_test ? "test" : "validation";
  std::vector<std::string> names{part + "_error", part + "_loss", "train_error", "surrogate"};
  if (plan.evaluate) {
    for (const double eps : radii_of(plan)) {
      for (const char* kind : {"error@", "loss@"}) {
        const auto name = kind + shortest(eps);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    }
  }
  names.emplace_back(kSecondsMetric);
  return names;
}

namespace {

/// Whether the points have different values of it.
template <typename Value>
bool differs(const SweepGroup& group, const Value& value) {
  return std::any_of(group.points.begin(), group.points.end(),
                     [&](const auto& point) { return value(point.flags) != value(group.points.front().flags); });
}

}  // namespace

std::vector<CandidateGroup> groups_of(const SweepPlan& plan, bool regression) {
  std::vector<CandidateGroup> groups;
  for (const auto& group : plan.groups) {
    const auto of = [](const char* name, const char* otherwise) {
      return [=](const FlagValues& flags) { return value_or(flags, name, otherwise); };
    };
    const auto of_inputs = [&](const FlagValues& flags) {  // a program of the user's takes what its file takes
      const auto data = value_or(flags, "data", plan.defaults.data);
      const bool program = std::filesystem::path(value_or(flags, "model", "")).extension() == ".pt";
      const bool scaled = is_own_data(data) && data_kind(data) == DataKind::kTable && !program;
      return value_or(flags, "standardise", scaled ? "true" : "false");
    };
    const auto of_targets = [&](const FlagValues& flags) {  // follows the scaling of the inputs
      const bool own = is_own_data(value_or(flags, "data", plan.defaults.data));
      return value_or(flags, "standardise-targets", own ? of_inputs(flags) : "false");
    };
    const char* scaling = differs(group, of("standardise", "")) ? "standardise" : "model";
    CandidateGroup found{group.name, group.method, {}};
    found.predicts_numbers = differs(group, of("standardise-targets", ""));
    if (differs(group, of("class-weights", "none"))) found.other_weights = "class-weights";
    if (regression && differs(group, of_targets)) {
      found.other_units = found.predicts_numbers ? "standardise-targets" : scaling;
    }
    // a shift moves values in the user's units, whatever the model makes of them
    const auto attack = plan.evaluate ? attack_of(plan) : nullptr;
    if (attack != nullptr && !attack->is_shift()) {
      if (differs(group, of_inputs)) found.other_strengths = scaling;
      if (differs(group, of("data", ""))) found.other_strengths = "data";
    }
    groups.push_back(std::move(found));
  }
  return groups;
}

std::vector<CandidateGroup> SweepResults::candidates(const SweepPlan& plan) const {
  // classes have no scale
  auto groups = groups_of(plan, /*regression=*/!has("validation_error") && !has("test_error"));
  for (size_t i = 0; i < plan.groups.size(); ++i) {
    auto& group = groups[i];
    for (const auto& point : points[i]) {
      Candidate candidate{point.state == StepState::kDone, {}};
      for (const auto& [name, spread] : point.metrics) candidate.means[name] = spread.mean;
      group.points.push_back(std::move(candidate));
    }
  }
  return groups;
}

int64_t SweepResults::count(StepState state) const {
  int64_t found = 0;
  for (const auto& group : points) {
    found += std::count_if(group.begin(), group.end(), [&](const auto& point) { return point.state == state; });
  }
  return found;
}

bool SweepResults::has(const std::string& metric) const {
  return std::any_of(runs.begin(), runs.end(), [&](const auto& run) { return run.metrics.count(metric) > 0; });
}

bool SweepResults::has_test(const std::string& metric) const {
  return std::any_of(runs.begin(), runs.end(), [&](const auto& run) { return run.test.count(metric) > 0; });
}

std::optional<Interval> PointResult::interval(const std::string& metric) const {
  const auto size = sizes.find(metric);
  if (!is_error_metric(metric) || size == sizes.end() || size->second.samples == 0 || size->second.groups > 0)
    return {};
  const auto& spreads = metrics.count(metric) > 0 ? metrics : test;
  const auto spread = spreads.find(metric);
  if (spread == spreads.end()) return {};
  const auto samples = static_cast<double>(size->second.samples);
  return fraction_interval(std::clamp(spread->second.mean, 0.0, 1.0) * samples, samples);
}

bool is_error_metric(const std::string& metric) {
  return metric == "validation_error" || metric == "test_error" || metric == "train_error" ||
         metric.rfind("error@", 0) == 0;
}

SweepResults collect(const SweepPlan& plan, const std::vector<SweepRun>& runs, const StepStore& store) {
  SweepResults results;
  results.metrics = metrics_of(plan);
  for (const auto& run : runs) {
    results.runs.push_back(result_of(plan, run, store));
    if (!results.runs.back().samples.empty()) results.samples = results.runs.back().samples;
  }
  size_t first = 0;
  for (const auto& group : plan.groups) {
    results.points.emplace_back();
    for (const auto& point : group.points) {
      std::vector<const RunResult*> of_point;
      const auto folds = static_cast<size_t>(plan.folds_of(point)), count = plan.seeds.size() * folds;
      for (size_t i = 0; i < count; ++i) of_point.push_back(&results.runs[first + i]);
      first += count;
      results.points.back().push_back(point_of(of_point, results.metrics, folds, plan.on_test));
    }
  }
  return results;
}

}  // namespace arks::study
