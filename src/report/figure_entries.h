#pragma once
// What a figure shows, checked, and under which name and look.
#include "report/figure.h"

#include <optional>
#include <string>
#include <vector>

namespace arks {

/// A line of the legend: the look of all curves, or of all marks, with this label.
struct Entry {
  std::string label;
  size_t style = 0;
  CurveKind kind = CurveKind::kMeasured;
  bool banded = false;           ///< one of its curves has deviations
  std::optional<MarkKind> mark;  ///< set: a mark and no curve
};

/// Every label once, in the order of appearance, curves before marks. Curves are numbered with styles, except
/// references that are like another curve.
std::vector<Entry> entries_of(const std::vector<Panel>& panels);

/// The style of a curve of the figure.
size_t style_of(const Curve& curve, const std::vector<Entry>& entries);

/// Throws Error naming the curve that cannot be drawn.
void check_panels(const std::vector<Panel>& panels, const FigureOptions& options);

}  // namespace arks
