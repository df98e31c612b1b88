#include "environment.h"

#include <cstdlib>

namespace arks {

namespace fs = std::filesystem;

std::string environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path user_folder(const char* variable, const fs::path& below_home) {
  const fs::path chosen = environment_variable(variable), home = environment_variable("HOME");
  if (chosen.is_absolute()) return chosen / "arks";
  return home.empty() ? fs::path() : home / below_home / "arks";
}

}  // namespace arks
