#include "figure_style.h"

#include <c10/util/StringUtil.h>

#include <iterator>

namespace arks::style {

namespace {

constexpr double kLineWidth = 2, kThinWidth = 1.5, kMarkWidth = 3, kFrameWidth = 3;
constexpr double kBandOpacity = 0.2, kStepsOpacity = 0.3;

std::string line_colour(const std::string& colour) {
  return "linecolor rgb '" + colour + "'";
}

/// Filled where there is an open form of the same shape, which is the number before it.
int shape(size_t style, bool open) {
  static const int kShapes[] = {7, 5, 9, 13, 11, 15, 3, 1};
  const int filled = kShapes[style % std::size(kShapes)];
  return open && filled > 3 ? filled - 1 : filled;
}

}  // namespace

Terminal terminal(bool png) {
  // pngcairo counts fonts in points and svg in pixels; their points are of different size and svg's dashes twice as
  // long
  return png ? Terminal{12, 15, 10, 1.2, "(20,12)", "(9,9)"} : Terminal{16, 20, 14, 0.75, "(10.7,6.4)", "(4.8,4.8)"};
}

std::string colour(size_t style) {
  static const char* const kColours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};
  return kColours[style % std::size(kColours)];
}

std::string line(size_t style, CurveKind kind) {
  const bool reference = kind == CurveKind::kReference;
  const int dashes = reference ? kDashes : style / 7 % 2 == 1 ? 3 : 1;
  return c10::str(line_colour(colour(style)), " linewidth ", reference ? kThinWidth : kLineWidth, " dashtype ", dashes,
                  " pointtype ", shape(style, reference));
}

std::string fill(size_t style, CurveKind kind) {
  return c10::str("fillstyle transparent solid ", kind == CurveKind::kSteps ? kStepsOpacity : kBandOpacity,
                  " noborder ", line_colour(colour(style)));
}

std::string error_bar(size_t style) {
  return c10::str(line_colour(colour(style)), " linewidth ", kThinWidth, " pointtype -1");
}

std::string mark(MarkKind kind) {
  const char* const colour = kind == MarkKind::kBlackCross ? kBlack : kRed;
  return c10::str(line_colour(colour), " linewidth ", kMarkWidth);
}

std::string bar(size_t style) {
  return c10::str("fillstyle solid noborder fillcolor rgb '", colour(style), "'");
}

std::string whisker() {
  return c10::str(line_colour(kBlack), " linewidth ", kThinWidth);
}

std::string tick() {
  return c10::str(line_colour(kBlack), " linewidth ", kMarkWidth);
}

std::string guide() {
  return c10::str(line_colour("#888888"), " linewidth ", kThinWidth, " dashtype ", kGuideDashes);
}

std::string frame(const char* colour) {
  return c10::str(line_colour(colour), " linewidth ", kFrameWidth);
}

std::string axes() {
  return c10::str("set grid linetype 1 linewidth 1 ", line_colour(kGrid), "\nset border 3\n",
                  "set tics nomirror out scale 0.5\nset xtics offset 0,0.2\n");
}

std::string bar_axes() {
  return c10::str("set grid xtics linetype 1 linewidth 1 ", line_colour(kGrid), "\nset border 1\n",
                  "set tics nomirror out scale 0.5\nset xtics offset 0,0.2\nunset ytics\n");
}

}  // namespace arks::style
