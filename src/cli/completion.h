#pragma once
// Shell completion, made of what --help says: there is no second list of flags that could fall behind.
#include "cli/flags.h"

#include <string>
#include <vector>

namespace arks::cli {

/// The words that a help text offers as values: those beside the bars of "sgd | adam | amsgrad", without what stands in
/// brackets behind them. Empty when there are no bars.
std::vector<std::string> offered_values(const std::string& help);

/// A completion script for the shell, "bash", "zsh" or "fish". Throws Error for another one.
std::string completion_script(const std::string& shell, const std::vector<CommandDescription>& commands);

std::vector<std::string> shell_names();

}  // namespace arks::cli
