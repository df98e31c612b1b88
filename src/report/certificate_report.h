#pragma once
#include "report/evaluation_report.h"

#include <arks/certify/certificate.h>
#include <arks/certify/convexity.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace arks {

/// What was found for one model.
struct CertifiedModel {
  std::string model;
  std::optional<Certificate> certificate;
  std::optional<ConvexityReport> convexity;
};

/// What `arks certify` found, and what is needed to find it again.
struct CertificateReport {
  std::vector<CertifiedModel> models;    ///< at least one
  std::string samples = "samples";       ///< what they are called: "rows", "images"
  bool cross_entropy = false;            ///< the loss is a cross entropy, so that its mean bounds the error
  std::optional<double> constant_error;  ///< of naming the most frequent class whatever the sample
  std::string loss_unit;  ///< of the loss, where it is what is bounded; empty where nothing is said of it
  std::vector<std::pair<std::string, ConfigValue>> config;  ///< every option with its value, in the order to print
  uint64_t seed = 0;
  double wall_seconds = 0;
};

/// For the eye: the constants, then a row for each rho with the bound, the paper's form of it (ln l only), the
/// estimate, the value that is attained and the σ or γ of the bound; what is proved of the error (cross entropy as loss
/// only); what the convexity check found. Of several models bound, bound of the error and attained value side by side.
/// A bound that says nothing is marked "(vacuous)".
std::string console_report(const CertificateReport& report);

/// For a spreadsheet, RFC 4180, one line per rho:
///   rho,bound,bound_paper,estimated,attained,temperature,sigma|gamma,vacuous,error_bound,model,error_vacuous
/// vacuous is of the bound of the loss, error_vacuous of that of the error. bound_paper is empty where there is none.
std::string csv_report(const CertificateReport& report);

/// For a program, one document:
///   {command, model, method, quantity, cost, label, delta, floor, cap, samples, lipschitz, curvature,
///    curve: [{rho, bound, bound_paper, estimated, attained, temperature, sigma|gamma, vacuous, error_bound,
///    error_vacuous}], attained: [{rho, value}],
///    constant, constant_error, convexity: {lipschitz, curvature, largest_temperature, largest_sigma, agreements:
///    [{temperature, values, maximisers}]}, loss_unit, config, seed, versions, wall_seconds}
/// `constant` is the mean quantity of predicting the same for every sample, and `constant_error` the error of it:
/// bounds that are not below are vacuous. Of several models these are of the first, and `models` lists the same of
/// each. error_bound is null where nothing is proved of the error. The certificate's keys or `convexity` are missing
/// when it was not asked for. null stands for what there is not and for numbers that are not finite.
std::string json_report(const CertificateReport& report);

}  // namespace arks
