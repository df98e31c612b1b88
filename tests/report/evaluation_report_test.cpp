#include "report/evaluation_report.h"
#include "data/csv.h"
#include "report/certificate_report.h"
#include "support/testing.h"

#include <torch/version.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <sstream>

using namespace arks;
using namespace arks::testing;

namespace {

EvaluationPoint point(const std::string& model, double eps, int64_t errors, const std::string& source = "") {
  EvaluationPoint p;
  p.model = model;
  p.attack = "pgd";
  p.norm = "linf";
  p.eps = eps;
  p.source = source;
  p.n = 1000;
  p.errors = errors;
  p.error = static_cast<double>(errors) / 1000;
  p.loss = 0.1 + eps;
  p.seconds = 1.5;
  return p;
}

EvaluationReport report_of(std::vector<EvaluationPoint> points) {
  EvaluationReport report;
  report.points = std::move(points);
  report.config = {{"attack", "pgd"},
                   {"steps", int64_t{15}},
                   {"alpha", 0.03},
                   {"random-start", false},
                   {"models", std::vector<std::string>{"a", "b"}}};
  report.seed = 18446744073709551615ULL;
  report.wall_seconds = 12.25;
  report.command = "arks evaluate \"runs/a b\"";
  return report;
}

/// A reader of RFC 4180, written apart from the writer.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> records(1, {""});
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    auto& field = records.back().back();
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      field += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      records.back().emplace_back();
    } else if (!quoted && c == '\r' && text[i + 1] == '\n') {
      records.push_back({""});
      ++i;
    } else {
      field += c;
    }
  }
  records.pop_back();
  return records;
}

}  // namespace

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
  EXPECT_EQ(console_report(report_of({point("runs/erm", 0, 89)})),
            "      runs/erm   runs/erm\n"
            "      pgd linf   pgd linf\n"
            "     white-box  white-box\n"
            "eps    error %       loss\n"
            "---  ---------  ---------\n"
            "  0        8.9        0.1\n"
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

TEST(ConsoleReport, SaysWhenNothingWasEvaluated) {
  EXPECT_EQ(console_report(EvaluationReport()), "nothing was evaluated\n");
}

TEST(CsvReport, HasAHeaderAndOneLinePerPoint) {
  EXPECT_EQ(csv_report(report_of({point("runs/erm", 0.1, 743), point("a", 0, -1, "b")})),
            "model,attack,norm,eps,source,n,errors,error,loss,seconds,zero_gradients\r\n"
            "runs/erm,pgd,linf,0.1,,1000,743,0.743,0.2,1.5,0\r\n"
            "a,pgd,linf,0,b,1000,,,0.1,1.5,0\r\n");
}

TEST(CsvReport, QuotesCommasQuotesAndLineBreaks) {
  const std::string model = "a,b \"c\"\r\nd";
  const auto text = csv_report(report_of({point(model, 0, 1, "x\ny")}));
  EXPECT_NE(text.find("\"a,b \"\"c\"\"\r\nd\",pgd"), std::string::npos) << text;
  const auto records = parse_csv(text);
  ASSERT_EQ(records.size(), 2U);
  ASSERT_EQ(records[1].size(), 11U);
  EXPECT_EQ(records[1][0], model);
  EXPECT_EQ(records[1][4], "x\ny");
}

TEST(CsvReport, NumbersReadBackAsTheSame) {
  for (const double value : {0.1, 1.0 / 3, 1e-300, 5e-324, 123456789.123456789, -0.0, 1e22}) {
    auto p = point("m", value, 1);
    p.error = value / 7;
    p.loss = value;
    const auto fields = parse_csv(csv_report(report_of({p})))[1];
    EXPECT_EQ(std::strtod(fields[3].c_str(), nullptr), value);
    EXPECT_EQ(std::strtod(fields[7].c_str(), nullptr), p.error);
    EXPECT_EQ(std::strtod(fields[8].c_str(), nullptr), value);
  }
}

TEST(JsonReport, HasEveryKey) {
  const auto document =
      nlohmann::json::parse(json_report(report_of({point("runs/erm", 0.1, 743, "runs/b"), point("a", 0, -1)})));
  EXPECT_EQ(document.size(), 6U);
  EXPECT_EQ(document.at("command"), "arks evaluate \"runs/a b\"");
  EXPECT_EQ(document.at("config"),
            (nlohmann::json{
                {"attack", "pgd"}, {"steps", 15}, {"alpha", 0.03}, {"random-start", false}, {"models", {"a", "b"}}}));
  EXPECT_EQ(document.at("seed").get<uint64_t>(), 18446744073709551615ULL);
  EXPECT_EQ(document.at("versions"), (nlohmann::json{{"arks", kVersion}, {"libtorch", TORCH_VERSION}}));
  EXPECT_EQ(document.at("wall_seconds"), 12.25);
  ASSERT_EQ(document.at("points").size(), 2U);
  const nlohmann::json first = {{"model", "runs/erm"}, {"attack", "pgd"}, {"norm", "linf"},     {"eps", 0.1},
                                {"source", "runs/b"},  {"n", 1000},       {"errors", 743},      {"error", 0.743},
                                {"loss", 0.2},         {"seconds", 1.5},  {"zero_gradients", 0}};
  EXPECT_EQ(document["points"][0], first);
  for (const char* key : {"source", "errors", "error"}) EXPECT_TRUE(document["points"][1].at(key).is_null()) << key;
}

TEST(JsonReport, HasNullForTheNormOfAShift) {
  auto shift = point("m", 0.5, -1);
  shift.attack = "scale";
  shift.norm = "";
  const auto document = nlohmann::json::parse(json_report(report_of({shift})))["points"][0];
  EXPECT_TRUE(document.at("norm").is_null());
  EXPECT_TRUE(document.at("source").is_null());
  EXPECT_NE(csv_report(report_of({shift})).find("\r\nm,scale,,0.5,,1000,,,0.6,1.5,0\r\n"), std::string::npos);
}

TEST(JsonReport, ListsRangesPerFeature) {
  auto report = report_of({});
  report.config = {{"bounds", std::vector<std::vector<double>>{{0, 1}, {-5, 5}}}};
  EXPECT_EQ(nlohmann::json::parse(json_report(report))["config"]["bounds"].dump(), "[[0.0,1.0],[-5.0,5.0]]");
}

TEST(JsonReport, HasNullForWhatIsNotFinite) {
  auto p = point("m", 0.1, 5);
  p.loss = std::nan("");
  p.error = INFINITY;
  p.seconds = -INFINITY;
  auto report = report_of({p});
  report.wall_seconds = std::nan("");
  const auto document = nlohmann::json::parse(json_report(report));
  for (const char* key : {"loss", "error", "seconds"}) EXPECT_TRUE(document["points"][0].at(key).is_null()) << key;
  EXPECT_EQ(document["points"][0]["errors"], 5);
  EXPECT_TRUE(document["wall_seconds"].is_null());
}

TEST(JsonReport, IsValidWithoutPointsAndWithBytesThatAreNoText) {
  const auto empty = nlohmann::json::parse(json_report(EvaluationReport()));
  EXPECT_TRUE(empty["points"].is_array());
  EXPECT_TRUE(empty["config"].is_object());
  EXPECT_EQ(nlohmann::json::parse(json_report(report_of({point("a\xff", 0, 1)})))["points"][0]["model"],
            "a\xef\xbf\xbd");
}
