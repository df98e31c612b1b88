// What bench/count_instructions runs under callgrind: inner maximisations of ARKS on the Fashion-MNIST network, 8
// images on one thread, with fixed weights and images:
//   inner_step_once STEPS [STEPS …]
// Each number is one maximisation, after a first one that makes whatever is made once.
#include "arks_workload.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <arks/support/process.h>
#include <torch/utils.h>

#include <iostream>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else  // built where there is no valgrind: nothing counts, everything else is the same
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#define CALLGRIND_DUMP_STATS_AT(name)
#endif

namespace arks::bench {

namespace {

constexpr int64_t kCountedImages = 8;

/// The counts go to a file of their own, which names the number of steps. Instrumentation is off before: libtorch's
/// start alone would take minutes with it.
void count_maximisation(Ours& ours, const Batch& batch, const std::string& steps) {
  CALLGRIND_START_INSTRUMENTATION;
  ours.maximize(batch);
  CALLGRIND_STOP_INSTRUMENTATION;
  CALLGRIND_DUMP_STATS_AT(steps.c_str());
}

int run(const std::vector<std::string>& arguments) {
  ARKS_CHECK(!arguments.empty(), "usage: inner_step_once STEPS [STEPS …]");
  torch::set_num_threads(1);
  set_blas_threads(1);
  const auto setting = setting_for("fashion-mnist");
  const auto batch = random_batch(setting, kCountedImages);
  bool compiled = false;
  for (const auto& argument : arguments) {
    Ours ours(setting, ascent_of(setting, InnerMode::kEval).steps(parse_whole_number(argument, "STEPS")));
    ours.maximize(batch);
    count_maximisation(ours, batch, argument);
    compiled = ours.info().compiled;
  }
  std::cout << "images " << kCountedImages << " compiled " << (compiled ? "true" : "false") << "\n";
  return 0;
}

}  // namespace

}  // namespace arks::bench

int main(int argc, char** argv) {
  try {
    return arks::bench::run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << "\n";
    return dynamic_cast<const arks::Error*>(&error) != nullptr ? 2 : 1;
  }
}
