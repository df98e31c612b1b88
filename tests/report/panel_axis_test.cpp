// Panels with an x axis of their own: its scale, and words in place of numbers.
#include "report/drawing.h"
#include "report/figure.h"
#include "support/file.h"

namespace arks {

namespace {

std::string svg_of(const std::vector<Panel>& panels, const FigureOptions& options = FigureOptions()) {
  const testing::TemporaryFolder folder;
  write_figure_panels(folder / "f.svg", panels, options);
  return read_file(folder / "f.svg");
}

bool shows(const std::string& svg, const std::string& text) {
  return svg.find(">" + text + "</tspan>") != std::string::npos || svg.find(">" + text + "<") != std::string::npos;
}

Panel panel_of(const std::vector<double>& x) {
  Panel panel;
  panel.curves = {{"points", x, std::vector<double>(x.size(), 1.5), {}, CurveKind::kPoints}};
  return panel;
}

}  // namespace

TEST(PanelAxis, HasWordsWhereTheyAreGiven) {
  auto words = panel_of({1, 2, 3});
  words.x_names = {"sgd", "adam", "a<b"};
  words.x_scale = AxisScale::kLog;  // of no meaning for words
  const auto svg = svg_of({words, panel_of({0.25, 0.5})});
  for (const char* name : {"sgd", "adam", "a&lt;b", "0.25"}) EXPECT_TRUE(shows(svg, name)) << name;
  EXPECT_FALSE(shows(svg, "2.5")) << "no numbers between the words, and the next panel has its own";
}

TEST(PanelAxis, OfASingleZeroIsNotATinyRange) {
  const auto svg = svg_of({panel_of({0})});
  EXPECT_FALSE(shows(svg, "0.001")) << "nobody has given such an eps";
  EXPECT_TRUE(shows(svg, "1"));
}

TEST(PanelAxis, HasItsOwnScale) {
  auto wide = panel_of({0.001, 0.1});
  wide.x_scale = AxisScale::kLog;
  const auto svg = svg_of({wide, panel_of({-1, 1})});
  EXPECT_TRUE(shows(svg, "0.001")) << "a power of ten, which a linear axis would not name";
  EXPECT_TRUE(shows(svg, "-0.5") || shows(svg, "−0.5")) << "the other is linear and goes below 0";
  auto linear = panel_of({-1, 1});
  linear.x_scale = AxisScale::kLinear;
  EXPECT_NO_THROW(svg_of({linear}, FigureOptions().x_scale(AxisScale::kLog))) << "the panel wins";
  wide.curves[0].x[0] = 0;
  testing::expect_error([&] { svg_of({wide}); }, "on a logarithmic axis it must be > 0");
}

TEST(PanelAxis, HasAsManyNumbersAsFitSideBySide) {
  const auto narrow = svg_of({panel_of({0.001, 0.01}), panel_of({0.001, 0.01})}, FigureOptions().columns(2));
  EXPECT_TRUE(shows(narrow, "0.002"));
  EXPECT_FALSE(shows(narrow, "0.003")) << "nine numbers of five digits do not fit into half a figure";
  EXPECT_TRUE(shows(svg_of({panel_of({1, 10}), panel_of({1, 10})}), "3")) << "short ones do";
}

TEST(PanelAxis, CutsWordsThatDoNotFitSideBySide) {
  auto words = panel_of({1, 2});
  for (const char* end : {"one", "two"}) words.x_names.push_back(std::string(300, 'x') + end);
  const auto svg = svg_of({words});
  EXPECT_EQ(svg.find(std::string(200, 'x')), std::string::npos);
  EXPECT_NE(svg.find("…"), std::string::npos);
  EXPECT_NE(svg.find("two<"), std::string::npos) << "the ends are kept, they differ";
}

}  // namespace arks
