#include "report/evaluation_report.h"
#include "report/certificate_report.h"
#include "report/evaluation_points.h"
#include "report/loss_unit.h"
#include "support/testing.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <sstream>

using namespace arks;
using namespace arks::testing;

TEST(ConsoleReport, ComparesModelsAndSourcesInColumns) {
  const auto text =
      console_report(report_of({point("runs/erm", 0.1, 743), point("runs/erm", 0, 89), point("runs/arks", 0, 102),
                                point("runs/arks", 0.1, 310), point("runs/arks", 0.1, 155, "runs/erm")}));
  EXPECT_EQ(text,
            "      runs/erm  runs/arks      runs/arks\n"
            "      pgd linf   pgd linf       pgd linf\n"
            "     white-box  white-box  from runs/erm\n"
            "eps    error %    error %        error %\n"
            "---  ---------  ---------  -------------\n"
            "  0        8.9       10.2              -\n"
            "0.1       74.3       31.0           15.5\n"
            "1000 samples, seed 18446744073709551615, 12 s\n");
}

TEST(ConsoleReport, ShowsTheLossToo_WhenThereIsOneModel) {
  EXPECT_EQ(console_report(report_of({point("runs/erm", 0.1, 89)})),
            "      runs/erm   runs/erm\n"
            "      pgd linf   pgd linf\n"
            "     white-box  white-box\n"
            "eps    error %       loss\n"
            "---  ---------  ---------\n"
            "0.1        8.9        0.2\n"
            "1000 samples, seed 18446744073709551615, 12 s\n");
}

/// Where nothing was moved, an attack would only puzzle.
TEST(ConsoleReport, NamesNoAttackWhereAllSamplesAreAsTheyWere) {
  EXPECT_EQ(console_report(report_of({point("runs/erm", 0, 89)})),
            "     runs/erm  runs/erm\n"
            "eps   error %      loss\n"
            "---  --------  --------\n"
            "  0       8.9       0.1\n"
            "1000 samples, seed 18446744073709551615, 12 s\n");
}

TEST(ConsoleReport, ShowsTheLossWhereThereIsNoRightAndWrong) {
  const auto text = console_report(report_of({point("a", 0.5, -1), point("b", 0.5, -1)}));
  EXPECT_EQ(text.find("error"), std::string::npos) << text;
  EXPECT_NE(text.find("0.5        0.6        0.6\n"), std::string::npos) << text;
}

TEST(ConsoleReport, ShowsTheLossWhenAskedFor) {
  auto report = report_of({point("a", 0.5, 3), point("b", 0.5, 4)});
  report.show_loss = true;
  const auto text = console_report(report);
  EXPECT_EQ(text.find("error"), std::string::npos) << text;
  EXPECT_NE(text.find("0.5        0.6        0.6\n"), std::string::npos) << text;
}

TEST(ConsoleReport, SaysNeitherNormNorWhiteBoxOfAShift) {
  auto shift = point("runs/erm", 0.5, -1);
  shift.attack = "uniform";
  shift.norm = "";
  EXPECT_EQ(console_report(report_of({shift})),
            "     runs/erm\n"
            "      uniform\n"
            "eps      loss\n"
            "---  --------\n"
            "0.5       0.6\n"
            "1000 samples, seed 18446744073709551615, 12 s\n");
}

TEST(ConsoleReport, CutsLongNamesUnlessTheyWouldBecomeTheSame) {
  const std::string erm = "runs/fashion-erm/seed-0/checkpoint.pt", arks = "runs/fashion-arks/seed-0/checkpoint.pt";
  const auto alone = console_report(report_of({point(erm, 0, 89)}));
  EXPECT_EQ(alone.find(erm), std::string::npos) << alone;
  EXPECT_NE(alone.find("…"), std::string::npos) << alone;
  const auto both = console_report(report_of({point(erm, 0, 89), point(arks, 0, 89)}));
  EXPECT_NE(both.find(erm), std::string::npos) << both;
  EXPECT_NE(both.find(arks), std::string::npos) << both;
}

