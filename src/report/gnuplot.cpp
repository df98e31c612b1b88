#include "gnuplot.h"
#include "figure_style.h"
#include "png_palette.h"
#include "support/child_process.h"
#include "support/file.h"
#include "utf8.h"

#include <arks/support/error.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

namespace arks::gnuplot {

namespace fs = std::filesystem;

namespace {

std::string extension_of(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

std::string terminal(const fs::path& target, const Canvas& canvas) {
  const bool png = extension_of(target) == ".png";
  const auto look = style::terminal(png);
  return c10::str("set terminal ", png ? "pngcairo" : "svg standalone", " size ", canvas.width, ",", canvas.height,
                  " noenhanced background rgb '", style::kBackground, "' font '", style::kFont, ",", look.font,
                  "'\ntitle_font = ',", look.title_font, "'\nnote_font = ',", look.note_font, "'\nheading_font = '",
                  style::kFont, " Bold,", look.font, "'\npoint_size = ", look.point_size,
                  "\nset pointsize point_size\nset dashtype ", style::kDashes, " ", look.dashes, "\nset dashtype ",
                  style::kGuideDashes, " ", look.guide_dashes, "\n");
}

/// As many words on a line as fit in; a word that does not fit alone is cut.
std::vector<std::string> note_lines(std::string_view text, int width) {
  const auto room = static_cast<size_t>((width - 2 * style::kNoteMargin) / style::kNoteCharacter);
  std::vector<std::string> lines;
  std::istringstream words{printable(text)};
  for (std::string word; words >> word;) {
    if (lines.empty() || display_width(lines.back()) + 1 + display_width(word) > room) {
      lines.push_back(shortened(word, room));
    } else {
      lines.back() += " " + word;
    }
  }
  return lines;
}

std::string prologue(const fs::path& target, const Canvas& canvas, const fs::path& data) {
  return "set encoding utf8\n" + terminal(target, canvas) + "data = " + literal(data.string()) + "\n";
}

/// True when gnuplot ran to its end.
bool run(const fs::path& script, const fs::path& out, const fs::path& err) {
  const auto end = run_child({"gnuplot", "--default-settings", script.string()}, out, err);
  ARKS_CHECK(end.start_error != ENOENT, "gnuplot is not installed: apt-get install gnuplot-nox");
  ARKS_CHECK(end.start_error == 0, "cannot start gnuplot: ", std::strerror(end.start_error));
  return end.succeeded();
}

/// gnuplot first repeats the line it stumbled over and only then says why ("file" line 3: reason): the reason, or the
/// first line there is.
std::string complaint(const std::string& messages) {
  std::istringstream in(messages);
  std::string first;
  for (std::string line; std::getline(in, line);) {
    const size_t reason = line.find("\" line ");
    if (reason != std::string::npos) return printable(line.substr(reason + 2));
    if (first.empty()) first = printable(line.substr(std::min(line.size(), line.find_first_not_of(" \t\r"))));
  }
  return first.empty() ? "it drew nothing and did not say why" : first;
}

void write_input(const fs::path& path, std::string_view content) {
  std::ofstream out(path, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!out.flush()) throw RunError(c10::str("cannot write ", path.string(), ": ", std::strerror(errno)));
}

}  // namespace

void check_target(const fs::path& target) {
  const std::string extension = extension_of(target);
  ARKS_CHECK(extension == ".svg" || extension == ".png", "figure ", target.string(),
             ": the name must end in .svg or .png");
  std::error_code ignored;
  ARKS_CHECK(!fs::is_directory(target, ignored), "figure ", target.string(), " is a folder; expected a file");
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  ARKS_CHECK(fs::exists(folder, ignored), "figure ", target.string(), ": the folder ", folder.string(),
             " does not exist");
  ARKS_CHECK(fs::is_directory(folder, ignored), "figure ", target.string(), ": ", folder.string(), " is not a folder");
  ARKS_CHECK(::access(folder.c_str(), W_OK | X_OK) == 0, "figure ", target.string(), ": cannot write in ",
             folder.string(), ": ", std::strerror(errno));
}

std::string literal(std::string_view text) {
  std::string inside;
  for (const char c : printable(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || byte >= 0x80 || c == ' ') {
      inside += c;
    } else {
      // with a leading 0 gnuplot takes four digits, so that a digit may follow
      inside += {'\\', '0', static_cast<char>('0' + byte / 64), static_cast<char>('0' + byte / 8 % 8),
                 static_cast<char>('0' + byte % 8)};
    }
  }
  return '"' + inside + '"';
}

int text_width(std::string_view text) {
  return static_cast<int>(std::ceil(style::kCharacter * static_cast<double>(display_width(text))));
}

std::string fitted(std::string_view text, int pixels) {
  return shortened(printable(text), static_cast<size_t>(std::max(0.0, pixels / style::kCharacter)));
}

std::string margins(const Canvas& canvas, int left, int right, int top, int bottom) {
  const double width = canvas.width, height = canvas.height;
  return c10::str("set lmargin at screen ", left / width, "\nset rmargin at screen ", right / width,
                  "\nset tmargin at screen ", 1 - top / height, "\nset bmargin at screen ", 1 - bottom / height, "\n");
}

std::string pixel_axes(const Canvas& canvas) {
  return "unset border\nunset tics\nunset grid\nunset logscale\n" + margins(canvas, 0, canvas.width, 0, canvas.height) +
         c10::str("set xrange [0:", canvas.width, "]\nset yrange [", canvas.height, ":0]\n");
}

std::string label(const Canvas& canvas, std::string_view text, int room, int x, int y, const std::string& appearance) {
  return c10::str("set label ", literal(fitted(text, room)), " at screen ", static_cast<double>(x) / canvas.width, ",",
                  1 - static_cast<double>(y) / canvas.height, " ", appearance, "\n");
}

std::string title(const Canvas& canvas, std::string_view text, int width) {
  return label(canvas, text, width * 4 / 5, width / 2, 28, "center font title_font");
}

int note_height(std::string_view text, int width) {
  const auto lines = static_cast<int>(note_lines(text, width).size());
  return lines == 0 ? 0 : lines * style::kNoteLine + style::kNoteMargin;
}

std::string note(const Canvas& canvas, std::string_view text, int top) {
  const auto look = c10::str("left font note_font textcolor rgb '", style::kNote, "'");
  std::string script;
  int y = top + style::kNoteLine / 2;
  for (const auto& line : note_lines(text, canvas.width)) {
    script += label(canvas, line, 2 * canvas.width, style::kNoteMargin, y, look);  // it was made to fit
    y += style::kNoteLine;
  }
  return script;
}

void draw(const fs::path& target, const Canvas& canvas, const std::string& script, std::string_view data) {
  check_target(target);
  const ScratchFolder workspace("figure");
  const auto script_file = workspace / "script", data_file = workspace / "data";
  const auto drawing_file = workspace / "drawing", message_file = workspace / "messages";
  write_input(data_file, data);
  write_input(script_file, prologue(target, canvas, data_file) + script);
  const bool drawn = run(script_file, drawing_file, message_file);
  const std::string drawing = read_file(drawing_file);
  if (!drawn || drawing.empty()) throw RunError("gnuplot failed: " + complaint(read_file(message_file)));
  // not where there are images: their shades are what they show
  const bool plain = data.empty() && extension_of(target) == ".png";
  write_file_atomically(target, plain ? with_palette(drawing) : drawing);
}

}  // namespace arks::gnuplot
