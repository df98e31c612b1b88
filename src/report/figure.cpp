#include <arks/report/figure.h>
#include <arks/support/error.h>
#include <arks/support/text.h>

#include <algorithm>

#include "figure_layout.h"

namespace arks {

using gnuplot::literal;

namespace {

/// Every label once, in the order of appearance: its position is its style.
std::vector<std::string> labels_of(const std::vector<Panel>& panels) {
  std::vector<std::string> labels;
  for (const auto& panel : panels) {
    for (const auto& curve : panel.curves) {
      if (std::find(labels.begin(), labels.end(), curve.label) == labels.end()) labels.push_back(curve.label);
    }
  }
  return labels;
}

/// The palette without its yellow, which does not stand out from white.
std::string colour(size_t style) {
  static const char* const kColours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};
  return c10::str("linecolor rgb '", kColours[style % std::size(kColours)], "'");
}

/// Seven colours, eight shapes: a pair comes back after 56 curves only. From the eighth curve on the line is dashed.
std::string line_style(size_t style) {
  static const int kShapes[] = {7, 5, 9, 13, 11, 15, 6, 4};
  return c10::str(colour(style), " linewidth 2 dashtype ", 1 + style / 7 % 4, " pointtype ",
                  kShapes[style % std::size(kShapes)]);
}

std::string number(double value) {
  return std::isfinite(value) ? shortest(value) : "NaN";
}

std::string interval(const AxisRange& range) {
  return "[" + shortest(range.low) + ":" + shortest(range.high) + "]";
}

std::string data_block(const std::string& name, const Curve& curve) {
  std::string text = name + " << EOD\n";
  for (size_t i = 0; i < curve.x.size(); ++i) {
    const double deviation = curve.deviation.empty() ? 0 : curve.deviation[i];
    text += number(curve.x[i]) + " " + number(curve.y[i]) + " " + number(deviation) + "\n";
  }
  return text + "EOD\n";
}

std::string plot_command(const std::vector<Curve>& curves, const std::vector<std::string>& labels) {
  std::string data;
  std::vector<std::string> bands, lines;
  for (size_t i = 0; i < curves.size(); ++i) {
    const auto& curve = curves[i];
    const auto style = static_cast<size_t>(std::find(labels.begin(), labels.end(), curve.label) - labels.begin());
    const auto name = "$curve" + std::to_string(i);
    data += data_block(name, curve);
    if (!curve.deviation.empty()) {
      bands.push_back(name + " using 1:($2-$3):($2+$3) with filledcurves fillstyle transparent solid 0.2 noborder " +
                      colour(style));
    }
    const size_t every = std::max<size_t>(1, curve.x.size() / 20);  // a point at each of 500 epochs would be a blot
    lines.push_back(c10::str(name, " using 1:2 with linespoints ", line_style(style), " pointinterval ", every));
  }
  bands.insert(bands.end(), lines.begin(), lines.end());  // lines above all bands
  return data + "plot " + join(bands, ", \\\n  ") + "\n";
}

/// Axes between these edges, in pixels from the left and from the top.
std::string margins(const gnuplot::Canvas& canvas, int left, int right, int top, int bottom) {
  const double width = canvas.width, height = canvas.height;
  return c10::str("set lmargin at screen ", left / width, "\nset rmargin at screen ", right / width,
                  "\nset tmargin at screen ", 1 - top / height, "\nset bmargin at screen ", 1 - bottom / height, "\n");
}

/// A text of at most `room` pixels around a point of the canvas.
std::string label(const gnuplot::Canvas& canvas, const std::string& text, int room, int x, int y,
                  const std::string& appearance) {
  return c10::str("set label ", literal(gnuplot::fitted(text, room)), " at screen ",
                  static_cast<double>(x) / canvas.width, ",", 1 - static_cast<double>(y) / canvas.height, " ",
                  appearance, "\n");
}

std::string panel_script(const Panel& panel, size_t position, const FigureLayout& layout, const FigureOptions& options,
                         const std::vector<std::string>& labels) {
  AxisRange x;
  for (const auto& curve : panel.curves) {
    for (const double value : curve.x) x.include(value);
  }
  const int left = layout.panel_left(position), right = left + layout.panel_width, middle = (left + right) / 2;
  return margins(layout.canvas, left, right, layout.axes_top, layout.axes_bottom()) + "set xrange " +
         interval(x.padded(0.02)) + "\nset format y " + (position == 0 ? "'%g'" : "''") + "\n" +
         label(layout.canvas, panel.title, layout.panel_width, middle, layout.axes_top - 14, "center") +
         label(layout.canvas, options.x_label(), layout.panel_width, middle, layout.axes_bottom() + 52, "center") +
         plot_command(panel.curves, labels) + "unset label\n";
}

/// A plot over the whole canvas whose unit is a pixel: a piece of line and a label for each entry.
std::string legend_script(const FigureLayout& layout, const std::vector<std::string>& labels) {
  if (layout.legend_columns == 0) return "";
  const auto& canvas = layout.canvas;
  std::string script = "unset border\nunset tics\nunset grid\n" + margins(canvas, 0, canvas.width, 0, canvas.height);
  script += c10::str("set xrange [0:", canvas.width, "]\nset yrange [", canvas.height, ":0]\n");
  std::vector<std::string> samples;
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto columns = static_cast<size_t>(layout.legend_columns);
    const int left = layout.legend_left + static_cast<int>(i % columns) * layout.legend_entry;
    const int middle = layout.legend_top + static_cast<int>(i / columns) * layout.legend_line + layout.legend_line / 2;
    script += c10::str("$entry", i, " << EOD\n", left, " ", middle, "\n", left + 44, " ", middle, "\n\n\n", left + 22,
                       " ", middle, "\nEOD\n");
    script += c10::str("set label ", literal(gnuplot::fitted(labels[i], layout.legend_text)), " at ", left + 54, ",",
                       middle, " left\n");
    samples.push_back(c10::str("$entry", i, " index 0 with lines ", line_style(i)));
    samples.push_back(c10::str("$entry", i, " index 1 with points ", line_style(i)));
  }
  return script + "plot " + join(samples, ", \\\n  ") + "\n";
}

