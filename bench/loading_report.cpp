#include "loading_report.h"

#include "benchmark_names.h"
#include "format.h"
#include "setting.h"

#include <ostream>

namespace arks::bench {

namespace {

struct DecodingSpeed {
  std::string name;
  double images_per_second;       // on two threads
  std::optional<double> speedup;  // over one
};

std::vector<DecodingSpeed> decoding_speeds(const Rounds& rounds) {
  std::vector<DecodingSpeed> found;
  const auto add = [&](const char* name, const std::string& two, const std::string& one) {
    if (const auto seconds = median_of(rounds, two)) {
      found.push_back({name, 1 / *seconds, median_ratio(rounds, one, two)});
    }
  };
  add("JPEGs made up", kDecodeMadeTwo, kDecodeMadeOne);
  add("JPEGs of CelebA", kDecodeRealTwo, kDecodeRealOne);
  return found;
}

struct LoadingShare {
  std::string name;
  double seconds;  // for a batch
  double share;    // of an epoch of ERM, the median over the rounds
};

std::vector<LoadingShare> loading_shares(const Rounds& rounds) {
  std::vector<LoadingShare> found;
  for (const auto& data : image_sets()) {
    const auto ratio = median_ratio(rounds, kLoading + data, kErmStep + data);
    if (ratio) found.push_back({data, *median_of(rounds, kLoading + data), *ratio / (1 + *ratio)});
  }
  return found;
}

}  // namespace

void print_loading(std::ostream& out, const Rounds& rounds) {
  for (const auto& row : decoding_speeds(rounds)) {
    out << row.name << ", 178x218 decoded and resized to 48x64: " << number(row.images_per_second, 0)
        << " images/s on 2 threads";
    if (row.speedup) out << ", " << number(*row.speedup, 2) << "x one thread";
    out << ", at least " << number(kWantedImagesPerSecond, 0) << " wanted"
        << (row.images_per_second < kWantedImagesPerSecond ? ": MISSED" : "") << "\n";
  }
  for (const auto& row : loading_shares(rounds)) {
    out << "loading a batch of " << row.name << ": " << duration(row.seconds) << ", " << number(100 * row.share, 2)
        << " % of an epoch of ERM, at most " << number(100 * kAllowedLoadingShare, 0) << " % allowed"
        << (row.share > kAllowedLoadingShare ? ": MISSED" : "") << "\n";
  }
}

nlohmann::json decoding_json(const Rounds& rounds) {
  auto list = nlohmann::json::array();
  for (const auto& row : decoding_speeds(rounds)) {
    nlohmann::json entry = {{"name", row.name},
                            {"images_per_second", row.images_per_second},
                            {"wanted_images_per_second", kWantedImagesPerSecond}};
    if (row.speedup) entry["speedup_over_one_thread"] = *row.speedup;
    list.push_back(entry);
  }
  return list;
}

nlohmann::json loading_json(const Rounds& rounds) {
  auto list = nlohmann::json::array();
  for (const auto& row : loading_shares(rounds)) {
    list.push_back({{"data", row.name}, {"seconds", row.seconds}, {"share_of_epoch", row.share}});
  }
  return list;
}

}  // namespace arks::bench
