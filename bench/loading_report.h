#pragma once
#include "suite.h"

#include <iosfwd>
#include <nlohmann/json.hpp>

namespace arks::bench {

/// How many images have to be decoded and resized in a second on two threads.
constexpr double kWantedImagesPerSecond = 400;

/// The largest share of a training epoch that loading may take.
constexpr double kAllowedLoadingShare = 0.05;

/// How fast image files are decoded, and which part of an epoch of ERM goes into having the batches. Nothing for what
/// did not run.
void print_loading(std::ostream& out, const Rounds& rounds);
nlohmann::json decoding_json(const Rounds& rounds);
nlohmann::json loading_json(const Rounds& rounds);

}  // namespace arks::bench
