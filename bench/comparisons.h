#pragma once
#include "suite.h"

#include <optional>
#include <string>
#include <vector>

namespace arks::bench {

/// What a number is compared with. The ratio is theirs over ours in time, so larger is better.
struct Comparison {
  std::string work;
  std::string ours;                                 ///< name of the benchmark
  std::string against;                              ///< what the other side is, in words
  std::string theirs;                               ///< name of the benchmark
  double at_least = 0;                              ///< ratio that is wanted; 0: no claim
  double aim = 0;                                   ///< ratio that is aimed at; 0: none
  double our_operations = 0, their_operations = 0;  ///< where given, GFLOPS are compared and the ratio is a share
};

/// All of them, in the order of the table.
const std::vector<Comparison>& comparisons();

enum class Verdict { kNone, kMissed, kReached, kAimReached };

/// A comparison that was measured.
struct Result {
  Comparison comparison;
  double ours = 0, theirs = 0;  ///< seconds, medians
  double ratio = 0;             ///< median of the rounds' ratios
  size_t rounds = 0;
  Verdict verdict = Verdict::kNone;

  bool is_share() const { return comparison.our_operations > 0; }
};

/// Those whose two sides ran.
std::vector<Result> results(const Rounds& rounds);

/// "reached", "aim reached", "MISSED", or "-" where nothing is claimed.
std::string to_string(Verdict verdict);

}  // namespace arks::bench
