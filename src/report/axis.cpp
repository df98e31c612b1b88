#include "axis.h"
#include "gnuplot.h"
#include "support/text.h"
#include "utf8.h"

#include <arks/support/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace arks {

namespace {

void include_y(AxisRange& range, const Panel& panel, const FigureOptions& options) {
  const bool log = options.y_scale() == AxisScale::kLog;
  for (const auto& curve : panel.curves) {
    const bool banded = has_deviations(curve);
    for (size_t i = 0; i < curve.y.size(); ++i) {
      range.include(curve.y[i]);
      if (!banded || !std::isfinite(curve.y[i])) continue;
      range.include(upper_end(curve, i));
      if (!log || lower_end(curve, i) > 0) range.include(lower_end(curve, i));
    }
  }
  for (const auto& mark : panel.marks) range.include(mark.y);
}

bool has_steps(const Panel& panel) {
  return std::any_of(panel.curves.begin(), panel.curves.end(),
                     [](const Curve& curve) { return curve.kind == CurveKind::kSteps; });
}

/// "10⁻⁶"
std::string power_of_ten(int exponent) {
  static const char* const kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char digit : std::to_string(std::abs(exponent))) text += kDigits[digit - '0'];
  return text;
}

std::string log_number(int factor, int exponent, bool plain) {
  if (plain) return six_digits(factor * std::pow(10.0, exponent));
  return factor == 1 ? power_of_ten(exponent) : std::to_string(factor) + "·" + power_of_ten(exponent);
}

/// Where less than two of 1, 2 and 5 are on the axis: two to five round numbers.
std::vector<std::string> round_tics(const AxisRange& range, bool numbers) {
  double step = std::pow(10.0, std::floor(std::log10(range.high - range.low)));
  if ((range.high - range.low) / step < 2) step /= 5;
  if ((range.high - range.low) / step > 5) step *= 2;
  std::vector<std::string> tics;
  for (double i = std::ceil(range.low / step); i * step <= range.high; ++i) {
    tics.push_back(c10::str("'", numbers ? six_digits(i * step) : "", "' ", shortest(i * step)));
  }
  return tics;
}

/// Tics with and without a number; the numbers are left out where the axis of a neighbour has them.
std::string log_tics(const AxisRange& range, bool numbers) {
  const double decades = std::log10(range.high) - std::log10(range.low);
  const int every = std::max(1, static_cast<int>(std::ceil(decades / 7)));
  const bool plain = range.low >= 1e-4 && range.high <= 1e5;  // one way of writing for all of them
  std::vector<std::string> tics;
  for (int exponent = static_cast<int>(std::floor(std::log10(range.low))); std::pow(10.0, exponent) <= range.high;
       ++exponent) {
    for (const int factor : {1, 2, 5}) {
      const double value = factor * std::pow(10.0, exponent);
      if (value < range.low || value > range.high || (factor != 1 && decades > 2.5)) continue;
      const bool named = numbers && exponent % every == 0;
      tics.push_back(c10::str("'", named ? log_number(factor, exponent, plain) : "", "' ", shortest(value)));
    }
  }
  if (tics.size() < 2) tics = round_tics(range, numbers);
  return "(" + join(tics) + ")";
}

}  // namespace

