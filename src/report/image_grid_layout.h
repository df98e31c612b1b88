#pragma once
#include "gnuplot.h"
#include "report/image_grid.h"

namespace arks {

/// Where things stand, in pixels from the left and from below. One unit of the plot is one pixel of the canvas, so that
/// images are shown as they are, not resampled.
struct GridLayout {
  gnuplot::Canvas canvas;
  int tile_width = 0;
  int tile_height = 0;
  int column = 0;  ///< from one column to the next
  int row = 0;     ///< from one row to the next, the prediction under the tile included
  int left = 120;  ///< room for the names of the rows
  int top = 0;     ///< room for the title and the true labels

  int tile_left(size_t sample) const { return left + static_cast<int>(sample) * column + (column - tile_width) / 2; }
  int tile_middle(size_t sample) const { return tile_left(sample) + tile_width / 2; }
  int tile_top(int image_row) const { return canvas.height - top - image_row * row; }
};

/// Columns as wide as the tiles or the longest label.
GridLayout make_grid_layout(const std::vector<GridSample>& samples, const ImageGridOptions& options);

/// A class name as it is shown: on one line and of at most 20 characters.
std::string grid_label(const std::string& name);

}  // namespace arks
