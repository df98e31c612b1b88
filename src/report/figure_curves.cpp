#include "figure_curves.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace arks {

using gnuplot::literal;

namespace {

std::string cell(double value) {
  return std::isfinite(value) ? shortest(value) : "NaN";
}

bool has_bars(const Curve& curve, const FigureOptions& options) {
  return has_deviations(curve) && (options.error_bars() || curve.kind == CurveKind::kPoints);
}

size_t every_nth(const Curve& curve) {
  return curve.kind == CurveKind::kPoints ? 1 : std::max<size_t>(1, curve.x.size() / style::kMostPoints);
}

/// The x axis of a panel, to move along it by pixels.
struct XAxis {
  AxisRange range;
  AxisScale scale;
  int width;  // pixels

  double pixels(double x) const { return width * position_on(range, scale, x); }
  double moved(double x, double pixels) const {
    const double part = pixels / width;
    return scale == AxisScale::kLog ? x * std::pow(range.high / range.low, part) : x + part * (range.high - range.low);
  }
};

/// The shortest way from one bar of a curve to the next.
double room_between_bars(const Panel& panel, const XAxis& axis, const FigureOptions& options) {
  double room = axis.width / std::max<double>(1, static_cast<double>(panel.x_names.size()));
  for (const auto& curve : panel.curves) {
    if (!has_bars(curve, options)) continue;
    const auto every = every_nth(curve);
    for (size_t i = every; i < curve.x.size(); i += every) {
      const double way = std::abs(axis.pixels(curve.x[i]) - axis.pixels(curve.x[i - every]));
      if (way > 0) room = std::min(room, way);
    }
  }
  return room;
}

/// Whether two of these curves have a point at the same x.
bool meet(const Panel& panel, const std::vector<size_t>& curves) {
  std::set<double> seen;
  for (const auto i : curves) {
    const std::set<double> own(panel.curves[i].x.begin(), panel.curves[i].x.end());
    for (const double x : own) {
      if (!seen.insert(x).second) return true;
    }
  }
  return false;
}

/// How far each curve moves to the right, in pixels: bars at one place would hide each other.
std::vector<double> dodges(const Panel& panel, const XAxis& axis, const FigureOptions& options) {
  std::vector<double> found(panel.curves.size(), 0);
  std::vector<size_t> barred;
  for (size_t i = 0; i < panel.curves.size(); ++i) {
    if (has_bars(panel.curves[i], options)) barred.push_back(i);
  }
  if (barred.size() < 2 || !meet(panel, barred)) return found;
  const auto count = static_cast<double>(barred.size());
  const double usual = panel.x_names.empty() ? style::kDodge : style::kWideDodge;
  const double edge = panel.x_names.empty() ? 0.018 * axis.width : axis.width;  // the padding of the axis
  const double step = std::min({usual, room_between_bars(panel, axis, options) / (count + 1), 2 * edge / (count - 1)});
  for (size_t k = 0; k < barred.size(); ++k) found[barred[k]] = step * (static_cast<double>(k) - (count - 1) / 2);
  return found;
}

/// Lines "x y low high". On a logarithmic axis a band that reaches below zero ends at the edge.
std::string curve_data(const Curve& curve, const AxisRange& y, AxisScale scale, const XAxis& x, double dodge) {
  const bool banded = has_deviations(curve);
  std::string text;
  for (size_t i = 0; i < curve.x.size(); ++i) {
    double low = banded ? lower_end(curve, i) : curve.y[i];
    if (scale == AxisScale::kLog && low < y.low) low = y.low;
    text += join({cell(dodge == 0 ? curve.x[i] : x.moved(curve.x[i], dodge)), cell(curve.y[i]), cell(low),
                  cell(banded ? upper_end(curve, i) : curve.y[i])},
                 " ") +
            "\n";
  }
  return text;
}

/// The outline of a histogram, from the floor to the floor.
std::string steps_data(const Curve& curve, double floor) {
  std::string text = cell(curve.x[0]) + " " + cell(floor) + "\n";
  for (size_t i = 0; i < curve.x.size(); ++i) {
    const double end = i + 1 < curve.x.size() ? curve.x[i + 1] : steps_end(curve);
    const auto height = " " + cell(std::isfinite(curve.y[i]) ? curve.y[i] : floor) + "\n";
    text += cell(curve.x[i]) + height + cell(end) + height;
  }
  return text + cell(steps_end(curve)) + " " + cell(floor) + "\n";
}

/// What is plotted, in the order in which it lies on top of each other.
struct Layers {
  std::string data;
  std::vector<std::string> fills, bars, lines;

