#pragma once

#include <torch/arg.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace arks {

/// One horizontal bar from zero to its value.
struct Bar {
  std::string label;                          ///< left of the bar
  double value = 0;                           ///< finite and ≥ 0
  std::string text = {};                      ///< at the end of the bar, "9.2×"; empty: the value
  std::string group = {};                     ///< a heading above the first of neighbours with the same group
  std::optional<double> mark = {};            ///< a small vertical tick at this value, ≥ 0
  std::optional<double> low = {}, high = {};  ///< ends of a whisker, both or none, 0 ≤ low ≤ high
};

struct BarFigureOptions {
  BarFigureOptions() = default;
  TORCH_ARG(std::string, title);
  TORCH_ARG(std::string, value_label);      // of the axis, with its unit
  TORCH_ARG(std::string, mark_label);       // what the ticks are, for the legend
  TORCH_ARG(std::string, whisker_label);    // what the whiskers are, for the legend
  TORCH_ARG(std::optional<double>, guide);  // a dashed line across all bars, such as 1 for "as fast"
  TORCH_ARG(std::string, guide_label);      // what it is, for the legend
  TORCH_ARG(std::string, note);             // below everything, in smaller type, in as many lines as it takes
};

/// Bars below each other from top to bottom, in the looks of the other figures: PNG or SVG by the extension of `path`,
/// labels as plain text left of the bars, never turned, a colour for every group. Throws as write_figure does.
void write_bar_figure(const std::filesystem::path& path, const std::vector<Bar>& bars,
                      const BarFigureOptions& options = BarFigureOptions());

}  // namespace arks
