#pragma once
#include <functional>
#include <string>
#include <vector>

#include "study/step.h"

namespace arks::study {

/// The keys in "@{KEY}" of the command, without "@{root}" and "@{here}".
std::vector<std::string> needed_keys(const Step& step);

/// Runs one step and says how it went; in step.json too. Training that was begun goes on from its checkpoint. Throws
/// RunError when the store cannot be written.
StepOutcome run_step(const StepStore& store, const Step& step, const std::string& tool,
                     const std::function<bool()>& stop_requested);

}  // namespace arks::study
