#pragma once

#include <torch/arg.h>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace arks {

/// One line of a figure. A y that is not finite (a run that diverged) leaves a gap.
struct Curve {
  std::string label;
  std::vector<double> x, y;       ///< of the same length ≥ 1; x finite
  std::vector<double> deviation;  ///< draws the band y ± deviation; as long as y, or empty: no band
};

/// Never inside the axes, so that it covers no curve.
enum class LegendPosition { kBelow, kRight, kNone };

struct FigureOptions {
  FigureOptions() = default;
  TORCH_ARG(std::string, title);
  TORCH_ARG(std::string, x_label);
  TORCH_ARG(std::string, y_label);
  TORCH_ARG(std::optional<double>, y_low);   // unset: from the curves and their bands
  TORCH_ARG(std::optional<double>, y_high);  // > y_low; unset: from the curves and their bands
  TORCH_ARG(LegendPosition, legend) = LegendPosition::kBelow;
};

/// One of several diagrams side by side.
struct Panel {
  std::string title;
  std::vector<Curve> curves;
};

/// Curves against each other, drawn by gnuplot as PNG or SVG by the extension of `path`. Colours are those of Okabe and
/// Ito ("Color Universal Design", 2008), told apart by colour-blind readers too, and every curve has a point shape of
/// its own. Labels are plain text, shown as they are, or cut with "…" where they are wider than the figure. A figure
/// that fails leaves no file behind. Throws Error for what cannot be drawn or written and when gnuplot is missing,
/// RunError when gnuplot fails.
void write_figure(const std::filesystem::path& path, const std::vector<Curve>& curves,
                  const FigureOptions& options = FigureOptions());

/// The same with several panels that share the y axis, the labels of the axes and one legend: curves with the same
/// label look the same in every panel.
void write_figure_panels(const std::filesystem::path& path, const std::vector<Panel>& panels,
                         const FigureOptions& options = FigureOptions());

}  // namespace arks
