#include "report.h"

#include "workload.h"

#include <arks/version.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <optional>
#include <sstream>
#include <thread>

namespace arks::bench {

namespace {

constexpr const char* kPublished = "as published";
constexpr const char* kSampleBySample = "with torch::optim::LBFGS sample by sample";

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

/// "950 ms", "7.2 us"
std::string milliseconds(double seconds) {
  if (seconds < 1e-4) return number(seconds * 1e6, 1) + " us";
  return number(seconds * 1e3, seconds < 0.1 ? 1 : 0) + " ms";
}

/// Median over the rounds of (time of `slow`)/(time of `fast`); none unless both ran in every round.
std::optional<double> median_ratio(const Rounds& rounds, const std::string& slow, const std::string& fast) {
  const auto over = rounds.find(slow), under = rounds.find(fast);
  if (over == rounds.end() || under == rounds.end() || over->second.size() != under->second.size()) return std::nullopt;
  std::vector<double> ratios;
  for (size_t i = 0; i < over->second.size(); ++i) ratios.push_back(over->second[i] / under->second[i]);
  return median(ratios);
}

struct Comparison {
  std::string name;
  double ours, baseline, ratio;
  std::string beside;  // what ours is compared with
  std::optional<double> wanted;
};

std::vector<Comparison> comparisons(const Rounds& rounds) {
  std::vector<Comparison> found;
  const auto add = [&](const char* name, const char* ours, const char* baseline, const char* beside,
                       std::optional<double> wanted = std::nullopt) {
    const auto ratio = median_ratio(rounds, baseline, ours);
    if (ratio) found.push_back({name, *median_of(rounds, ours), *median_of(rounds, baseline), *ratio, beside, wanted});
  };
  add("ARKS inner step", kInnerStepOurs, kInnerStepPublished, kPublished);
  add("ARKS batch", kBatchOurs, kBatchPublished, kPublished, kWantedBatchRatio);
  add("inner L-BFGS, batch 80, per sample and step", kLbfgs80Ours, kLbfgs80SampleBySample, kSampleBySample);
  add("inner L-BFGS, batch 256, per sample and step", kLbfgs256Ours, kLbfgs256SampleBySample, kSampleBySample);
  return found;
}

struct Throughput {
  std::optional<double> sgemm, inner_step;  // GFLOPS
  std::optional<double> share;              // of the inner step in sgemm's
};

Throughput throughput(const Rounds& rounds) {
  Throughput found;
  if (const auto seconds = median_of(rounds, kSgemm)) found.sgemm = sgemm_operations() / *seconds / 1e9;
  if (const auto seconds = median_of(rounds, kInnerStepOurs)) {
    found.inner_step = inner_step_operations() / *seconds / 1e9;
  }
  if (const auto ratio = median_ratio(rounds, kSgemm, kInnerStepOurs)) {
    found.share = *ratio * inner_step_operations() / sgemm_operations();
  }
  return found;
}

struct DecodingSpeed {
  std::string name;
  double images_per_second;       // on two threads
  std::optional<double> speedup;  // over one
};

std::vector<DecodingSpeed> decoding_speeds(const Rounds& rounds) {
  std::vector<DecodingSpeed> found;
  const auto add = [&](const char* name, const char* two, const char* one) {
    if (const auto seconds = median_of(rounds, two)) {
      found.push_back({name, 1 / *seconds, median_ratio(rounds, one, two)});
    }
  };
  add("JPEGs made up", kDecodeMadeTwo, kDecodeMadeOne);
  add("JPEGs of CelebA", kDecodeRealTwo, kDecodeRealOne);
  return found;
}

struct LoadingShare {
  std::string name;
  double seconds;  // for a batch
  double share;    // of an epoch of ERM, the median over the rounds
};

std::vector<LoadingShare> loading_shares(const Rounds& rounds) {
  std::vector<LoadingShare> found;
  for (const auto& name : loaded_sets()) {
    const auto ratio = median_ratio(rounds, kLoading + name, kErmStep + name);
    if (ratio) found.push_back({name, *median_of(rounds, kLoading + name), *ratio / (1 + *ratio)});
  }
  return found;
}

}  // namespace

const std::vector<std::string>& loaded_sets() {
  static const std::vector<std::string> sets{"fashion-mnist", "cifar10", "celeba"};
  return sets;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void RoundsReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const auto& run : runs) {
    if (run.run_type != Run::RT_Iteration || run.error_occurred || run.iterations == 0) continue;
    auto& seconds = rounds_[run.run_name.function_name];
    seconds.push_back(run.real_accumulated_time / static_cast<double>(run.iterations));
    GetOutputStream() << "round " << seconds.size() << "  " << std::left << std::setw(26) << run.run_name.function_name
                      << std::right << std::setw(9) << milliseconds(seconds.back()) << std::endl;
  }
}

