#pragma once
// Lines on standard error that --quiet does not hide.
#include <string>

namespace arks::cli {

/// "arks: warning: …": what changes the meaning of a number.
void warn_of(const std::string& sentence);

/// "arks: note: …": what was found in the user's files and decides what is computed.
void note_of(const std::string& sentence);

}  // namespace arks::cli
