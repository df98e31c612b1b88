#include "report/evaluation_report.h"
#include "report/model_names.h"
#include "report/p_value.h"
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

ModelNames names_in(const std::vector<EvaluationPoint>& points) {
  std::set<std::string> all;
  for (const auto& point : points) {
    all.insert(point.model);
    if (!point.source.empty()) all.insert(point.source);
  }
  return ModelNames(std::move(all));
}

/// The points of one column, by eps.
struct Series {
  EvaluationPoint head;  // any point of the series: what they have in common
  std::map<double, EvaluationPoint> by_eps;
};

/// Without the sign of a zero.
std::string fixed(double value, int digits) {
  const auto text = fmt::format("{:.{}f}", without_sign_of_nan(value), digits);
  return text.find_first_not_of("-0.") == std::string::npos && text.front() == '-' ? text.substr(1) : text;
}

std::string with_sign(double value, int digits) {
  const auto text = fixed(value, digits);
  return text.front() == '-' ? text : "+" + text;
}

std::string percent(const EvaluationPoint& point) {
  if (!point.error_interval) return fixed(100 * point.error, 1);
  return fmt::format("{:5.1f} [{:.1f}, {:.1f}]", 100 * point.error, 100 * point.error_interval->low,
                     100 * point.error_interval->high);
}

std::string loss(const EvaluationPoint& point) {
  const auto mean = fmt::format("{:.4g}", without_sign_of_nan(point.loss));
  return point.loss_standard_error ? fmt::format("{} ± {:.2g}", mean, without_sign_of_nan(*point.loss_standard_error))
                                   : mean;
}

bool has_errors(const EvaluationPoint& point) {
  return point.errors >= 0;
}