TEST(ConsoleReport, WarnsOfGradientsThatAreZero) {
  auto masked = point("runs/x", 0.1, 50);
  masked.zero_gradients = 37;
  auto transferred = point("runs/x", 0.2, -1, "runs/erm");
  transferred.zero_gradients = 1;
  const auto text = console_report(report_of({masked, transferred}));
  EXPECT_NE(text.find("\nwarning: gradient exactly zero for 37 of 1000 samples at eps 0.1 on runs/x: masked gradients? "
                      "the true error may be higher\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("1 of 1000 samples at eps 0.2 on runs/erm: masked gradients? the true loss may be higher\n"),
            std::string::npos)
      << text;
}

TEST(ConsoleReport, HasIntervalsComparisonsAndMetrics) {
  auto one = point("erm", 0, 89), two = point("arks", 0, 60);
  one.error_interval = Interval{0.072, 0.108};
  two.error_interval = Interval{0.046, 0.077};
  one.classification = two.classification = ClassificationMetrics{{{40, 10}, {5, 45}}, 0.85, 0.9};
  auto report = report_of({one, two});
  report.samples = "rows";
  report.comparisons = {{"erm", "arks", "pgd", "", "", 0, "error", {"mcnemar", -0.029, Interval{-0.05, -0.01}, 0.012}},
                        {"erm", "arks", "pgd", "", "", 0, "loss", {"paired t", -0.5, Interval{-1, 0}, 0.05}}};
  const auto text = console_report(report);
  for (const char* part :
       {"8.9 [7.2, 10.8]", "1000 rows", "arks - erm", "-2.9", "[-5.0, -1.0]", "0.0120", "mcnemar", "85.0", "0.9000"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text.find("paired t\n"), std::string::npos) << "the table shows errors\n" << text;
  EXPECT_EQ(text.find("true"), std::string::npos) << text;
  report.details = true;
  report.class_names = {"no", "yes"};
  EXPECT_NE(console_report(report).find("true \\ predicted"), std::string::npos) << console_report(report);
  const auto json = nlohmann::json::parse(json_report(report));
  EXPECT_EQ(json["comparisons"][0]["p_value"], 0.012);
  EXPECT_EQ(json["points"][0]["confusion"], (nlohmann::json{{40, 10}, {5, 45}}));
  EXPECT_EQ(json["points"][0]["error_high"], 0.108);
  const auto fields = parse_csv(csv_report(report))[2];
  EXPECT_EQ(fields[20], "-0.029");
  EXPECT_EQ(fields[23], "0.012");
}

TEST(Reports, LeaveOpenWhatAPairedTestCannotTell) {
  auto report = report_of({point("a", 0, 9), point("b", 0, 9)});
  report.comparisons = {{"a", "b", "pgd", "", "", 0, "error", {"sign", 0.25, std::nullopt, 0.5}},
                        {"a", "b", "pgd", "", "", 0.1, "error", {"paired t", 0.25, std::nullopt, std::nullopt}}};
  const auto text = console_report(report);
  const auto row = [&](const std::string& test) {
    const auto end = text.find(test);
    return text.substr(text.rfind('\n', end) + 1, end - text.rfind('\n', end) - 1);
  };
  EXPECT_NE(row("sign").find("+25.0"), std::string::npos) << text;
  EXPECT_NE(row("sign").find("-              0.5000"), std::string::npos) << text;
  EXPECT_EQ(row("sign").find('['), std::string::npos) << text;
  EXPECT_NE(row("paired t").find("-                   -  "), std::string::npos) << text;
  const auto json = nlohmann::json::parse(json_report(report))["comparisons"];
  EXPECT_TRUE(json[0]["low"].is_null() && json[0]["high"].is_null() && json[1]["p_value"].is_null());
  EXPECT_EQ(json[0]["p_value"], 0.5);
  const auto fields = parse_csv(csv_report(report))[2];
  EXPECT_EQ(fields[20] + "," + fields[21] + "," + fields[22] + "," + fields[23], "0.25,,,0.5");
}

TEST(Reports, ConfusionMatricesArePrintedHoweverManyClassesThereAre) {
  EvaluationReport report;
  auto many = point("erm", 0.1, 90);
  ClassificationMetrics metrics;
  metrics.confusion.assign(13, std::vector<int64_t>(13, 7));
  many.classification = metrics;
  report.points = {many};
  EXPECT_EQ(console_report(report).find("true \\ predicted"), std::string::npos);
  report.details = true;
  EXPECT_NE(console_report(report).find("true \\ predicted"), std::string::npos);
}

/// 20 draws of 200 rows are 4000 counts.
TEST(Reports, CountsOfSeveralDrawsAreMeansOfOne) {
  auto drawn = point("erm", 0.1, 90);
  drawn.n = 200;
  drawn.repeats = 20;
  drawn.error = 90.0 / 4000;
  drawn.classification = ClassificationMetrics{{{1970, 30}, {60, 1940}}, 0.9775, 0.99};
  auto report = report_of({drawn});
  report.details = true;
  const auto text = console_report(report);
  for (const char* part : {"means of 20 draws", "98.5", "1.5", "3.0", "97.0"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text.find("1970"), std::string::npos) << text;
  const auto document = nlohmann::json::parse(json_report(report))["points"][0];
  EXPECT_EQ(document["errors"], 4.5);
  EXPECT_EQ(document["confusion"], (nlohmann::json{{98.5, 1.5}, {3, 97}}));
  EXPECT_EQ(parse_csv(csv_report(report))[1][6], "4.5");
}

TEST(Reports, SayWhatTheLossCountsAndWhatAShiftWas) {
  auto report = report_of({point("m", 0.5, -1)});
  DatasetInfo info;
  info.target_names = {"price"};
  EXPECT_EQ(loss_unit(info), "squared error, in squared units of 'price'");
  info.target_deviation = torch::ones({1});
  EXPECT_EQ(loss_unit(info), "squared error, in squared standard deviations of the training target");
  report.loss_unit = loss_unit(info);
  info.num_classes = 2;
  EXPECT_EQ(loss_unit(info), "cross entropy");
  report.shift = "drift: temperature +2.5";
  const auto text = console_report(report);
  EXPECT_NE(
      text.find("\nloss: squared error, in squared standard deviations of the training target\ndrift: temperature "
                "+2.5\n"),
      std::string::npos)
      << text;
  const auto document = nlohmann::json::parse(json_report(report));
  EXPECT_EQ(document["loss_unit"], report.loss_unit);
  EXPECT_EQ(document["shift"], report.shift);
  report.points = {point("a", 0, 5), point("b", 0, 6)};
  EXPECT_EQ(console_report(report).find("loss:"), std::string::npos) << "the table has errors only";
}

TEST(Reports, KeepTargetsOfDifferentUnitsApart) {
  auto one = point("m", 0, -1);
  one.regression = RegressionMetrics{{1000, 0.5}, {0.9, std::nullopt}};
  auto report = report_of({one});
  report.target_names = {"price", "area, m2"};
  const auto records = parse_csv(csv_report(report));
  const auto at = [&](const std::string& name) {
    const auto found = std::find(records[0].begin(), records[0].end(), name);
    return found == records[0].end() ? "none" : records[1][static_cast<size_t>(found - records[0].begin())];
  };
  EXPECT_EQ(at("mae:price"), "1000");
  EXPECT_EQ(at("r2:price"), "0.9");
  EXPECT_EQ(at("mae:area, m2"), "0.5");
  EXPECT_EQ(at("r2:area, m2"), "");
  EXPECT_EQ(at("mae"), "none");
  report.points[0].regression = RegressionMetrics{{7}, {0.5}};
  EXPECT_NE(csv_report(report).find(",auc,mae,r2,difference,"), std::string::npos) << "of one target there is no doubt";
}

TEST(ConsoleReport, SaysHowEachPointWasMadeAndWhereTheRestIs) {
  auto white = point("m", 0.1, 50), transfer = point("m", 0.1, 20, "erm");
  white.classification = transfer.classification = ClassificationMetrics{{{40, 10}, {5, 45}}, 0.85, 0.9};
  const auto text = console_report(report_of({white, transfer}));
  EXPECT_NE(text.find("crafted on"), std::string::npos) << text;
  EXPECT_NE(text.find("0.1  m      white-box"), std::string::npos) << text;
  const auto many = console_report(report_of(std::vector<EvaluationPoint>(9, white)));
  EXPECT_NE(many.find("--details prints balanced accuracy and AUC of the 9 points\n"), std::string::npos) << many;
}

TEST(ConsoleReport, HasNeitherNegativeZerosNorOneRows) {
  auto one = point("a", 0, 0), two = point("b", 0, 0);
  one.n = two.n = 1;
  auto report = report_of({one, two});
  report.samples = "rows";
  report.comparisons = {{"a", "b", "pgd", "", "", 0, "error", {"mcnemar", -1e-17, Interval{-1e-4, 2e-3}, 1}}};
  const auto text = console_report(report);
  EXPECT_NE(text.find("[+0.0, +0.2]"), std::string::npos) << text;
  EXPECT_EQ(text.find("-0.0"), std::string::npos) << text;
  EXPECT_NE(text.find("\n1 row, seed"), std::string::npos) << text;
}

/// x86 makes "not a number" with the sign bit set.
TEST(ConsoleReport, WritesWhatIsNoNumberWithoutASign) {
  const double nan = -std::numeric_limits<double>::quiet_NaN();
  auto one = point("a", 0, -1), two = point("b", 0, -1), classes = point("a", 0.1, 5), others = point("b", 0.1, 5);
  one.loss = two.loss = nan;
  one.loss_standard_error = two.loss_standard_error = nan;
  one.regression = two.regression = RegressionMetrics{{nan}, {nan}};
  classes.classification = others.classification = ClassificationMetrics{{}, nan, nan};
  auto report = report_of({one, two});
  report.comparisons = {{"a", "b", "pgd", "", "", 0, "loss", {"paired t", nan, Interval{nan, nan}, nan}}};
  const auto text = console_report(report) + console_report(report_of({classes, others})) + one.brief_report("rows");
  EXPECT_EQ(text.find("-nan"), std::string::npos) << text;
  EXPECT_NE(text.find("nan ± nan"), std::string::npos) << text;
}

TEST(ConsoleReport, SaysWhenNothingWasEvaluated) {
  EXPECT_EQ(console_report(EvaluationReport()), "nothing was evaluated\n");
}

TEST(ConsoleReport, SaysWhatEpsCountsAndHowManyRowsEachTestSetHas) {
  auto winter = point("m", 0.1, 7), summer = winter;
  winter.data = "winter";
  summer.data = "summer";
  summer.n = 500;
  auto report = report_of({winter, summer});
  report.samples = "rows";
  report.eps_unit = "furlongs";
  const auto text = console_report(report);
  EXPECT_NE(text.find("winter: 1000 rows, summer: 500 rows, seed"), std::string::npos) << text;
  EXPECT_NE(text.find("\neps: furlongs\n"), std::string::npos) << text;
}

TEST(ConsoleReport, SaysThatIntervalsAreOverGroups) {
  auto grouped = point("m", 0.1, 7);
  grouped.groups = 4;
  grouped.error_interval = Interval{0.01, 0.4};
  auto report = report_of({grouped});
  report.samples = "rows";
  const auto text = console_report(report);
  EXPECT_NE(text.find("1000 rows in 4 groups"), std::string::npos) << text;
  EXPECT_NE(text.find("[ ]: 95 % interval over groups"), std::string::npos) << text;
}
