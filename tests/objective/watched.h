#pragma once
// A method that watches its epochs, on a problem where the accuracy under attack is known.
#include "objective/samples.h"

namespace arks::testing {

/// An epoch of some batches that are all the same.
inline TrainedEpoch epoch_of(const Batch& batch, int64_t batches = 1) {
  return {batches, [batch](int64_t) { return batch; }};
}

/// z = (w·u, 0): class 0 right of the origin, class 1 left of it.
inline SupervisedProblem line(const torch::Tensor& w) {
  return {{[w](const torch::Tensor& u) {
             const auto z = u.matmul(w);
             return torch::stack({z, torch::zeros_like(z)}, 1);
           },
           {w}},
          CrossEntropy()};
}

/// One feature, classes on both sides of the origin: with w > 0 and eps 0.5 4 of 6 withstand, with w < 0 none.
class Line {
 public:
  Batch batch{torch::tensor({{1.0}, {2.0}, {0.4}, {-1.0}, {-2.0}, {-0.4}}, torch::kDouble),
              torch::tensor({0, 0, 0, 1, 1, 1})};

 private:
  torch::Tensor w_ = torch::ones({1}, torch::kDouble).set_requires_grad(true);

 public:
  SupervisedProblem problem = line(w_);

  void set(double w) {
    torch::NoGradGuard no_grad;
    w_.fill_(w);
  }
};

/// FGSM-RS with eps 0.5, or what stands on top of it: goes on while the accuracy stays and ends when it falls.
inline void expect_watches(const Objective& objective) {
  Line toy;
  const auto majorant = objective.bind(toy.problem);
  auto generator = make_generator(0, Stream::kObjective);
  ASSERT_TRUE(majorant->watches());
  EXPECT_TRUE(majorant->state().empty());
  const auto first = majorant->after_epoch(epoch_of(toy.batch), generator);
  EXPECT_EQ(first.taken_back, "");
  ASSERT_TRUE(first.accuracy.has_value());
  EXPECT_NEAR(*first.accuracy, 4.0 / 6, 1e-15);
  ASSERT_EQ(majorant->state().size(), 1U);
  EXPECT_NEAR(majorant->state()[0].second.item<double>(), 4.0 / 6, 1e-15);
  toy.set(2);  // as good as before
  EXPECT_EQ(majorant->after_epoch(epoch_of(toy.batch), generator).taken_back, "");
  toy.set(-1);  // all wrong
  const auto last = majorant->after_epoch(epoch_of(toy.batch), generator);
  EXPECT_EQ(last.accuracy, 0.0);
  EXPECT_EQ(last.taken_back,
            "catastrophic overfitting, the accuracy under PGD with 10 steps fell from 66.67 % to 0.00 %, "
            "by more than 20 points");
  EXPECT_NEAR(majorant->state()[0].second.item<double>(), 4.0 / 6, 1e-15) << "the best so far stays";

  // without an epoch before there is nothing to fall from
  EXPECT_EQ(objective.bind(toy.problem)->after_epoch(epoch_of(toy.batch), generator).taken_back, "");
}

}  // namespace arks::testing