void print_table(std::ostream& out, const Rounds& rounds) {
  out << "\n"
      << cpu_model() << ", " << kThreads << " threads, batch " << kBatchSize << ", " << kInnerSteps
      << " inner steps; medians\n";
  for (const auto& row : comparisons(rounds)) {
    out << row.name << ": " << milliseconds(row.ours) << " vs " << milliseconds(row.baseline) << " " << row.beside
        << ": " << number(row.ratio, 2) << "x";
    if (row.wanted) {
      out << ", at least " << number(*row.wanted, 1) << "x wanted" << (row.ratio < *row.wanted ? ": MISSED" : "");
    }
    out << "\n";
  }
  const auto speed = throughput(rounds);
  if (speed.sgemm) out << "sgemm " << kSgemmSize << "³: " << number(*speed.sgemm, 0) << " GFLOPS\n";
  if (speed.inner_step) out << "ARKS inner step: " << number(*speed.inner_step, 0) << " GFLOPS";
  if (speed.share) out << ", " << number(100 * *speed.share, 0) << " % of sgemm";
  if (speed.inner_step) out << "\n";
  for (const auto& row : decoding_speeds(rounds)) {
    out << row.name << ", 178x218 decoded and resized to 48x64: " << number(row.images_per_second, 0)
        << " images/s on 2 threads";
    if (row.speedup) out << ", " << number(*row.speedup, 2) << "x one thread";
    out << ", at least " << number(kWantedImagesPerSecond, 0) << " wanted"
        << (row.images_per_second < kWantedImagesPerSecond ? ": MISSED" : "") << "\n";
  }
  for (const auto& row : loading_shares(rounds)) {
    out << "loading a batch of " << row.name << ": " << milliseconds(row.seconds) << ", " << number(100 * row.share, 2)
        << " % of an epoch of ERM, at most " << number(100 * kAllowedLoadingShare, 0) << " % allowed"
        << (row.share > kAllowedLoadingShare ? ": MISSED" : "") << "\n";
  }
}

nlohmann::json to_json(const Rounds& rounds, double difference_of_iterates, const ReachedValues& lbfgs_values) {
  const char* const wait_policy = std::getenv("OMP_WAIT_POLICY");
  nlohmann::json document = {{"date", utc_now()},
                             {"machine",
                              {{"cpu", cpu_model()},
                               {"cores", std::thread::hardware_concurrency()},
                               {"threads", kThreads},
                               {"omp_wait_policy", wait_policy != nullptr ? wait_policy : "default"}}},
                             {"versions", {{"arks", kVersion}, {"torch", TORCH_VERSION}, {"compiler", __VERSION__}}},
                             {"workload",
                              {{"model", "fashion-cnn"},
                               {"batch_size", kBatchSize},
                               {"inner_steps", kInnerSteps},
                               {"inner_rate", kInnerRate},
                               {"sigma", kSigma}}},
                             {"lbfgs_workload",
                              {{"model", "10-32-32-1, ELU"},
                               {"inner_steps", kLbfgsSteps},
                               {"inner_rate", kLbfgsRate},
                               {"sigma", kLbfgsSigma}}},
                             {"difference_of_iterates", difference_of_iterates},
                             {"lbfgs_mean_values",
                              {{"start", lbfgs_values.start},
                               {"ours", lbfgs_values.ours},
                               {"sample_by_sample", lbfgs_values.sample_by_sample}}}};
  for (const auto& [name, seconds] : rounds) {
    document["benchmarks"].push_back({{"name", name}, {"median_seconds", median(seconds)}, {"seconds", seconds}});
  }
  for (const auto& row : loading_shares(rounds)) {
    document["loading"].push_back({{"data", row.name}, {"seconds", row.seconds}, {"share_of_epoch", row.share}});
  }
  for (const auto& row : comparisons(rounds)) {
    const bool published = row.beside == kPublished;
    nlohmann::json entry = {{"name", row.name},
                            {"ours_seconds", row.ours},
                            {published ? "published_seconds" : "baseline_seconds", row.baseline},
                            {"ratio", row.ratio}};
    if (!published) entry["baseline"] = row.beside;
    if (row.wanted) entry["wanted_ratio"] = *row.wanted;
    document["comparisons"].push_back(entry);
  }
  const auto speed = throughput(rounds);
  if (speed.sgemm) document["sgemm_gflops"] = *speed.sgemm;
  if (speed.inner_step) document["inner_step_gflops"] = *speed.inner_step;
  if (speed.share) document["inner_step_share_of_sgemm"] = *speed.share;
  for (const auto& row : decoding_speeds(rounds)) {
    nlohmann::json entry = {{"name", row.name},
                            {"images_per_second", row.images_per_second},
                            {"wanted_images_per_second", kWantedImagesPerSecond}};
    if (row.speedup) entry["speedup_over_one_thread"] = *row.speedup;
    document["decoding"].push_back(entry);
  }
  return document;
}

}  // namespace arks::bench
