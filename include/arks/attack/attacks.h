#pragma once
#include <arks/attack/attack.h>
#include <arks/data/dataset.h>
#include <arks/settings/setting_values.h>

#include <memory>
#include <string>
#include <vector>

namespace arks {

/// The names after --attack.
std::vector<std::string> attack_names();

/// An attack by its name, of this strength, with settings as `arks evaluate` has them:
///   make_attack("pgd", 0.1, {{"steps", "50"}, {"restarts", "3"}}, test_set).
/// What is not given takes the paper's value for the data set. Throws Error for an attack or a setting that does not
/// exist, naming the nearest, and for a value that cannot be meant.
std::unique_ptr<Attack> make_attack(const std::string& attack, double eps, const SettingValues& settings,
                                    const Dataset& samples);

}  // namespace arks
