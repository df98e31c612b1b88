// Evaluations as CSV and JSON.
#include "data/csv.h"
#include "report/evaluation_points.h"
#include "report/evaluation_report.h"
#include "support/testing.h"

#include <torch/version.h>
#include <nlohmann/json.hpp>

#include <cmath>

using namespace arks;
using namespace arks::testing;

TEST(CsvReport, HasAHeaderAndOneLinePerPoint) {
  EXPECT_EQ(
      csv_report(report_of({point("runs/erm", 0.1, 743), point("a", 0, -1, "b")})),
      "model,attack,norm,eps,source,n,errors,error,loss,seconds,zero_gradients,data,repeats,error_low,error_high,"
      "loss_standard_error,balanced_accuracy,auc,mae,r2,difference,difference_low,difference_high,p_value,groups\r\n"
      "runs/erm,pgd,linf,0.1,,1000,743,0.743,0.2,1.5,0,,1,,,,,,,,,,,,0\r\n"
      "a,pgd,linf,0,b,1000,,,0.1,1.5,0,,1,,,,,,,,,,,,0\r\n");
}

TEST(CsvReport, QuotesCommasQuotesAndLineBreaks) {
  const std::string model = "a,b \"c\"\r\nd";
  const auto text = csv_report(report_of({point(model, 0, 1, "x\ny")}));
  EXPECT_NE(text.find("\"a,b \"\"c\"\"\r\nd\",pgd"), std::string::npos) << text;
  const auto records = parse_csv(text);
  ASSERT_EQ(records.size(), 2U);
  ASSERT_EQ(records[1].size(), 25U);
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
  EXPECT_EQ(document.size(), 10U);
  EXPECT_TRUE(document.at("eps_unit").is_null()) << "not said";
  EXPECT_EQ(document.at("command"), "arks evaluate \"runs/a b\"");
  EXPECT_EQ(document.at("config"),
            (nlohmann::json{
                {"attack", "pgd"}, {"steps", 15}, {"alpha", 0.03}, {"random-start", false}, {"models", {"a", "b"}}}));
  EXPECT_EQ(document.at("seed").get<uint64_t>(), 18446744073709551615ULL);
  EXPECT_EQ(document.at("versions"), (nlohmann::json{{"arks", kVersion}, {"libtorch", TORCH_VERSION}}));
  EXPECT_EQ(document.at("wall_seconds"), 12.25);
  ASSERT_EQ(document.at("points").size(), 2U);
  const nlohmann::json first = {{"model", "runs/erm"},
                                {"attack", "pgd"},
                                {"norm", "linf"},
                                {"eps", 0.1},
                                {"source", "runs/b"},
                                {"n", 1000},
                                {"errors", 743},
                                {"error", 0.743},
                                {"loss", 0.2},
                                {"seconds", 1.5},
                                {"zero_gradients", 0},
                                {"data", nullptr},
                                {"repeats", 1},
                                {"error_low", nullptr},
                                {"error_high", nullptr},
                                {"loss_standard_error", nullptr},
                                {"groups", 0}};
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
  EXPECT_NE(csv_report(report_of({shift})).find("\r\nm,scale,,0.5,,1000,,,0.6,1.5,0,,1,"), std::string::npos);
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
