#pragma once
// Shell completion, made of what commands declare: there is no second list of flags that could fall behind.
#include "cli/flags.h"

#include <string>
#include <vector>

namespace arks::cli {

/// A completion script for the shell, "bash", "zsh" or "fish". Throws Error for another one.
std::string completion_script(const std::string& shell, const std::vector<CommandDescription>& commands);

std::vector<std::string> shell_names();

}  // namespace arks::cli
