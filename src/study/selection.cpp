#include "study/selection.h"

#include "objective/method.h"
#include "support/contains.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace arks::study {

const std::string& baseline_method() {
  static const std::string kName = [] {
    for (const auto& entry : methods()) {
      if (entry.make()->is_baseline()) return entry.name;
    }
    throw Error("no method is a baseline");
  }();
  return kName;
}

namespace {

std::optional<double> mean_of(const Candidate& point, const std::string& metric) {
  const auto found = point.means.find(metric);
  if (!point.complete || found == point.means.end() || !std::isfinite(found->second)) return std::nullopt;
  return found->second;
}

constexpr const char* kSurrogate = "surrogate";

bool is_loss(const std::string& metric) {
  return metric.find("loss") != std::string::npos || metric == kSurrogate;
}

/// "error@0.1"
bool is_attacked(const std::string& metric) {
  return metric.find('@') != std::string::npos;
}

/// What a setting changes that keeps the metric of a group from being compared, and what can be done besides groups.
std::string why_incomparable(const CandidateGroup& group, const std::string& metric, const std::string& setting) {
  const char* by_error = ", or use --rule best:validation_error";
  if (is_attacked(metric) && !group.other_strengths.empty()) {
    return std::string("what eps means; give each value a group of its own") + by_error;
  }
  if (metric == kSurrogate && group.method.empty()) {
    return std::string("what a surrogate is; give each value a group of its own") + by_error;
  }
  return std::string("the unit of the loss; give each value a group of its own") +
         (setting == group.other_weights ? by_error : "");
}

/// What says how good a point is: smaller is better, and points can be compared by it.
bool judges(const std::string& metric) {
  for (const char* start : {"validation_", "test_", "error@", "loss@"}) {
    if (metric.rfind(start, 0) == 0) return true;
  }
  return false;
}

/// "validation_error" and "test_error" come before the losses, and these before what an attack reached.
int rank_of(const std::string& metric) {
  const bool clean = !is_attacked(metric), error = metric.find("error") != std::string::npos;
  return (clean ? 0 : 2) + (error ? 0 : 1);
}

/// The same numbers, added up in another order.
bool alike(double one, double other) {
  constexpr double kRounding = 1e-9;
  return std::abs(one - other) <= kRounding * std::max(std::abs(one), std::abs(other));
}

/// -1, 0, 1: how points of the group compare in the metrics that both have, in the order of their ranks.
int compare(const CandidateGroup& group, const Candidate& one, const Candidate& other) {
  for (int rank = 0; rank < 4; ++rank) {
    for (const auto& [metric, mean] : one.means) {
      const auto theirs = mean_of(other, metric);
      if (!judges(metric) || !group.incomparable(metric).empty() || rank_of(metric) != rank) continue;
      if (!theirs || alike(*theirs, mean)) continue;
      return mean < *theirs ? -1 : 1;
    }
  }
  return 0;
}

/// Whether `other` is better in every metric that judges.
bool beaten_by(const CandidateGroup& group, const Candidate& one, const Candidate& other) {
  bool compared = false;
  for (const auto& [metric, mean] : one.means) {
    const auto theirs = mean_of(other, metric);
    if (!judges(metric) || !group.incomparable(metric).empty() || !theirs) continue;
    if (*theirs >= mean || alike(*theirs, mean)) return false;
    compared = true;
  }
  return compared;
}

/// A point that has the rule's metric.
struct Contender {
  size_t point = 0;
  double value = 0, distance = 0;
};

/// Means that differ by as little as their rounding are as far, whatever the target is that was taken away.
bool as_far(const Contender& one, const Contender& other) {
  constexpr double kRounding = 1e-9;
  return std::abs(one.distance - other.distance) <= kRounding * std::max(std::abs(one.value), std::abs(other.value));
}

/// The point with the smallest distance of its mean that no other point beats. Only the nearest are asked for that.
Choice smallest(const CandidateGroup& group, const std::string& metric, const std::function<double(double)>& distance) {
  Choice choice;
  const auto& points = group.points;
  if (!group.incomparable(metric).empty()) {
    choice.left_out = static_cast<int64_t>(points.size());
    return choice;
  }
  std::vector<Contender> contenders;
  for (size_t i = 0; i < points.size(); ++i) {
    if (const auto mean = mean_of(points[i], metric)) contenders.push_back({i, *mean, distance(*mean)});
  }
  choice.left_out = static_cast<int64_t>(points.size() - contenders.size());
  auto by_value = contenders;
  std::stable_sort(by_value.begin(), by_value.end(),
                   [](const auto& one, const auto& other) { return one.value < other.value; });
  std::stable_sort(contenders.begin(), contenders.end(),
                   [](const auto& one, const auto& other) { return one.distance < other.distance; });
  const auto is_beaten = [&](const Contender& one) {
    // where the metric judges, only those before it can
    const auto end = std::find_if(by_value.begin(), by_value.end(),
                                  [&](const auto& other) { return judges(metric) && other.value >= one.value; });
    return std::any_of(by_value.begin(), end,
                       [&](const auto& other) { return beaten_by(group, points[one.point], points[other.point]); });
  };
  const auto nearest = std::find_if_not(contenders.begin(), contenders.end(), is_beaten);
  std::vector<Contender> best;
  for (auto it = nearest; it != contenders.end() && as_far(*it, *nearest); ++it) {
    if (it == nearest || !is_beaten(*it)) best.push_back(*it);
  }
  if (best.empty()) return choice;
  const auto chosen = std::min_element(best.begin(), best.end(), [&](const auto& one, const auto& other) {
    const int order = compare(group, points[one.point], points[other.point]);
    return order != 0 ? order < 0 : one.point < other.point;
  });
  choice.point = chosen->point;
  choice.value = chosen->value;
  choice.tied = static_cast<int64_t>(best.size()) - 1;
  return choice;
}

}  // namespace

