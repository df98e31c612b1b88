#pragma once
// What a run says of the strength of its method: how far it reaches, and what the data say of that.
#include "data/guard_advice.h"
#include "objective/method.h"

#include <string>

namespace arks::cli {

/// The setting that says how far the method reaches: --sigma, --eps or --gamma; null for a method without one, and for
/// kernels and costs whose strength is another one.
const AnySetting* strength_of(const Method& method);

/// The drift that a user expects, in one line; empty for a method without a strength. `samples` is what they are
/// called.
std::string expected_line(const Method& method, const GuardReach& expected, const std::string& samples);

/// The same of the distances between samples. What says more depends on whether they are images.
std::string advice_line(const Method& method, const GuardAdvice& advice, const std::string& samples);

}  // namespace arks::cli
