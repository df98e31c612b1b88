#pragma once
// How all drawings look: fonts, colours, shapes, widths and sizes, and nothing of it anywhere else. Lengths are pixels.
#include "report/figure.h"

#include <cstddef>
#include <string>

namespace arks::style {

// --- text
constexpr const char* kFont = "DejaVu Sans";
constexpr double kCharacter = 9.2;      ///< mean width of a character
constexpr double kNoteCharacter = 7.9;  ///< in a note

/// Sizes as a terminal of gnuplot wants them, so that PNG and SVG look the same.
struct Terminal {
  int font, title_font, note_font;  ///< headings are as large as text, in bold
  double point_size;
  const char* dashes;        ///< of references
  const char* guide_dashes;  ///< of the line across bars
};
constexpr int kDashes = 11, kGuideDashes = 12;  ///< their numbers
/// Text of 16 pixels, titles of 20, notes of 14.
Terminal terminal(bool png);

// --- colours
constexpr const char* kBackground = "#ffffff";
constexpr const char* kGrid = "#dddddd";
constexpr const char* kBlack = "#000000";
constexpr const char* kVermilion = "#D55E00";  ///< for what is wrong: red that is seen without a sense for red
constexpr const char* kRed = "#CC0000";        ///< of marks
constexpr const char* kNote = "#444444";

/// The palette of Okabe and Ito in the order that keeps neighbours apart, without its yellow, which does not stand out
/// from white. It comes back after seven.
std::string colour(size_t style);

// --- curves
/// Colour, width, dashes and point shape, as a gnuplot option. Seven colours and eight shapes: a pair comes back after
/// 56 curves only, and from the eighth curve on lines are dotted. A reference is dashed and its points are open.
std::string line(size_t style, CurveKind kind);
/// Of a band or a histogram.
std::string fill(size_t style, CurveKind kind);
/// Thin, without points.
std::string error_bar(size_t style);
std::string mark(MarkKind kind);               ///< its strokes
constexpr int kCross = 6;                      ///< from the middle to the ends of the strokes
constexpr double kDodge = 8, kWideDodge = 60;  ///< between error bars of two curves at one x; at a place with a name
constexpr size_t kMostPoints = 20;             ///< on one line: a point at each of 500 epochs would be a blot

// --- bars
std::string bar(size_t style);
std::string whisker();
std::string tick();
std::string guide();  ///< the line across all bars

// --- frames of images
std::string frame(const char* colour);

// --- axes
std::string axes();
std::string bar_axes();

// --- sizes of a diagram and of what stands around it
constexpr int kCanvasWidth = 900, kCanvasHeight = 600, kLeastHeight = 360;
constexpr int kWidePanel = 440, kNarrowPanel = 340, kSinglePanel = 560, kPanelHeight = 330;
constexpr int kTopMargin = 24, kTitle = 36, kPanelTitle = 20, kAxis = 72, kNoteLine = 20, kNoteMargin = 10;
constexpr int kYAxis = 104, kYNumbers = 62, kYLabel = 18;
constexpr int kLegendLine = 24, kLegendSample = 44, kLegendIndent = 60, kLegendGap = 20;
constexpr int kBarHeight = 20, kBarPitch = 34, kBarGap = 8, kGroupHeading = 30, kBarAxis = 560;
constexpr int kMostBarLabel = 500, kLeastBarLabel = 80;

}  // namespace arks::style
