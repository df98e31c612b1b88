#pragma once
#include <arks/metric/classification.h>
#include <arks/metric/intervals.h>
#include <arks/metric/regression.h>

#include <cstdint>
#include <optional>
#include <string>

namespace arks {

/// How one model did under one attack at one strength: the numbers a report is made of.
struct EvaluationPoint {
  std::string model;    ///< the model under test, as the user named it
  std::string attack;   ///< as after --attack: "pgd", "arks", "scale", "drift"
  std::string norm;     ///< "linf", "l2", "sigma"; empty for a shift, which looks at no model
  double eps = 0;       ///< radius of the attack, bandwidth of its kernel, strength of the shift
  std::string source;   ///< the model the attack was crafted on; empty: the model itself (white-box)
  std::string data;     ///< which test set, where there are several; else empty
  int64_t n = 0;        ///< rows: samples of the test set, however often each was drawn
  int64_t repeats = 1;  ///< draws of each row
  int64_t groups = 0;   ///< of rows that belong together, over which intervals and tests are then; 0: none
  int64_t errors = 0;   ///< misclassified, of n·repeats; −1 where a problem knows no right and wrong
  double error = 0;     ///< errors / (n·repeats), a fraction
  double loss = 0;      ///< mean loss on the attacked samples
  std::optional<Interval> error_interval;               ///< 95 %, over rows; none where there are no errors to count
  std::optional<double> loss_standard_error;            ///< over rows; none for a single one
  std::optional<ClassificationMetrics> classification;  ///< of predicted classes; confusion counts all draws
  std::optional<RegressionMetrics> regression;          ///< of predicted numbers
  double seconds = 0;          ///< crafting and evaluating; an attack for several models counts in equal parts
  int64_t zero_gradients = 0;  ///< draws whose input gradient was exactly zero: a sign of masked gradients

  torch::Tensor row_errors, row_losses;  ///< [n] means over the draws of each row, to compare models with
  torch::Tensor row_groups;              ///< [n] int64, where rows belong together

  /// One line for a person; `samples` is what they are called.
  std::string brief_report(const std::string& samples = "samples") const;
};

}  // namespace arks
