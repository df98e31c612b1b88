#pragma once
// What a run says of the strength of its method: how far it reaches, and what the data say of that.
#include "objective/method.h"

#include <string>

namespace arks::cli {

/// The drift that a user expects, in one line; empty for a method without a strength. `name` is the method's, `samples`
/// what they are called.
std::string expected_line(const std::string& name, const Method& method, const GuardReach& expected,
                          const std::string& samples);

/// The same of the distances between samples, in two lines: what the strength covers, and which ones make sense.
std::string advice_lines(const std::string& name, const Method& method, const GuardAdvice& advice,
                         const DatasetInfo& info);

}  // namespace arks::cli
