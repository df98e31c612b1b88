#include "engine/processor.h"

#include <arks/support/error.h>
#include <hwy/targets.h>
#include <dnnl.hpp>

#include <cstdlib>
#include <string>

namespace arks::engine {

namespace {

bool asked_for_portable() {
  const char* const given = std::getenv("ARKS_CPU");
  const std::string wanted = given != nullptr ? given : "";
  ARKS_CHECK(wanted.empty() || wanted == "auto" || wanted == "portable", "ARKS_CPU is '", wanted,
             "'; it can be 'auto' or 'portable'");
  return wanted == "portable";
}

bool restrained() {
  if (!asked_for_portable()) return false;
  // the lowest that the build knows stays; oneDNN may have been asked by libtorch before, and then keeps what it has
  hwy::DisableTargets(HWY_SSSE3 | HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL);
  dnnl::set_max_cpu_isa(dnnl::cpu_isa::sse41);
  return true;
}

}  // namespace

bool portable_path() {
  static const bool portable = restrained();
  return portable;
}

const char* instruction_set() {
  portable_path();
  const int64_t supported = hwy::SupportedTargets();
  return hwy::TargetName(supported & -supported);  // the lowest bit is the best of them
}

}  // namespace arks::engine
