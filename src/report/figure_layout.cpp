#include "figure_layout.h"

#include <fmt/format.h>
#include <algorithm>

namespace arks {

using namespace style;

namespace {

bool has_titles(const std::vector<Panel>& panels) {
  return std::any_of(panels.begin(), panels.end(), [](const Panel& panel) { return !panel.title.empty(); });
}

size_t column_count(size_t panels, const FigureOptions& options) {
  if (options.columns() > 0) return std::min(panels, static_cast<size_t>(options.columns()));
  return panels <= 3 ? panels : panels == 4 ? 2 : 3;
}

/// Half of the longest number on the x axis, and some air.
int number_room(const std::vector<Panel>& panels) {
  int room = 26;
  for (const auto& panel : panels) {
    for (const auto& curve : panel.curves) {
      const auto number = fmt::format("{:g}", *std::max_element(curve.x.begin(), curve.x.end()));
      room = std::max(room, gnuplot::text_width(number) / 2 + 14);
    }
  }
  return room;
}

/// What a y axis inside a row takes: nothing where all panels share one.
int inner_axis(const std::vector<Panel>& panels, const FigureOptions& options, const FigureLayout& layout) {
  int room = 0;
  for (size_t i = 0; i < panels.size(); ++i) {
    if (layout.column(i) == 0 || !own_y_axis(panels[i], options)) continue;
    room = std::max(room, y_label_of(panels, i, layout.column(i), options).empty() ? kYNumbers : kYAxis - 14);
  }
  return room;
}

int panel_width(const FigureLayout& layout, size_t panels) {
  if (panels == 1) return kCanvasWidth - layout.left - layout.right;
  return layout.columns == 1 ? kSinglePanel : layout.columns == 2 ? kWidePanel : kNarrowPanel;
}

int widest(const std::vector<Entry>& entries) {
  int width = 0;
  for (const auto& entry : entries) width = std::max(width, gnuplot::text_width(entry.label));
  return width;
}

/// The height it takes. No more columns than needed for the lines, so that the last line is not a single entry.
int place_legend_below(FigureLayout& layout, int count) {
  const int most = std::clamp((layout.axes_width - kLegendGap) / layout.legend_entry, 1, count);
  const int lines = (count + most - 1) / most;
  layout.legend_columns = (count + lines - 1) / lines;
  layout.legend_left = (layout.axes_width - layout.legend_columns * layout.legend_entry + kLegendGap) / 2;
  return lines * kLegendLine + 10;
}

void place_legend_right(FigureLayout& layout) {
  layout.legend_columns = 1;
  layout.legend_left = layout.axes_width;
  layout.legend_top = layout.axes_top;
  layout.canvas.width = layout.axes_width + layout.legend_entry;
}

void place_panels(FigureLayout& layout, const std::vector<Panel>& panels, const FigureOptions& options) {
  layout.columns = column_count(panels.size(), options);
  layout.rows = (panels.size() + layout.columns - 1) / layout.columns;
  layout.axes_top = kTopMargin + (options.title().empty() ? 0 : kTitle) + (has_titles(panels) ? kPanelTitle : 0);
  layout.right = number_room(panels);
  const int inner = inner_axis(panels, options, layout);
  layout.gap = layout.right + inner;
  layout.own_label = inner - 4;
  layout.panel_width = panel_width(layout, panels.size());
  layout.axes_width = layout.panel_left(layout.columns - 1) + layout.panel_width + layout.right;
  layout.canvas.width = layout.axes_width;
}

}  // namespace

FigureLayout make_figure_layout(const std::vector<Panel>& panels, const std::vector<Entry>& entries,
                                const FigureOptions& options) {
  const int count = static_cast<int>(entries.size());
  FigureLayout layout;
  place_panels(layout, panels, options);
  layout.legend_text = std::min(widest(entries), layout.axes_width - kLegendIndent - 2 * kLegendGap);
  layout.legend_entry = kLegendIndent + layout.legend_text + kLegendGap;
  int legend_height = 0;
  if (options.legend() == LegendPosition::kBelow) legend_height = place_legend_below(layout, count);
  if (options.legend() == LegendPosition::kRight) place_legend_right(layout);
  const int note_height = gnuplot::note_height(options.note(), layout.canvas.width);
  const int left_over = kCanvasHeight - layout.axes_top - kAxis - legend_height - note_height;
  layout.panel_height = panels.size() == 1 ? std::max(kLeastHeight, left_over) : kPanelHeight;
  layout.row_height = layout.panel_height + kAxis + (has_titles(panels) ? kPanelTitle : 0) + 12;
  if (legend_height > 0) layout.legend_top = layout.axes_bottom() + kAxis;
  const int legend_bottom = layout.axes_top + kLegendLine * (legend_height > 0 ? 0 : count);
  layout.canvas.height = std::max(layout.axes_bottom() + kAxis + legend_height, legend_bottom) + note_height;
  layout.note_top = layout.canvas.height - note_height;
  return layout;
}

}  // namespace arks
