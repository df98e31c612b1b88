#include "study/sweep_figure.h"

#include "report/figure.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <map>
#include <optional>

namespace arks::study {

namespace fs = std::filesystem;

namespace {

constexpr double kWideRange = 20;

std::optional<double> as_number(const std::string& text) {
  try {
    return parse_number(text, "");
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Where each value stands on the axis: a number at itself, words one after the other.
std::map<std::string, double> places_of(const std::vector<std::string>& values, std::vector<std::string>& labels) {
  std::map<std::string, double> places;
  for (const auto& value : values) {
    const auto number = as_number(value);
    if (number) places[value] = *number;
  }
  const bool numbers = std::all_of(values.begin(), values.end(), [&](const auto& v) { return places.count(v) > 0; });
  if (numbers) return places;
  places.clear();
  for (const auto& value : values) {
    if (!places.emplace(value, static_cast<double>(labels.size() + 1)).second) continue;
    labels.push_back(value);
  }
  return places;
}

ParameterPanel panel_of(const std::string& parameter, size_t index, const SweepGroup& group,
                        const std::vector<PointResult>& points, const std::string& metric) {
  ParameterPanel panel;
  panel.parameter = parameter;
  std::vector<std::string> values;
  for (const auto& point : group.points) values.push_back(point.parameters[index].second);
  const auto places = places_of(values, panel.labels);
  const double scale = is_error_metric(metric) ? 100 : 1;
  const bool several = std::any_of(points.begin(), points.end(), [](const auto& point) { return point.n > 1; });
  std::map<double, double> best;
  for (size_t i = 0; i < points.size(); ++i) {
    const auto found = points[i].metrics.find(metric);
    if (found == points[i].metrics.end()) continue;
    const double x = places.at(values[i]), y = scale * found->second.mean;
    panel.x.push_back(x);
    panel.y.push_back(y);
    if (several) panel.deviation.push_back(scale * found->second.deviation);
    const auto [place, is_new] = best.emplace(x, y);
    if (!is_new) place->second = std::min(place->second, y);
  }
  if (best.empty()) return panel;
  const double lowest = best.begin()->first, highest = best.rbegin()->first;
  panel.logarithmic = panel.labels.empty() && lowest > 0 && highest > kWideRange * lowest;
  if (best.size() == panel.x.size() && group.parameters.size() > 1) return panel;
  for (const auto& [x, y] : best) {
    panel.best_x.push_back(x);
    panel.best_y.push_back(y);
  }
  return panel;
}

Panel drawn(const ParameterPanel& found, const std::string& label) {
  Panel panel;
  panel.x_label = found.parameter;
  panel.x_names = found.labels;
  panel.x_scale = found.logarithmic ? AxisScale::kLog : AxisScale::kLinear;
  if (!found.best_x.empty()) {
    panel.curves.push_back({"best for each value", found.best_x, found.best_y, {}, CurveKind::kLine});
  }
  panel.curves.push_back({label, found.x, found.y, found.deviation, CurveKind::kPoints});
  return panel;
}

/// "test error (%)", "loss at ε = 0.1"
std::string axis_label(const std::string& metric) {
  const auto at = metric.find('@');
  std::string label = metric.substr(0, at);
  std::replace(label.begin(), label.end(), '_', ' ');
  if (at != std::string::npos) label += " at ε = " + metric.substr(at + 1);
  return label + (is_error_metric(metric) ? " (%)" : metric == kSecondsMetric ? " of training" : "");
}

/// Those of groups that the plan no longer has, or that have nothing to show any more.
void remove_old_figures(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> old;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const auto extension = entry.path().extension();
    const bool is_figure = entry.path().filename().string().rfind("figure-", 0) == 0;
    if (is_figure && (extension == ".svg" || extension == ".png")) old.push_back(entry.path());
  }
  for (const auto& file : old) fs::remove(file, ignored);
}

}  // namespace

std::vector<ParameterPanel> panels_of(const SweepGroup& group, const std::vector<PointResult>& points,
                                      const std::string& metric) {
  std::vector<ParameterPanel> panels;
  for (size_t i = 0; i < group.parameters.size(); ++i) {
    panels.push_back(panel_of(group.parameters[i], i, group, points, metric));
    if (panels.back().x.empty()) return {};
  }
  return panels;
}

std::vector<fs::path> write_sweep_figures(const fs::path& folder, const SweepPlan& plan, const SweepResults& results,
                                          const std::string& metric) {
  remove_old_figures(folder);
  std::vector<fs::path> files;
  for (size_t g = 0; g < plan.groups.size(); ++g) {
    std::vector<Panel> panels;
    const auto repeats = plan.repeats_of(plan.groups[g].points.front());
    for (const auto& found : panels_of(plan.groups[g], results.points[g], metric)) {
      panels.push_back(drawn(found, repeats.empty() ? "points" : "points, with the deviation over " + repeats));
    }
    if (panels.empty()) continue;
    const auto options = FigureOptions().title(plan.groups[g].name).y_label(axis_label(metric));
    for (const char* extension : {".svg", ".png"}) {
      files.push_back(folder / ("figure-" + plan.groups[g].name + extension));
      write_figure_panels(files.back(), panels, options);
    }
  }
  return files;
}

}  // namespace arks::study
