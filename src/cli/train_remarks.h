#pragma once
#include <string>
#include <vector>

namespace arks::cli {

/// What there is to say of what a run trains, and on what.
struct TrainRemarks {
  std::vector<std::string> warnings;
  std::vector<std::string> findings;  // in the user's data, that decide what is computed
  std::vector<std::string> notes;
  std::vector<std::string> published;  // values that were filled in
};

}  // namespace arks::cli
