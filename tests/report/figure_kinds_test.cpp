// Kinds of curves, marks, scales and rows of panels; what all figures share is in figure_test.cpp.
#include "report/drawing.h"
#include "report/figure.h"
#include "support/file.h"

#include <cmath>

using namespace arks;
using namespace arks::testing;

namespace {

Curve curve(const std::string& label, CurveKind kind = CurveKind::kMeasured, const std::string& like = "") {
  return {label, {1, 2, 3}, {10, 30, 80}, {}, kind, like};
}

Curve banded(const std::string& label, CurveKind kind = CurveKind::kMeasured) {
  auto result = curve(label, kind);
  result.deviation = {1, 2, 3};
  return result;
}

std::string svg(const std::vector<Panel>& panels, const FigureOptions& options = FigureOptions()) {
  const TemporaryFolder folder;
  write_figure_panels(folder / "a.svg", panels, options);
  return read_file(folder / "a.svg");
}

std::string svg(const std::vector<Curve>& curves, const FigureOptions& options = FigureOptions()) {
  return svg(std::vector<Panel>{{"", curves}}, options);
}

/// Points of these shapes of gnuplot's svg are drawn: 6 is a filled circle, 5 an open one, 4 a filled square.
int shapes(const std::string& text, int number) {
  return count(text, c10::str("<use xlink:href='#gpPt", number, "' transform"));
}

int colours(const std::string& text, const std::string& colour) {
  const auto rgb = [&](size_t at) { return std::stoi(colour.substr(at, 2), nullptr, 16); };
  char number[32];
  std::snprintf(number, sizeof number, "rgb(%3d, %3d, %3d)", rgb(1), rgb(3), rgb(5));
  return count(text, number);
}

/// Crosses of the red colour; one path has both strokes.
int red_crosses(const std::string& text) {
  return count(text, "<path stroke='rgb(204,   0,   0)'");
}

void refuses(const std::vector<Panel>& panels, const FigureOptions& options, const std::string& message) {
  const TemporaryFolder folder;
  expect_error([&] { write_figure_panels(folder / "a.png", panels, options); }, message);
  EXPECT_TRUE(names_in(folder.path()).empty());
}

void refuses(const std::vector<Curve>& curves, const std::string& message) {
  refuses({{"", curves}}, FigureOptions(), message);
}

FigureOptions log_axes() {
  return FigureOptions().x_scale(AxisScale::kLog).y_scale(AxisScale::kLog);
}

}  // namespace

TEST(FigureKinds, AReferenceHasTheColourOfItsCurveDashesAndOpenPoints) {
  const auto text = svg({curve("ours"), curve("other"), curve("paper", CurveKind::kReference, "other")});
  EXPECT_EQ(shapes(text, 4), 4) << "three filled squares and one in the legend";
  EXPECT_EQ(shapes(text, 3), 4) << "as many open ones";
  EXPECT_EQ(count(text, "stroke-dasharray"), 2) << "the line and its sample";
  const auto without = svg({curve("ours"), curve("other")});
  EXPECT_GT(colours(text, "#D55E00"), colours(without, "#D55E00"));
  EXPECT_EQ(colours(text, "#0072B2"), colours(without, "#0072B2"));
  EXPECT_EQ(colours(text, "#009E73"), 0) << "it takes no colour of its own";
}

TEST(FigureKinds, AReferenceMayComeBeforeItsCurveAndInAnotherPanel) {
  const auto text = svg({{"a", {curve("paper", CurveKind::kReference, "ours")}}, {"b", {curve("ours")}}});
  EXPECT_EQ(shapes(text, 6), 4);
  EXPECT_EQ(shapes(text, 5), 4);
}

TEST(FigureKinds, AReferenceWithoutACurveHasALookOfItsOwn) {
  const auto text = svg({curve("ours"), curve("paper", CurveKind::kReference)});
  EXPECT_EQ(shapes(text, 3), 4);
  EXPECT_GT(colours(text, "#D55E00"), 0);
}

TEST(FigureKinds, AReferenceHasNoBand) {
  auto paper = banded("paper", CurveKind::kReference);
  EXPECT_EQ(count(svg({paper}), "fill-opacity"), 0);
  paper.kind = CurveKind::kMeasured;
  EXPECT_EQ(count(svg({paper}), "fill-opacity"), 2) << "the band and its sample";
}

TEST(FigureKinds, ALineHasNoPointsAndPointsHaveNoLine) {
  EXPECT_EQ(shapes(svg({curve("a")}), 6), 4);
  EXPECT_EQ(shapes(svg({curve("a", CurveKind::kLine)}), 6), 0);
  const auto points = svg({curve("a", CurveKind::kPoints)});
  EXPECT_EQ(shapes(points, 6), 4);
  EXPECT_LT(count(points, "<path"), count(svg({curve("a")}), "<path"));
}

