#pragma once

#include <torch/arg.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace arks {

/// What a curve is, and with that how it is drawn.
enum class CurveKind {
  kMeasured,   ///< a line with filled points, and a band where there are deviations
  kReference,  ///< numbers to compare with, published elsewhere, say: a dashed line with open points, no band
  kLine,       ///< a function: a line without points, and a band where there are deviations
  kPoints,     ///< points without a line, with error bars where there are deviations
  kSteps,      ///< a histogram: outline and transparent fill; y[i] holds from x[i] to x[i+1], the last y as far again
};

/// One line of a figure. A y that is not finite (a run that diverged) leaves a gap.
struct Curve {
  std::string label;
  std::vector<double> x, y;       ///< of the same length ≥ 1; x finite. For kSteps ≥ 2, x ascending
  std::vector<double> deviation;  ///< draws the band y ± deviation; as long as y, or empty: no band
  CurveKind kind = CurveKind::kMeasured;
  std::string like = {};  ///< of kReference: the label of the curve whose colour and shape it takes; empty: its own
  std::vector<double> low = {},
                      high = {};  ///< instead of deviations: the ends of each interval; as long as y, or empty
};

enum class MarkKind { kBlackCross, kRedCross };

/// A single point that is shown above all curves, such as a sample and its worst case.
struct Mark {
  double x = 0, y = 0;     ///< finite
  std::string label = {};  ///< in the legend; empty: not there
  MarkKind kind = MarkKind::kBlackCross;
};

/// Never inside the axes, so that it covers no curve.
enum class LegendPosition { kBelow, kRight, kNone };

/// On a logarithmic axis all values must be > 0; a band that reaches below ends at the edge of the diagram.
enum class AxisScale { kLinear, kLog };

struct FigureOptions {
  FigureOptions() = default;
  TORCH_ARG(std::string, title);
  TORCH_ARG(std::string, x_label);
  TORCH_ARG(std::string, y_label);
  TORCH_ARG(std::optional<double>, y_low);   // unset: from the curves and their bands
  TORCH_ARG(std::optional<double>, y_high);  // > y_low; unset: from the curves and their bands
  TORCH_ARG(LegendPosition, legend) = LegendPosition::kBelow;
  TORCH_ARG(AxisScale, x_scale) = AxisScale::kLinear;
  TORCH_ARG(AxisScale, y_scale) = AxisScale::kLinear;
  TORCH_ARG(int64_t, columns) = 0;      // panels in a row; 0: all up to three, four as 2 × 2, more in rows of three
  TORCH_ARG(bool, shared_y) = true;     // false: every panel has a y axis of its own
  TORCH_ARG(bool, error_bars) = false;  // bars instead of bands
  TORCH_ARG(std::string, note);         // below everything, in smaller type, in as many lines as it takes
};

/// One of several diagrams of a figure. A panel with a y label or a y range of its own has a y axis of its own,
/// whatever the others share.
struct Panel {
  std::string title;
  std::vector<Curve> curves;
  std::vector<Mark> marks = {};
  std::string x_label = {};                       ///< empty: that of the figure
  std::string y_label = {};                       ///< empty: that of the figure
  std::optional<double> y_low = {}, y_high = {};  ///< unset: those of the figure
  std::optional<AxisScale> x_scale = {};          ///< unset: that of the figure
  std::vector<std::string> x_names = {};          ///< words at x = 1, 2, … instead of numbers; x_scale is then linear
};

/// Curves against each other, drawn by gnuplot as PNG or SVG by the extension of `path`. Colours are those of Okabe and
/// Ito ("Color Universal Design", 2008), told apart by colour-blind readers too, and every curve has a point shape of
/// its own. Labels are plain text, shown as they are, or cut with "…" where they are wider than the figure. A figure
/// that fails leaves no file behind. Throws Error for what cannot be drawn or written and when gnuplot is missing,
/// RunError when gnuplot fails.
void write_figure(const std::filesystem::path& path, const std::vector<Curve>& curves,
                  const FigureOptions& options = FigureOptions());

/// The same with several panels that share the y axis, the labels of the axes and one legend: curves with the same
/// label are of one kind and look the same in every panel.
void write_figure_panels(const std::filesystem::path& path, const std::vector<Panel>& panels,
                         const FigureOptions& options = FigureOptions());

}  // namespace arks
