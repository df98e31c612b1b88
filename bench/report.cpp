#include "report.h"
#include "benchmark_names.h"
#include "comparisons.h"
#include "format.h"
#include "loading_report.h"
#include "report/table.h"
#include "setting.h"
#include "support/text.h"

#include <arks/version.h>
#include <torch/version.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <set>
#include <sstream>
#include <thread>

namespace arks::bench {

namespace {

constexpr const char* kPythonPublished = "as published, Python";

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

/// "4.21x" or, for a share, "81 %"; "-" for zero.
std::string ratio_text(double ratio, bool is_share, int digits) {
  if (ratio == 0) return "-";
  return is_share ? number(100 * ratio, 0) + " %" : number(ratio, digits) + "x";
}

std::string speed_text(double seconds, double operations) {
  return operations > 0 ? number(operations / seconds / 1e9, 0) + " GFLOPS" : duration(seconds);
}

void add_row(Table& table, const Result& row) {
  const auto& [work, ours, against, theirs, at_least, aim, our_operations, their_operations] = row.comparison;
  const bool share = row.is_share();
  table.add_row({work, speed_text(row.ours, our_operations), against, speed_text(row.theirs, their_operations),
                 ratio_text(row.ratio, share, 2), ratio_text(at_least, share, 1), ratio_text(aim, share, 1),
                 to_string(row.verdict)});
}

/// The same batch as published, in Python; it was not timed in the same rounds.
struct PythonRow {
  std::string work;
  double ours, theirs;
};

std::vector<PythonRow> python_rows(const Rounds& rounds, const Elsewhere& elsewhere) {
  std::vector<PythonRow> found;
  const auto batches = python_batches(elsewhere);
  for (const auto& row : comparisons()) {
    for (const auto& [name, seconds] : batches) {
      const auto ours = median_of(rounds, row.ours);
      if (row.ours == kBatch + name + kOurs && ours) found.push_back({row.work, *ours, seconds});
    }
  }
  return found;
}

/// "5 rounds", or "3 to 5 rounds" where it differs.
std::string rounds_text(const std::vector<Result>& rows) {
  std::set<size_t> counts;
  for (const auto& row : rows) counts.insert(row.rounds);
  const auto most = counted(*counts.rbegin(), "round");
  return counts.size() == 1 ? most : std::to_string(*counts.begin()) + " to " + most;
}

nlohmann::json machine_json() {
  const char* const wait_policy = std::getenv("OMP_WAIT_POLICY");
  return {{"cpu", cpu_model()},
          {"cores", std::thread::hardware_concurrency()},
          {"threads", kThreads},
          {"omp_wait_policy", wait_policy != nullptr ? wait_policy : "default"}};
}

nlohmann::json comparison_json(const Result& row) {
  nlohmann::json entry = {
      {"work", row.comparison.work},  {"ours_seconds", row.ours}, {"against", row.comparison.against},
      {"theirs_seconds", row.theirs}, {"ratio", row.ratio},       {"rounds", row.rounds}};
  if (row.is_share()) {
    entry["ours_gflops"] = row.comparison.our_operations / row.ours / 1e9;
    entry["theirs_gflops"] = row.comparison.their_operations / row.theirs / 1e9;
  }
  if (row.comparison.at_least > 0) entry["at_least"] = row.comparison.at_least;
  if (row.comparison.aim > 0) entry["aim"] = row.comparison.aim;
  if (row.verdict != Verdict::kNone) entry["verdict"] = to_string(row.verdict);
  return entry;
}

nlohmann::json workloads_json() {
  auto list = nlohmann::json::array();
  for (const auto& data : image_sets()) {
    const auto published = setting_for(data).published;
    list.push_back({{"data", data},
                    {"model", published.model},
                    {"batch_size", published.batch_size},
                    {"inner_steps", published.inner_steps},
                    {"inner_rate", published.sigma_inner_rate},
                    {"sigma", published.sigma},
                    {"optimizer", published.optimizer}});
  }
  return list;
}

}  // namespace

void print_report(std::ostream& out, const Suite& suite, const Scaling& scaling, const Elsewhere& elsewhere) {
  const auto& rounds = suite.rounds();
  const auto rows = results(rounds);
  const auto python = python_rows(rounds, elsewhere);
  out << "\n" << cpu_model() << ", " << kThreads << " threads, 15 inner steps\n";
  if (!rows.empty()) {
    Table table({"work", "ours", "against", "theirs", "ratio", "at least", "aim", "verdict"});
    for (const auto& row : rows) add_row(table, row);
    for (const auto& row : python) {
      table.add_row({row.work, duration(row.ours), kPythonPublished, duration(row.theirs),
                     ratio_text(row.theirs / row.ours, /*is_share=*/false, 2), "-", "-", "-"});
    }
    out << "Medians of " << rounds_text(rows) << "; the ratio is the median of the rounds' ratios"
        << (python.empty() ? "" : ", for Python that of the medians") << ".\n\n"
        << table.str();
  }
  out << instructions_text(elsewhere);
  print_loading(out, rounds);
  scaling.print(out, rounds);
}

nlohmann::json to_json(const Suite& suite, const Scaling& scaling, const Elsewhere& elsewhere) {
  const auto& rounds = suite.rounds();
  nlohmann::json document = {{"date", utc_now()},
                             {"machine", machine_json()},
                             {"versions", {{"arks", kVersion}, {"torch", TORCH_VERSION}, {"compiler", __VERSION__}}},
                             {"workloads", workloads_json()}};
  for (const auto& check : suite.same_work()) {
    document["same_work"].push_back(
        {{"what", check.what}, {"difference", check.difference}, {"allowed", check.allowed}});
  }
  for (const auto& row : results(rounds)) document["comparisons"].push_back(comparison_json(row));
  for (const auto& row : python_rows(rounds, elsewhere)) {
    document["comparisons"].push_back({{"work", row.work},
                                       {"ours_seconds", row.ours},
                                       {"against", kPythonPublished},
                                       {"theirs_seconds", row.theirs},
                                       {"ratio", row.theirs / row.ours}});
  }
  for (const auto& [name, seconds] : rounds) {
    document["benchmarks"].push_back({{"name", name}, {"median_seconds", median(seconds)}, {"seconds", seconds}});
  }
  document["scaling"] = scaling.to_json(rounds);
  document["decoding"] = decoding_json(rounds);
  document["loading"] = loading_json(rounds);
  document["python"] = elsewhere.python;
  document["instructions"] = elsewhere.instructions;
  return document;
}

}  // namespace arks::bench
