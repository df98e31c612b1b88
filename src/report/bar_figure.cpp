#include "report/bar_figure.h"

#include "axis.h"
#include "bar_layout.h"
#include "figure_style.h"
#include "support/text.h"
#include "utf8.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>

namespace arks {

using gnuplot::literal;

namespace {

bool is_length(double value) {
  return std::isfinite(value) && value >= 0;
}

void check(const std::vector<Bar>& bars, const BarFigureOptions& options) {
  ARKS_CHECK(!bars.empty(), "bar figure: no bars to draw");
  ARKS_CHECK(is_length(options.guide().value_or(0)), "bar figure: the guide must be finite and ≥ 0, got ",
             options.guide().value_or(0));
  for (const auto& bar : bars) {
    const auto named = c10::str("bar figure: bar '", printable(bar.label), "'");
    ARKS_CHECK(is_length(bar.value), named, " has the value ", bar.value, "; it must be finite and ≥ 0");
    ARKS_CHECK(is_length(bar.mark.value_or(0)), named, " has the mark ", bar.mark.value_or(0),
               "; it must be finite and ≥ 0");
    ARKS_CHECK(bar.low.has_value() == bar.high.has_value(), named, " has one end of a whisker and not the other");
    ARKS_CHECK(!bar.low || (is_length(*bar.low) && is_length(*bar.high) && *bar.low <= *bar.high), named,
               " has a whisker from ", *bar.low, " to ", *bar.high, "; its ends must be finite, ≥ 0 and in this order");
  }
}

/// The axis with its numbers and its grid; nothing is plotted here but a point out of sight.
std::string axis_plot(const BarLayout& layout, const BarFigureOptions& options) {
  const auto& canvas = layout.canvas;
  const int middle = (layout.axes_left + layout.axes_right) / 2;
  std::string script =
      "set multiplot\nunset key\n" + style::bar_axes() +
      gnuplot::margins(canvas, layout.axes_left, layout.axes_right, layout.axes_top, layout.axes_bottom) +
      axis_script('x', {0, layout.scale}, AxisScale::kLinear, true) + "set yrange [0:1]\nunset ytics\n" +
      gnuplot::title(canvas, options.title(), canvas.width) +
      gnuplot::label(canvas, options.value_label(), layout.axes_right - layout.axes_left, middle,
                     layout.axes_bottom + 52, "center");
  return script + gnuplot::note(canvas, options.note(), layout.note_top) + "plot 2 with lines\nunset label\n";
}

std::string text_at(const std::string& text, int room, double x, int y, const std::string& appearance) {
  return c10::str("set label ", literal(gnuplot::fitted(text, room)), " at ", x, ",", y, " ", appearance, "\n");
}

std::string line(double x0, double y0, double x1, double y1, const std::string& look) {
  return c10::str("set arrow from ", x0, ",", y0, " to ", x1, ",", y1, " nohead front ", look, "\n");
}

std::string whisker(double low, double high, int y) {
  const auto look = style::whisker();
  return line(low, y, high, y, look) + line(low, y - 4, low, y + 4, look) + line(high, y - 4, high, y + 4, look);
}

std::string tick(double x, int y) {
  return line(x, y - style::kBarHeight / 2 - 4, x, y + style::kBarHeight / 2 + 4, style::tick());
}

std::string bar_script(const Bar& bar, size_t position, const BarLayout& layout) {
  const int y = layout.middles[position], half = style::kBarHeight / 2;
  double end = layout.place(bar.value);
  std::string script = c10::str("set object rectangle from ", layout.axes_left, ",", y - half, " to ", end, ",",
                                y + half, " front ", style::bar(layout.styles[position]), "\n");
  if (bar.low) script += whisker(layout.place(*bar.low), layout.place(*bar.high), y);
  if (bar.low) end = std::max(end, layout.place(*bar.high));
  if (bar.mark) script += tick(layout.place(*bar.mark), y);
  if (bar.mark && *bar.mark >= bar.value) end = std::max(end, layout.place(*bar.mark));
  script += text_at(bar.label, layout.label_room, layout.axes_left - style::kBarGap, y, "right front");
  script += text_at(value_text(bar), layout.axes_right - static_cast<int>(end), end + style::kBarGap, y, "left front");
  if (layout.headings[position] > 0) {
    script += text_at(bar.group, layout.canvas.width - 2 * style::kBarGap, style::kBarGap, layout.headings[position],
                      "left front font heading_font");
  }
  return script;
}

/// Samples of tick, whisker and guide with what they are, one after the other.
std::string legend_script(const std::vector<Bar>& bars, const BarFigureOptions& options, const BarLayout& layout) {
  if (layout.legend == 0) return "";
  const int y = layout.legend;
  int x = 2 * style::kBarGap;
  std::string script;
  const auto add = [&](const std::string& sample, const std::string& label) {
    script += sample + text_at(label, layout.canvas.width - x, x + style::kLegendSample, y, "left front");
    x += style::kLegendSample + gnuplot::text_width(label) + style::kLegendGap;
  };
  const int centre = style::kLegendSample / 2;
  if (any_marks(bars) && !options.mark_label().empty()) add(tick(x + centre, y), options.mark_label());
  if (any_whiskers(bars) && !options.whisker_label().empty()) {
    add(whisker(x + 6, x + style::kLegendSample - 10, y), options.whisker_label());
  }
  if (options.guide() && !options.guide_label().empty()) {
    add(line(x + centre, y - 12, x + centre, y + 12, style::guide()), options.guide_label());
  }
  return script;
}

}  // namespace

void write_bar_figure(const std::filesystem::path& path, const std::vector<Bar>& bars,
                      const BarFigureOptions& options) {
  gnuplot::check_target(path);
  check(bars, options);
  const auto layout = make_bar_layout(bars, options);
  std::string script = axis_plot(layout, options) + gnuplot::pixel_axes(layout.canvas);
  for (size_t i = 0; i < bars.size(); ++i) script += bar_script(bars[i], i, layout);
  if (options.guide()) {
    const double x = layout.place(*options.guide());
    script += line(x, layout.axes_top, x, layout.axes_bottom, style::guide());
  }
  script += legend_script(bars, options, layout);
  gnuplot::draw(path, layout.canvas, script + "plot -1 with lines\nunset multiplot\n");
}

}  // namespace arks
