#pragma once
// The figures and tables of the paper, one TOML file each (experiments/ at the root, compiled in).
#include <string>
#include <vector>

#include "study/settings.h"

namespace arks::study {

/// "smoke", "laptop", "paper".
std::vector<std::string> scale_names();

/// One experiment as its file describes it:
///   kind     what is computed (study.cpp has the table)
///   shows    one sentence
///   paper    where the paper has it
///   data     data sets that it needs
///   [scale.smoke], [scale.laptop], [scale.paper]   `takes` ("9 min") and whatever is different at that scale: keys and
///            tables there stand in place of those outside
struct Experiment {
  std::string id, toml, kind, shows, paper;
  std::vector<std::string> data;
  std::vector<std::string> takes;  ///< of each scale, in the order of scale_names()
  Settings settings;               ///< all of it, for the chosen scale
};

/// In the order of the paper, ours at the end.
std::vector<std::string> experiment_ids();

/// The built-in text of an experiment. Throws Error with the nearest id and the list for one that is not known.
std::string experiment_toml(const std::string& id);

/// Reads a TOML text for one scale. `what` is the file, for errors.
Experiment read_experiment(const std::string& id, const std::string& toml, const std::string& what,
                           const std::string& scale);

}  // namespace arks::study
