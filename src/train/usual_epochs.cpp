#include "train/usual_epochs.h"

#include <algorithm>

namespace arks {

namespace {

constexpr int64_t kFewestEpochs = 5;

int64_t steps_of_an_epoch(int64_t samples, int64_t batch_size) {
  return (samples + batch_size - 1) / batch_size;
}

}  // namespace

int64_t usual_batch_size(int64_t samples, int64_t published) {
  constexpr int64_t kSteps = 16, kFewestSamples = 16;
  int64_t size = kFewestSamples;
  while (2 * size * kSteps <= samples) size *= 2;
  const auto fits = [&](int64_t wanted) { return wanted < published && samples % wanted != 1; };
  const auto smallest = size;
  while (size < published && !fits(size)) size *= 2;
  return std::min(fits(size) ? size : smallest, published);
}

int64_t usual_patience(int64_t samples, int64_t batch_size) {
  constexpr int64_t kPatientSteps = 500, kMostPatience = 100;
  return std::clamp(kPatientSteps / steps_of_an_epoch(samples, batch_size), kFewestEpochs, kMostPatience);
}

int64_t usual_epochs(int64_t samples, int64_t batch_size, int64_t published) {
  constexpr int64_t kUsualSteps = 100;
  return std::min(published, std::max(kFewestEpochs, kUsualSteps / steps_of_an_epoch(samples, batch_size)));
}

}  // namespace arks
