// What a plan promises those who run it on several threads.
#include "engine/plan.h"

#include "support/testing.h"

namespace arks {

using namespace engine;

namespace {

void expect_apart(const Model& model, std::vector<int64_t> sample) {
  const auto plan = compile(graph_of(model), sample, Purpose::kTraining);
  constexpr int64_t kRun = 4;
  auto arena = plan->arena(2 * kRun, 2 * kRun);
  const auto one = plan->pass(arena, 0, kRun, 0, nullptr), two = plan->pass(arena, kRun, kRun, kRun, nullptr);
  const auto& values = *one.values;
  int64_t shared = 0;
  for (size_t v = 0; v < values.size(); ++v) {
    for (size_t w = 0; w < values.size(); ++w) {
      if (values[v].slot < 0 || values[w].slot < 0) continue;
      const float *const a = one.gradient(v), *const b = two.gradient(w);
      EXPECT_TRUE(a + kRun * values[v].size <= b || b + kRun * values[w].size <= a) << "values " << v << " and " << w;
      if (v != w && values[v].slot == values[w].slot) ++shared;
    }
  }
  EXPECT_GT(shared, 0);
}

}  // namespace

TEST(EnginePlan, RunsOfImagesNeverShareMemoryForGradients) {
  // at different operations at the same time, too
  expect_apart(FashionCnn(), {1, 28, 28});
  expect_apart(CelebaCnn(), {3, 64, 48});
  expect_apart(ResNet20(), {3, 32, 32});
}

}  // namespace arks
