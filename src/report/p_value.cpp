#include "report/p_value.h"

#include "support/text.h"

#include <fmt/format.h>

namespace arks {

namespace {

constexpr double kLeastShown = 1e-4;

}  // namespace

std::string p_value_text(double p_value) {
  return p_value < kLeastShown ? "< 0.0001" : fmt::format("{:.4f}", without_sign_of_nan(p_value));
}

std::string p_value_phrase(double p_value) {
  return (p_value < kLeastShown ? "p " : "p = ") + p_value_text(p_value);
}

}  // namespace arks
