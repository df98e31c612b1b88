#pragma once
// Tables for tests of what a validation part decides.
#include "cli/own_data.h"

#include <random>

namespace arks::testing {

class ValidationTool : public OwnDataTest {
 protected:
  /// Rows of two inputs, a class that follows from them or is drawn by lot, and a site.
  void write_table(const std::string& name, int64_t rows, bool noise, int64_t sites = 10) const {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    std::string text = "a,b,site,class\n";
    for (int64_t i = 0; i < rows; ++i) {
      const double a = normal(random), b = normal(random), lot = normal(random);
      const bool yes = (noise ? lot : a + 0.3 * lot) > 0;
      text += c10::str(a, ",", b, ",", i % sites, ",", yes ? "yes" : "no", "\n");
    }
    write_file_atomically(folder_ / name, text);
  }
  /// Ten inputs and a class that has nothing to do with them.
  void write_noise(const std::string& name, int64_t rows, unsigned seed) const {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::string text = "a,b,c,d,e,f,g,h,i,j,class\n";
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t input = 0; input < 10; ++input) text += c10::str(normal(random), ",");
      text += normal(random) > 0 ? "yes\n" : "no\n";
    }
    write_file_atomically(folder_ / name, text);
  }
  std::vector<Json> epochs_of(const std::string& run) const {
    std::vector<Json> epochs;
    for (const auto& line : split(read_file(folder_ / (run + "/metrics.jsonl")), '\n')) {
      if (!line.empty()) epochs.push_back(Json::parse(line));
    }
    return epochs;
  }
  ToolResult train_bare(const std::string& out, Arguments flags) const {
    flags.insert(flags.begin(), {"train", "--method", "erm", "--out", out});
    return succeed(flags);
  }
};

}  // namespace arks::testing
