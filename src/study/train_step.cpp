#include "study/train_step.h"

#include "data/registry.h"
#include "objective/method.h"
#include "study/step_memory.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>

namespace arks::study {

namespace {

/// A flag that is a number > 0, for an estimate: what is wrong with it the run itself will say.
double number_or(const FlagValues& flags, const std::string& name, double otherwise) {
  try {
    return std::max(1.0, parse_number(value_or(flags, name, shortest(otherwise)), name));
  } catch (const Error&) {
    return otherwise;
  }
}

/// Forward and backward passes over the training set.
double passes_of(const FlagValues& flags, const std::string& data, const std::string& name) {
  double passes = 1;
  try {
    for (const auto& entry : methods()) {
      if (entry.name != name) continue;
      const auto method = entry.make();
      method->take(flags);
      method->prepare(published_settings(data));
      passes = method->passes();
    }
    for (const auto& wrapper : make_wrappers()) {
      wrapper->take(flags);
      if (wrapper->is_on()) passes += wrapper->passes();
    }
  } catch (const Error&) {  // an estimate: what is wrong with the flags the run itself will say
  }
  return number_or(flags, "epochs", 1) * passes;
}

}  // namespace

std::string data_identity(const std::string& data, const std::filesystem::path& data_dir) {
  const auto known = dataset_names();
  if (data_dir.empty() || std::find(known.begin(), known.end(), data) == known.end()) return "";
  const auto status = find_dataset(data).status(data_dir);
  if (!status.found) return "";
  uintmax_t bytes = 0;  // of the files beside the images: lists differ where images do
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(status.where, ignored)) {
    if (entry.is_regular_file(ignored)) bytes += entry.file_size(ignored);
  }
  return c10::str(data, ": ", status.detail, ", ", bytes, " bytes");
}

Step make_train_step(FlagValues flags, int64_t seed, const std::string& identity, const StepDefaults& defaults) {
  const auto source = value_or(flags, "data", defaults.data);
  const auto data = std::filesystem::path(source).filename().string();
  const auto method = value_or(flags, "method", defaults.method);
  flags["seed"] = std::to_string(seed);
  Step step;
  step.name = data + "-" + method;
  for (const char* strength : {"sigma", "gamma", "train-limit"}) {
    if (flags.count(strength) > 0) step.name += std::string("-") + strength + "-" + flags.at(strength);
  }
  step.name += "-seed-" + flags["seed"];
  step.command = as_arguments(flags);
  step.command.insert(step.command.begin(), "train");
  step.what = identity;
  step.cost = passes_of(flags, source, method);
  step.memory_bytes = memory_of(data);
  return step;
}

}  // namespace arks::study
