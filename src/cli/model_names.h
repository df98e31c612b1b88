#pragma once
// What `arks evaluate` and `arks certify` share: how models are called, and what they run on.
#include "settings/setting.h"

#include <arks/data/dataset.h>
#include <arks/problem/supervised.h>

#include <string>
#include <vector>

namespace arks::cli {

/// --names "usual,robust"
Declaration<std::string> names_setting();

/// How models are called in tables, files and legends: by the names given, else as they were typed. Throws Error when
/// there are not as many names as models, or two are the same.
std::vector<std::string> shown_names(const std::vector<std::string>& typed, const std::string& given);

/// "runs/erm: engine: in evaluation mode the network runs on …", and for what reason not on a compiled plan.
std::string engine_line(const std::string& name, const SupervisedProblem& problem, const DatasetInfo& info,
                        bool training = false);

}  // namespace arks::cli
