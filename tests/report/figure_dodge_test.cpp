// Error bars of several curves at the same places.
#include "report/figure_curves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace arks {

namespace {

constexpr int kWidth = 500;

Curve barred(const std::string& label, const std::vector<double>& x) {
  Curve curve{label, x, std::vector<double>(x.size(), 1), {}};
  curve.deviation.assign(x.size(), 0.5);
  return curve;
}

/// Where the points of a curve are drawn.
std::vector<double> places(const Panel& panel, size_t curve, const FigureOptions& options) {
  std::istringstream script(plot_script(panel, {0, 2}, options, entries_of({panel}), kWidth));
  std::vector<double> found;
  std::string line;
  while (std::getline(script, line) && line != "$curve" + std::to_string(curve) + " << EOD") {
  }
  while (std::getline(script, line) && line != "EOD") found.push_back(std::stod(line));
  return found;
}

}  // namespace

/// One would hide the other, even where both are the same.
TEST(FigureDodge, ErrorBarsAtOnePlaceStandSideBySide) {
  const Panel panel{"", {barred("a", {0, 1}), barred("b", {0, 1}), barred("c", {0, 1})}};
  const auto options = FigureOptions().error_bars(true);
  const auto a = places(panel, 0, options), b = places(panel, 1, options), c = places(panel, 2, options);
  const double pixel = 1.04 / kWidth;  // of an axis from -0.02 to 1.02
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_DOUBLE_EQ(b[i], static_cast<double>(i));
    EXPECT_NEAR(b[i] - a[i], 8 * pixel, 1e-6);
    EXPECT_NEAR(c[i] - b[i], 8 * pixel, 1e-6);
  }
  EXPECT_EQ(places(panel, 0, FigureOptions()), (std::vector<double>{0, 1})) << "bands may lie on each other";
  const Panel apart{"", {barred("a", {0, 1}), barred("b", {0.3, 0.8})}};
  EXPECT_EQ(places(apart, 0, options), (std::vector<double>{0, 1})) << "they do not meet";
}

TEST(FigureDodge, TheyStayNearerToTheirPlaceThanToTheNext) {
  std::vector<double> x;
  for (int i = 0; i <= 10; ++i) x.push_back(std::pow(10, i));
  Panel panel;
  for (const char* label : {"a", "b", "c", "d", "e"}) panel.curves.push_back(barred(label, x));
  const auto options = FigureOptions().error_bars(true).x_scale(AxisScale::kLog);
  for (size_t curve = 0; curve < 5; ++curve) {
    const auto found = places(panel, curve, options);
    for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(std::log10(found[i]), std::log10(x[i]), 0.5);
  }
  EXPECT_LT(places(panel, 0, options)[3], places(panel, 1, options)[3]);
}

}  // namespace arks
