#pragma once
#include "inner/sample_cost.h"
#include "inner/sample_loss.h"

#include <arks/inner/maximizer.h>

#include <memory>
#include <vector>

namespace arks {

/// What is climbed and how, for a whole batch; and where the results go.
struct ClimbTask {
  InnerObjectivePtr objective;
  SampleCost cost;
  SampleLoss* loss = nullptr;
  AscentOptions ascent;

  int64_t numbers = 0, stride = 0, outputs = 0;  // of a sample in torch and on the plan; of a prediction
  torch::Tensor x, start;                        // [n,numbers] contiguous
  torch::Tensor low, high;                       // [n,numbers] contiguous, or undefined
  std::optional<double> l2_radius;
  torch::Tensor step_scale;  // [numbers] or undefined
  InnerResult result;        // tensors of the right size
};

/// Some samples on their way up, one to a slot: what their rule remembers, and the arithmetic of a step outside the
/// network. Slots are independent of each other, so threads may work on different ones.
class Climbers {
 public:
  Climbers(ClimbTask& task, int64_t slots);
  int64_t bytes() const { return static_cast<int64_t>(memory_.nbytes()); }

  /// Puts a sample into a slot, its start into u [stride].
  void begin(int64_t slot, int64_t sample, float* u);

  /// The network has answered `prediction` at u: keeps the iterate if it is the best, and says whether the sample goes
  /// on. Then `slope` [outputs] is ∂φ/∂prediction.
  bool judge(int64_t slot, const float* u, const float* prediction, bool first, float* slope);

  /// One step along ∇φ, of which `gradient` [stride] has the network's part; says whether the sample goes on.
  bool advance(int64_t slot, float* u, float* gradient, int64_t step);

  /// After the last step, without a look at what u is worth there: takes it over if it is finite.
  void take_unmeasured(int64_t slot, const float* u);

  /// The sample of slot `from` moves to slot `to`, whose own is done.
  void move(int64_t from, int64_t to);

 private:
  enum Row : int64_t { kOrigin, kLow, kHigh, kFirst, kSecond, kLargest, kRows };
  float* row(int64_t slot, Row which) { return data_ + (slot * kRows + which) * task_.stride; }
  void stop(int64_t slot, Termination why);
  void step_along(int64_t slot, float* u, const float* gradient, int64_t step);

  ClimbTask& task_;
  torch::Tensor memory_, scale_;
  float* data_;
  bool bounded_;
  struct State {
    int64_t sample = 0;
    double cost = 0, cost_slope = 0;
  };
  std::vector<State> states_;
};

}  // namespace arks
