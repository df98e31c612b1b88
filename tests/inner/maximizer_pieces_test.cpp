// A large batch goes through the problem in pieces; nobody can tell from the result.
#include "support/testing.h"

namespace arks {

using testing::identical;
using testing::max_difference;
using testing::normal;

namespace {

/// Large enough to be cut, and not into equal pieces.
constexpr int64_t kSamples = 101, kInputs = 2048;

/// A squared distance from y per sample, smooth and curved, and the largest batch it was asked for.
class Curved : public Problem {
 public:
  torch::Tensor per_sample_loss(const torch::Tensor& u, const torch::Tensor& y) override {
    largest = std::max(largest, u.size(0));
    return (u - y.unsqueeze(1)).pow(2).mean(1) + 1;
  }
  std::vector<torch::Tensor> parameters() override { return {}; }
  int64_t largest = 0;
};

InnerResult maximize(Problem& problem, const AscentOptions& ascent, const torch::Tensor& x, const torch::Tensor& y,
                     const torch::Tensor& start = {}) {
  return make_maximizer(problem, std::make_shared<KernelProduct>(5.0), make_cost("half-sq-l2"), ascent,
                        std::make_shared<Unconstrained>())
      ->maximize(x, y, start);
}

}  // namespace

TEST(MaximizerPieces, ASampleGetsWhatItGetsAlone) {
  const auto x = normal({kSamples, kInputs}), y = normal({kSamples}, 2),
             start = x + 0.1 * normal({kSamples, kInputs}, 3);
  Curved problem;
  const auto whole = maximize(problem, AscentOptions(), x, y, start);
  EXPECT_LT(problem.largest, kSamples);
  ASSERT_EQ(whole.u.sizes(), x.sizes());
  EXPECT_FALSE(whole.start_wrong.defined());
  for (const int64_t i : {int64_t{0}, int64_t{33}, int64_t{34}, int64_t{67}, kSamples - 1}) {
    const auto alone =
        maximize(problem, AscentOptions(), x.slice(0, i, i + 1), y.slice(0, i, i + 1), start.slice(0, i, i + 1));
    EXPECT_LT(max_difference(whole.u[i], alone.u[0]), 1e-12) << i;
    EXPECT_LT(max_difference(whole.values[i], alone.values[0]), 1e-12) << i;
    EXPECT_LT(max_difference(whole.losses[i], alone.losses[0]), 1e-12) << i;
    EXPECT_LT(max_difference(whole.costs[i], alone.costs[0]), 1e-12) << i;
    EXPECT_LT(max_difference(whole.start_losses[i], alone.start_losses[0]), 1e-12) << i;
  }
}

TEST(MaximizerPieces, TerminationsKeepTheirPlace) {
  auto x = normal({kSamples, kInputs});
  const auto y = normal({kSamples}, 2);
  x[3].fill_(y[3].item<double>());  // at the minimum the gradient is zero
  x[80][7] = std::numeric_limits<double>::quiet_NaN();
  Curved problem;
  const auto result = maximize(problem, AscentOptions().steps(2), x, y);
  ASSERT_EQ(result.terminations.size(), static_cast<size_t>(kSamples));
  EXPECT_EQ(result.terminations[3], Termination::kZeroGradient);
  EXPECT_EQ(result.terminations[80], Termination::kNotFinite);
  EXPECT_EQ(result.count(Termination::kStepLimit), kSamples - 2);
}

TEST(MaximizerPieces, AreTheSameBitsEveryTime) {
  const auto x = normal({kSamples, kInputs}), y = normal({kSamples}, 2);
  Curved problem;
  EXPECT_TRUE(identical(maximize(problem, AscentOptions(), x, y).u, maximize(problem, AscentOptions(), x, y).u));
}

TEST(MaximizerPieces, TrainingModeSeesTheWholeBatch) {
  Curved problem;
  maximize(problem, AscentOptions().steps(1).mode(InnerMode::kTrain), normal({kSamples, kInputs}),
           normal({kSamples}, 2));
  EXPECT_EQ(problem.largest, kSamples);
}

TEST(MaximizerPieces, SmallSamplesStayTogether) {
  Curved problem;
  maximize(problem, AscentOptions().steps(1), normal({kSamples, 4}), normal({kSamples}, 2));
  EXPECT_EQ(problem.largest, kSamples);
}

}  // namespace arks
