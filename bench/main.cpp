// How fast the library is beside the paper's way of doing the same, beside plain libtorch and beside this machine's
// sgemm, in one run:
//   arks_bench [--rounds N] [--json FILE] [--python FILE] [--instructions FILE] [--benchmark_filter=batch] …
// Every round runs each benchmark once, ours and the other side next to each other, and ratios are taken within a
// round, since a busy machine is never equally fast for long.
#include "arks_workload.h"
#include "attack_workload.h"
#include "erm_workload.h"
#include "image_workload.h"
#include "lbfgs_workload.h"
#include "loading_workload.h"
#include "report.h"
#include "scaling_workload.h"
#include "support/file.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <arks/support/process.h>
#include <torch/utils.h>

#include <filesystem>
#include <iostream>

namespace arks::bench {

namespace {

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

/// False when no benchmark passes the filter.
bool run_all(Suite& suite, Scaling& scaling, int64_t rounds) {
  register_arks(suite);
  register_attack(suite);
  register_erm(suite);
  register_lbfgs(suite);
  register_decoding(suite);
  register_loading(suite);
  const bool compared = suite.run(rounds);
  scaling.add_to(suite);
  const bool scaled = suite.run(std::min(rounds, kScalingRounds));
  return compared || scaled;
}

int run(std::vector<std::string> arguments) {
  const std::filesystem::path json_path = take_option(arguments, "--json", "build/bench.json");
  const int64_t rounds = parse_whole_number(take_option(arguments, "--rounds", "5"), "--rounds");
  ARKS_CHECK(rounds > 0, "--rounds must be positive, got ", rounds);
  const auto python = take_option(arguments, "--python", ""), counted = take_option(arguments, "--instructions", "");
  const auto elsewhere = read_elsewhere(python, counted);
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  int argc = static_cast<int>(argv.size());
  benchmark::Initialize(&argc, argv.data());
  if (benchmark::ReportUnrecognizedArguments(argc, argv.data())) return 2;

  torch::set_num_threads(static_cast<int>(kThreads));
  set_blas_threads(1);  // as the tool does; the other sides gain by both too
  keep_freed_memory();
  if (const auto advice = slow_blas_advice()) std::cerr << "warning: " << *advice << "\n";
  Suite suite;
  Scaling scaling;
  ARKS_CHECK(run_all(suite, scaling, rounds), "--benchmark_filter: no benchmark passes it");
  print_report(std::cout, suite, scaling, elsewhere);
  if (json_path.has_parent_path()) std::filesystem::create_directories(json_path.parent_path());
  write_file_atomically(json_path, to_json(suite, scaling, elsewhere).dump(2) + "\n");
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
