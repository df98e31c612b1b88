#pragma once
#include "axis.h"
#include "figure_entries.h"
#include "figure_style.h"
#include "gnuplot.h"
#include "report/figure.h"

namespace arks {

/// Where things stand, in pixels from the left and from the top. One panel makes the usual canvas of 900 × 600; several
/// panels are smaller and the canvas wider. Everything is placed by these numbers, since gnuplot's own margins and
/// legend differ between PNG and SVG.
struct FigureLayout {
  gnuplot::Canvas canvas;
  size_t columns = 1;  ///< panels in a row
  size_t rows = 1;
  int left = style::kYAxis;  ///< room for the y axis
  int right = 0;             ///< room for half of the last number on the x axis
  int gap = 0;               ///< between panels: the same, and a y axis where panels have their own
  int own_label = 0;         ///< from a panel's own y label to its axis
  int axes_width = 0;
  int axes_top = 0;
  int row_height = 0;  ///< from one row of panels to the next
  int panel_width = 0;
  int panel_height = 0;
  int legend_left = 0;
  int legend_top = 0;
  int legend_columns = 0;  ///< 0: no legend
  int legend_entry = 0;    ///< width of one entry
  int legend_text = 0;     ///< room for its label
  int note_top = 0;        ///< where the note begins

  size_t column(size_t position) const { return position % columns; }
  int panel_left(size_t position) const { return left + static_cast<int>(column(position)) * (panel_width + gap); }
  int panel_top(size_t position) const { return axes_top + static_cast<int>(position / columns) * row_height; }
  int axes_bottom() const { return axes_top + static_cast<int>(rows - 1) * row_height + panel_height; }
};

FigureLayout make_figure_layout(const std::vector<Panel>& panels, const std::vector<Entry>& entries,
                                const FigureOptions& options);

}  // namespace arks
