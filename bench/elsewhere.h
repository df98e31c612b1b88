#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace arks::bench {

/// Figures that other programs have measured before and left as JSON (script/bench runs them).
struct Elsewhere {
  nlohmann::json python;        ///< of bench/published.py; null when it did not run
  nlohmann::json instructions;  ///< of bench/count_instructions; null when it did not run
};

/// An empty path leaves its part null. Throws Error naming a file that cannot be read.
Elsewhere read_elsewhere(const std::filesystem::path& python, const std::filesystem::path& instructions);

/// A batch of ARKS as published, in Python: names as behind "batch/", and the median of its seconds.
std::map<std::string, double> python_batches(const Elsewhere& elsewhere);

/// A line on the instructions of an inner step; empty when they were not counted.
std::string instructions_text(const Elsewhere& elsewhere);

}  // namespace arks::bench
