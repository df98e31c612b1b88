#include "cli/train_leaks.h"

#include "data/checksum.h"
#include "data/part_shares.h"
#include "data/repeats.h"
#include "support/text.h"

#include <filesystem>

namespace arks::cli {

namespace {

namespace fs = std::filesystem;

/// Whether two files, or folders, are one or have the same bytes.
bool same_content(const fs::path& one, const fs::path& other) {
  std::error_code failure;
  if (fs::equivalent(one, other, failure)) return true;
  if (!fs::is_regular_file(one, failure) || !fs::is_regular_file(other, failure)) return false;
  return fs::file_size(one, failure) == fs::file_size(other, failure) &&
         checksum_of_files({one}) == checksum_of_files({other});
}

/// A few rows may be alike by chance; an export that holds every row twice makes a test of what was learned by heart.
void look_for_repeats(const DataSplits& splits, TrainRemarks& remarks) {
  constexpr double kMany = 0.1;
  if (splits.train->info().input_shape.size() != 1) return;
  const auto repeated = repeated_samples(*splits.test, *splits.train), all = splits.test->size();
  if (static_cast<double>(repeated) < kMany * static_cast<double>(all)) return;
  remarks.findings.emplace_back(
      c10::str(repeated, " of the ", all,
               " test rows are training rows, too, with the same inputs and target: test figures of "
               "new rows may be worse; is every row there twice?"));
}

void check_shares(const TrainSettings& settings, const DataSplits& splits, TrainRemarks& remarks) {
  const auto& own = settings.data.own;
  if (!own.group.has_value() || *settings.what.train_limit > 0) return;
  for (const auto& part : other_shares(splits, own.test_fraction.value_or(TabularOptions().test_fraction()),
                                       settings.data.validation.fraction.value_or(0))) {
    remarks.warnings.push_back(c10::str("the ", part.part, " part has ", part.samples, " of ", part.of, " rows, ",
                                        percent(part.share(), 0), " instead of ", percent(part.asked, 0),
                                        ": the groups of '", *own.group,
                                        "' cannot be divided otherwise; other seeds divide them in other ways"));
  }
}

}  // namespace

void look_for_leaks(const TrainSettings& settings, const DataSplits& splits, TrainRemarks& remarks) {
  const auto& own = settings.data.own;
  const auto& data = *settings.what.data;
  const bool same = own.test_data.has_value() && same_content(data, *own.test_data);
  if (!same) look_for_repeats(splits, remarks);
  if (same) {
    remarks.warnings.emplace_back(
        "--test-data holds the samples of --data, so test figures are of samples that were trained "
        "on; leave it out to keep some apart");
  } else if (own.test_data.has_value() && own.group.has_value()) {
    remarks.findings.emplace_back(c10::str("whether groups of '", *own.group,
                                           "' are in both --data and --test-data is not ",
                                           "checked; figures of groups that were trained on are too good"));
  }
  check_shares(settings, splits, remarks);
}

}  // namespace arks::cli