bool in_one_series(const EvaluationPoint& a, const EvaluationPoint& b) {
  const auto key = [](const EvaluationPoint& p) { return std::tie(p.data, p.model, p.attack, p.norm, p.source); };
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

bool of_one_model(const std::vector<Series>& all) {
  return std::all_of(all.begin(), all.end(), [&](const Series& s) { return s.head.model == all[0].head.model; });
}

std::vector<TableColumn> columns_of(const std::vector<Series>& all, bool show_loss) {
  std::vector<TableColumn> columns;
  for (const auto& series : all) {
    const bool errors = has_errors(series.head) && !show_loss;
    if (errors) columns.push_back({&series, percent, "error %"});
    if (!errors || of_one_model(all)) columns.push_back({&series, loss, "loss"});
  }
  return columns;
}

/// Nothing was moved, so it does not matter by what.
bool clean_alone(const std::vector<Series>& all) {
  return std::all_of(all.begin(), all.end(), [&](const Series& s) {
    return s.by_eps.size() == 1 && s.by_eps.begin()->first == 0 && s.head.source == all[0].head.source;
  });
}

std::string header(const TableColumn& column, const ModelNames& name, bool clean) {
  const auto& point = column.series->head;
  std::vector<std::string> lines;
  if (!point.data.empty()) lines.push_back(shortened(printable(point.data), 24));
  lines.push_back(name(point.model));
  if (!clean) lines.push_back(point.norm.empty() ? point.attack : point.attack + " " + point.norm);
  if (!clean && !point.norm.empty()) lines.push_back(point.source.empty() ? "white-box" : "from " + name(point.source));
  lines.emplace_back(column.quantity);
  return join(lines, "\n");
}

bool shows_losses(const std::vector<TableColumn>& columns) {
  return std::any_of(columns.begin(), columns.end(), [](const auto& column) { return column.cell == &loss; });
}

std::string comparison(const std::vector<Series>& all, const std::vector<TableColumn>& columns,
                       const ModelNames& name) {
  std::vector<std::string> headers = {"eps"};
  const bool clean = clean_alone(all);
  for (const auto& column : columns) headers.push_back(header(column, name, clean));
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
std::string warning(const EvaluationPoint& point, const std::string& samples) {
  return c10::str(
      "warning: gradient exactly zero for ", point.zero_gradients, " of ",
      point.repeats > 1 ? c10::str(point.n * point.repeats, " draws of ", samples) : count_of(point.n, samples),
      " at eps ", shortest(point.eps), " on ", printable(point.source.empty() ? point.model : point.source),
      ": masked gradients? the true ", has_errors(point) ? "error" : "loss", " may be higher\n");
}

/// "80 rows", and of several test sets "site B: 80 rows, winter: 120 rows".
std::string sample_count(const std::vector<EvaluationPoint>& points, const std::string& samples) {
  std::vector<std::string> counts;
  for (const auto& point : points) {
    auto count = c10::str(point.data.empty() ? "" : printable(point.data) + ": ", count_of(point.n, samples),
                          point.groups > 0 ? " in " + count_of(point.groups, "groups") : "");
    if (std::find(counts.begin(), counts.end(), count) == counts.end()) counts.push_back(std::move(count));
  }
  const auto draws = points.front().repeats;
  return join(counts) + (draws > 1 ? c10::str(", ", draws, " draws of each") : "");
}

/// What the columns of the table above hold beside their numbers.
std::string legend(const EvaluationPoint& point, bool errors, bool losses) {
  std::vector<std::string> parts;
  const std::string over = point.groups > 0 ? " over groups" : "";
  if (errors && point.error_interval) parts.push_back("[ ]: 95 % interval" + over);
  if (losses && point.loss_standard_error) parts.push_back("±: standard error" + over);
  return parts.empty() ? "" : join(parts) + "\n";
}

/// "at" a strength of one test set.
std::string where(const std::string& data, double eps) {
  return (data.empty() ? "" : printable(data) + ", ") + shortest(eps);
}

/// The first model against the others, by the quantity of the table above.
std::string comparisons(const EvaluationReport& report, const ModelNames& name, bool shows_loss) {
  Table table(
      {"eps", "second - first", "crafted on", shows_loss ? "loss" : "error, points", "95 % interval", "p", "test"});
  bool any = false;
  for (const auto& one : report.comparisons) {
    if ((one.quantity == "loss") != shows_loss) continue;
    const auto number = [&](double value) {
      return shows_loss ? fmt::format("{:+.3g}", value == 0 ? 0 : without_sign_of_nan(value))
                        : with_sign(100 * value, 1);
    };
    const auto& result = one.result;
    table.add_row(
        {where(one.data, one.eps), name(one.second) + " - " + name(one.first),
         one.source.empty() ? "-" : name(one.source), number(result.difference),
         result.interval ? "[" + number(result.interval->low) + ", " + number(result.interval->high) + "]" : "-",
         result.p_value ? p_value_text(*result.p_value) : "-", result.test});
    any = true;
  }
  return any ? "\non the same " + report.samples + ", paired:\n" + table.str() : "";
}

std::string optional_number(const std::optional<double>& value, const char* format) {
  return value ? fmt::format(fmt::runtime(format), without_sign_of_nan(*value)) : "-";
}

/// Whether an attack was made in more than one way, on the model itself and on a source.
bool several_modes(const std::vector<EvaluationPoint>& points) {
  return std::any_of(points.begin(), points.end(),
                     [&](const auto& point) { return point.source != points.front().source; });
}

std::vector<std::string> metric_headers(const EvaluationReport& report, bool modes) {
  std::vector<std::string> headers{"eps", "model"};
  if (modes) headers.emplace_back("crafted on");
  if (report.points.front().classification) headers.insert(headers.end(), {"balanced\naccuracy %", "AUC"});
  const auto& numbers = report.points.front().regression;
  for (size_t i = 0; numbers && i < numbers->mae.size(); ++i) {
    const auto target = i < report.target_names.size() ? printable(report.target_names[i]) + "\n" : std::string();
    headers.insert(headers.end(), {target + "MAE", target + "R2"});
  }
  return headers;
}

/// What there is beside error and loss, a row for each point.
std::string other_metrics(const EvaluationReport& report, const ModelNames& name) {
  const auto has = [](const EvaluationPoint& point) { return point.classification || point.regression; };
  const auto count = std::count_if(report.points.begin(), report.points.end(), has);
  constexpr int64_t kShort = 8;
  if (count == 0) return "";
  if (!report.details && count > kShort) {
    const bool classes = report.points.front().classification.has_value();
    return std::string("--details prints ") + (classes ? "balanced accuracy and AUC" : "MAE and R2") + " of the " +
           std::to_string(count) + " points\n";
  }
  const bool modes = several_modes(report.points);
  const auto headers = metric_headers(report, modes);
  Table table(headers);
  for (const auto& point : report.points) {
    std::vector<std::string> row{where(point.data, point.eps), name(point.model)};
    if (modes) row.push_back(point.source.empty() ? "white-box" : name(point.source));
    if (point.classification) {
      row.push_back(fixed(100 * point.classification->balanced_accuracy, 1));
      row.push_back(optional_number(point.classification->auc, "{:.4f}"));
    }
    for (size_t i = 0; point.regression && i < point.regression->mae.size(); ++i) {
      row.push_back(optional_number(point.regression->mae[i], "{:.4g}"));
      row.push_back(optional_number(point.regression->r2[i], "{:.4f}"));
    }
    if (row.size() == headers.size()) table.add_row(row);
  }
  return "\n" + table.str();
}

/// A count over all draws as the mean of one.
std::string per_draw(int64_t count, int64_t repeats) {
  return repeats == 1 ? std::to_string(count) : fixed(static_cast<double>(count) / static_cast<double>(repeats), 1);
}

std::string confusion_text(const EvaluationPoint& point, const EvaluationReport& report, const ModelNames& name) {
  const auto& confusion = point.classification->confusion;
  const auto label = [&](size_t i) {
    return i < report.class_names.size() ? shortened(printable(report.class_names[i]), 12) : std::to_string(i);
  };
  std::vector<std::string> headers{"true \\ predicted"};
  for (size_t i = 0; i < confusion.size(); ++i) headers.push_back(label(i));
  Table table(headers);
  for (size_t i = 0; i < confusion.size(); ++i) {
    std::vector<std::string> row{label(i)};
    for (const auto count : confusion[i]) row.push_back(per_draw(count, point.repeats));
    table.add_row(row);
  }
  const auto mode = point.source.empty() ? "" : ", crafted on " + name(point.source);
  const auto draws = point.repeats > 1 ? c10::str(", means of ", point.repeats, " draws") : "";
  return "\n" + name(point.model) + " at eps " + where(point.data, point.eps) + mode + draws + ":\n" + table.str();
}

}  // namespace

std::string console_report(const EvaluationReport& report) {
  if (report.points.empty()) return "nothing was evaluated\n";
  const auto name = names_in(report.points);
  const auto& first = report.points.front();
  const bool errors = has_errors(first) && !report.show_loss;
  const auto all = group(report.points);
  const auto columns = columns_of(all, report.show_loss);
  const bool losses = shows_losses(columns);
  std::string text = comparison(all, columns, name);
  text += c10::str(sample_count(report.points, report.samples), ", seed ", report.seed, ", ",
                   human_seconds(report.wall_seconds), "\n");
  if (!report.eps_unit.empty() && !clean_alone(all)) text += "eps: " + report.eps_unit + "\n";
  if (losses && !report.loss_unit.empty()) text += "loss: " + report.loss_unit + "\n";
  if (!report.shift.empty()) text += report.shift + "\n";
  text += legend(first, errors, losses);
  text += comparisons(report, name, !errors) + other_metrics(report, name);
  for (const auto& point : report.points) {
    if (report.details && point.classification) text += confusion_text(point, report, name);
  }
  for (const auto& point : report.points) {
    if (point.zero_gradients > 0) text += warning(point, report.samples);
  }
  return text;
}

}  // namespace arks
