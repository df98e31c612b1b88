#include <arks/objective/fast.h>

#include "parity/training.h"

namespace arks {

TEST(FastTrainingParity, FiveStepsOfTraining) {
  testing::expect_same_training("fast_reference.pt", "fast", FastTraining(FastOptions().eps(0.1).bounds(Bounds{0, 1})));
}

}  // namespace arks
