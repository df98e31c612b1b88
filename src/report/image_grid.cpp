#include "report/image_grid.h"

#include "figure_style.h"
#include "image_grid_layout.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace arks {

using gnuplot::literal;

namespace {

constexpr size_t kMaximumSamples = 100;  // wider drawings are beyond what PNG writers take

void check_sample(const GridSample& sample, torch::IntArrayRef shape) {
  for (const auto& image : {sample.clean, sample.perturbed}) {
    ARKS_CHECK(image.defined() && image.dim() == 3 && (image.size(0) == 1 || image.size(0) == 3) && image.numel() > 0,
               "image grid: an image must be [c,h,w] with c = 1 or 3, got ",
               image.defined() ? c10::str(image.sizes()) : "nothing");
    ARKS_CHECK(image.sizes() == shape, "image grid: all images must have one shape, got ", shape, " and ",
               image.sizes());
    ARKS_CHECK(image.to(torch::kDouble).isfinite().all().item<bool>(),
               "image grid: an image has values that are not finite");
  }
}

void check(const std::vector<GridSample>& samples, const ImageGridOptions& options) {
  ARKS_CHECK(!samples.empty(), "image grid: no samples to draw");
  ARKS_CHECK(samples.size() <= kMaximumSamples, "image grid: at most ", kMaximumSamples, " samples fit, got ",
             samples.size());
  ARKS_CHECK(options.low() < options.high(), "image grid: low must be below high, got ", options.low(), " and ",
             options.high());
  ARKS_CHECK(samples[0].clean.defined(), "image grid: an image must be [c,h,w] with c = 1 or 3, got nothing");
  for (const auto& sample : samples) check_sample(sample, samples[0].clean.sizes());
}

std::string sign(bool right) {
  return right ? "✓ " : "✗ ";
}

double largest_difference(const std::vector<GridSample>& samples) {
  double largest = 0;
  for (const auto& sample : samples) {
    const auto difference = sample.perturbed.to(torch::kDouble) - sample.clean.to(torch::kDouble);
    largest = std::max(largest, difference.abs().max().item<double>());
  }
  return largest;
}

/// Grey levels in [0,1], [c,h,w] → bytes red, green, blue, row by row, in the size of a tile.
std::string pixels(const torch::Tensor& levels, const GridLayout& layout) {
  const auto size = std::vector<int64_t>{layout.tile_height, layout.tile_width};
  const bool shrinks = levels.size(1) > size[0] || levels.size(2) > size[1];
  const auto image = levels.clamp(0, 1).unsqueeze(0);
  const auto sized = shrinks ? torch::adaptive_avg_pool2d(image, size) : torch::upsample_nearest2d(image, size);
  const auto bytes = (sized[0] * 255).round().to(torch::kByte).expand({3, -1, -1}).permute({1, 2, 0});
  const auto packed = bytes.contiguous();
  return {reinterpret_cast<const char*>(packed.data_ptr<uint8_t>()), static_cast<size_t>(packed.numel())};
}

/// All tiles, column by column from top to bottom, in the order of tile_commands.
std::string tile_data(const std::vector<GridSample>& samples, const GridLayout& layout, const ImageGridOptions& options,
                      double largest) {
  const double width = options.high() - options.low();
  std::string data;
  for (const auto& sample : samples) {
    const auto clean = sample.clean.detach().to(torch::kCPU, torch::kDouble);
    const auto perturbed = sample.perturbed.detach().to(torch::kCPU, torch::kDouble);
    data += pixels((clean - options.low()) / width, layout);
    data += pixels((perturbed - options.low()) / width, layout);
    data += pixels(0.5 + (perturbed - clean) / (2 * (largest > 0 ? largest : 1)), layout);
  }
  return data;
}

std::string tile_commands(size_t samples, const GridLayout& layout) {
  std::vector<std::string> commands;
  const size_t bytes = static_cast<size_t>(3 * layout.tile_width * layout.tile_height);
  for (size_t tile = 0; tile < 3 * samples; ++tile) {
    // gnuplot wants the middle of the lower left pixel, and flipy since it counts rows from below
    const double left = layout.tile_left(tile / 3) + 0.5;
    const double bottom = layout.tile_top(static_cast<int>(tile % 3)) - layout.tile_height + 0.5;
    commands.push_back(c10::str("data binary skip=", tile * bytes, " array=(", layout.tile_width, ",",
                                layout.tile_height, ") flipy format='%uchar' origin=(", left, ",", bottom,
                                ") dx=1 dy=1 with rgbimage"));
  }
  return "plot " + join(commands, ", \\\n  ") + "\n";
}

std::string label(const std::string& text, double x, double y, const std::string& appearance) {
  return c10::str("set label ", literal(text), " at ", x, ",", y, " ", appearance, "\n");
}

std::string frame(const GridLayout& layout, size_t sample, int row) {
  const int left = layout.tile_left(sample), top = layout.tile_top(row);
  return c10::str("set object rectangle from ", left - 1, ",", top - layout.tile_height - 1, " to ",
                  left + layout.tile_width + 1, ",", top + 1, " front fillstyle empty border ",
                  style::frame(style::kVermilion), "\n");
}

std::string prediction(const GridSample& sample, const std::string& predicted, const GridLayout& layout, size_t column,
                       int row) {
  const bool right = predicted == sample.true_label;
  const auto text = sign(right) + grid_label(predicted);
  const auto colour = c10::str("center textcolor rgb '", right ? style::kBlack : style::kVermilion, "'");
  const double y = layout.tile_top(row) - layout.tile_height - 15;
  return label(text, layout.tile_middle(column), y, colour) + (right ? "" : frame(layout, column, row));
}

std::string row_names(const GridLayout& layout) {
  std::string script;
  int row = 0;
  for (const char* name : {"clean", "perturbed", "difference"}) {
    script += label(name, 12, layout.tile_top(row++) - layout.tile_height / 2.0, "left");
  }
  return script;
}

std::string scale_note(double largest) {
  if (largest == 0) return "difference: none";
  return fmt::format("difference: dark −{0:.3g}, mid-grey 0, bright +{0:.3g}", largest);
}

std::string labels(const std::vector<GridSample>& samples, const GridLayout& layout, const ImageGridOptions& options,
                   double largest) {
  std::string script = row_names(layout);
  script += label(gnuplot::fitted(options.title(), layout.canvas.width * 4 / 5), layout.canvas.width / 2.0,
                  layout.canvas.height - 24, "center font title_font");
  script += label("true label", 12, layout.tile_top(0) + 16, "left");
  script += label(scale_note(largest), 12, 20, "left");
  for (size_t i = 0; i < samples.size(); ++i) {
    const auto& sample = samples[i];
    const auto truth = grid_label(sample.true_label);
    script += label(truth, layout.tile_middle(i), layout.tile_top(0) + 16, "center");
    script += prediction(sample, sample.clean_prediction, layout, i, 0);
    script += prediction(sample, sample.perturbed_prediction, layout, i, 1);
  }
  return script;
}

}  // namespace

void write_image_grid(const std::filesystem::path& path, const std::vector<GridSample>& samples,
                      const ImageGridOptions& options) {
  gnuplot::check_target(path);
  check(samples, options);
  const torch::NoGradGuard no_grad;
  const auto layout = make_grid_layout(samples, options);
  const double largest = largest_difference(samples);
  const auto axes =
      c10::str("unset key\nunset border\nunset tics\nset margins 0,0,0,0\nset xrange [0:", layout.canvas.width,
               "]\nset yrange [0:", layout.canvas.height, "]\n");
  const auto script = axes + labels(samples, layout, options, largest) + tile_commands(samples.size(), layout);
  gnuplot::draw(path, layout.canvas, script, tile_data(samples, layout, options, largest));
}

}  // namespace arks
