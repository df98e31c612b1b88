#pragma once
// The kinds of experiments, one source file each. A kind reads the settings, then runs its steps, then draws.
#include "study/study.h"

namespace arks::study {

/// Error or loss against the strength of an attack or a shift, for several methods over several seeds.
void study_curves(Study& study);

}  // namespace arks::study
