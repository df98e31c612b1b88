// How fast the library is beside the paper's way of doing the same, and its inner L-BFGS beside torch's own applied
// sample by sample, on this machine, in one run:
//   arks_bench [--rounds N] [--json FILE] [--benchmark_filter=batch] …
// Every round runs each benchmark once, ours and the published way next to each other, and ratios are taken within a
// round, since a busy machine is never equally fast for long.
#include "image_workload.h"
#include "lbfgs_workload.h"
#include "loading_workload.h"
#include "report.h"
#include "workload.h"

#include <arks/support/error.h>
#include <arks/support/file.h>
#include <arks/support/process.h>
#include <arks/support/text.h>

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

/// Registered in the order of a round; one iteration each.
template <typename Work>
void add(const char* name, int64_t parts, Work work) {
  benchmark::RegisterBenchmark(name, [=](benchmark::State& state) { time_parts(state, parts, work); })
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

void register_lbfgs(int64_t samples, const char* ours, const char* sample_by_sample) {
  const auto comparison = std::make_shared<LbfgsComparison>(samples);
  add(ours, samples * kLbfgsSteps, [=] { comparison->ours(); });
  add(sample_by_sample, samples * kLbfgsSteps, [=] { comparison->sample_by_sample(); });
}

void register_decoding(const std::shared_ptr<ImageWorkload>& images, const char* two_threads, const char* one_thread) {
  std::cout << two_threads << ": " << images->count() << " files, " << human_bytes(images->mean_bytes()) << " each"
            << std::endl;
  add(two_threads, images->count(), [=] { images->decode(2); });
  add(one_thread, images->count(), [=] { images->decode(1); });
}

void register_loading() {
  for (const auto& data : loaded_sets()) {
    const auto workload = std::make_shared<LoadingWorkload>(data);
    add((kLoading + data).c_str(), LoadingWorkload::kBatches, [=] { workload->load(); });
    add((kErmStep + data).c_str(), 1, [=] { workload->train(); });
  }
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
    set_blas_threads(static_cast<int>(kThreads));
    for (int64_t i = 0; i < kProducts; ++i) torch::mm(a, b);
    set_blas_threads(1);
  });
  register_lbfgs(80, kLbfgs80Ours, kLbfgs80SampleBySample);
  register_lbfgs(256, kLbfgs256Ours, kLbfgs256SampleBySample);
  register_decoding(std::make_shared<ImageWorkload>(/*made=*/400), kDecodeMadeTwo, kDecodeMadeOne);
  if (const auto faces = celeba_folder(); !faces.empty()) {
    register_decoding(std::make_shared<ImageWorkload>(faces), kDecodeRealTwo, kDecodeRealOne);
  }
  register_loading();
}

/// Takes `name VALUE` or `name=VALUE` out of the arguments; `otherwise` when it is not there.
std::string take_option(std::vector<std::string>& arguments, const std::string& name, const std::string& otherwise) {
  for (auto argument = arguments.begin(); argument != arguments.end(); ++argument) {
    const bool separate = *argument == name && argument + 1 != arguments.end();
    if (!separate && argument->rfind(name + "=", 0) != 0) continue;
    const std::string value = separate ? *(argument + 1) : argument->substr(name.size() + 1);
    arguments.erase(argument, argument + (separate ? 2 : 1));
    return value;
  }
  return otherwise;
}

int run(std::vector<std::string> arguments) {
  const std::filesystem::path json_path = take_option(arguments, "--json", "build/bench.json");
  const int64_t rounds = parse_whole_number(take_option(arguments, "--rounds", "9"), "--rounds");
  ARKS_CHECK(rounds > 0, "--rounds must be positive, got ", rounds);
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  int argc = static_cast<int>(argv.size());
  benchmark::Initialize(&argc, argv.data());
  if (benchmark::ReportUnrecognizedArguments(argc, argv.data())) return 2;

  torch::set_num_threads(static_cast<int>(kThreads));
  set_blas_threads(1);  // as the tool does; the published side gains by both too
  keep_freed_memory();
  if (const auto advice = slow_blas_advice()) std::cerr << "warning: " << *advice << "\n";
  const double difference = difference_of_iterates();
  std::cout << "same work: the last iterates differ by " << difference << " of the movement in float64, "
            << kSameWorkTolerance << " allowed" << std::endl;
  ARKS_CHECK(difference <= kSameWorkTolerance, "the two sides do not do the same work: a comparison means nothing");
  const auto lbfgs_values = LbfgsComparison(256).reached();
  std::cout << "same work: inner L-BFGS reaches a mean of " << lbfgs_values.ours << ", sample by sample "
            << lbfgs_values.sample_by_sample << ", from " << lbfgs_values.start << std::endl;
  register_benchmarks();
  RoundsReporter reporter;
  for (int64_t round = 0; round < rounds; ++round) {
    if (benchmark::RunSpecifiedBenchmarks(&reporter) == 0) return 2;  // nothing passes the filter
  }
  print_table(std::cout, reporter.rounds());
  if (json_path.has_parent_path()) std::filesystem::create_directories(json_path.parent_path());
  write_file_atomically(json_path, to_json(reporter.rounds(), difference, lbfgs_values).dump(2) + "\n");
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
    return dynamic_cast<const arks::Error*>(&error) != nullptr ? 2 : 1;
  }
}