std::string common_script(const FigureLayout& layout, const FigureOptions& options, const AxisRange& y) {
  const auto& canvas = layout.canvas;
  return "set multiplot\nunset key\nset grid linetype 1 linewidth 1 linecolor rgb '#dddddd'\nset border 3\n"
         "set tics nomirror out scale 0.5\nset xtics offset 0,0.2\nset format x '%g'\nset yrange " +
         interval(y) + "\n" +
         label(canvas, options.title(), layout.axes_width * 4 / 5, layout.axes_width / 2, 28,
               "center font title_font") +
         label(canvas, options.y_label(), layout.panel_height, 18, (layout.axes_top + layout.axes_bottom()) / 2,
               "center rotate by 90");
}

}  // namespace

void write_figure_panels(const std::filesystem::path& path, const std::vector<Panel>& panels,
                         const FigureOptions& options) {
  gnuplot::check_target(path);
  check_panels(panels, options);
  const auto labels = labels_of(panels);
  const auto layout = make_figure_layout(panels, labels, options);
  std::string script = common_script(layout, options, shared_y_range(panels, options));
  for (size_t i = 0; i < panels.size(); ++i) script += panel_script(panels[i], i, layout, options, labels);
  gnuplot::draw(path, layout.canvas, script + legend_script(layout, labels) + "unset multiplot\n");
}

void write_figure(const std::filesystem::path& path, const std::vector<Curve>& curves, const FigureOptions& options) {
  write_figure_panels(path, {Panel{"", curves}}, options);
}

}  // namespace arks
