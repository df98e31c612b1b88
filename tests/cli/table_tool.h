#pragma once
// Two small tables, and the tool to train on them.
#include "cli/tool.h"
#include "support/data_files.h"
#include "support/file.h"
#include "support/testing.h"
#include "support/text.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

namespace arks {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

class TableTool : public ::testing::Test {
 protected:
  TableTool() {
    // two kinds of flowers that one line tells apart, and a height that depends on both measures
    std::ofstream kinds(folder_ / "flowers.csv"), heights(folder_ / "heights.csv");
    kinds << "id,width,kind,length\n";
    heights << "width,length,height\n";
    const auto x = testing::normal({60, 2});
    for (int64_t i = 0; i < 60; ++i) {
      const double width = 3 + x[i][0].item<double>(), length = 100 + 10 * x[i][1].item<double>();
      kinds << i << "," << width << "," << (10 * width + length > 130 ? "large" : "small") << "," << length << "\n";
      heights << width << "," << length << "," << 2 * width + length / 50 << "\n";
    }
  }

  testing::ToolResult arks(const Arguments& arguments) const {
    return testing::arks_tool(arguments, folder_.path(), {{"ARKS_DATA_DIR", "/nowhere"}});
  }
  testing::ToolResult succeed(const Arguments& arguments) const {
    auto result = arks(arguments);
    EXPECT_EQ(result.exit_code, 0) << join(arguments, " ") << "\n" << result.err;
    return result;
  }
  testing::ToolResult train(const std::string& out, Arguments flags) const {
    Arguments arguments{"train", "--method", "erm", "--epochs", "60", "--lr", "0.01", "--out", out};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return succeed(arguments);
  }
  Checkpoint checkpoint(const std::string& run) const { return read_checkpoint(folder_ / (run + "/checkpoint.pt")); }
  Json last_line(const std::string& run) const {
    std::ifstream in(folder_ / (run + "/metrics.jsonl"));
    std::string last;
    for (std::string line; std::getline(in, line);) last = line;
    return Json::parse(last);
  }
  void expect_refused(const Arguments& arguments, const std::string& part) const {
    const auto result = arks(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  }

  testing::TemporaryFolder folder_;
};

}  // namespace arks