TEST(FigureKinds, AllPointsAreShownWhereThereIsNoLine) {
  Curve many = curve("a", CurveKind::kPoints);
  many.x.assign(100, 1);
  many.y.assign(100, 1);
  EXPECT_EQ(shapes(svg({many}), 6), 101);
  many.kind = CurveKind::kMeasured;
  EXPECT_EQ(shapes(svg({many}), 6), 21);
}

TEST(FigureKinds, AHistogramIsFilledFromZero) {
  const auto text = svg({curve("a", CurveKind::kSteps), curve("b", CurveKind::kSteps)});
  EXPECT_EQ(count(text, "fill-opacity"), 4) << "two and their samples";
  EXPECT_EQ(texts(text, "0"), 1) << "the axis begins at zero";
  EXPECT_EQ(texts(text, "4"), 1) << "the last step goes on to there";
  EXPECT_EQ(texts(svg({curve("a")}), "4"), 0);
}

TEST(FigureKinds, ErrorBarsStandInsteadOfBands) {
  const auto bands = svg({banded("a")});
  const auto bars = svg({banded("a")}, FigureOptions().error_bars(true));
  EXPECT_EQ(count(bands, "fill-opacity"), 2);
  EXPECT_EQ(count(bars, "fill-opacity"), 0);
  EXPECT_GT(count(bars, "<path"), count(svg({curve("a")}), "<path"));
}

TEST(FigureKinds, MarksAreInTheLegend) {
  const Panel panel{"", {curve("a")}, {{1, 10, "sample"}, {2, 30, "worst case", MarkKind::kRedCross}, {3, 80, ""}}};
  const auto text = svg({panel});
  EXPECT_EQ(texts(text, "sample"), 1);
  EXPECT_EQ(texts(text, "worst case"), 1);
  EXPECT_EQ(red_crosses(text), 2) << "here and in the legend";
}

TEST(FigureKinds, MarksAreInsideTheAxes) {
  EXPECT_EQ(texts(svg({Panel{"", {curve("a")}, {{1, 1000, "m"}}}}), "1000"), 1);
  const auto cut = svg({Panel{"", {curve("a")}, {{1, 1000, "m", MarkKind::kRedCross}}}}, FigureOptions().y_high(100));
  EXPECT_EQ(red_crosses(cut), 1) << "only in the legend";
}

TEST(FigureKinds, LogarithmicAxesHavePowersOfTen) {
  const auto text = svg({Curve{"a", {1e-6, 1}, {1, 1000}, {0.5, 2000}}}, log_axes());
  for (const char* number : {"10⁻⁶", "10⁰", "1", "10", "100", "1000"}) EXPECT_EQ(texts(text, number), 1) << number;
  const auto narrow = svg({Curve{"a", {2, 8}, {1, 1}, {}}}, FigureOptions().x_scale(AxisScale::kLog));
  for (const char* number : {"2", "5"}) EXPECT_EQ(texts(narrow, number), 1) << number;
  const auto narrower = svg({Curve{"a", {31, 39}, {1, 1}, {}}}, FigureOptions().x_scale(AxisScale::kLog));
  for (const char* number : {"32", "34", "36", "38"}) EXPECT_EQ(texts(narrower, number), 1) << number;
}

TEST(FigureKinds, LogarithmicAxesRefuseWhatIsNotPositive) {
  const auto y_log = FigureOptions().y_scale(AxisScale::kLog);
  const Curve zero{"c", {0, 1}, {1, 0}, {}};
  refuses({{"", {zero}}}, log_axes(), "figure: curve 'c' has x = 0; on a logarithmic axis it must be > 0");
  refuses({{"", {zero}}}, y_log, "figure: curve 'c' has y = 0; on a logarithmic axis it must be > 0");
  refuses({{"", {curve("a")}, {{1, -1, "m"}}}}, y_log,
          "figure: mark 'm' has y = -1; on a logarithmic axis it must be > 0");
  refuses({{"", {curve("a")}}}, FigureOptions(y_log).y_low(0),
          "figure: the y range begins at 0; on a logarithmic axis it must be > 0");
  svg({Curve{"gap", {1, 2}, {1, NAN}, {}}}, log_axes());
}

TEST(FigureKinds, PanelsStandInRows) {
  const TemporaryFolder folder;
  const auto size = [&](size_t panels, int64_t columns) {
    write_figure_panels(folder / "a.png", std::vector<Panel>(panels, {"a", {curve("c")}}),
                        FigureOptions().columns(columns));
    return png_size(folder / "a.png");
  };
  const auto three = size(3, 0), four = size(4, 0), six = size(6, 0);
  EXPECT_EQ(six.first, three.first);
  EXPECT_LT(four.first, three.first);
  EXPECT_EQ(six.second, four.second);
  EXPECT_GT(four.second, three.second + 300);
  EXPECT_EQ(size(4, 2), four);
  EXPECT_LT(size(2, 1).first, four.first);
  EXPECT_EQ(size(2, 9), size(2, 2)) << "no empty columns";
}

