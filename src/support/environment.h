#pragma once
// What environment variables say.
#include <filesystem>
#include <string>

namespace arks {

/// The value of an environment variable; empty when it is not set.
std::string environment_variable(const char* name);

/// The user's own folder for files of one kind: $`variable`/arks, else $HOME/`below_home`/arks. A relative path in the
/// variable is ignored, as the XDG Base Directory Specification has it. Empty when the user has no home.
std::filesystem::path user_folder(const char* variable, const std::filesystem::path& below_home);

}  // namespace arks
