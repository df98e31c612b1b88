#include "attack/answers.h"

#include "attack/samples.h"

#include <cmath>

namespace arks {

using testing::classes;
using testing::small_problem;
using testing::unit_inputs;

namespace {

/// What is found on these inputs, a repeat each.
EvaluationPoint found_on(const std::vector<torch::Tensor>& repeats) {
  auto problem = small_problem();
  DatasetInfo info;
  info.num_classes = 3;
  Answers answers(problem, info);
  for (const auto& inputs : repeats) {
    answers.add(inputs, {inputs, classes(inputs.size(0))});
    answers.end_repeat();
  }
  EvaluationPoint point;
  point.repeats = static_cast<int64_t>(repeats.size());
  answers.finish(point);
  return point;
}

}  // namespace

TEST(Answers, AreMeansOverTheRepeats) {
  const auto x = unit_inputs(30, 8, 3), z = unit_inputs(30, 8, 4);
  const auto one = found_on({x}), two = found_on({z}), both = found_on({x, z});
  EXPECT_NEAR(*both.classification->auc, (*one.classification->auc + *two.classification->auc) / 2, 1e-12);
  EXPECT_NEAR(both.loss, (one.loss + two.loss) / 2, 1e-12);
  EXPECT_EQ(both.n, 30);
}

/// The sum over the draws that have one, divided by all of them, would be a curve of half the area.
TEST(Answers, HaveNoAreaWhereADrawHasNone) {
  const auto x = unit_inputs(30, 8, 3);
  auto lost = x.clone();
  lost[7][0] = std::nan("");
  ASSERT_TRUE(found_on({x}).classification->auc);
  EXPECT_FALSE(found_on({x, lost}).classification->auc);
  EXPECT_FALSE(found_on({lost, x}).classification->auc);
  EXPECT_FALSE(found_on({x, lost, x}).classification->auc);
}

}  // namespace arks
