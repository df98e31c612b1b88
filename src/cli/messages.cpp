#include "cli/messages.h"

#include <iostream>

namespace arks::cli {

void warn_of(const std::string& sentence) {
  std::cerr << "arks: warning: " << sentence << "\n";
}

void note_of(const std::string& sentence) {
  std::cerr << "arks: note: " << sentence << "\n";
}

}  // namespace arks::cli
