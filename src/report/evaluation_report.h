#pragma once
#include <arks/attack/evaluation_point.h>
#include <arks/settings/setting_values.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace arks {

/// What `arks evaluate` found, and what is needed to find it again.
struct EvaluationReport {
  std::vector<EvaluationPoint> points;
  std::vector<std::pair<std::string, ConfigValue>> config;  ///< every option with its value, in the order to print
  uint64_t seed = 0;
  double wall_seconds = 0;
  std::string command;     ///< "evaluate"
  bool show_loss = false;  ///< the table shows the mean loss instead of the error
};

/// For the eye: one row per eps, one column per model, attack and source, the error in percent; the mean loss where a
/// problem knows no right and wrong or show_loss asks for it, and beside the error when there is only one model. Of two
/// points in the same place the last is shown. Below the table a warning for each point with gradients that are exactly
/// zero, since such an attack did not move those samples and its error is a lower bound only.
std::string console_report(const EvaluationReport& report);

/// For a spreadsheet, RFC 4180 (lines end with CR LF), one line per point:
///   model,attack,norm,eps,source,n,errors,error,loss,seconds,zero_gradients
/// The error is a fraction, numbers read back as the same double; errors and error are empty where errors = −1, source
/// is empty for white-box, norm and source for a shift.
std::string csv_report(const EvaluationReport& report);

/// For a program, one document:
///   {command, points: [{model, attack, norm, eps, source, n, errors, error, loss, seconds, zero_gradients}],
///    config: {name: value}, seed, versions: {arks, libtorch}, wall_seconds}
/// The error is a fraction. null stands for: source of a white-box attack, norm and source of a shift, errors and error
/// where errors = −1, and any number that is not finite, for which JSON has no word.
std::string json_report(const EvaluationReport& report);

}  // namespace arks
