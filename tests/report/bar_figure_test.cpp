#include "report/bar_figure.h"
#include "report/drawing.h"
#include "support/file.h"

#include <cmath>

using namespace arks;
using namespace arks::testing;

namespace {

std::string svg(const std::vector<Bar>& bars, const BarFigureOptions& options = BarFigureOptions()) {
  const TemporaryFolder folder;
  write_bar_figure(folder / "a.svg", bars, options);
  return read_file(folder / "a.svg");
}

/// x of the text's anchor.
double left_of(const std::string& text, const std::string& label) {
  const size_t at = text.rfind("translate(", text.find("<text>" + label + "</text>"));
  return std::stod(text.substr(at + 10));
}

void refuses(const std::vector<Bar>& bars, const std::string& message) {
  const TemporaryFolder folder;
  expect_error([&] { write_bar_figure(folder / "a.png", bars); }, message);
  EXPECT_TRUE(names_in(folder.path()).empty());
}

}  // namespace

TEST(BarFigure, ShowsLabelsValuesAndHeadings) {
  const auto text = svg({{"first", 9.154, "9.2×", "group one"}, {"second", 3, "", "group one"}, {"third", 1.25}},
                        BarFigureOptions().title("a title").value_label("times as fast").note("machine, date"));
  EXPECT_TRUE(is_svg(text));
  for (const char* once :
       {"first", "second", "third", "9.2×", "3", "1.25", "group one", "a title", "times as fast", "machine, date"}) {
    EXPECT_EQ(texts(text, once), 1) << once;
  }
}

TEST(BarFigure, PutsTheValueBehindTheEndOfTheBar) {
  const auto text = svg({{"long", 10, "ten"}, {"short", 1, "one"}, {"wanted more", 1, "less", "", 5.0}});
  EXPECT_GT(left_of(text, "ten"), left_of(text, "one") + 200);
  EXPECT_GT(left_of(text, "less"), left_of(text, "one") + 100) << "not under its tick";
  EXPECT_LT(left_of(text, "ten") + 3 * 16, 700) << "inside the canvas";
}

TEST(BarFigure, ExplainsMarksWhiskersAndGuideThatAreThere) {
  const auto options = BarFigureOptions().mark_label("least").whisker_label("rounds").guide_label("equal");
  const auto plain = svg({{"a", 2}}, options);
  for (const char* label : {"least", "rounds", "equal"}) EXPECT_EQ(texts(plain, label), 0) << label;
  const auto full = svg({{"a", 2, "", "", 1.0, 1.5, 2.5}}, BarFigureOptions(options).guide(1));
  for (const char* label : {"least", "rounds", "equal"}) EXPECT_EQ(texts(full, label), 1) << label;
  EXPECT_EQ(count(full, "stroke-dasharray"), 2) << "the guide and its sample";
}

TEST(BarFigure, GrowsWithItsBarsAndKeepsLongLabelsReadable) {
  const TemporaryFolder folder;
  const std::string name = "ARKS batch, ResNet-20, 128 images, evaluation mode";
  write_bar_figure(folder / "a.png", {{"a", 1}});
  write_bar_figure(folder / "b.png", {{name, 1}, {name, 2}, {name, 3}});
  EXPECT_GT(png_size(folder / "b.png").first, png_size(folder / "a.png").first + 200);
  EXPECT_GT(png_size(folder / "b.png").second, png_size(folder / "a.png").second + 50);
  EXPECT_EQ(texts(svg({{name, 1}}), name), 1);
  EXPECT_EQ(count(svg({{std::string(200, 'x'), 1}}), "…"), 1);
}

TEST(BarFigure, TakesBarsOfLengthZero) {
  EXPECT_EQ(texts(svg({{"nothing", 0}}), "nothing"), 1);
}

TEST(BarFigure, RefusesWhatCannotBeDrawn) {
  refuses({}, "bar figure: no bars to draw");
  refuses({{"a", -1}}, "bar figure: bar 'a' has the value -1; it must be finite and ≥ 0");
  refuses({{"a", NAN}}, "bar figure: bar 'a' has the value nan; it must be finite and ≥ 0");
  refuses({{"a", 1, "", "", -2.0}}, "bar figure: bar 'a' has the mark -2; it must be finite and ≥ 0");
  refuses({{"a", 1, "", "", {}, 1.0, {}}}, "bar figure: bar 'a' has one end of a whisker and not the other");
  refuses({{"a", 1, "", "", {}, 2.0, 1.0}}, "bar figure: bar 'a' has a whisker from 2 to 1");
  const TemporaryFolder folder;
  expect_error([&] { write_bar_figure(folder / "a.pdf", {{"a", 1}}); }, "the name must end in .svg or .png");
}
