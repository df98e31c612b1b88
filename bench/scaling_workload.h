#pragma once
#include "suite.h"
#include "support/samples.h"

#include <nlohmann/json.hpp>

#include <iosfwd>
#include <map>
#include <string>

namespace arks::bench {

/// How many rounds of it are enough: its rows are compared with one another, and there are many of them.
constexpr int64_t kScalingRounds = 3;

/// How many times faster two threads have to be than one.
constexpr double kWantedThreadSpeedup = 1.8;

/// The inner maximisation of ARKS on the Fashion-MNIST network over the number of images, of steps and of threads:
/// scaling/IMAGESxSTEPS/THREADS. Alone with --benchmark_filter=scaling.
class Scaling {
 public:
  void add_to(Suite& suite);

  /// Time, time per image and step, how it compares with linear growth, two threads against one, memory of the plan.
  /// Linear in images is in proportion to the published 256; linear in steps is the line through 15 and 60 steps, which
  /// does not start at zero, since the value of the last iterate takes one more forward pass. Nothing when it did not
  /// run.
  void print(std::ostream& out, const Rounds& rounds) const;
  nlohmann::json to_json(const Rounds& rounds) const;

 private:
  struct Point {
    int64_t images, steps;
  };
  struct Row;
  std::vector<Row> rows(const Rounds& rounds) const;

  std::map<std::string, int64_t> workspace_bytes_;  // by name of the benchmark
};

}  // namespace arks::bench
