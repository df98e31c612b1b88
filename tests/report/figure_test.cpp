#include "report/figure.h"
#include "report/drawing.h"
#include "support/file.h"

#include <unistd.h>

#include <cmath>

using namespace arks;
using namespace arks::testing;
namespace fs = std::filesystem;

namespace {

Curve rising_curve(const std::string& label) {
  return {label, {0, 0.1, 0.2}, {0.1, 0.3, 0.8}, {}};
}

FigureOptions labelled() {
  return FigureOptions().title("a title").x_label("radius").y_label("test error");
}

/// The call fails with this message and the folder is as empty as before.
void expect_error_and_no_file(const TemporaryFolder& folder, const std::function<void()>& call,
                              const std::string& message) {
  expect_error(call, message);
  EXPECT_TRUE(names_in(folder.path()).empty()) << names_in(folder.path())[0];
}

void write_program(const fs::path& path, const std::string& text) {
  write_bytes(path, text, false);
  fs::permissions(path, fs::perms::owner_all);
}

}  // namespace

TEST(Figure, IsAPngOfTheUsualSize) {
  const TemporaryFolder folder;
  write_figure(folder / "a.png", {rising_curve("one"), rising_curve("two")}, labelled());
  EXPECT_EQ(png_size(folder / "a.png"), std::pair(900, 600));
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"a.png"});
}

TEST(Figure, IsAnSvgWithItsLabels) {
  const TemporaryFolder folder;
  write_figure(folder / "a.SVG", {rising_curve("one"), rising_curve("two")}, labelled());
  const auto text = read_file(folder / "a.SVG");
  EXPECT_TRUE(is_svg(text));
  for (const char* label : {"one", "two", "a title", "radius", "test error"}) {
    EXPECT_EQ(count(text, c10::str("<text>", label, "</text>")), 1) << label;
  }
}

TEST(Figure, ShowsLabelsAsTheyAre) {
  const TemporaryFolder folder;
  const auto harm = (folder / "harm").string();
  const std::vector<std::string> labels = {"a_b^c {x}",
                                           "'single' \"double\"",
                                           "back\\slash \\n \\",
                                           "$(touch " + harm + ")",
                                           "`touch " + harm + "`",
                                           "'; system('touch " + harm + "'); '",
                                           "%d @x #y \\140 0.125, a.7",
                                           "'",
                                           "σ → 0"};
  std::vector<Curve> curves;
  for (const auto& label : labels) curves.push_back(rising_curve(label));
  for (const auto& label : labels) {
    write_figure(folder / "a.svg", curves, FigureOptions().title(label).x_label(label));
    const auto text = read_file(folder / "a.svg");
    EXPECT_EQ(count(text, "<text>" + label + "</text>"), 3) << label;
  }
  write_figure(folder / "a.png", curves);
  EXPECT_FALSE(fs::exists(folder / "harm"));
}

TEST(Figure, EscapesWhatIsMarkupInSvg) {
  const TemporaryFolder folder;
  write_figure(folder / "a.svg", {rising_curve("a & b <script> \"c\" 'd' e_f &amp;")});
  const auto text = read_file(folder / "a.svg");
  EXPECT_EQ(count(text, "a &amp; b &lt;script> \"c\" 'd' e_f &amp;amp;"), 1);
  EXPECT_EQ(count(text, "<script>"), 0);
}

TEST(Figure, PutsLineBreaksAndBrokenBytesOnOneLine) {
  const TemporaryFolder folder;
  write_figure(folder / "a.svg", {rising_curve("x\ny\tz\xff")});
  EXPECT_EQ(count(read_file(folder / "a.svg"), "<text>x y z\xef\xbf\xbd</text>"), 1);
}

TEST(Figure, DrawsABandWhenThereAreDeviations) {
  const TemporaryFolder folder;
  auto banded = rising_curve("a");
  write_figure(folder / "without.svg", {banded});
  banded.deviation = {0.1, 0.1, 0.1};
  write_figure(folder / "with.svg", {banded});
  EXPECT_EQ(count(read_file(folder / "without.svg"), "fill-opacity"), 0);
  EXPECT_GE(count(read_file(folder / "with.svg"), "fill-opacity"), 1);
}

TEST(Figure, TakesSinglePointsConstantsGapsAndHugeNumbers) {
  const TemporaryFolder folder;
  write_figure(folder / "a.png", {{"point", {1}, {2}, {}}});
  write_figure(folder / "b.png", {{"zero", {0, 0}, {0, 0}, {0, 0}}});
  write_figure(folder / "c.png", {{"gap", {0, 1, 2}, {1, NAN, INFINITY}, {1, NAN, 0}}, {"lost", {0}, {NAN}, {}}});
  write_figure(folder / "d.png", {{"huge", {0, 1e300}, {-1e300, 1e300}, {}}});
  for (const char* name : {"a.png", "b.png", "c.png", "d.png"}) EXPECT_EQ(png_size(folder / name).first, 900) << name;
}

TEST(Figure, MakesRoomForTheLegend) {
  const TemporaryFolder folder;
  std::vector<Curve> curves;
  for (int i = 0; i < 40; ++i) curves.push_back(rising_curve(c10::str("runs/a-rather-long-name-of-a-run-", i)));
  write_figure(folder / "below.png", curves);
  EXPECT_GT(png_size(folder / "below.png").second, 600);
  write_figure(folder / "right.png", curves, FigureOptions().legend(LegendPosition::kRight));
  EXPECT_GT(png_size(folder / "right.png").first, 1200);
  EXPECT_GT(png_size(folder / "right.png").second, 900);
  write_figure(folder / "none.svg", curves, FigureOptions().legend(LegendPosition::kNone));
  EXPECT_EQ(count(read_file(folder / "none.svg"), "rather-long"), 0);
}

