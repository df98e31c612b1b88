// The tables of a sweep as CSV and JSON.
#include "report/csv_field.h"
#include "study/sweep_results.h"
#include "support/json_text.h"
#include "support/text.h"

#include <arks/version.h>
#include <torch/version.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace arks::study {

namespace {

using Json = nlohmann::ordered_json;

/// The value of every parameter of the plan; empty where the group does not search it.
std::vector<std::string> cells_of(const std::vector<std::string>& names, const SweepPoint& point) {
  std::vector<std::string> cells;
  for (const auto& name : names) {
    const auto found = std::find_if(point.parameters.begin(), point.parameters.end(),
                                    [&](const auto& parameter) { return parameter.first == name; });
    cells.push_back(found != point.parameters.end() ? found->second : "");
  }
  return cells;
}

void append(std::vector<std::string>& fields, const std::vector<std::string>& more) {
  fields.insert(fields.end(), more.begin(), more.end());
}

Json parameters_json(const SweepPoint& point) {
  Json json = Json::object();
  for (const auto& [name, value] : point.parameters) json[name] = value;
  return json;
}

Json spread_json(const PointResult& point, const std::map<std::string, Spread>& spreads) {
  Json json = Json::object();
  for (const auto& [name, spread] : spreads) {
    const auto size = point.sizes.find(name);
    const bool known = size != point.sizes.end() && size->second.samples > 0;
    const auto interval = point.interval(name);
    json[name] = {{"mean", spread.mean},
                  {"deviation", spread.count > 1 ? Json(spread.deviation) : Json(nullptr)},
                  {"n", known ? Json(size->second.samples) : Json(nullptr)},
                  {"low", interval ? Json(interval->low) : Json(nullptr)},
                  {"high", interval ? Json(interval->high) : Json(nullptr)}};
  }
  return json;
}

Json point_json(const SweepGroup& group, size_t index, const PointResult& result) {
  const auto& point = group.points[index];
  return {{"group", group.name},
          {"method", group.method.empty() ? point.flags.at("method") : group.method},
          {"parameters", parameters_json(point)},
          {"flags", point.flags},
          {"n", result.n},
          {"state", describe(result.state)},
          {"reason", result.reason.empty() ? Json(nullptr) : Json(result.reason)},
          {"metrics", spread_json(result, result.metrics)}};
}

Json choice_json(const SweepGroup& group, const std::vector<PointResult>& points, const SelectionRule& rule,
                 const Choice& choice) {
  const auto optional = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  return {{"group", group.name},
          {"metric", rule.metric},
          {"value", optional(choice.value)},
          {"target", optional(choice.target)},
          {"left_out", choice.left_out},
          {"tied", choice.tied},
          {"test", choice.point ? spread_json(points[*choice.point], points[*choice.point].test) : Json(nullptr)},
          {"parameters", choice.point ? parameters_json(group.points[*choice.point]) : Json(nullptr)},
          {"flags", choice.point ? Json(group.points[*choice.point].flags) : Json(nullptr)}};
}

Json run_json(const SweepPlan& plan, const SweepRun& run, const RunResult& result) {
  const auto& group = plan.groups[run.group];
  return {{"group", group.name},
          {"parameters", parameters_json(group.points[run.point])},
          {"seed", run.seed},
          {"fold", run.fold ? Json(*run.fold) : Json(nullptr)},
          {"state", describe(result.state)},
          {"reason", result.reason.empty() ? Json(nullptr) : Json(result.reason)},
          {"wall_seconds", result.seconds},
          {"metrics", result.metrics},
          {"step", key_of(run.train)}};
}

}  // namespace

std::string results_csv(const SweepPlan& plan, const SweepResults& results) {
  const auto parameters = plan.parameters();
  std::vector<std::string> metrics;
  std::copy_if(results.metrics.begin(), results.metrics.end(), std::back_inserter(metrics),
               [](const auto& name) { return name != kSecondsMetric; });
  std::vector<std::string> header{"group"};
  append(header, parameters);
  for (const auto& metric : metrics) append(header, {metric + "_mean", metric + "_deviation"});
  append(header, {"n", "state", "reason"});
  std::string text = csv_line(header);
  for (size_t g = 0; g < plan.groups.size(); ++g) {
    for (size_t p = 0; p < plan.groups[g].points.size(); ++p) {
      const auto& point = results.points[g][p];
      std::vector<std::string> fields{plan.groups[g].name};
      append(fields, cells_of(parameters, plan.groups[g].points[p]));
      for (const auto& metric : metrics) {
        const auto found = point.metrics.find(metric);
        const bool there = found != point.metrics.end();
        const bool spreads = there && found->second.count > 1;
        append(fields, {there ? shortest(found->second.mean) : "", spreads ? shortest(found->second.deviation) : ""});
      }
      append(fields, {std::to_string(point.n), describe(point.state), point.reason});
      text += csv_line(fields);
    }
  }
  return text;
}

std::string runs_csv(const SweepPlan& plan, const std::vector<SweepRun>& runs, const SweepResults& results) {
  const auto parameters = plan.parameters();
  std::vector<std::string> header{"group"};
  append(header, parameters);
  append(header, {"seed", "fold"});
  append(header, results.metrics);
  append(header, {"state", "reason", "wall_seconds", "step"});
  std::string text = csv_line(header);
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto& run = runs[i];
    const auto& result = results.runs[i];
    const auto& group = plan.groups[run.group];
    std::vector<std::string> fields{group.name};
    append(fields, cells_of(parameters, group.points[run.point]));
    append(fields, {std::to_string(run.seed), run.fold ? std::to_string(*run.fold) : ""});
    for (const auto& metric : results.metrics) {
      const auto found = result.metrics.find(metric);
      fields.push_back(found != result.metrics.end() ? shortest(found->second) : "");
    }
    append(fields, {describe(result.state), result.reason, shortest(result.seconds), key_of(run.train)});
    text += csv_line(fields);
  }
  return text;
}

std::string results_json(const SweepPlan& plan, const std::vector<SweepRun>& runs, const SweepResults& results,
                         const std::string& rule, const SelectionRule& selection) {
  const auto choices = select(selection, results.candidates(plan));
  Json points = Json::array(), chosen = Json::array(), all_runs = Json::array();
  for (size_t g = 0; g < plan.groups.size(); ++g) {
    const auto& group = plan.groups[g];
    for (size_t p = 0; p < group.points.size(); ++p) points.push_back(point_json(group, p, results.points[g][p]));
    chosen.push_back(choice_json(group, results.points[g], selection, choices[g]));
  }
  for (size_t i = 0; i < runs.size(); ++i) all_runs.push_back(run_json(plan, runs[i], results.runs[i]));
  const Json document = {{"command", "sweep"},
                         {"rule", rule},
                         {"selected_on", plan.on_test ? "test" : "validation"},
                         {"seeds", plan.seeds},
                         {"points", points},
                         {"chosen", chosen},
                         {"runs", all_runs},
                         {"versions", {{"arks", kVersion}, {"libtorch", TORCH_VERSION}}}};
  return json_text(document);
}

}  // namespace arks::study
