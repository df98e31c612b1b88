#include "bar_layout.h"

#include <fmt/format.h>
#include <algorithm>

#include "figure_style.h"

namespace arks {

using namespace style;

namespace {

int label_room(const std::vector<Bar>& bars) {
  int room = kLeastBarLabel;
  for (const auto& bar : bars) room = std::max(room, gnuplot::text_width(bar.label));
  return std::min(room, kMostBarLabel);
}

/// Where a bar with its whisker and its tick ends.
double end_of(const Bar& bar) {
  return std::max({bar.value, bar.high.value_or(0), bar.mark.value_or(0)});
}

double axis_end(const std::vector<Bar>& bars, const BarFigureOptions& options, int width) {
  double end = options.guide().value_or(0);
  for (const auto& bar : bars) {
    const int text = std::min(gnuplot::text_width(value_text(bar)) + 2 * kBarGap, width * 3 / 4);
    end = std::max(end, end_of(bar) * width / (width - text));
  }
  return end > 0 ? end : 1;
}

void place_bars(BarLayout& layout, const std::vector<Bar>& bars) {
  std::vector<std::string> groups;
  int y = layout.axes_top;
  for (size_t i = 0; i < bars.size(); ++i) {
    const auto known = std::find(groups.begin(), groups.end(), bars[i].group);
    layout.styles.push_back(static_cast<size_t>(known - groups.begin()));
    if (known == groups.end()) groups.push_back(bars[i].group);
    const bool heading = !bars[i].group.empty() && (i == 0 || bars[i - 1].group != bars[i].group);
    if (heading) y += kGroupHeading;
    layout.headings.push_back(heading ? y - kGroupHeading / 2 + 4 : 0);
    layout.middles.push_back(y + kBarPitch / 2);
    y += kBarPitch;
  }
  layout.axes_bottom = y + kBarGap;
}

}  // namespace

std::string value_text(const Bar& bar) {
  return bar.text.empty() ? fmt::format("{:.3g}", bar.value) : bar.text;
}

bool any_marks(const std::vector<Bar>& bars) {
  return std::any_of(bars.begin(), bars.end(), [](const Bar& bar) { return bar.mark.has_value(); });
}

bool any_whiskers(const std::vector<Bar>& bars) {
  return std::any_of(bars.begin(), bars.end(), [](const Bar& bar) { return bar.low.has_value(); });
}

BarLayout make_bar_layout(const std::vector<Bar>& bars, const BarFigureOptions& options) {
  BarLayout layout;
  layout.label_room = label_room(bars);
  layout.axes_left = layout.label_room + 2 * kBarGap + 4;
  layout.axes_right = layout.axes_left + kBarAxis;
  layout.canvas.width = layout.axes_right + 2 * kBarGap + 10;
  layout.axes_top = kTopMargin + (options.title().empty() ? 0 : kTitle);
  layout.scale = axis_end(bars, options, kBarAxis);
  place_bars(layout, bars);
  int bottom = layout.axes_bottom + kAxis;
  const bool marks = any_marks(bars) && !options.mark_label().empty();
  const bool whiskers = any_whiskers(bars) && !options.whisker_label().empty();
  if (marks || whiskers || (options.guide() && !options.guide_label().empty())) {
    layout.legend = bottom + kLegendLine / 2;
    bottom += kLegendLine + 10;
  }
  layout.note_top = bottom;
  layout.canvas.height = bottom + gnuplot::note_height(options.note(), layout.canvas.width);
  return layout;
}

}  // namespace arks
