#pragma once
// The ratios of the benchmark (`script/bench --json`, bench/report.cpp) as a figure and a table.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace arks::study {

/// One comparison of the benchmark, in words that need no other row.
struct SpeedRatio {
  std::string name;     ///< "ARKS batch, Fashion-MNIST, 256 images, against the code as published"
  std::string work;     ///< "ARKS batch, Fashion-MNIST, 256 images"
  std::string against;  ///< "the code as published"
  /// Their time over our time. Of a share: our operations per second over those of `against`, which does other work
  /// (sgemm), so that this is no speed-up.
  double ratio = 0;
  bool is_share = false;
  std::optional<double> least, aim;                   ///< what was wanted of the ratio
  double ours_seconds = 0, theirs_seconds = 0;        ///< medians
  int64_t rounds = 0;                                 ///< 0: the document does not say
  std::optional<double> lowest_round, highest_round;  ///< of the ratio, where the document has the rounds of both
};

/// The comparisons of the document, in its order. `what` names it in errors. Throws Error in one line for a text that
/// is no JSON, has no comparisons, lacks a key or has a number that cannot be.
std::vector<SpeedRatio> read_speed_ratios(const std::string& json, const std::string& what);

/// Machine, threads, date and versions of the document: "AMD EPYC, 2 threads, 2026-11-16, arks 0.1.0, torch 1.13.0".
/// What it does not say is left out; throws Error when it is no JSON or says neither machine nor date.
std::string speed_footnote(const std::string& json, const std::string& what);

/// Horizontal bars, a group for what was compared against and the shares in a group of their own; PNG or SVG by the
/// extension of each file.
void write_speed_figure(const std::vector<std::filesystem::path>& files, const std::vector<SpeedRatio>& ratios,
                        const std::string& footnote);

/// A line for each comparison: name, work, against, kind ("ratio" or "share"), ratio, lowest_round, highest_round,
/// least, aim, ours_seconds, theirs_seconds, rounds. What is not known is empty.
std::string speed_csv(const std::vector<SpeedRatio>& ratios);

}  // namespace arks::study
