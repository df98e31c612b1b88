#pragma once
#include "lbfgs_workload.h"

#include <benchmark/benchmark.h>

#include <iosfwd>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace arks::bench {

/// The names of the benchmarks; what --benchmark_filter looks at.
constexpr const char* kInnerStepOurs = "inner_step/ours";
constexpr const char* kInnerStepPublished = "inner_step/published";
constexpr const char* kBatchOurs = "batch/ours";
constexpr const char* kBatchPublished = "batch/published";
constexpr const char* kSgemm = "sgemm";
constexpr const char* kLbfgs80Ours = "lbfgs_80/ours";
constexpr const char* kLbfgs80SampleBySample = "lbfgs_80/sample_by_sample";
constexpr const char* kLbfgs256Ours = "lbfgs_256/ours";
constexpr const char* kLbfgs256SampleBySample = "lbfgs_256/sample_by_sample";
/// Image files of CelebA's size, decoded and resized: per image, on two threads and on one. The real ones only where
/// ARKS_DATA_DIR has them.
constexpr const char* kDecodeMadeTwo = "decode_made/2_threads";
constexpr const char* kDecodeMadeOne = "decode_made/1_thread";
constexpr const char* kDecodeRealTwo = "decode_celeba/2_threads";
constexpr const char* kDecodeRealOne = "decode_celeba/1_thread";
/// A batch of each of the paper's image sets: having it, and a step of ERM on it. With the name of the set behind.
constexpr const char* kLoading = "load_batch/";
constexpr const char* kErmStep = "erm_step/";
const std::vector<std::string>& loaded_sets();

/// How many times faster than published a whole batch has to be.
constexpr double kWantedBatchRatio = 1.7;

/// How many images have to be decoded and resized in a second on two threads.
constexpr double kWantedImagesPerSecond = 400;

/// The largest share of a training epoch that loading may take.
constexpr double kAllowedLoadingShare = 0.05;

/// Seconds in each round, by benchmark.
using Rounds = std::map<std::string, std::vector<double>>;

double median(std::vector<double> values);

/// Collects the times, and shows them as they come.
class RoundsReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override;
  const Rounds& rounds() const { return rounds_; }

 private:
  Rounds rounds_;
};

/// The comparison for a person; what was filtered away is left out. Times are medians over the rounds, ratios medians
/// of the rounds' ratios.
void print_table(std::ostream& out, const Rounds& rounds);

/// All of it with machine, date and versions.
nlohmann::json to_json(const Rounds& rounds, double difference_of_iterates, const ReachedValues& lbfgs_values);

}  // namespace arks::bench
