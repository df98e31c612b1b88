// How fast the library is beside the paper's way of doing the same, on this machine, in one run:
//   arks_bench [--json FILE] [--benchmark_filter=batch] [--benchmark_repetitions=N] …
// The rounds of the benchmarks are shuffled among one another, since a busy machine is never equally fast for long.
#include "report.h"
#include "workload.h"

#include <arks/support/blas.h>
#include <arks/support/file.h>
#include <dlfcn.h>

#include <chrono>
#include <filesystem>
#include <iostream>

namespace arks::bench {

namespace {

/// Times `work` and counts it as `parts` equal ones: the inner step is measured as a fifteenth of a maximisation, which
/// ours ends with one more forward pass, to know the last iterate's value.
template <typename Work>
void time_parts(benchmark::State& state, int64_t parts, Work work) {
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    state.SetIterationTime(elapsed.count() / static_cast<double>(parts));
  }
}

/// One iteration a round; how many rounds is --benchmark_repetitions.
template <typename Work>
void add(const char* name, int64_t parts, Work work) {
  benchmark::RegisterBenchmark(name, [=](benchmark::State& state) { time_parts(state, parts, work); })
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

void register_benchmarks() {
  const auto batch = random_batch(kBatchSize);
  const auto ours = std::make_shared<Ours>();
  const auto published = std::make_shared<Published>();
  add(kInnerStepOurs, kInnerSteps, [=] { ours->maximize(batch); });
  add(kInnerStepPublished, kInnerSteps, [=] { published->maximize(batch); });
  add(kBatchOurs, 1, [=] { ours->train(batch); });
  add(kBatchPublished, 1, [=] { published->train(batch); });
  const auto a = torch::rand({kSgemmSize, kSgemmSize}), b = torch::rand({kSgemmSize, kSgemmSize});
  constexpr int64_t kProducts = 5;
  add(kSgemm, kProducts, [=] {
    for (int64_t i = 0; i < kProducts; ++i) torch::mm(a, b);
  });
}

/// libtorch's own loops, oneDNN, and OpenBLAS, which keeps threads of its own.
void set_threads(int64_t threads) {
  torch::set_num_threads(static_cast<int>(threads));
  if (auto* const set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) {
    set(static_cast<int>(threads));
  }
}

/// Takes --json FILE or --json=FILE out of the arguments.
std::filesystem::path take_json_path(std::vector<std::string>& arguments) {
  std::filesystem::path path = "build/bench.json";
  for (size_t i = 1; i < arguments.size();) {
    size_t used = 0;
    if (arguments[i] == "--json" && i + 1 < arguments.size()) {
      path = arguments[i + 1];
      used = 2;
    } else if (arguments[i].rfind("--json=", 0) == 0) {
      path = arguments[i].substr(7);
      used = 1;
    }
    const auto begin = arguments.begin() + static_cast<std::ptrdiff_t>(i);
    arguments.erase(begin, begin + static_cast<std::ptrdiff_t>(used));
    if (used == 0) ++i;
  }
  return path;
}

int run(std::vector<std::string> arguments) {
  const auto json_path = take_json_path(arguments);
  // before what the user gave, so that the user's wins
  arguments.insert(arguments.begin() + 1, {"--benchmark_repetitions=9", "--benchmark_enable_random_interleaving=true"});
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  int argc = static_cast<int>(argv.size());
  benchmark::Initialize(&argc, argv.data());
  if (benchmark::ReportUnrecognizedArguments(argc, argv.data())) return 2;

  set_threads(kThreads);
  if (const auto advice = slow_blas_advice()) std::cerr << "warning: " << *advice << "\n";
  const double difference = difference_of_iterates();
  std::cout << "same work: last iterates differ by " << difference << " of the movement (float64), "
            << kSameWorkTolerance << " allowed\n";
  if (!(difference <= kSameWorkTolerance)) {
    std::cerr << "error: the two sides do not do the same work, a comparison would mean nothing\n";
    return 1;
  }
  register_benchmarks();
  RoundsReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  print_table(std::cout, reporter.rounds());
  if (json_path.has_parent_path()) std::filesystem::create_directories(json_path.parent_path());
  write_file_atomically(json_path, to_json(reporter.rounds(), difference).dump(2) + "\n");
  std::cout << "written: " << json_path.string() << "\n";
  return 0;
}

}  // namespace

}  // namespace arks::bench

int main(int argc, char** argv) {
  try {
    return arks::bench::run(std::vector<std::string>(argv, argv + argc));
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << "\n";
    return 1;
  }
}
