#include <arks/objective/mart.h>

#include "parity/training.h"

namespace arks {

TEST(MartParity, FiveStepsOfTraining) {
  for (const auto& [name, beta] : {std::pair{"mart5", 5.0}, {"mart0", 0.0}}) {
    const auto options = MartOptions().beta(beta).eps(0.1).bounds(Bounds{0, 1});
    testing::expect_same_training("mart_reference.pt", name,
                                  Mart(options, AscentOptions().steps(5).learning_rate(0.03)));
  }
}

}  // namespace arks
