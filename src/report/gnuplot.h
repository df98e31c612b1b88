#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace arks::gnuplot {

/// Size of a drawing, in pixels.
struct Canvas {
  int width = 900;
  int height = 600;
};

/// Throws Error unless `target` ends in .svg or .png and can be written in a folder that exists.
void check_target(const std::filesystem::path& target);

/// The text as a string literal of a gnuplot script, on one line and valid UTF-8 whatever it was before. Signs are
/// written as octal escapes, all of them: gnuplot runs what stands in `backquotes` inside a string, and ends a string
/// in single quotes too early when it begins with a doubled one.
std::string literal(std::string_view text);

/// Pixels that a line of text takes in the font of the drawings, about; a title is a quarter larger.
int text_width(std::string_view text);

/// The text, cut to fit into so many pixels.
std::string fitted(std::string_view text, int pixels);

/// Axes between these edges, in pixels from the left and from the top.
std::string margins(const Canvas& canvas, int left, int right, int top, int bottom);

/// A plot over the whole canvas whose unit is a pixel, counted from the left and from the top, without axes.
std::string pixel_axes(const Canvas& canvas);

/// A text of at most `room` pixels around a point of the canvas, in pixels from the left and from the top.
std::string label(const Canvas& canvas, std::string_view text, int room, int x, int y, const std::string& appearance);

/// A title at the top of a drawing, in the middle of the first `width` pixels.
std::string title(const Canvas& canvas, std::string_view text, int width);

/// What a note takes on a canvas of this width: nothing when it is empty.
int note_height(std::string_view text, int width);

/// A text in smaller type from the height `top` on, in as many lines as it takes, broken between words.
std::string note(const Canvas& canvas, std::string_view text, int top);

/// Runs the script with gnuplot and puts the drawing at `target`, as PNG or SVG by the extension. Before the script the
/// terminal is set so that both look the same (figure_style.h), without markup in labels; the variables `title_font`,
/// `heading_font` and `note_font` are fonts, `point_size` the size of a point, and `data` is the name of a file that
/// holds `data` (images). A PNG without images gets a palette, which keeps it small. A failure leaves the folder as it
/// was. Throws Error when gnuplot is not installed, RunError with its complaint when it fails.
void draw(const std::filesystem::path& target, const Canvas& canvas, const std::string& script,
          std::string_view data = {});

}  // namespace arks::gnuplot
