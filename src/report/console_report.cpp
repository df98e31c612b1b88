#include "report/evaluation_report.h"
#include "report/table.h"
#include "support/text.h"
#include "utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace arks {

namespace {

/// Names of models as a header shows them: cut to a width, so that a few runs with long names fit side by side, unless
/// that would make two of them the same.
class Names {
 public:
  explicit Names(const std::vector<EvaluationPoint>& points) {
    for (const auto& point : points) {
      all_.insert(point.model);
      if (!point.source.empty()) all_.insert(point.source);
    }
  }
  std::string operator()(const std::string& name) const {
    constexpr size_t kWidth = 24;
    const auto cut = shortened(printable(name), kWidth);
    for (const auto& other : all_) {
      if (other != name && shortened(printable(other), kWidth) == cut) return printable(name);
    }
    return cut;
  }

 private:
  std::set<std::string> all_;
};

/// The points of one column, by eps.
struct Series {
  EvaluationPoint head;  // any point of the series: what they have in common
  std::map<double, EvaluationPoint> by_eps;
};

std::string percent(const EvaluationPoint& point) {
  return fmt::format("{:.1f}", 100 * point.error);
}

std::string loss(const EvaluationPoint& point) {
  return fmt::format("{:.4g}", point.loss);
}

bool has_errors(const EvaluationPoint& point) {
  return point.errors >= 0;
}

bool in_one_series(const EvaluationPoint& a, const EvaluationPoint& b) {
  const auto key = [](const EvaluationPoint& p) { return std::tie(p.model, p.attack, p.norm, p.source); };
  return key(a) == key(b) && has_errors(a) == has_errors(b);
}

/// In the order in which they first appear.
std::vector<Series> group(const std::vector<EvaluationPoint>& points) {
  std::vector<Series> all;
  for (const auto& point : points) {
    auto found = std::find_if(all.begin(), all.end(), [&](const Series& s) { return in_one_series(s.head, point); });
    if (found == all.end()) found = all.insert(all.end(), Series{point, {}});
    found->by_eps[point.eps] = point;
  }
  return all;
}

struct TableColumn {
  const Series* series;
  std::string (*cell)(const EvaluationPoint&);
  const char* quantity;
};

std::vector<TableColumn> columns_of(const std::vector<Series>& all, bool show_loss) {
  std::set<std::string> models;
  for (const auto& series : all) models.insert(series.head.model);
  std::vector<TableColumn> columns;
  for (const auto& series : all) {
    const bool errors = has_errors(series.head) && !show_loss;
    if (errors) columns.push_back({&series, percent, "error %"});
    if (!errors || models.size() == 1) columns.push_back({&series, loss, "loss"});
  }
  return columns;
}

std::string header(const TableColumn& column, const Names& name) {
  const auto& point = column.series->head;
  if (point.norm.empty()) return join({name(point.model), point.attack, column.quantity}, "\n");
  const std::string source = point.source.empty() ? "white-box" : "from " + name(point.source);
  return join({name(point.model), point.attack + " " + point.norm, source, column.quantity}, "\n");
}

std::string comparison(const std::vector<Series>& all, const Names& name, bool show_loss) {
  const auto columns = columns_of(all, show_loss);
  std::vector<std::string> headers = {"eps"};
  for (const auto& column : columns) headers.push_back(header(column, name));
  std::set<double> strengths;
  for (const auto& series : all) {
    for (const auto& entry : series.by_eps) strengths.insert(entry.first);
  }
  Table table(headers);
  for (const double eps : strengths) {
    std::vector<std::string> row = {shortest(eps)};
    for (const auto& column : columns) {
      const auto found = column.series->by_eps.find(eps);
      row.push_back(found == column.series->by_eps.end() ? "-" : column.cell(found->second));
    }
    table.add_row(row);
  }
  return table.str();
}

/// The gradient is the one of the model on which the attack was crafted.
std::string warning(const EvaluationPoint& point) {
  return c10::str("warning: gradient exactly zero for ", point.zero_gradients, " of ", point.n, " samples at eps ",
                  shortest(point.eps), " on ", printable(point.source.empty() ? point.model : point.source),
                  ": masked gradients? the true ", has_errors(point) ? "error" : "loss", " may be higher\n");
}

std::string sample_count(const std::vector<EvaluationPoint>& points) {
  const auto [least, most] =
      std::minmax_element(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.n < b.n; });
  const std::string range = least->n == most->n ? "" : std::to_string(least->n) + " to ";
  return range + std::to_string(most->n) + " samples";
}

}  // namespace

std::string console_report(const EvaluationReport& report) {
  if (report.points.empty()) return "nothing was evaluated\n";
  std::string text = comparison(group(report.points), Names(report.points), report.show_loss);
  text += c10::str(sample_count(report.points), ", seed ", report.seed, ", ", human_seconds(report.wall_seconds), "\n");
  for (const auto& point : report.points) {
    if (point.zero_gradients > 0) text += warning(point);
  }
  return text;
}

}  // namespace arks
