#include "study/step_memory.h"

namespace arks::study {

double memory_of(const std::string& data) {
  constexpr double kGigabyte = 1e9;
  if (data == "cifar10") return 1.2 * kGigabyte;
  if (data == "celeba") return 1.5 * kGigabyte;
  return data == "fashion-mnist" ? 0.9 * kGigabyte : 0.4 * kGigabyte;
}

}  // namespace arks::study
