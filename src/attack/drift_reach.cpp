#include "attack/drift_reach.h"

#include "support/samples.h"

#include <arks/support/error.h>

#include <algorithm>
#include <vector>

namespace arks {

GuardReach drift_reach(const DriftOptions& drift, const Dataset& samples, const std::string& what) {
  constexpr int64_t kAtOnce = 1 << 16;
  auto sum = torch::zeros_like(drift.offset()), squares = torch::zeros_like(sum);
  std::vector<torch::Tensor> targets;
  for (int64_t begin = 0; begin < samples.size(); begin += kAtOnce) {
    const auto batch = samples.get(torch::arange(begin, std::min(begin + kAtOnce, samples.size()), torch::kLong));
    const auto x = rows(batch.inputs.to(torch::kDouble));
    sum += x.sum(0);
    squares += (x * x).sum(0);
    targets.push_back(batch.targets);
  }
  const auto count = static_cast<double>(samples.size());
  const auto slope = drift.factor() - 1;
  const auto shifted =
      slope * slope * squares / count + 2 * slope * drift.offset() * sum / count + drift.offset().square();
  const auto moves = ((shifted.clamp_min(0).sqrt() + drift.uniform()).square() + drift.normal().square()).sqrt();
  GuardReach reach;
  reach.length = moves.norm().item<double>();
  reach.single = moves.max().item<double>();
  reach.blind_loss = blind_loss(torch::cat(targets), samples.info().num_classes);
  ARKS_CHECK(reach.length > 0, what, ": the drift moves nothing; expected a change such as 'temperature+2.5'");
  ARKS_CHECK(reach.blind_loss > 0, what, ": all training samples have the same target");
  return reach;
}

}  // namespace arks
