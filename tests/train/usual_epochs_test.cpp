#include "train/usual_epochs.h"

#include "support/testing.h"

namespace arks {

TEST(UsualEpochs, ABatchIsAPowerOfTwoWithSixteenStepsInAnEpoch) {
  EXPECT_EQ(usual_batch_size(10, 256), 16);
  EXPECT_EQ(usual_batch_size(511, 256), 16);
  EXPECT_EQ(usual_batch_size(512, 256), 32);
  EXPECT_EQ(usual_batch_size(1000, 256), 32);
  EXPECT_EQ(usual_batch_size(4096, 256), 256);
  EXPECT_EQ(usual_batch_size(1000000, 256), 256);
  EXPECT_EQ(usual_batch_size(97, 256), 64) << "a single one would be left over, of 16 as of 32";
  EXPECT_EQ(usual_batch_size(257, 256), 16) << "of all";
}

TEST(UsualEpochs, PatienceIsFiveHundredStepsWithinLimits) {
  EXPECT_EQ(usual_patience(102, 2), 9) << "51 steps an epoch";
  EXPECT_EQ(usual_patience(101, 2), 9) << "the last batch is smaller";
  EXPECT_EQ(usual_patience(30, 256), 100) << "an epoch is a step";
  EXPECT_EQ(usual_patience(1000000, 100), 5);
}

TEST(UsualEpochs, WithoutAValidationPartThereAreAboutAHundredSteps) {
  EXPECT_EQ(usual_epochs(30, 256, 1000), 100);
  EXPECT_EQ(usual_epochs(30, 10, 1000), 33);
  EXPECT_EQ(usual_epochs(30, 1, 1000), 5);
  EXPECT_EQ(usual_epochs(30, 256, 20), 20) << "no more than are published";
}

}  // namespace arks
