#include "suite.h"

#include "format.h"
#include "support/stopwatch.h"

#include <arks/support/error.h>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <sstream>

namespace arks::bench {

namespace {

/// Collects the times, and shows them as they come.
class RoundsReporter : public benchmark::BenchmarkReporter {
 public:
  explicit RoundsReporter(Rounds& rounds) : rounds_(rounds) {
    SetErrorStream(&unheard_);  // a filter that fits no benchmark of this part of the suite
  }

  bool ReportContext(const Context& /*context*/) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const auto& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.error_occurred || run.iterations == 0) continue;
      const auto& name = run.run_name.function_name;
      auto& seconds = rounds_[name];
      seconds.push_back(run.real_accumulated_time / static_cast<double>(run.iterations));
      GetOutputStream() << "round " << seconds.size() << "  " << std::left << std::setw(36) << name << std::right
                        << std::setw(9) << duration(seconds.back()) << std::endl;
    }
  }

 private:
  Rounds& rounds_;
  std::ostringstream unheard_;
};

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<double> median_of(const Rounds& rounds, const std::string& name) {
  const auto found = rounds.find(name);
  if (found == rounds.end() || found->second.empty()) return std::nullopt;
  return median(found->second);
}

std::optional<double> median_ratio(const Rounds& rounds, const std::string& slow, const std::string& fast) {
  const auto over = rounds.find(slow), under = rounds.find(fast);
  if (over == rounds.end() || under == rounds.end() || over->second.size() != under->second.size()) return std::nullopt;
  std::vector<double> ratios;
  for (size_t i = 0; i < over->second.size(); ++i) ratios.push_back(over->second[i] / under->second[i]);
  return median(ratios);
}

void Suite::add(const std::string& name, int64_t parts, std::function<void()> work) {
  auto warm = std::make_shared<bool>(false);
  benchmark::RegisterBenchmark(name.c_str(),
                               [parts, warm, work = std::move(work)](benchmark::State& state) {
                                 if (!std::exchange(*warm, true)) work();
                                 for (auto _ : state) {
                                   const Stopwatch watch;
                                   work();
                                   state.SetIterationTime(watch.seconds() / static_cast<double>(parts));
                                 }
                               })
      ->Iterations(1)
      ->UseManualTime();
}

bool Suite::run(int64_t rounds) {
  RoundsReporter reporter(rounds_);
  bool any = false;
  for (int64_t round = 0; round < rounds; ++round) {
    if (benchmark::RunSpecifiedBenchmarks(&reporter) == 0) break;
    any = true;
  }
  benchmark::ClearRegisteredBenchmarks();
  return any;
}

void Suite::require_same_work(const std::string& what, double difference, double allowed) {
  std::cout << "same work, " << what << ": difference " << difference << ", " << allowed << " allowed" << std::endl;
  if (!(difference <= allowed)) {
    throw RunError(what + ": the two sides do not do the same work, a comparison means nothing");
  }
  same_work_.push_back({what, difference, allowed});
}

}  // namespace arks::bench
