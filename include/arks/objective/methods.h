#pragma once
#include <arks/data/dataset.h>
#include <arks/objective/objective.h>
#include <arks/settings/setting_values.h>

#include <memory>
#include <string>
#include <vector>

namespace arks {

/// The names after --method.
std::vector<std::string> method_names();

/// A method by its name, with settings as `arks train` has them: make_objective("arks", {{"sigma", "0.5"}}, train_set).
/// What is not given takes the paper's value for a data set of the paper, and otherwise what the tool takes for the
/// user's own table or images; how strong the method is must then be said. Throws Error for a method or a setting that
/// does not exist, naming the nearest, for a setting that the method does not use, and for a value that cannot be
/// meant.
std::unique_ptr<Objective> make_objective(const std::string& method, const SettingValues& settings,
                                          const Dataset& train_set);

}  // namespace arks
