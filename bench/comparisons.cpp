#include "comparisons.h"

#include "arks_workload.h"
#include "attack_workload.h"
#include "benchmark_names.h"

namespace arks::bench {

namespace {

constexpr const char* kAsPublished = "as published";
constexpr const char* kTrainingLoop = "plain libtorch loop";
constexpr const char* kSampleBySample = "torch's LBFGS by sample";

Comparison batch(const std::string& work, const std::string& name, double at_least, double aim) {
  return {"ARKS batch, " + work, kBatch + name + kOurs, kAsPublished, kBatch + name + kPublished, at_least, aim};
}

Comparison erm(const std::string& work, const std::string& data) {
  return {"ERM batch, " + work, kErm + data + kOurs, kTrainingLoop, kErm + data + kPlain, 1.3, 2};
}

Verdict verdict_of(const Comparison& comparison, double ratio) {
  if (comparison.at_least == 0) return Verdict::kNone;
  if (ratio < comparison.at_least) return Verdict::kMissed;
  return comparison.aim > 0 && ratio >= comparison.aim ? Verdict::kAimReached : Verdict::kReached;
}

}  // namespace

const std::vector<Comparison>& comparisons() {
  static const std::vector<Comparison> all{
      batch("Fashion-MNIST, 256", "fashion-mnist", 6, 12),
      {"its inner step", kInnerStepOurs, kAsPublished, kInnerStepPublished},
      {"its inner step", kInnerStepOurs, "libtorch, frozen weights", kInnerStepFrozen, 3.5, 5},
      {"its inner step", kInnerStepOurs, "sgemm " + std::to_string(kSgemmSize) + "³", kSgemm, 0.65, 0.85,
       inner_step_operations(), sgemm_operations()},
      batch("ResNet-20, 128, eval", "cifar10-eval", 2.5, 4),
      batch("ResNet-20, 128, train", "cifar10-train", 2, 3),
      batch("CelebA net, 128", "celeba", 3, 4.5),
      {"PGD-15 of " + std::to_string(kAttackedImages) + " images", kPgd + kOurs, "libtorch attack", kPgd + kPlain, 4,
       6},
      erm("Fashion-MNIST, 256", "fashion-mnist"),
      erm("ResNet-20, 128", "cifar10"),
      erm("CelebA net, 128", "celeba"),
      {"L-BFGS step, batch 80, a sample", kLbfgs80Ours, kSampleBySample, kLbfgs80SampleBySample},
      {"L-BFGS step, batch 256, a sample", kLbfgs256Ours, kSampleBySample, kLbfgs256SampleBySample},
  };
  return all;
}

std::vector<Result> results(const Rounds& rounds) {
  std::vector<Result> found;
  for (const auto& comparison : comparisons()) {
    auto ratio = median_ratio(rounds, comparison.theirs, comparison.ours);
    if (!ratio) continue;
    if (comparison.our_operations > 0) *ratio *= comparison.our_operations / comparison.their_operations;
    found.push_back({comparison, *median_of(rounds, comparison.ours), *median_of(rounds, comparison.theirs), *ratio,
                     rounds.at(comparison.ours).size(), verdict_of(comparison, *ratio)});
  }
  return found;
}

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kMissed:
      return "MISSED";
    case Verdict::kReached:
      return "reached";
    case Verdict::kAimReached:
      return "aim reached";
    default:
      return "-";
  }
}

}  // namespace arks::bench
