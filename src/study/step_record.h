#pragma once
// What the store and the runner of steps share.
#include <string>

#include "study/step.h"

namespace arks::study {

/// It trains a model, so that its result is a run folder and it can go on from a checkpoint.
bool is_training(const Step& step);

/// Writes step.json, which says how the step stands. Throws RunError when the disk does not take it.
void write_record(const StepStore& store, const Step& step, const StepOutcome& outcome);

}  // namespace arks::study
