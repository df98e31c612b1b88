#include "cli/sweep_text.h"

#include "report/table.h"
#include "support/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace arks::cli {

using study::StepState;

namespace {

std::string four_digits(double value) {
  return fmt::format("{:.4g}", without_sign_of_nan(value));
}

std::string counted(size_t number, const std::string& what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

std::string spread_text(const study::Spread& spread, const std::string& metric) {
  const double mean = spread.mean, deviation = spread.deviation;
  if (spread.count < 2) return metric_text(metric, mean);
  if (!study::is_error_metric(metric)) return four_digits(mean) + " ± " + four_digits(deviation);
  return fmt::format("{:.2f} ± {:.2f} %", 100 * mean, 100 * deviation);
}

/// " [0.1, 17.2]" of an error in percent.
std::string brackets(const study::PointResult& point, const std::string& metric) {
  const auto interval = point.interval(metric);
  return interval ? fmt::format(" [{:.1f}, {:.1f}]", 100 * interval->low, 100 * interval->high) : "";
}

std::string spread_text(const std::string& metric, const study::PointResult& point) {
  const auto found = point.metrics.find(metric);
  return found == point.metrics.end() ? "-" : spread_text(found->second, metric) + brackets(point, metric);
}

std::string value_of(const study::SweepPoint& point, const std::string& parameter) {
  for (const auto& [name, value] : point.parameters) {
    if (name == parameter) return value;
  }
  return "-";
}

/// The clean error, the rule's metric, and of the attack what fits beside them: errors, or losses without classes.
std::vector<std::string> shown_metrics(const study::SweepResults& results, const std::string& of_rule) {
  constexpr size_t kMostRadii = 4;
  const auto& clean = results.metrics.front();  // an error; the loss is next to it
  const bool classes = results.has(clean) || !results.has(results.metrics[1]);
  std::vector<std::string> attacked;
  for (const auto& metric : results.metrics) {
    if (metric.rfind(classes ? "error@" : "loss@", 0) == 0) attacked.push_back(metric);
  }
  std::vector<std::string> shown{classes ? clean : results.metrics[1]};
  if (attacked.size() <= kMostRadii) shown.insert(shown.end(), attacked.begin(), attacked.end());
  if (std::find(shown.begin(), shown.end(), of_rule) == shown.end()) shown.push_back(of_rule);
  return shown;
}

std::string state_text(const study::PointResult& point, size_t runs) {
  if (point.state == StepState::kDone) return "";
  if (point.state == StepState::kFailed) return "failed: " + point.reason;
  if (point.state == StepState::kMissing) return "not run";
  return "started, " + std::to_string(point.n) + " of " + counted(runs, "run") + " done";
}

/// " [0.1, 17.2] on 30 rows": of the rows alone, however many seeds saw them.
std::string interval_text(const study::PointResult& point, const std::string& metric, const std::string& samples) {
  const auto size = point.sizes.find(metric);
  if (size == point.sizes.end() || size->second.samples == 0) return "";
  const auto on = " on " + count_of(size->second.samples, samples);
  return brackets(point, metric) + on +
         (size->second.groups > 0 ? " in " + count_of(size->second.groups, "groups") : "");
}

/// "; test_error 3.33 % [0.1, 17.2] on 30 rows", of the chosen point alone.
std::string test_text(const study::PointResult& point, const std::string& samples) {
  const std::string metric = point.test.count("test_error") > 0 ? "test_error" : "test_loss";
  const auto found = point.test.find(metric);
  if (found == point.test.end()) return "";
  return "; " + metric + " " + spread_text(found->second, metric) + interval_text(point, metric, samples);
}

/// What the signs in the numbers above stand for.
std::string signs_text(const study::SweepPlan& plan, const study::SweepResults& results) {
  std::vector<std::string> parts;
  const auto has_interval = [](const study::PointResult& point) {
    return std::any_of(point.sizes.begin(), point.sizes.end(),
                       [&](const auto& size) { return point.interval(size.first).has_value(); });
  };
  const bool intervals = std::any_of(results.points.begin(), results.points.end(), [&](const auto& group) {
    return std::any_of(group.begin(), group.end(), has_interval);
  });
  if (intervals) parts.push_back("[ ]: 95 % interval, of the " + results.samples + " of a part alone");
  for (const auto& group : plan.groups) {
    const auto repeats = plan.repeats_of(group.points.front());
    if (repeats.empty()) continue;
    parts.push_back("±: standard deviation over " + repeats);
    break;
  }
  return parts.empty() ? "" : "  " + join(parts, "; ") + "\n";
}

/// In single quotes where a shell would read more than a word.
std::string shell_word(const std::string& word) {
  static const std::string kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+@%";
  if (word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string line_of(const std::vector<std::string>& command) {
  std::string line = "arks";
  for (const auto& word : command) line += " " + shell_word(word);
  return line + "\n";
}

}  // namespace

std::string metric_text(const std::string& metric, double value) {
  return study::is_error_metric(metric) ? percent(value) : four_digits(value);
}

std::string brief(const study::SweepPlan& plan) {
  const auto points = static_cast<size_t>(plan.num_points());
  size_t runs = 0;
  for (const auto& group : plan.groups) {
    for (const auto& point : group.points) runs += plan.seeds.size() * static_cast<size_t>(plan.folds_of(point));
  }
  return join({counted(plan.groups.size(), "group"), counted(points, "point"), counted(plan.seeds.size(), "seed"),
               counted(runs, "run")});
}

std::string results_table(const study::SweepPlan& plan, const study::SweepResults& results,
                          const study::SelectionRule& rule, const std::vector<study::Choice>& choices) {
  const auto parameters = plan.parameters();
  const auto metrics = shown_metrics(results, rule.metric);
  std::vector<std::string> headers{"", "group"};
  headers.insert(headers.end(), parameters.begin(), parameters.end());
  headers.insert(headers.end(), metrics.begin(), metrics.end());
  headers.emplace_back("");
  Table table(headers);
  for (size_t g = 0; g < plan.groups.size(); ++g) {
    for (size_t p = 0; p < plan.groups[g].points.size(); ++p) {
      const auto& point = results.points[g][p];
      std::vector<std::string> row{choices[g].point == p ? "*" : "", plan.groups[g].name};
      for (const auto& name : parameters) row.push_back(value_of(plan.groups[g].points[p], name));
      for (const auto& metric : metrics) row.push_back(spread_text(metric, point));
      const auto folds = static_cast<size_t>(plan.folds_of(plan.groups[g].points[p]));
      row.push_back(state_text(point, plan.seeds.size() * folds));
      table.add_row(row);
    }
  }
  return table.str();
}

std::string chosen_lines(const study::SweepPlan& plan, const study::SweepResults& results,
                         const study::SelectionRule& rule, const std::vector<study::Choice>& choices) {
  std::string text = "chosen (*), " + rule.describe() + ":\n";
  for (size_t g = 0; g < plan.groups.size(); ++g) {
    const auto& group = plan.groups[g];
    const auto& choice = choices[g];
    text += "  " + group.name + ": ";
    if (choice.point) {
      std::vector<std::string> parts;
      for (const auto& [name, value] : group.points[*choice.point].parameters) parts.push_back(name + " " + value);
      text += (parts.empty() ? "its only point" : join(parts)) + "; " + rule.metric + " " +
              metric_text(rule.metric, *choice.value);
      const auto& point = results.points[g][*choice.point];
      text += interval_text(point, rule.metric, results.samples);
      if (choice.target)
        text += " against " + metric_text(rule.metric, *choice.target) + " of " + study::baseline_method();
      if (choice.tied > 0) {
        text += " (" + counted(static_cast<size_t>(choice.tied), "other point") + " as good by it)";
      }
      if (!rule.on_test()) text += test_text(point, results.samples);
    } else {
      const bool waits = choice.left_out < static_cast<int64_t>(group.points.size());
      text += waits ? "nothing yet: there is no finished point of " + study::baseline_method() + " to compare with"
                    : "nothing: no point has " + rule.metric + " for all its seeds";
    }
    if (choice.point && choice.left_out > 0) {
      text += " (" + counted(static_cast<size_t>(choice.left_out), "point") +
              " left out: not finished, failed or without a number)";
    }
    text += "\n";
  }
  return text + signs_text(plan, results);
}

std::string commands_of(const std::vector<study::SweepRun>& runs, const study::StepStore& store) {
  std::string text;
  for (const auto& run : runs) {
    const auto folder = store.run_folder(key_of(run.train)).string();
    auto words = run.train.command;
    words.insert(words.end(), {"--threads=1", "--out=" + folder});
    text += line_of(words);
    if (!run.evaluate) continue;
    words = run.evaluate->command;
    words[1] = folder;
    words.emplace_back("--threads=1");
    text += line_of(words);
  }
  return text;
}

}  // namespace arks::cli