const std::string& CandidateGroup::incomparable(const std::string& metric) const {
  static const std::string kNone, kMethod = "method";
  if (is_attacked(metric) && !other_strengths.empty()) return other_strengths;
  if (metric == kSurrogate && method.empty()) return kMethod;
  if (!is_loss(metric)) return kNone;
  const bool weighted = metric == "validation_loss" || metric == kSurrogate;  // those of the test part are not
  return other_units.empty() && weighted ? other_weights : other_units;
}

std::string SelectionRule::describe() const {
  if (kind == Kind::kBest) return "the smallest " + metric;
  return "the lowest " + metric + " of " + baseline_method() + ", and for every other method the point closest to it";
}

SelectionRule parse_rule(const std::string& text, const std::vector<std::string>& metrics) {
  if (text == "paper") return {SelectionRule::Kind::kPaper, "test_error"};
  static const std::string kBest = "best:";
  ARKS_CHECK(text.rfind(kBest, 0) == 0, "--rule: unknown rule '", text, "'",
             did_you_mean(text, {"paper", "best:validation_error"}), "; known: paper, best:METRIC");
  const auto metric = text.substr(kBest.size());
  ARKS_CHECK(metric.rfind("test_", 0) != 0, "--rule best:", metric,
             " would choose by the test part, and its error would then be too low to report; use best:validation_",
             metric.substr(5), "; only --rule paper chooses as published");
  ARKS_CHECK(contains(metrics, metric), "--rule: unknown metric '", metric, "'", did_you_mean(metric, metrics),
             "; known: ", join(metrics));
  return {SelectionRule::Kind::kBest, metric};
}

void check_rule(const SelectionRule& rule, const std::vector<CandidateGroup>& groups) {
  for (const auto& group : groups) {
    const auto& setting = group.incomparable(rule.metric);
    ARKS_CHECK(setting.empty(), "the points of group '", group.name, "' cannot be compared by ", rule.metric, ": ",
               setting, " differs, and with it ", why_incomparable(group, rule.metric, setting));
  }
  if (rule.kind != SelectionRule::Kind::kPaper) return;
  bool has_baseline = false;
  for (const auto& group : groups) {
    ARKS_CHECK(!group.method.empty(), "--rule paper: group '", group.name,
               "' searches the method itself; give each method a group");
    has_baseline = has_baseline || group.method == baseline_method();
  }
  ARKS_CHECK(has_baseline, "--rule paper compares with the error of ", baseline_method(),
             ", and no group has method = \"", baseline_method(), "\"; add one, or use --rule best:METRIC");
}

std::vector<Choice> select(const SelectionRule& rule, const std::vector<CandidateGroup>& groups) {
  const auto plain = [](double mean) { return mean; };
  std::vector<Choice> choices;
  std::optional<double> target;
  for (const auto& group : groups) {
    choices.push_back(smallest(group, rule.metric, plain));
    const auto& found = choices.back().value;
    if (group.method == baseline_method() && found) target = std::min(*found, target.value_or(*found));
  }
  if (rule.kind == SelectionRule::Kind::kBest) return choices;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].method == baseline_method()) continue;
    auto& choice = choices[i];
    if (!target) {  // nothing to come close to yet
      choice.point.reset();
      choice.value.reset();
      continue;
    }
    choice = smallest(groups[i], rule.metric, [&](double mean) { return std::abs(mean - *target); });
    choice.target = target;
  }
  return choices;
}

}  // namespace arks::study
