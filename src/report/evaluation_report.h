#pragma once
#include <arks/attack/evaluate.h>
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
  std::string command;                                 ///< "evaluate"
  bool show_loss = false;                              ///< the table shows the mean loss instead of the error
  std::vector<ModelComparison> comparisons;            ///< of models on the same rows
  std::string eps_unit;                                ///< what eps counts; empty: not said
  std::string loss_unit;                               ///< what the loss counts, see loss_unit(); empty: not said
  std::string shift;                                   ///< what was understood: "drift: temperature +2.5"; or empty
  std::string samples = "samples";                     ///< what they are called: "rows", "images"
  bool details = false;                                ///< all metrics and confusion matrices, however long
  std::vector<std::string> class_names, target_names;  ///< empty: numbers stand for them
};

/// For the eye: one row per eps, one column per model, attack and source (and test set, where points name one), the
/// error in percent with its 95 % interval; the mean loss where a problem knows no right and wrong or show_loss asks
/// for it, and beside the error when there is only one model. Of two points in the same place the last is shown. Below
/// the table the first model against each other one, on the same rows; balanced accuracy and AUC, or MAE and R², when
/// that is short or details are asked for; with details confusion matrices, as means over the draws; and last a warning
/// for each point with gradients that are exactly zero, since such an attack did not move those samples and its error
/// is a lower bound only.
std::string console_report(const EvaluationReport& report);

/// For a spreadsheet, RFC 4180 (lines end with CR LF), one line per point:
///   model,attack,norm,eps,source,n,errors,error,loss,seconds,zero_gradients,data,repeats,error_low,error_high,
///   loss_standard_error,balanced_accuracy,auc,mae,r2,difference,difference_low,difference_high,p_value,
///   groups
/// n counts rows, errors are of n: with several draws of each row they are the mean over the draws. zero_gradients are
/// of all n·repeats. Several targets have each their own mae:NAME and r2:NAME instead of mae and r2, since their units
/// differ. Differences are those of the error (of the loss where there are no errors) to the first model, and empty for
/// the first. groups are those of rows that belong together, 0 where there are none. The error is a fraction, numbers
/// read back as the same double; errors and error are empty where errors = −1, source is empty for white-box, norm and
/// source for a shift.
std::string csv_report(const EvaluationReport& report);

/// For a program, one document:
///   {command, points: [{model, attack, norm, eps, source, n, errors, error, loss, seconds, zero_gradients, data,
///    repeats, groups, error_low, error_high, loss_standard_error, confusion, balanced_accuracy, auc | mae, r2}],
///    comparisons: [{first, second, attack, source, data, eps, quantity, test, difference, low, high, p_value}],
///    eps_unit, loss_unit, shift, config: {name: value}, seed, versions: {arks, libtorch}, wall_seconds}
/// errors and the cells of confusion are of n rows: with several draws of each row they are means over the draws and
/// may be no whole numbers. The error is a fraction. null stands for: source of a white-box attack, norm and source of
/// a shift, errors and error where errors = −1, units and shifts that are not said, and any number that is not finite,
/// for which JSON has no word.
std::string json_report(const EvaluationReport& report);

}  // namespace arks
