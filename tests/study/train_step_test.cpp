#include "study/train_step.h"

#include "support/testing.h"

namespace arks {

namespace {

double cost_of(study::FlagValues flags) {
  return study::make_train_step(std::move(flags), 0, "", {"fashion-mnist", "arks", "pgd"}).cost;
}

}  // namespace

TEST(TrainStep, CostsThePassesOfItsMethod) {
  EXPECT_EQ(cost_of({{"method", "erm"}}), 1);
  EXPECT_EQ(cost_of({{"method", "ki"}, {"epochs", "3"}}), 3);
  EXPECT_EQ(cost_of({}), 1 + 15);
  EXPECT_EQ(cost_of({{"method", "wrm"}, {"inner-steps", "5"}, {"epochs", "2"}}), 2 * (1 + 5));
  EXPECT_EQ(cost_of({{"method", "pgd"}}), 1 + 15);
  EXPECT_EQ(cost_of({{"method", "trades"}}), 2 + 40);
  EXPECT_EQ(cost_of({{"method", "mart"}, {"data", "cifar10"}}), 2 + 10);
  EXPECT_EQ(cost_of({{"method", "ro"}, {"domain", "0,1"}, {"inner-restarts", "2"}}), 1 + 2 * 15);
  EXPECT_EQ(cost_of({{"method", "fast"}}), 2.5);
  EXPECT_EQ(cost_of({{"method", "free"}, {"replays", "4"}, {"epochs", "2"}}), 2 * 4);
  EXPECT_EQ(cost_of({{"method", "erm"}, {"awp-gamma", "0.01"}}), 2);
}

TEST(TrainStep, HasACostAlsoWhereTheFlagsAreWrong) {
  EXPECT_EQ(cost_of({{"method", "ke"}, {"epochs", "4"}}), 4) << "no domain";
  EXPECT_EQ(cost_of({{"method", "arks"}, {"sigma", "wide"}}), 1);
}

}  // namespace arks