void AxisRange::include(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

AxisRange AxisRange::padded(double fraction, AxisScale scale) const {
  if (scale == AxisScale::kLog) {
    const double factor = high > low ? std::pow(high / low, fraction) : 1.2;
    return {low / factor, high * factor};
  }
  const double air = high > low ? fraction * (high - low) : high == 0 ? 1 : std::abs(high) / 5;
  return {low - air, high + air};
}

bool has_deviations(const Curve& curve) {
  return (!curve.deviation.empty() || !curve.low.empty()) && curve.kind != CurveKind::kReference &&
         curve.kind != CurveKind::kSteps;
}

double lower_end(const Curve& curve, size_t i) {
  return curve.low.empty() ? curve.y[i] - curve.deviation[i] : curve.low[i];
}

double upper_end(const Curve& curve, size_t i) {
  return curve.high.empty() ? curve.y[i] + curve.deviation[i] : curve.high[i];
}

double steps_end(const Curve& curve) {
  const size_t last = curve.x.size() - 1;
  return 2 * curve.x[last] - curve.x[last - 1];
}

bool own_y_axis(const Panel& panel, const FigureOptions& options) {
  return !options.shared_y() || !panel.y_label.empty() || panel.y_low || panel.y_high;
}

AxisScale x_scale(const Panel& panel, const FigureOptions& options) {
  return panel.x_names.empty() ? panel.x_scale.value_or(options.x_scale()) : AxisScale::kLinear;
}

std::string y_label_of(const std::vector<Panel>& panels, size_t position, size_t column, const FigureOptions& options) {
  const auto& panel = panels[position];
  if (!panel.y_label.empty()) return panel.y_label;
  const bool differ = std::any_of(panels.begin(), panels.end(), [](const Panel& one) { return !one.y_label.empty(); });
  return column == 0 || (differ && own_y_axis(panel, options)) ? options.y_label() : "";
}

AxisRange x_range(const Panel& panel, const FigureOptions& options) {
  if (!panel.x_names.empty()) return {0.5, static_cast<double>(panel.x_names.size()) + 0.5};
  AxisRange range;
  for (const auto& curve : panel.curves) {
    for (const double value : curve.x) range.include(value);
    if (curve.kind == CurveKind::kSteps) range.include(steps_end(curve));
  }
  for (const auto& mark : panel.marks) range.include(mark.x);
  return range.padded(0.02, x_scale(panel, options));
}

AxisRange y_range(const std::vector<Panel>& panels, size_t position, const FigureOptions& options) {
  const auto& panel = panels[position];
  const bool own = own_y_axis(panel, options);
  AxisRange range;
  bool steps = false;
  for (size_t i = 0; i < panels.size(); ++i) {
    if (own ? i != position : own_y_axis(panels[i], options)) continue;
    include_y(range, panels[i], options);
    steps = steps || has_steps(panels[i]);
  }
  ARKS_CHECK(!range.empty(), "figure: ", own && panels.size() > 1 ? "panel '" + printable(panel.title) + "': " : "",
             "no curve has a finite y");
  if (steps && options.y_scale() == AxisScale::kLinear) range.include(0);
  const bool on_floor = steps && range.low == 0 && options.y_scale() == AxisScale::kLinear;
  range = range.padded(0.05, options.y_scale());
  if (on_floor) range.low = 0;
  const bool same_quantity = panel.y_label.empty();
  const auto low = panel.y_low || !same_quantity ? panel.y_low : options.y_low();
  const auto high = panel.y_high || !same_quantity ? panel.y_high : options.y_high();
  return {low.value_or(range.low), high.value_or(range.high)};
}

double position_on(const AxisRange& range, AxisScale scale, double value) {
  if (scale == AxisScale::kLog) return std::log(value / range.low) / std::log(range.high / range.low);
  return (value - range.low) / (range.high - range.low);
}

double baseline(const AxisRange& y, AxisScale scale) {
  return scale == AxisScale::kLog ? y.low : std::clamp(0.0, y.low, y.high);
}

std::string axis_script(char axis, const AxisRange& range, AxisScale scale, bool numbers) {
  const auto interval = c10::str("set ", axis, "range [", shortest(range.low), ":", shortest(range.high), "]\n");
  if (scale == AxisScale::kLog) {
    return c10::str("set logscale ", axis, " 10\n", interval, "set ", axis, "tics ", log_tics(range, numbers), "\n");
  }
  return c10::str("unset logscale ", axis, "\n", interval, "set ", axis, "tics autofreq\nset format ", axis,
                  numbers ? " '%g'\n" : " ''\n");
}

double x_step(const AxisRange& range, int width) {
  constexpr int kMostNumbers = 10, kAir = 14;
  const double span = range.high - range.low;
  double power = std::pow(10, std::floor(std::log10(span / kMostNumbers)));
  for (;; power *= 10) {
    for (const int factor : {1, 2, 5}) {
      const double step = factor * power;
      if (span / step > kMostNumbers) continue;
      int room = 0;
      for (double i = std::ceil(range.low / step); i * step <= range.high; ++i) {
        room += gnuplot::text_width(fmt::format("{:g}", i * step)) + kAir;
      }
      if (room <= width) return step;
    }
  }
}

std::string x_axis_script(const Panel& panel, const FigureOptions& options, int width) {
  const auto range = x_range(panel, options);
  const auto scale = x_scale(panel, options);
  const auto script = axis_script('x', range, scale, true);
  if (panel.x_names.empty()) {
    return scale == AxisScale::kLog ? script : script + "set xtics " + shortest(x_step(range, width)) + "\n";
  }
  constexpr int kAir = 8;
  const int room = width / static_cast<int>(panel.x_names.size()) - kAir;
  std::vector<std::string> tics;
  for (const auto& name : panel.x_names) {
    tics.push_back(c10::str(gnuplot::literal(gnuplot::fitted(name, room)), " ", tics.size() + 1));
  }
  return script + "set xtics (" + join(tics) + ")\n";
}

}  // namespace arks
