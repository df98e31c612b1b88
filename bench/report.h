#pragma once
#include "elsewhere.h"
#include "scaling_workload.h"
#include "suite.h"

#include <iosfwd>
#include <nlohmann/json.hpp>

namespace arks::bench {

/// The comparisons for a person; what was filtered away is left out. Times are medians over the rounds, ratios medians
/// of the rounds' ratios. Below it what is no comparison, and the table of Scaling.
void print_report(std::ostream& out, const Suite& suite, const Scaling& scaling, const Elsewhere& elsewhere);

/// All of it with machine, date and versions.
nlohmann::json to_json(const Suite& suite, const Scaling& scaling, const Elsewhere& elsewhere);

}  // namespace arks::bench