TEST(Figure, CutsLabelsThatAreWiderThanTheFigure) {
  const TemporaryFolder folder;
  const std::string name(500, 'x');
  write_figure(folder / "a.svg", {rising_curve("start" + name + "end")},
               FigureOptions().title(name).x_label(name).y_label(name));
  const auto text = read_file(folder / "a.svg");
  EXPECT_EQ(count(text, name), 0);
  EXPECT_EQ(count(text, "…"), 4);
  EXPECT_EQ(count(text, "<text>startx"), 1);
  EXPECT_EQ(count(text, "xend</text>"), 1);
  EXPECT_EQ(count(text, "width=\"900\""), 2) << "the canvas and its background";
}

TEST(Figure, ReplacesAFileThatIsThere) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.png", "old", false);
  write_figure(folder / "a.png", {rising_curve("a")});
  EXPECT_EQ(png_size(folder / "a.png"), std::pair(900, 600));
}

TEST(Figure, PanelsShareLegendAndLabels) {
  const TemporaryFolder folder;
  const std::vector<Panel> panels = {{"white-box", {rising_curve("a"), rising_curve("b")}},
                                     {"transfer", {rising_curve("b")}}};
  write_figure_panels(folder / "a.svg", panels, labelled());
  const auto text = read_file(folder / "a.svg");
  for (const char* once : {"a", "b", "white-box", "transfer", "a title", "test error"}) {
    EXPECT_EQ(count(text, c10::str("<text>", once, "</text>")), 1) << once;
  }
  EXPECT_EQ(count(text, "<text>radius</text>"), 2);
  write_figure_panels(folder / "a.png", panels, labelled());
  EXPECT_GT(png_size(folder / "a.png").first, 900);
}

TEST(Figure, RefusesWhatCannotBeDrawn) {
  const TemporaryFolder folder;
  const auto path = folder / "a.png";
  const auto refuses = [&](const std::vector<Curve>& curves, const std::string& message) {
    expect_error_and_no_file(
        folder, [&] { write_figure(path, curves); }, message);
  };
  refuses({}, "figure: no curves to draw");
  refuses({{"c", {}, {}, {}}}, "figure: curve 'c' is empty");
  refuses({{"c", {1, 2}, {1}, {}}}, "figure: curve 'c' has 2 x and 1 y");
  refuses({{"c", {1, 2}, {1, 2}, {1}}}, "figure: curve 'c' has 2 y and 1 deviations");
  refuses({{"c", {1, NAN}, {1, 2}, {}}}, "figure: curve 'c' has an x that is not finite: nan");
  refuses({{"c", {1}, {NAN}, {}}}, "figure: no curve has a finite y");
  expect_error_and_no_file(
      folder, [&] { write_figure_panels(path, {}); }, "figure: no panels to draw");
  expect_error_and_no_file(
      folder, [&] { write_figure(path, {rising_curve("a")}, FigureOptions().y_low(2).y_high(1)); },
      "figure: the y range must have low < high, got 2 to 1");
}

TEST(Figure, RefusesWhereItCannotBeWritten) {
  const TemporaryFolder folder;
  const auto refuses = [&](const fs::path& path, const std::string& message) {
    expect_error([&] { write_figure(path, {rising_curve("a")}); }, message);
  };
  refuses(folder / "a.pdf", "a.pdf: the name must end in .svg or .png");
  refuses(folder / "a", "the name must end in .svg or .png");
  refuses(folder.path() / "no" / "a.png", "/no does not exist");
  EXPECT_TRUE(names_in(folder.path()).empty());
  fs::create_directory(folder / "b.png");
  refuses(folder / "b.png", "b.png is a folder");
  write_bytes(folder / "file", "", false);
  refuses(folder.path() / "file" / "a.png", "/file is not a folder");
}

TEST(Figure, RefusesAFolderWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  expect_error([&] { write_figure(folder / "a.png", {rising_curve("a")}); }, "Permission denied");
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(Figure, SaysHowToInstallGnuplot) {
  const TemporaryFolder folder, empty;
  const ChangedVariable path("PATH", empty.path().string());
  expect_error_and_no_file(
      folder, [&] { write_figure(folder / "a.png", {rising_curve("a")}); },
      "gnuplot is not installed: apt-get install gnuplot-nox");
}

TEST(Figure, SaysWhyGnuplotFailed) {
  const TemporaryFolder folder, programs, temporary;
  const ChangedVariable path("PATH", programs.path().string()), scratch("TMPDIR", temporary.path().string());
  const auto failure = [&](const std::string& script) {
    write_program(programs / "gnuplot", "#!/bin/sh\n" + script);
    try {
      write_figure(folder / "a.png", {rising_curve("a")});
    } catch (const RunError& error) {
      EXPECT_TRUE(names_in(folder.path()).empty());
      EXPECT_TRUE(names_in(temporary.path()).empty());
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(failure("echo half a picture; echo; echo ' out of ink' >&2; echo more >&2; exit 3\n"),
            "gnuplot failed: out of ink");
  EXPECT_EQ(failure("printf '\\nset foo\\n    ^\\n\"script\" line 7: unrecognized option\\n' >&2; exit 1\n"),
            "gnuplot failed: line 7: unrecognized option");
  EXPECT_EQ(failure("exit 0\n"), "gnuplot failed: it drew nothing and did not say why");
  EXPECT_EQ(failure("kill -9 $$\n"), "gnuplot failed: it drew nothing and did not say why");
}
