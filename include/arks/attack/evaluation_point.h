#pragma once
#include <cstdint>
#include <string>

namespace arks {

/// How one model did under one attack at one strength: the numbers a report is made of.
struct EvaluationPoint {
  std::string model;           ///< the model under test, as the user named it
  std::string attack;          ///< "fgsm", "pgd", "arks", "uniform", "scale"
  std::string norm;            ///< "linf", "l2", "sigma"; empty for a shift, which looks at no model
  double eps = 0;              ///< radius of the attack, bandwidth of its kernel, strength of the shift
  std::string source;          ///< the model the attack was crafted on; empty: the model itself (white-box)
  int64_t n = 0;               ///< samples; with repeats each counts once for every draw
  int64_t errors = 0;          ///< misclassified; −1 where a problem knows no right and wrong
  double error = 0;            ///< errors / n, a fraction
  double loss = 0;             ///< mean loss on the attacked samples
  double seconds = 0;          ///< crafting and evaluating; an attack for several models counts in equal parts
  int64_t zero_gradients = 0;  ///< samples whose input gradient was exactly zero: a sign of masked gradients

  /// One line for a person.
  std::string brief_report() const;
};

}  // namespace arks
