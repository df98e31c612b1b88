#include "attack/drift_reach.h"

#include "attack/drift_text.h"
#include "support/testing.h"

#include <cmath>

namespace arks {

using testing::expect_error;

class DriftReach : public ::testing::Test {
 protected:
  DriftReach() {
    // raw values of mean 10 and deviation 2, of mean 100 and deviation 50
    info_.name = "made up";
    info_.num_classes = 2;
    info_.features = {{"t", "t", true, false}, {"p", "p", true, false}, {"site=A", "site", false, false}};
    info_.input_mean = torch::tensor({10.0, 100.0, 0.5}, torch::kDouble);
    info_.input_deviation = torch::tensor({2.0, 50.0, 0.5}, torch::kDouble);
  }
  GuardReach reach(const std::string& terms) const {
    const auto x = torch::tensor({{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}, {-1.0, 1.0, 1.0}, {1.0, -1.0, -1.0}});
    const TensorDataset set(x, torch::tensor({0, 1, 0, 1}, torch::kLong), info_);
    return drift_reach(drift_options(parse_drifts(terms, info_.features, "--expect"), info_), set, "--expect");
  }
  DatasetInfo info_;
};

TEST_F(DriftReach, IsTheEuclideanLengthOnTheScaleOfTheSamples) {
  EXPECT_NEAR(reach("t+4").length, 2, 1e-12);
  EXPECT_NEAR(reach("t-4").length, 2, 1e-12);
  EXPECT_NEAR(reach("t±3").length, 1.5, 1e-12);
  EXPECT_NEAR(reach("t~3").length, 1.5, 1e-12);
  // of a row: 0.1·x/50 with a mean square of (100² + 50²)/50²
  EXPECT_NEAR(reach("p*1.1").length, 0.1 * std::sqrt(12500.0) / 50, 1e-12);
  const auto both = reach("t±3, p+100");
  EXPECT_NEAR(both.length, std::sqrt(1.5 * 1.5 + 2 * 2), 1e-12);
  EXPECT_NEAR(both.single, 2, 1e-12);
  EXPECT_NEAR(both.blind_loss, std::log(2), 1e-12);
  EXPECT_NEAR(reach("t+4, t±2, t~4").length, std::sqrt(3.0 * 3 + 2 * 2), 1e-12);
}

TEST_F(DriftReach, RefusesNoDrift) {
  expect_error([&] { reach("t+0"); }, "--expect: the drift moves nothing");
  expect_error([&] { reach("site+1"); }, "holds names");
  expect_error([&] { reach("q+1"); }, "cannot read 'q+1'");
}

}  // namespace arks
