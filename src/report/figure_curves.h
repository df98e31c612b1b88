#pragma once
// The curves of a panel and the samples of the legend, as gnuplot commands.
#include "axis.h"
#include "figure_entries.h"
#include "figure_layout.h"

namespace arks {

/// Data blocks and the plot command of a panel of this width: fills and bands below, lines and points above. Curves
/// with error bars stand a few pixels apart, so that none hides another.
std::string plot_script(const Panel& panel, const AxisRange& y, const FigureOptions& options,
                        const std::vector<Entry>& entries, int width);

/// Crosses that the next plot shows above its curves.
std::string marks_script(const Panel& panel, size_t position, const AxisRange& y, const FigureLayout& layout,
                         const FigureOptions& options);

/// A plot over the whole canvas whose unit is a pixel: for each entry a piece of what it looks like and its label.
std::string legend_script(const FigureLayout& layout, const FigureOptions& options, const std::vector<Entry>& entries);

}  // namespace arks
