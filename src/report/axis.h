#pragma once
// Ranges and numbers of the axes of a figure.
#include "report/figure.h"

#include <limits>
#include <string>
#include <vector>

namespace arks {

/// An interval that grows with what it has to hold; empty at first.
struct AxisRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  /// Values that are not finite are passed over.
  void include(double value);
  bool empty() const { return low > high; }

  /// Wider by a fraction of its width at both ends, on a logarithmic axis of the width that is seen; around a single
  /// value by a fifth of it, around 0 by 1.
  AxisRange padded(double fraction, AxisScale scale = AxisScale::kLinear) const;
};

/// Whether a band or error bars are drawn.
bool has_deviations(const Curve& curve);
/// The ends of the band or bar at a point.
double lower_end(const Curve& curve, size_t i);
double upper_end(const Curve& curve, size_t i);

/// Where the last step of a histogram ends.
double steps_end(const Curve& curve);

/// Whether a panel has numbers and a range of its own on the y axis.
bool own_y_axis(const Panel& panel, const FigureOptions& options);

/// What stands beside the y axis of a panel: at the first of a row its own label or that of the figure, elsewhere only
/// where quantities differ from panel to panel.
std::string y_label_of(const std::vector<Panel>& panels, size_t position, size_t column, const FigureOptions& options);

/// Of the panel or, unless it says so, of the figure.
AxisScale x_scale(const Panel& panel, const FigureOptions& options);

/// From the curves of the panel and its marks; with names half a step around all of them.
AxisRange x_range(const Panel& panel, const FigureOptions& options);

/// Of the panel at this position: limits where they are set, else from all curves, bands and marks that share the axis.
/// Throws Error when there is nothing to show.
AxisRange y_range(const std::vector<Panel>& panels, size_t position, const FigureOptions& options);

/// Where a value lies between the ends of an axis: 0 at the low, 1 at the high one.
double position_on(const AxisRange& range, AxisScale scale, double value);

/// Where a histogram stands: zero, or the edge of the axis where that is not on it.
double baseline(const AxisRange& y, AxisScale scale);

/// The gnuplot commands for scale, range and numbers of an axis, 'x' or 'y'. The numbers of a logarithmic axis are
/// powers of ten ("10⁻⁶", "0.01") and, where these are few, twice and five times that.
std::string axis_script(char axis, const AxisRange& range, AxisScale scale, bool numbers);

/// The distance of the numbers on a linear x axis, 1, 2 or 5 times a power of ten: so many as fit side by side into
/// `width` pixels, ten at most.
double x_step(const AxisRange& range, int width);

/// The same for the x axis of a panel that is `width` wide, in pixels; names are cut where they do not fit side by
/// side.
std::string x_axis_script(const Panel& panel, const FigureOptions& options, int width);

}  // namespace arks
