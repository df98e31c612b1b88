#pragma once
#include "gnuplot.h"
#include "report/bar_figure.h"

namespace arks {

/// Where things stand, in pixels from the left and from the top.
struct BarLayout {
  gnuplot::Canvas canvas;
  int axes_left = 0, axes_right = 0, axes_top = 0, axes_bottom = 0;
  int label_room = 0;          ///< for the labels left of the bars
  std::vector<int> middles;    ///< of the bars
  std::vector<int> headings;   ///< above the bars; 0: none
  std::vector<size_t> styles;  ///< a colour for each group, in the order of appearance
  int legend = 0;              ///< the middle of the legend; 0: none
  int note_top = 0;            ///< where the note begins
  double scale = 1;            ///< the value at the right end of the axis

  /// From a value to pixels from the left.
  double place(double value) const { return axes_left + value / scale * (axes_right - axes_left); }
};

/// The text at the end of a bar.
std::string value_text(const Bar& bar);

bool any_marks(const std::vector<Bar>& bars);
bool any_whiskers(const std::vector<Bar>& bars);

/// The axis ends so far right that the text of every bar fits in.
BarLayout make_bar_layout(const std::vector<Bar>& bars, const BarFigureOptions& options);

}  // namespace arks
