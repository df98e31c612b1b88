#pragma once
// What a search found, for the eye: the metric against each parameter.
#include <filesystem>
#include <string>
#include <vector>

#include "study/sweep_results.h"

namespace arks::study {

/// The metric against one parameter. Of several points with the same value of it, which differ in the others, the line
/// goes through the best; it is empty where every point has a value of its own and there are other parameters, as in a
/// random search, since it would join what does not belong together.
struct ParameterPanel {
  std::string parameter;
  bool logarithmic = false;         ///< values > 0 that span more than a factor of 20
  std::vector<std::string> labels;  ///< of a parameter that is no number: its value i stands at x = i + 1
  std::vector<double> x, y;         ///< a point each; errors in percent
  std::vector<double> deviation;    ///< over the seeds; none where no point has two
  std::vector<double> best_x, best_y;
};

/// A panel for each parameter of the group; none while no point has the metric for any seed.
std::vector<ParameterPanel> panels_of(const SweepGroup& group, const std::vector<PointResult>& points,
                                      const std::string& metric);

/// FOLDER/figure-GROUP.svg and .png of every group that has something to show, in place of those that were there.
/// Returns the files.
std::vector<std::filesystem::path> write_sweep_figures(const std::filesystem::path& folder, const SweepPlan& plan,
                                                       const SweepResults& results, const std::string& metric);

}  // namespace arks::study
