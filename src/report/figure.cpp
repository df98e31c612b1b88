#include "report/figure.h"

#include "figure_curves.h"

namespace arks {

namespace {

std::string panel_script(const std::vector<Panel>& panels, size_t position, const FigureLayout& layout,
                         const FigureOptions& options, const std::vector<Entry>& entries) {
  const auto& panel = panels[position];
  const auto& canvas = layout.canvas;
  const auto y = y_range(panels, position, options);
  const int left = layout.panel_left(position), right = left + layout.panel_width, middle = (left + right) / 2;
  const int top = layout.panel_top(position), bottom = top + layout.panel_height;
  const bool first = layout.column(position) == 0;
  const int label_left = first ? style::kYLabel : left - layout.own_label;
  return gnuplot::margins(canvas, left, right, top, bottom) + x_axis_script(panel, options, layout.panel_width) +
         axis_script('y', y, options.y_scale(), first || own_y_axis(panel, options)) +
         gnuplot::label(canvas, panel.title, layout.panel_width, middle, top - 14, "center") +
         gnuplot::label(canvas, panel.x_label.empty() ? options.x_label() : panel.x_label, layout.panel_width, middle,
                        bottom + 52, "center") +
         gnuplot::label(canvas, y_label_of(panels, position, layout.column(position), options), layout.panel_height,
                        label_left, (top + bottom) / 2, "center rotate by 90") +
         marks_script(panel, position, y, layout, options) +
         plot_script(panel, y, options, entries, layout.panel_width) + "unset label\nunset arrow\n";
}

/// The title and the note belong to the first panel's plot, after which labels are forgotten.
std::string common_script(const FigureLayout& layout, const FigureOptions& options) {
  return "set multiplot\nunset key\n" + style::axes() +
         gnuplot::title(layout.canvas, options.title(), layout.axes_width) +
         gnuplot::note(layout.canvas, options.note(), layout.note_top);
}

}  // namespace

void write_figure_panels(const std::filesystem::path& path, const std::vector<Panel>& panels,
                         const FigureOptions& options) {
  gnuplot::check_target(path);
  check_panels(panels, options);
  const auto entries = entries_of(panels);
  const auto layout = make_figure_layout(panels, entries, options);
  std::string script = common_script(layout, options);
  for (size_t i = 0; i < panels.size(); ++i) script += panel_script(panels, i, layout, options, entries);
  gnuplot::draw(path, layout.canvas, script + legend_script(layout, options, entries) + "unset multiplot\n");
}

void write_figure(const std::filesystem::path& path, const std::vector<Curve>& curves, const FigureOptions& options) {
  write_figure_panels(path, {Panel{"", curves}}, options);
}

}  // namespace arks
