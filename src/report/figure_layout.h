#pragma once
#include <arks/report/figure.h>

#include <cmath>
#include <limits>

#include "gnuplot.h"

namespace arks {

/// An interval that grows with what it has to hold; empty at first.
struct AxisRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  /// Values that are not finite are passed over.
  void include(double value);
  bool empty() const { return low > high; }

  /// Wider by a fraction of its width at both ends; around a single value by a fifth of it.
  AxisRange padded(double fraction) const;
};

/// Where things stand, in pixels from the left and from the top. One panel makes the usual canvas of 900 × 600; several
/// panels are smaller and the canvas wider. Everything is placed by these numbers, since gnuplot's own margins and
/// legend differ between PNG and SVG.
struct FigureLayout {
  gnuplot::Canvas canvas;
  int left = 104;  ///< room for the y axis
  int right = 0;   ///< room for half of the last number on the x axis
  int gap = 0;     ///< between panels, the same
  int axes_width = 0;
  int axes_top = 0;
  int panel_width = 0;
  int panel_height = 0;
  int legend_left = 0;
  int legend_top = 0;
  int legend_columns = 0;  ///< 0: no legend
  int legend_entry = 0;    ///< width of one entry
  int legend_text = 0;     ///< room for its label
  int legend_line = 24;    ///< height of one entry

  int panel_left(size_t position) const { return left + static_cast<int>(position) * (panel_width + gap); }
  int axes_bottom() const { return axes_top + panel_height; }
};

FigureLayout make_figure_layout(const std::vector<Panel>& panels, const std::vector<std::string>& labels,
                                const FigureOptions& options);

/// What all panels share: the options where they are set, else all curves and bands.
AxisRange shared_y_range(const std::vector<Panel>& panels, const FigureOptions& options);

/// Throws Error naming the curve that cannot be drawn.
void check_panels(const std::vector<Panel>& panels, const FigureOptions& options);

}  // namespace arks
