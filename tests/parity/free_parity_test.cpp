#include <arks/objective/free.h>

#include "parity/training.h"

namespace arks {

TEST(FreeTrainingParity, FiveBatchesOfTraining) {
  for (const int64_t replays : {4, 1}) {
    testing::expect_same_training("free_reference.pt", c10::str("free", replays),
                                  FreeTraining(FreeOptions().replays(replays).eps(0.1).bounds(Bounds{0, 1})));
  }
}

}  // namespace arks
