#include "report/certificate_report.h"
#include "support/testing.h"
#include "support/text.h"

#include <nlohmann/json.hpp>

namespace arks {

namespace {

/// Of the loss by the c-transform: at rho 0 nine errors in ten at most, at rho 1 all may be wrong.
CertifiedModel certified(const std::string& name, CertificateLabel label) {
  Certificate certificate;
  certificate.method = "c-transform";
  certificate.cost = "half-sq-l2";
  certificate.quantity = Quantity::kLoss;
  certificate.label = label;
  certificate.samples = 1;
  certificate.curve = {{0, 0.1, std::nullopt, 0.1, 0.1, 0}, {1, 2.5, std::nullopt, 2.5, 2, 1}};
  return {name, certificate, std::nullopt};
}

CertificateReport report_of(CertificateLabel label) {
  CertificateReport report;
  report.models = {certified("erm", label), certified("arks", label)};
  report.samples = "rows";
  report.cross_entropy = true;
  return report;
}

}  // namespace

TEST(CertificateReportTest, MarksTheBoundsOfLossAndErrorEachForThemselves) {
  auto report = report_of(CertificateLabel::kVerified);
  const auto text = console_report(report);
  EXPECT_NE(text.find("100.0 (vacuous)"), std::string::npos) << text;
  EXPECT_EQ(text.find("2.5 (vacuous)"), std::string::npos) << "a loss of 2.5 says something\n" << text;
  EXPECT_NE(text.find("\n1 row, seed"), std::string::npos) << text;
  const auto point = nlohmann::json::parse(json_report(report))["models"][1]["curve"][1];
  EXPECT_EQ(point["vacuous"], false);
  EXPECT_EQ(point["error_bound"], 1);
  EXPECT_EQ(point["error_vacuous"], true);
  const auto lines = split(csv_report(report), '\n');
  EXPECT_EQ(lines[2], "1,2.5,,2.5,2,1,1,false,1,erm,true\r");
}

/// Predicting the same for every row is as good under every shift.
TEST(CertificateReportTest, MarksWhatAConstantPredictionAttains) {
  auto report = report_of(CertificateLabel::kVerified);
  for (auto& model : report.models) model.certificate->constant = 2.5;
  report.constant_error = 0.1;
  const auto text = console_report(report);
  EXPECT_NE(text.find("2.5 (vacuous)"), std::string::npos) << text;
  EXPECT_NE(text.find("14.4 (vacuous)"), std::string::npos) << text;
  EXPECT_NE(text.find("vacuous: a bound at its cap or infinite, or not below 2.5, which predicting the class "
                      "frequencies for all rows attains under every shift, says nothing\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("vacuous: naming the most frequent class for all rows has 10.0 % errors under every shift\n"),
            std::string::npos)
      << text;
  const auto model = nlohmann::json::parse(json_report(report))["models"][1];
  EXPECT_EQ(model["constant"], 2.5);
  EXPECT_EQ(model["constant_error"], 0.1);
  EXPECT_EQ(model["curve"][0]["vacuous"], false);
  EXPECT_EQ(model["curve"][0]["error_vacuous"], true);
  EXPECT_EQ(model["curve"][1]["vacuous"], true);
}

TEST(CertificateReportTest, SaysInWhatUnitTheLossIs) {
  auto report = report_of(CertificateLabel::kVerified);
  report.loss_unit = "squared error, in squared units of 'y'";
  EXPECT_NE(console_report(report).find("\nloss: squared error, in squared units of 'y'\n"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(json_report(report))["loss_unit"], report.loss_unit);
}

TEST(CertificateReportTest, ShortensLongNamesUnlessTheyWouldBeTheSame) {
  auto report = report_of(CertificateLabel::kVerified);
  const std::string first = "runs/a-folder-with-a-long-name/arks-sigma-0.5-seed-1", second = first + "-of-another-kind";
  report.models[0].model = first;
  report.models[1].model = second;
  const auto table = [&] {
    const auto text = console_report(report);
    return text.substr(text.find("rho"));  // the names as they are stand above
  };
  EXPECT_EQ(table().find(first), std::string::npos) << table();
  EXPECT_NE(table().find("…"), std::string::npos) << table();
  report.models[1].model = "runs/a-folder-with-another-long-name/arks-sigma-0.5-seed-1";
  EXPECT_NE(table().find(first), std::string::npos) << "cut, both would be the same\n" << table();
}

TEST(CertificateReportTest, HasNoEmptyColumn) {
  const auto text = console_report(report_of(CertificateLabel::kEstimated));
  EXPECT_EQ(text.find("at most %"), std::string::npos) << text;
  auto report = report_of(CertificateLabel::kVerified);
  EXPECT_NE(console_report(report).find("at most %"), std::string::npos);
  report.cross_entropy = false;
  EXPECT_EQ(console_report(report).find("at most %"), std::string::npos);
}

TEST(CertificateReportTest, SaysThatTheProbabilityIsThatOfEachModel) {
  auto report = report_of(CertificateLabel::kPopulation);
  for (auto& model : report.models) {
    model.certificate->delta = 0.05;
    model.certificate->floor = 0;
    model.certificate->cap = 10;
  }
  EXPECT_NE(console_report(report).find("except with probability 0.05 for each model, losses clipped"),
            std::string::npos);
  report.models.pop_back();
  EXPECT_NE(console_report(report).find("except with probability 0.05, losses clipped"), std::string::npos);
}

}  // namespace arks
