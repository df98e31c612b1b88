#include "report/certificate_report.h"

#include "report/table.h"
#include "support/json_text.h"
#include "support/text.h"

#include <arks/version.h>
#include <fmt/format.h>
#include <torch/version.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace arks {

namespace {

using Json = nlohmann::ordered_json;

std::string number(double value) {
  return fmt::format("{:.5g}", value);
}

std::string constant(const char* name, const std::optional<double>& value, const std::string& why) {
  return std::string(name) + (value ? " = " + number(*value) : " unknown: " + why) + "\n";
}

std::string curve_table(const Certificate& certificate) {
  const bool paper = certificate.quantity == Quantity::kLogLoss;
  std::vector<std::string> headers{"rho", to_string(certificate.label) + "\nbound"};
  if (paper) headers.emplace_back("paper's\nbound");
  headers.insert(headers.end(), {"estimated", "attained", certificate.parameter()});
  Table table(headers);
  for (const auto& point : certificate.curve) {
    std::vector<std::string> row{shortest(point.rho), number(point.bound)};
    if (paper) row.push_back(number(point.bound_paper.value_or(HUGE_VAL)));
    row.insert(row.end(),
               {number(point.estimated), number(point.attained), number(certificate.parameter_of(point.temperature))});
    table.add_row(row);
  }
  return table.str();
}

std::string about(const Certificate& certificate) {
  std::string text = "mean " + to_string(certificate.quantity) + " within rho of the ";
  text += certificate.delta ? "distribution of the samples" : "samples";
  text += ", cost " + certificate.cost + ", " + certificate.parameter() +
          (certificate.searched ? " searched for each rho" : " the best of those given") + "\n";
  if (certificate.domain) text += "for distributions on the domain " + to_string(*certificate.domain) + "\n";
  if (certificate.delta) {
    text += "holds except with probability " + shortest(*certificate.delta) + ", losses clipped to [" +
            shortest(*certificate.floor) + ", " + shortest(*certificate.cap) + "]\n";
  }
  if (certificate.label == CertificateLabel::kEstimated) text += "estimated by ascent: nothing is proved\n";
  return text;
}

std::string error_line(const Certificate& certificate) {
  const auto& last = certificate.curve.back();
  const bool clipped = certificate.cap && *certificate.cap < std::log(2.0);
  return std::string("P(error) <= E[CE]/") + (clipped ? "cap" : "ln 2") + ": at most " +
         percent(error_bound(last.bound, certificate.cap), 1) + " within rho " + shortest(last.rho) + "\n";
}

Json value_or_null(const std::optional<double>& value) {
  return value ? finite_or_null(*value) : Json(nullptr);
}

Json document_of(const CertificatePoint& point, const Certificate& certificate) {
  Json document = {{"rho", point.rho},
                   {"bound", finite_or_null(point.bound)},
                   {"bound_paper", value_or_null(point.bound_paper)},
                   {"estimated", finite_or_null(point.estimated)},
                   {"attained", finite_or_null(point.attained)},
                   {"temperature", finite_or_null(point.temperature)}};
  document[certificate.parameter()] = finite_or_null(certificate.parameter_of(point.temperature));
  return document;
}

void add(Json& document, const Certificate& certificate) {
  document["method"] = certificate.method;
  document["quantity"] = to_string(certificate.quantity);
  document["cost"] = certificate.cost;
  document["label"] = to_string(certificate.label);
  document["delta"] = value_or_null(certificate.delta);
  document["floor"] = value_or_null(certificate.floor);
  document["cap"] = value_or_null(certificate.cap);
  document["domain"] = certificate.domain ? Json(to_string(*certificate.domain)) : Json(nullptr);
  document["samples"] = certificate.samples;
  document["lipschitz"] = value_or_null(certificate.lipschitz);
  document["curvature"] = value_or_null(certificate.curvature);
  Json curve = Json::array(), attained = Json::array();
  for (const auto& point : certificate.curve) curve.push_back(document_of(point, certificate));
  for (const auto& point : certificate.attained) {
    attained.push_back({{"rho", finite_or_null(point.rho)}, {"value", finite_or_null(point.value)}});
  }
  document["curve"] = curve;
  document["attained"] = attained;
}

Json document_of(const ConvexityReport& report) {
  Json agreements = Json::array();
  for (const auto& agreement : report.agreements) {
    agreements.push_back({{"temperature", finite_or_null(agreement.temperature)},
                          {"values", agreement.values},
                          {"maximisers", agreement.maximisers}});
  }
  return {{"lipschitz", value_or_null(report.lipschitz)},
          {"curvature", value_or_null(report.curvature)},
          {"largest_temperature", value_or_null(report.largest_temperature)},
          {"largest_sigma", value_or_null(report.largest_sigma())},
          {"samples", report.samples},
          {"agreements", agreements}};
}

}  // namespace

std::string console_report(const CertificateReport& report) {
  std::string text;
  int64_t samples = 0;
  if (report.convexity) {
    text += report.convexity->full_report();
    samples = report.convexity->samples;
  }
  if (report.certificate) {
    const auto& certificate = *report.certificate;
    if (!report.convexity) {
      text += constant("Lipschitz constant G", certificate.lipschitz, certificate.why_no_lipschitz);
      text += constant("curvature L", certificate.curvature, certificate.why_no_curvature);
    }
    text += about(certificate) + curve_table(certificate);
    const bool proved = certificate.label != CertificateLabel::kEstimated;
    if (proved && report.cross_entropy && certificate.quantity == Quantity::kLoss) text += error_line(certificate);
    samples = certificate.samples;
  }
  return text + c10::str(samples, " samples, seed ", report.seed, ", ", human_seconds(report.wall_seconds), "\n");
}

std::string csv_report(const CertificateReport& report) {
  if (!report.certificate) return "";
  const auto& certificate = *report.certificate;
  const bool named = certificate.parameter() != "temperature";
  std::string text = "rho,bound,bound_paper,estimated,attained,temperature";
  text += (named ? "," + certificate.parameter() : "") + "\r\n";
  for (const auto& point : certificate.curve) {
    std::vector<std::string> fields{
        shortest(point.rho),       shortest(point.bound),    point.bound_paper ? shortest(*point.bound_paper) : "",
        shortest(point.estimated), shortest(point.attained), shortest(point.temperature)};
    if (named) fields.push_back(shortest(certificate.parameter_of(point.temperature)));
    text += join(fields, ",") + "\r\n";
  }
  return text;
}

std::string json_report(const CertificateReport& report) {
  Json document = {{"command", "certify"}, {"model", report.model}};
  if (report.certificate) add(document, *report.certificate);
  if (report.convexity) document["convexity"] = document_of(*report.convexity);
  Json config = Json::object();
  for (const auto& [name, value] : report.config) {
    std::visit([&, key = name](const auto& kind) { config[key] = kind; }, value);
  }
  document["config"] = config;
  document["seed"] = report.seed;
  document["versions"] = {{"arks", kVersion}, {"libtorch", TORCH_VERSION}};
  document["wall_seconds"] = finite_or_null(report.wall_seconds);
  return json_text(document);
}

}  // namespace arks