TEST(FigureKinds, PanelsShareTheYAxisUnlessToldOtherwise) {
  auto large = curve("a");
  large.y = {100, 300, 800};
  const std::vector<Panel> panels = {{"left", {curve("a")}}, {"right", {large}}};
  EXPECT_EQ(texts(svg(panels), "800"), 1);
  EXPECT_EQ(texts(svg(panels), "80"), 0);
  const auto own = svg(panels, FigureOptions().shared_y(false));
  EXPECT_EQ(texts(own, "800"), 1);
  EXPECT_EQ(texts(own, "80"), 1);
}

TEST(FigureKinds, APanelMayHaveLabelsAndARangeOfItsOwn) {
  std::vector<Panel> panels = {{"left", {curve("a")}}, {"right", {curve("a")}}};
  panels[1].x_label = "epoch";
  panels[1].y_label = "loss";
  panels[1].y_low = 0;
  panels[1].y_high = 700;
  const auto text = svg(panels, FigureOptions().x_label("radius").y_label("error").y_high(90));
  for (const char* label : {"radius", "epoch", "error", "loss", "700", "90"}) EXPECT_EQ(texts(text, label), 1) << label;
}

TEST(FigureKinds, WhereQuantitiesDifferEveryYAxisSaysItsOwn) {
  std::vector<Panel> panels = {{"a", {curve("c")}}, {"b", {curve("c")}}, {"c", {curve("c")}}};
  EXPECT_EQ(texts(svg(panels, FigureOptions().y_label("error").shared_y(false)), "error"), 1);
  panels[1].y_label = "loss";
  EXPECT_EQ(texts(svg(panels, FigureOptions().y_label("error").shared_y(false)), "error"), 2);
}

TEST(FigureKinds, ALongNoteIsBrokenIntoLines) {
  const TemporaryFolder folder;
  std::string words;
  for (int i = 0; i < 40; ++i) words += c10::str("word", i, " ");
  const auto text = svg({curve("a")}, FigureOptions().note(words));
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(count(text, c10::str("word", i)), i < 4 ? count(words, c10::str("word", i)) : 1);
  EXPECT_GE(count(text, "word") - count(text, " word"), 3) << "lines begin with a word";
  EXPECT_EQ(count(text, "…"), 0);
  write_figure_panels(folder / "a.png", {{"a", {curve("a")}}, {"b", {curve("a")}}}, FigureOptions().note(words));
  write_figure_panels(folder / "b.png", {{"a", {curve("a")}}, {"b", {curve("a")}}});
  EXPECT_GT(png_size(folder / "a.png").second, png_size(folder / "b.png").second + 30);
}

TEST(FigureKinds, RefusesWhatCannotBe) {
  refuses({curve("ours"), curve("paper", CurveKind::kReference, "our")},
          "figure: curve 'paper' is like 'our', which is not a curve with its own look (did you mean 'ours'?)");
  refuses({curve("ours"), curve("a", CurveKind::kReference, "b"), curve("b", CurveKind::kReference, "ours")},
          "figure: curve 'a' is like 'b', which is not a curve with its own look");
  refuses({curve("ours"), curve("line", CurveKind::kLine, "ours")}, "figure: curve 'line' is not a reference");
  refuses({curve("a"), curve("a", CurveKind::kLine)}, "figure: curve 'a' is of two kinds");
  refuses({Curve{"h", {1}, {1}, {}, CurveKind::kSteps}}, "figure: curve 'h' is a histogram of one step");
  refuses({Curve{"h", {1, 1}, {1, 2}, {}, CurveKind::kSteps}},
          "figure: curve 'h' is a histogram whose x do not ascend: 1 after 1");
  refuses({{"", {curve("a")}, {{NAN, 1, "m"}}}}, FigureOptions(), "figure: mark 'm' is not finite: nan, 1");
  refuses({{"", {curve("a")}}}, FigureOptions().columns(-1), "figure: columns must be ≥ 0, got -1");
  refuses({{"a", {curve("a")}}, {"b", {Curve{"l", {1}, {NAN}, {}}}}}, FigureOptions().shared_y(false),
          "figure: panel 'b': no curve has a finite y");
}

TEST(FigureKinds, AFullPngIsSmall) {
  const TemporaryFolder folder;
  std::vector<Curve> curves;
  for (int method = 0; method < 6; ++method) {
    Curve one;
    one.label = c10::str("method ", method);
    for (int i = 0; i <= 30; ++i) {
      one.x.push_back(0.01 * i);
      one.y.push_back(50 + 40 * std::sin(0.1 * i * (1 + method)));
      one.deviation.push_back(3);
    }
    curves.push_back(one);
  }
  write_figure_panels(folder / "a.png", std::vector<Panel>(3, {"panel", curves}));
  EXPECT_GT(png_size(folder / "a.png").first, 1000);
  EXPECT_LT(std::filesystem::file_size(folder / "a.png"), 100'000);
}
