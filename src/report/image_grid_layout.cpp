#include "image_grid_layout.h"

#include <algorithm>

#include "utf8.h"

namespace arks {

namespace {

constexpr int kLeastWidth = 480;  // for the line about the scale
constexpr int kGap = 12, kPrediction = 38, kFoot = 18;

/// Small images grow by a whole factor to about 100 pixels, large ones shrink to 224; gnuplot draws no image of one
/// line.
int tile_length(int64_t pixels, int64_t longest) {
  const int64_t factor = std::max<int64_t>(1, (95 + longest) / longest);
  return std::max(2, static_cast<int>(longest <= 224 ? pixels * factor : pixels * 224 / longest));
}

int widest_label(const GridSample& sample) {
  int widest = 0;
  for (const auto& name : {sample.true_label, sample.clean_prediction, sample.perturbed_prediction}) {
    widest = std::max(widest, gnuplot::text_width("✗ " + grid_label(name)));
  }
  return widest;
}

}  // namespace

GridLayout make_grid_layout(const std::vector<GridSample>& samples, const ImageGridOptions& options) {
  const int64_t height = samples[0].clean.size(1), width = samples[0].clean.size(2);
  GridLayout layout;
  layout.tile_height = tile_length(height, std::max(height, width));
  layout.tile_width = tile_length(width, std::max(height, width));
  layout.column = layout.tile_width + kGap;
  for (const auto& sample : samples) layout.column = std::max(layout.column, widest_label(sample) + kGap);
  layout.row = layout.tile_height + kPrediction;
  layout.top = options.title().empty() ? 40 : 78;
  const int columns = layout.left + static_cast<int>(samples.size()) * layout.column + kGap;
  layout.canvas.width = std::max(kLeastWidth, columns);
  layout.canvas.height = layout.top + 3 * layout.row + kFoot;
  return layout;
}

std::string grid_label(const std::string& name) {
  return shortened(printable(name), 20);
}

}  // namespace arks
