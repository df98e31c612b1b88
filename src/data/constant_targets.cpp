#include "data/constant_targets.h"

#include "support/samples.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>

namespace arks {

namespace {

/// The first target of each output, in the user's units, and whether another sample has another. Most often the first
/// samples show that; inputs come with the targets, so no more are read.
struct FirstTargets {
  torch::Tensor values;   // [k] float64
  torch::Tensor differs;  // [k] bool
};

FirstTargets look_at(const Dataset& samples) {
  constexpr int64_t kAtOnce = 256;
  FirstTargets first;
  for (int64_t at = 0; at < samples.size(); at += kAtOnce) {
    const auto batch = samples.get(torch::arange(at, std::min(at + kAtOnce, samples.size())));
    const auto targets = rows(batch.targets.to(torch::kDouble));
    if (!first.values.defined()) {
      first.values = targets[0].clone();
      first.differs = torch::zeros({targets.size(1)}, torch::kBool);
    }
    first.differs.logical_or_((targets != first.values).any(0));
    if (first.differs.all().item<bool>()) break;
  }
  const auto& info = samples.info();
  if (info.target_mean.defined()) first.values = first.values * info.target_deviation + info.target_mean;
  return first;
}

}  // namespace

std::vector<std::string> check_targets_differ(const DataSplits& splits) {
  const auto& train = *splits.train;
  const auto& info = train.info();
  if (info.num_classes > 0 || train.size() < 2) return {};
  const auto first = look_at(train);
  const auto rows = count_of(train.size(), "training " + samples_word(info));
  const auto is = [&](int64_t place) { return " is " + six_digits(first.values[place].item<double>()) + " in all "; };
  ARKS_CHECK(first.differs.any().item<bool>(), info.name, ": the target '", splits.target, "'",
             first.values.size(0) > 1 ? " never changes in the " : is(0), rows,
             ", so there is nothing to learn; is it the right ",
             splits.encoding ? "column? --target names it" : "file? --targets names it");
  std::vector<std::string> notes;
  for (int64_t i = 0; i < first.values.size(0); ++i) {
    if (first.differs[i].item<bool>()) continue;
    const auto place = static_cast<size_t>(i);
    const auto name = place < info.target_names.size() ? info.target_names[place] : c10::str("target ", i);
    notes.push_back("the target '" + name + "'" + is(i) + rows + ": nothing can be learned of it");
  }
  return notes;
}

}  // namespace arks
