#pragma once
#include "plain_nets.h"
#include "setting.h"
#include "suite.h"

#include <arks/attack/pgd.h>
#include <arks/problem/supervised.h>

namespace arks::bench {

constexpr int64_t kAttackedImages = 1024;
constexpr int64_t kAttackBatch = 256;
constexpr double kAttackEps = 0.1;

/// Errors of the Fashion-MNIST network under PGD with the published 15 steps: arks::evaluate, and the attack one writes
/// with libtorch, δ ← clamp(δ + α sign ∇l(x+δ), ±ε), x+δ clamped to [0,1] at the end, with frozen weights. Made only
/// when both have been shown to end at the same points in float64.
class AttackComparison {
 public:
  explicit AttackComparison(Suite& suite);
  struct Outcome {
    double error;  ///< fraction of the images
    double loss;   ///< mean
  };
  Outcome ours();
  Outcome plain();

 private:
  Setting setting_;
  PgdAttack attack_;
  DatasetPtr images_;
  SupervisedProblem problem_;
  PlainNetPtr net_;
};

void register_attack(Suite& suite);

}  // namespace arks::bench
