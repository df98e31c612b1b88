#include <arks/objective/awp.h>

#include "parity/training.h"

namespace arks {

TEST(AwpParity, FiveStepsOfPgdTraining) {
  const auto pgd = std::make_shared<PgdTraining>(PgdTrainingOptions().eps(0.1).bounds(Bounds{0, 1}),
                                                 AscentOptions().steps(5).learning_rate(0.03));
  testing::expect_same_training("awp_reference.pt", "awp", Awp(pgd));
}

}  // namespace arks
