#include <arks/objective/trades.h>

#include "parity/training.h"

namespace arks {

TEST(TradesParity, FiveStepsOfTraining) {
  for (const auto& [name, beta] : {std::pair{"trades6", 6.0}, {"trades1", 1.0}}) {
    const auto options = TradesOptions().beta(beta).eps(0.1).bounds(Bounds{0, 1});
    testing::expect_same_training("trades_reference.pt", name,
                                  Trades(options, AscentOptions().steps(5).learning_rate(0.03)));
  }
}

}  // namespace arks
