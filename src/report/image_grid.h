#pragma once
#include <torch/arg.h>
#include <torch/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace arks {

/// One sample before and after an attack, and what the model says of it.
struct GridSample {
  torch::Tensor clean, perturbed;  ///< [c,h,w] with c = 1 (grey) or 3 (red, green, blue); finite
  std::string true_label, clean_prediction, perturbed_prediction;
};

struct ImageGridOptions {
  ImageGridOptions() = default;
  TORCH_ARG(std::string, title);
  TORCH_ARG(double, low) = 0;   // the value shown as black; what lies below is black too
  TORCH_ARG(double, high) = 1;  // the value shown as white; > low
};

/// What an attack does, for the eye: one column per sample, and from top to bottom the clean image, the perturbed one
/// and their difference,
///   grey level = ½ + (perturbed − clean) / (2·D),   D = the largest |perturbed − clean| of all samples,
/// so that mid-grey is no change; D is printed below. Over a column stands the true label, under an image the
/// prediction; a wrong one has a cross, a frame and a colour of its own. Drawn by gnuplot as PNG or SVG by the
/// extension of `path`; all samples have one shape. A grid that fails leaves no file behind. Throws Error for what
/// cannot be drawn or written and when gnuplot is missing, RunError when gnuplot fails.
void write_image_grid(const std::filesystem::path& path, const std::vector<GridSample>& samples,
                      const ImageGridOptions& options = ImageGridOptions());

}  // namespace arks
