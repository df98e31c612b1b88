#include "data/part_shares.h"

namespace arks {

std::vector<OtherShare> other_shares(const DataSplits& splits, double test_fraction, double validation_fraction) {
  constexpr double kFar = 1.5;
  const auto size = [](const DatasetPtr& part) { return part ? part->size() : 0; };
  const int64_t kept = size(splits.train) + size(splits.validation), test = splits.divided ? size(splits.test) : 0;
  std::vector<OtherShare> found;
  for (const auto& part : {OtherShare{"test", test, test + kept, test_fraction},
                           OtherShare{"validation", size(splits.validation), kept, validation_fraction}}) {
    if (part.samples == 0 || part.asked == 0) continue;
    if (part.share() >= kFar * part.asked || kFar * part.share() <= part.asked) found.push_back(part);
  }
  return found;
}

}  // namespace arks
