#include "figure_layout.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cstdio>

#include "utf8.h"

namespace arks {

namespace {

constexpr int kCanvasWidth = 900, kCanvasHeight = 600, kLeastHeight = 360, kPanelHeight = 330;
constexpr int kTopMargin = 24, kTitle = 36, kPanelTitle = 20, kAxis = 72;
constexpr int kLegendSample = 60, kLegendGap = 20;

bool has_titles(const std::vector<Panel>& panels) {
  return std::any_of(panels.begin(), panels.end(), [](const Panel& panel) { return !panel.title.empty(); });
}

/// Half of the longest number on the x axis, and some air.
int number_room(const std::vector<Panel>& panels) {
  int room = 26;
  for (const auto& panel : panels) {
    for (const auto& curve : panel.curves) {
      char number[32];
      std::snprintf(number, sizeof number, "%g", *std::max_element(curve.x.begin(), curve.x.end()));
      room = std::max(room, gnuplot::text_width(number) / 2 + 14);
    }
  }
  return room;
}

int widest(const std::vector<std::string>& labels) {
  int width = 0;
  for (const auto& label : labels) width = std::max(width, gnuplot::text_width(label));
  return width;
}

/// The height it takes.
int place_legend_below(FigureLayout& layout, int count) {
  layout.legend_columns = std::clamp((layout.axes_width - kLegendGap) / layout.legend_entry, 1, count);
  const int lines = (count + layout.legend_columns - 1) / layout.legend_columns;
  layout.legend_left = (layout.axes_width - layout.legend_columns * layout.legend_entry + kLegendGap) / 2;
  return lines * layout.legend_line + 10;
}

void place_legend_right(FigureLayout& layout) {
  layout.legend_columns = 1;
  layout.legend_left = layout.axes_width;
  layout.legend_top = layout.axes_top;
  layout.canvas.width = layout.axes_width + layout.legend_entry;
}

void check_curve(const Curve& curve) {
  const auto named = [&] { return c10::str("figure: curve '", printable(curve.label), "'"); };
  ARKS_CHECK(!curve.x.empty(), named(), " is empty");
  ARKS_CHECK(curve.x.size() == curve.y.size(), named(), " has ", curve.x.size(), " x and ", curve.y.size(), " y");
  ARKS_CHECK(curve.deviation.empty() || curve.deviation.size() == curve.y.size(), named(), " has ", curve.y.size(),
             " y and ", curve.deviation.size(), " deviations");
  for (const double x : curve.x) ARKS_CHECK(std::isfinite(x), named(), " has an x that is not finite: ", x);
}

}  // namespace

void AxisRange::include(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

AxisRange AxisRange::padded(double fraction) const {
  const double air = high > low ? fraction * (high - low) : std::max(1e-3, std::abs(high) / 5);
  return {low - air, high + air};
}

FigureLayout make_figure_layout(const std::vector<Panel>& panels, const std::vector<std::string>& labels,
                                const FigureOptions& options) {
  const int count = static_cast<int>(panels.size()), entries = static_cast<int>(labels.size());
  FigureLayout layout;
  layout.axes_top = kTopMargin + (options.title().empty() ? 0 : kTitle) + (has_titles(panels) ? kPanelTitle : 0);
  layout.gap = layout.right = number_room(panels);
  layout.panel_width = count == 1 ? kCanvasWidth - layout.left - layout.right : count == 2 ? 440 : 340;
  layout.axes_width = layout.panel_left(panels.size()) - layout.gap + layout.right;
  layout.canvas.width = layout.axes_width;
  layout.legend_text = std::min(widest(labels), layout.axes_width - kLegendSample - 2 * kLegendGap);
  layout.legend_entry = kLegendSample + layout.legend_text + kLegendGap;
  int legend_height = 0;
  if (options.legend() == LegendPosition::kBelow) legend_height = place_legend_below(layout, entries);
  if (options.legend() == LegendPosition::kRight) place_legend_right(layout);
  const int left_over = kCanvasHeight - layout.axes_top - kAxis - legend_height;
  layout.panel_height = count == 1 ? std::max(kLeastHeight, left_over) : kPanelHeight;
  if (legend_height > 0) layout.legend_top = layout.axes_bottom() + kAxis;
  const int legend_bottom = layout.axes_top + layout.legend_line * (legend_height > 0 ? 0 : entries);
  layout.canvas.height = std::max(layout.axes_bottom() + kAxis + legend_height, legend_bottom);
  return layout;
}

AxisRange shared_y_range(const std::vector<Panel>& panels, const FigureOptions& options) {
  AxisRange range;
  for (const auto& panel : panels) {
    for (const auto& curve : panel.curves) {
      for (size_t i = 0; i < curve.y.size(); ++i) {
        const double deviation = curve.deviation.empty() ? 0 : curve.deviation[i];
        range.include(curve.y[i]);
        range.include(curve.y[i] - deviation);
        range.include(curve.y[i] + deviation);
      }
    }
  }
  ARKS_CHECK(!range.empty(), "figure: no curve has a finite y");
  range = range.padded(0.05);
  return {options.y_low().value_or(range.low), options.y_high().value_or(range.high)};
}

void check_panels(const std::vector<Panel>& panels, const FigureOptions& options) {
  ARKS_CHECK(!panels.empty(), "figure: no panels to draw");
  for (const auto& panel : panels) {
    ARKS_CHECK(!panel.curves.empty(), "figure: no curves to draw");
    for (const auto& curve : panel.curves) check_curve(curve);
  }
  const auto range = shared_y_range(panels, options);
  ARKS_CHECK(range.low < range.high, "figure: the y range must have low < high, got ", range.low, " to ", range.high);
}

}  // namespace arks
