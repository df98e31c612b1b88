#include "report.h"

#include "workload.h"

#include <arks/version.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <optional>
#include <sstream>
#include <thread>

namespace arks::bench {

namespace {

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const auto colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::ostringstream out;
  out << std::put_time(std::gmtime(&now), "%Y-%m-%dT%H:%M:%SZ");
  return out.str();
}

std::optional<double> median_of(const Rounds& rounds, const std::string& name) {
  const auto found = rounds.find(name);
  if (found == rounds.end() || found->second.empty()) return std::nullopt;
  return median(found->second);
}

std::string number(double value, int digits) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(digits) << value;
  return out.str();
}

/// "950 ms"
std::string milliseconds(double seconds) {
  return number(seconds * 1e3, seconds < 0.1 ? 1 : 0) + " ms";
}

struct Comparison {
  std::string name;
  double ours, published;
  std::optional<double> wanted;
  double ratio() const { return published / ours; }
};

std::vector<Comparison> comparisons(const Rounds& rounds) {
  std::vector<Comparison> found;
  const auto add = [&](const char* name, const char* ours, const char* published, std::optional<double> wanted) {
    const auto a = median_of(rounds, ours), b = median_of(rounds, published);
    if (a && b) found.push_back({name, *a, *b, wanted});
  };
  add("ARKS inner step", kInnerStepOurs, kInnerStepPublished, std::nullopt);
  add("ARKS batch", kBatchOurs, kBatchPublished, kWantedBatchRatio);
  return found;
}

std::optional<double> gflops(const Rounds& rounds, const char* name, double operations) {
  const auto seconds = median_of(rounds, name);
  if (!seconds) return std::nullopt;
  return operations / *seconds / 1e9;
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

bool RoundsReporter::ReportContext(const Context& /*context*/) {
  GetOutputStream() << std::left << std::setw(24) << "benchmark" << std::right << std::setw(8) << "rounds"
                    << std::setw(12) << "median" << std::setw(12) << "fastest" << std::setw(12) << "slowest"
                    << "\n";
  return true;
}

void RoundsReporter::ReportRuns(const std::vector<Run>& runs) {
  if (runs.empty() || runs.front().run_type != Run::RT_Iteration) return;  // we take our own medians
  for (const auto& run : runs) {
    if (run.error_occurred || run.iterations == 0) continue;
    rounds_[run.run_name.function_name].push_back(run.real_accumulated_time / static_cast<double>(run.iterations));
  }
  const auto found = rounds_.find(runs.front().run_name.function_name);
  if (found == rounds_.end()) return;
  const auto& seconds = found->second;
  const auto [fastest, slowest] = std::minmax_element(seconds.begin(), seconds.end());
  GetOutputStream() << std::left << std::setw(24) << found->first << std::right << std::setw(8) << seconds.size()
                    << std::setw(12) << milliseconds(median(seconds)) << std::setw(12) << milliseconds(*fastest)
                    << std::setw(12) << milliseconds(*slowest) << std::endl;
}

void print_table(std::ostream& out, const Rounds& rounds) {
  out << "\n"
      << cpu_model() << ", " << kThreads << " threads, batch " << kBatchSize << ", " << kInnerSteps
      << " inner steps; medians\n";
  for (const auto& row : comparisons(rounds)) {
    out << row.name << ": " << milliseconds(row.ours) << " vs " << milliseconds(row.published)
        << " as published: " << number(row.ratio(), 2) << "x";
    if (row.wanted) {
      out << ", at least " << number(*row.wanted, 1) << "x wanted" << (row.ratio() < *row.wanted ? ": MISSED" : "");
    }
    out << "\n";
  }
  const auto sgemm = gflops(rounds, kSgemm, sgemm_operations());
  const auto inner = gflops(rounds, kInnerStepOurs, inner_step_operations());
  if (sgemm) out << "sgemm " << kSgemmSize << "³: " << number(*sgemm, 0) << " GFLOPS\n";
  if (inner) {
    out << "ARKS inner step: " << number(*inner, 0) << " GFLOPS";
    if (sgemm) out << ", " << number(100 * *inner / *sgemm, 0) << " % of sgemm";
    out << "\n";
  }
}

nlohmann::json to_json(const Rounds& rounds, double difference_of_iterates) {
  nlohmann::json document = {
      {"date", utc_now()},
      {"machine", {{"cpu", cpu_model()}, {"cores", std::thread::hardware_concurrency()}, {"threads", kThreads}}},
      {"versions", {{"arks", kVersion}, {"torch", TORCH_VERSION}, {"compiler", __VERSION__}}},
      {"workload",
       {{"model", "fashion-cnn"},
        {"batch_size", kBatchSize},
        {"inner_steps", kInnerSteps},
        {"inner_rate", kInnerRate},
        {"sigma", kSigma}}},
      {"difference_of_iterates", difference_of_iterates}};
  for (const auto& [name, seconds] : rounds) {
    document["benchmarks"].push_back({{"name", name}, {"median_seconds", median(seconds)}, {"seconds", seconds}});
  }
  for (const auto& row : comparisons(rounds)) {
    nlohmann::json entry = {
        {"name", row.name}, {"ours_seconds", row.ours}, {"published_seconds", row.published}, {"ratio", row.ratio()}};
    if (row.wanted) entry["wanted_ratio"] = *row.wanted;
    document["comparisons"].push_back(entry);
  }
  const auto sgemm = gflops(rounds, kSgemm, sgemm_operations());
  const auto inner = gflops(rounds, kInnerStepOurs, inner_step_operations());
  if (sgemm) document["sgemm_gflops"] = *sgemm;
  if (inner) document["inner_step_gflops"] = *inner;
  if (sgemm && inner) document["inner_step_share_of_sgemm"] = *inner / *sgemm;
  return document;
}

}  // namespace arks::bench
