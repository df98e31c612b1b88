#pragma once
#include <arks/support/error.h>

#include <string>

namespace arks {

/// "--sigma must be positive" → "sigma must be positive".
std::string without_dashes(std::string text);

/// What `make` makes, for a program: there settings have names, and only on a command line are they flags. So its
/// errors lose the dashes.
template <typename Make>
auto with_named_settings(const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    throw Error(without_dashes(error.what()));
  }
}

}  // namespace arks