  std::string script() const {
    auto all = fills;
    for (const auto* layer : {&bars, &lines}) all.insert(all.end(), layer->begin(), layer->end());
    return data + "plot " + join(all, ", \\\n  ") + "\n";
  }
};

void add_steps(Layers& layers, const std::string& name, size_t style) {
  layers.fills.push_back(name + " using 1:2 with filledcurves closed " + style::fill(style, CurveKind::kSteps));
  layers.lines.push_back(name + " using 1:2 with lines " + style::line(style, CurveKind::kSteps));
}

void add_curve(Layers& layers, const std::string& name, const Curve& curve, size_t style,
               const FigureOptions& options) {
  const auto every = every_nth(curve);
  if (has_bars(curve, options)) {
    layers.bars.push_back(c10::str(name, " every ", every, " using 1:2:3:4 with yerrorbars ", style::error_bar(style)));
  } else if (has_deviations(curve)) {
    layers.fills.push_back(name + " using 1:3:4 with filledcurves " + style::fill(style, curve.kind));
  }
  const auto look = style::line(style, curve.kind);
  if (curve.kind == CurveKind::kLine) {
    layers.lines.push_back(name + " using 1:2 with lines " + look);
  } else if (curve.kind == CurveKind::kPoints) {
    layers.lines.push_back(name + " using 1:2 with points " + look);
  } else {
    layers.lines.push_back(c10::str(name, " using 1:2 with linespoints ", look, " pointinterval ", every));
  }
}

/// A sample of the legend from `left` on around the line `middle`, with the indices of its blocks: 0 the line, 1 the
/// point, 2 a box, 3 an error bar.
std::string sample_data(int left, int middle) {
  const int right = left + style::kLegendSample, centre = left + style::kLegendSample / 2;
  return c10::str(left, " ", middle, "\n", right, " ", middle, "\n\n\n", centre, " ", middle, "\n\n\n", left, " ",
                  middle + 7, "\n", left, " ", middle - 7, "\n", right, " ", middle - 7, "\n", right, " ", middle + 7,
                  "\n", left, " ", middle + 7, "\n\n\n", centre, " ", middle, " ", middle + 8, " ", middle - 8, "\n");
}

void add_sample(Layers& layers, const std::string& name, const Entry& entry, bool error_bars) {
  const auto look = style::line(entry.style, entry.kind);
  const bool steps = entry.kind == CurveKind::kSteps, points = entry.kind == CurveKind::kPoints;
  if (entry.banded && (error_bars || points)) {
    layers.bars.push_back(name + " index 3 using 1:2:3:4 with yerrorbars " + style::error_bar(entry.style));
  } else if (entry.banded || steps) {
    layers.fills.push_back(name + " index 2 with filledcurves closed " + style::fill(entry.style, entry.kind));
  }
  if (!points) layers.lines.push_back(c10::str(name, " index ", steps ? 2 : 0, " with lines ", look));
  if (!steps && entry.kind != CurveKind::kLine) layers.lines.push_back(name + " index 1 with points " + look);
}

/// Two strokes around a point of the canvas, drawn by pixels: the width of points is not the same in PNG and SVG.
std::string cross(const gnuplot::Canvas& canvas, double x, double y, MarkKind kind) {
  const auto stroke = [&](int down) {
    const double left = (x - style::kCross) / canvas.width, right = (x + style::kCross) / canvas.width;
    const double begin = 1 - (y - down) / canvas.height, end = 1 - (y + down) / canvas.height;
    return c10::str("set arrow from screen ", left, ",", begin, " to screen ", right, ",", end, " nohead front ",
                    style::mark(kind), "\n");
  };
  return stroke(style::kCross) + stroke(-style::kCross);
}

}  // namespace

std::string plot_script(const Panel& panel, const AxisRange& y, const FigureOptions& options,
                        const std::vector<Entry>& entries, int width) {
  Layers layers;
  const XAxis x{x_range(panel, options), x_scale(panel, options), width};
  const auto dodge = dodges(panel, x, options);
  for (size_t i = 0; i < panel.curves.size(); ++i) {
    const auto& curve = panel.curves[i];
    const auto name = "$curve" + std::to_string(i);
    const size_t style = style_of(curve, entries);
    const bool steps = curve.kind == CurveKind::kSteps;
    layers.data += name + " << EOD\n" +
                   (steps ? steps_data(curve, baseline(y, options.y_scale()))
                          : curve_data(curve, y, options.y_scale(), x, dodge[i])) +
                   "EOD\n";
    if (steps) {
      add_steps(layers, name, style);
    } else {
      add_curve(layers, name, curve, style, options);
    }
  }
  return layers.script();
}

std::string marks_script(const Panel& panel, size_t position, const AxisRange& y, const FigureLayout& layout,
                         const FigureOptions& options) {
  const auto x = x_range(panel, options);
  std::string script;
  for (const auto& mark : panel.marks) {
    const double right = position_on(x, x_scale(panel, options), mark.x),
                 up = position_on(y, options.y_scale(), mark.y);
    if (up < 0 || up > 1) continue;  // above or below a range that was asked for
    script += cross(layout.canvas, layout.panel_left(position) + right * layout.panel_width,
                    layout.panel_top(position) + (1 - up) * layout.panel_height, mark.kind);
  }
  return script;
}

std::string legend_script(const FigureLayout& layout, const FigureOptions& options, const std::vector<Entry>& entries) {
  if (layout.legend_columns == 0) return "";
  std::string script = gnuplot::pixel_axes(layout.canvas);
  Layers layers;
  for (size_t i = 0; i < entries.size(); ++i) {
    const auto columns = static_cast<size_t>(layout.legend_columns);
    const int left = layout.legend_left + static_cast<int>(i % columns) * layout.legend_entry;
    const int middle = layout.legend_top + static_cast<int>(i / columns) * style::kLegendLine + style::kLegendLine / 2;
    const auto name = "$entry" + std::to_string(i);
    if (entries[i].mark) {
      script += cross(layout.canvas, left + style::kLegendSample / 2.0, middle, *entries[i].mark);
    } else {
      layers.data += name + " << EOD\n" + sample_data(left, middle) + "EOD\n";
      add_sample(layers, name, entries[i], options.error_bars());
    }
    script += c10::str("set label ", literal(gnuplot::fitted(entries[i].label, layout.legend_text)), " at ",
                       left + style::kLegendSample + 10, ",", middle, " left\n");
  }
  return script + layers.script();
}

}  // namespace arks
