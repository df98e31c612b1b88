#include "report/certificate_report.h"

#include "report/csv_field.h"
#include "report/model_names.h"
#include "report/table.h"
#include "support/json_text.h"
#include "support/text.h"

#include <arks/version.h>
#include <fmt/format.h>
#include <torch/version.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace arks {

namespace {

using Json = nlohmann::ordered_json;

std::string number(double value) {
  return fmt::format("{:.5g}", without_sign_of_nan(value));
}

std::string constant(const char* name, const std::optional<double>& value, const std::string& why) {
  return std::string(name) + (value ? " = " + number(*value) : " unknown: " + why) + "\n";
}

std::string bound_text(const CertificatePoint& point, const Certificate& certificate) {
  return number(point.bound) + (certificate.vacuous(point) ? " (vacuous)" : "");
}

/// What is proved of the error; none where nothing is. A mean of ln l says nothing of it.
std::optional<double> proved_error(const CertificatePoint& point, const Certificate& certificate, bool cross_entropy) {
  const bool proved = certificate.label != CertificateLabel::kEstimated;
  if (!proved || !cross_entropy || certificate.quantity != Quantity::kLoss) return std::nullopt;
  return error_bound(point.bound, certificate.cap);
}

/// Naming one class whatever the sample does as well.
bool error_vacuous(const std::optional<double>& bound, const CertificateReport& report) {
  return bound && *bound >= report.constant_error.value_or(1);
}

std::string error_text(const std::optional<double>& bound, const CertificateReport& report) {
  if (!bound) return "-";
  return fmt::format("{:.1f}", 100 * *bound) + (error_vacuous(bound, report) ? " (vacuous)" : "");
}

/// Whether something is proved of the error of some model.
bool bounds_errors(const CertificateReport& report) {
  return std::any_of(report.models.begin(), report.models.end(), [&](const auto& model) {
    const auto& certificate = *model.certificate;
    return proved_error(certificate.curve.front(), certificate, report.cross_entropy).has_value();
  });
}

/// Several models side by side.
std::string models_table(const CertificateReport& report) {
  const bool errors = bounds_errors(report);
  std::set<std::string> all;
  for (const auto& model : report.models) all.insert(model.model);
  const ModelNames name(all);
  std::vector<std::string> headers{"rho"};
  for (const auto& model : report.models) {
    const auto& certificate = *model.certificate;
    headers.push_back(name(model.model) + "\n" + to_string(certificate.label) + "\nbound");
    if (errors) headers.push_back(name(model.model) + "\nerror\nat most %");
    headers.push_back(name(model.model) + "\n\nattained");
  }
  Table table(headers);
  for (size_t i = 0; i < report.models.front().certificate->curve.size(); ++i) {
    std::vector<std::string> row{shortest(report.models.front().certificate->curve[i].rho)};
    for (const auto& model : report.models) {
      const auto& point = model.certificate->curve[i];
      row.push_back(bound_text(point, *model.certificate));
      if (errors) row.push_back(error_text(proved_error(point, *model.certificate, report.cross_entropy), report));
      row.push_back(number(point.attained));
    }
    table.add_row(row);
  }
  return table.str();
}

std::string vacuous_line(const CertificateReport& report) {
  bool bounds = false, errors = false;
  for (const auto& model : report.models) {
    if (!model.certificate) continue;
    for (const auto& point : model.certificate->curve) {
      bounds = bounds || model.certificate->vacuous(point);
      const auto error = proved_error(point, *model.certificate, report.cross_entropy);
      errors = errors || error_vacuous(error, report);
    }
  }
  std::string text;
  if (bounds) {
    const auto& first = *report.models.front().certificate;
    const auto same = report.cross_entropy ? "the class frequencies" : "the mean";
    text += "vacuous: a bound at its cap or infinite";
    if (first.constant) {
      text += ", or not below " + number(*first.constant) + ", which predicting " + same + " for all " +
              report.samples + " attains under every shift,";
    }
    text += " says nothing\n";
  }
  if (errors && report.constant_error) {
    text += "vacuous: naming the most frequent class for all " + report.samples + " has " +
            percent(*report.constant_error, 1) + " errors under every shift\n";
  } else if (errors && report.models.size() > 1) {
    text += "vacuous: every error is at most 100 %\n";
  }
  return text;
}

std::string curve_table(const Certificate& certificate) {
  const bool paper = certificate.quantity == Quantity::kLogLoss;
  std::vector<std::string> headers{"rho", to_string(certificate.label) + "\nbound"};
  if (paper) headers.emplace_back("paper's\nbound");
  headers.insert(headers.end(), {"estimated", "attained", certificate.parameter()});
  Table table(headers);
  for (const auto& point : certificate.curve) {
    std::vector<std::string> row{shortest(point.rho), bound_text(point, certificate)};
    if (paper) row.push_back(number(point.bound_paper.value_or(HUGE_VAL)));
    row.insert(row.end(),
               {number(point.estimated), number(point.attained), number(certificate.parameter_of(point.temperature))});
    table.add_row(row);
  }
  return table.str();
}

std::string about(const Certificate& certificate, bool several) {
  std::string text = "mean " + to_string(certificate.quantity) + " within rho of the ";
  text += certificate.delta ? "distribution of the samples" : "samples";
  text += ", cost " + certificate.cost + ", " + certificate.parameter() +
          (certificate.searched ? " searched for each rho" : " the best of those given") + "\n";
  if (certificate.domain) text += "for distributions on the domain " + to_string(*certificate.domain) + "\n";
  if (certificate.delta) {
    text += "holds except with probability " + shortest(*certificate.delta) + (several ? " for each model" : "") +
            ", losses clipped to [" + shortest(*certificate.floor) + ", " + shortest(*certificate.cap) + "]\n";
  }
  if (certificate.label == CertificateLabel::kEstimated) text += "estimated by ascent: nothing is proved\n";
  return text;
}

std::string error_line(const Certificate& certificate, const CertificateReport& report) {
  const auto& last = certificate.curve.back();
  const bool clipped = certificate.cap && *certificate.cap < std::log(2.0);
  return std::string("P(error) <= E[CE]/") + (clipped ? "cap" : "ln 2") + ": at most " +
         percent(error_bound(last.bound, certificate.cap), 1) +
         (error_vacuous(error_bound(last.bound, certificate.cap), report) ? " (vacuous)" : "") + " within rho " +
         shortest(last.rho) + "\n";
}

Json value_or_null(const std::optional<double>& value) {
  return value ? finite_or_null(*value) : Json(nullptr);
}

Json document_of(const CertificatePoint& point, const Certificate& certificate, const CertificateReport& report) {
  Json document = {{"rho", point.rho},
                   {"bound", finite_or_null(point.bound)},
                   {"bound_paper", value_or_null(point.bound_paper)},
                   {"estimated", finite_or_null(point.estimated)},
                   {"attained", finite_or_null(point.attained)},
                   {"temperature", finite_or_null(point.temperature)}};
  document[certificate.parameter()] = finite_or_null(certificate.parameter_of(point.temperature));
  const auto error = proved_error(point, certificate, report.cross_entropy);
  document["vacuous"] = certificate.vacuous(point);
  document["error_bound"] = value_or_null(error);
  document["error_vacuous"] = error_vacuous(error, report);
  return document;
}

void add(Json& document, const Certificate& certificate, const CertificateReport& report) {
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
  document["constant"] = value_or_null(certificate.constant);
  document["constant_error"] = value_or_null(report.constant_error);
  Json curve = Json::array(), attained = Json::array();
  for (const auto& point : certificate.curve) curve.push_back(document_of(point, certificate, report));
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

namespace {

/// Constants, curve and convexity of one model.
std::string text_of(const CertifiedModel& model, const CertificateReport& report, bool with_curve) {
  std::string text;
  if (model.convexity) text += model.convexity->full_report();
  if (!model.certificate) return text;
  const auto& certificate = *model.certificate;
  if (!model.convexity) {
    text += constant("Lipschitz constant G", certificate.lipschitz, certificate.why_no_lipschitz);
    text += constant("curvature L", certificate.curvature, certificate.why_no_curvature);
  }
  if (!with_curve) return text;
  text += about(certificate, /*several=*/false) + curve_table(certificate);
  if (proved_error(certificate.curve.back(), certificate, report.cross_entropy)) {
    text += error_line(certificate, report);
  }
  return text;
}

void add(Json& document, const CertifiedModel& model, const CertificateReport& report) {
  document["model"] = model.model;
  if (model.certificate) add(document, *model.certificate, report);
  if (model.convexity) document["convexity"] = document_of(*model.convexity);
}

}  // namespace

std::string console_report(const CertificateReport& report) {
  std::string text;
  const bool several = report.models.size() > 1;
  for (const auto& model : report.models) {
    if (several) text += model.model + ":\n";
    text += text_of(model, report, /*with_curve=*/!several);
  }
  const auto& first = report.models.front();
  if (several && first.certificate) text += about(*first.certificate, several) + models_table(report);
  const auto samples = first.certificate ? first.certificate->samples : first.convexity ? first.convexity->samples : 0;
  if (!report.loss_unit.empty() && first.certificate) text += "loss: " + report.loss_unit + "\n";
  return text + vacuous_line(report) +
         c10::str(count_of(samples, report.samples), ", seed ", report.seed, ", ", human_seconds(report.wall_seconds),
                  "\n");
}

std::string csv_report(const CertificateReport& report) {
  if (!report.models.front().certificate) return "";
  const auto parameter = report.models.front().certificate->parameter();
  const bool named = parameter != "temperature";
  std::string text = "rho,bound,bound_paper,estimated,attained,temperature";
  text += (named ? "," + parameter : "") + ",vacuous,error_bound,model,error_vacuous\r\n";
  for (const auto& model : report.models) {
    const auto& certificate = *model.certificate;
    for (const auto& point : certificate.curve) {
      std::vector<std::string> fields{
          shortest(point.rho),       shortest(point.bound),    point.bound_paper ? shortest(*point.bound_paper) : "",
          shortest(point.estimated), shortest(point.attained), shortest(point.temperature)};
      if (named) fields.push_back(shortest(certificate.parameter_of(point.temperature)));
      const auto error = proved_error(point, certificate, report.cross_entropy);
      fields.emplace_back(certificate.vacuous(point) ? "true" : "false");
      fields.push_back(error ? shortest(*error) : "");
      fields.push_back(model.model);
      fields.emplace_back(!error ? "" : error_vacuous(error, report) ? "true" : "false");
      text += csv_line(fields);
    }
  }
  return text;
}

std::string json_report(const CertificateReport& report) {
  Json document = {{"command", "certify"}};
  add(document, report.models.front(), report);
  if (report.models.size() > 1) {
    document["models"] = Json::array();
    for (const auto& model : report.models) {
      Json one = Json::object();
      add(one, model, report);
      document["models"].push_back(one);
    }
  }
  document["loss_unit"] = report.loss_unit.empty() ? Json(nullptr) : Json(report.loss_unit);
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
