#include "study/selection.h"

#include "objective/method.h"
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

/// The point with the smallest distance of its mean, the first of equals.
Choice smallest(const CandidateGroup& group, const std::string& metric, const std::function<double(double)>& distance) {
  Choice choice;
  for (size_t i = 0; i < group.points.size(); ++i) {
    const auto mean = mean_of(group.points[i], metric);
    if (!mean) {
      ++choice.left_out;
    } else if (!choice.point || distance(*mean) < distance(*choice.value)) {
      choice.point = i;
      choice.value = mean;
    }
  }
  return choice;
}

}  // namespace

std::string SelectionRule::describe() const {
  if (kind == Kind::kBest) return "the smallest " + metric;
  return "the lowest " + metric + " of " + baseline_method() + ", and for every other method the point closest to it";
}

SelectionRule parse_rule(const std::string& text, const std::vector<std::string>& metrics) {
  if (text == "paper") return {SelectionRule::Kind::kPaper, "test_error"};
  static const std::string kBest = "best:";
  ARKS_CHECK(text.rfind(kBest, 0) == 0, "--rule: unknown rule '", text, "'",
             did_you_mean(text, {"paper", "best:test_error"}), "; known: paper, best:METRIC");
  const auto metric = text.substr(kBest.size());
  ARKS_CHECK(std::find(metrics.begin(), metrics.end(), metric) != metrics.end(), "--rule: unknown metric '", metric,
             "'", did_you_mean(metric, metrics), "; known: ", join(metrics));
  return {SelectionRule::Kind::kBest, metric};
}

void check_rule(const SelectionRule& rule, const std::vector<CandidateGroup>& groups) {
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
