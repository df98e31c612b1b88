#pragma once
// What the tests of the user's own images and test sets share.
#include "cli/tool.h"
#include "support/data_files.h"
#include "support/file.h"
#include "support/testing.h"
#include "support/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace arks::testing {

/// A folder for the data and the runs of a test, and the tool called in it.
class OwnDataTest : public ::testing::Test {
 protected:
  using Arguments = std::vector<std::string>;
  using Json = nlohmann::json;

  ToolResult arks(const Arguments& arguments, const std::string& where = "") const {
    return arks_tool(arguments, where.empty() ? folder_.path() : folder_ / where,
                     {{"ARKS_DATA_DIR", "/nowhere"}, {"ARKS_CACHE_DIR", (folder_ / "cache").string()}});
  }
  ToolResult succeed(const Arguments& arguments, const std::string& where = "") const {
    auto result = arks(arguments, where);
    EXPECT_EQ(result.exit_code, 0) << join(arguments, " ") << "\n" << result.err;
    return result;
  }
  ToolResult train(const std::string& out, Arguments flags) const {
    Arguments arguments{"train", "--method", "erm", "--epochs", "2", "--model", "linear", "--out", out};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return succeed(arguments);
  }
  void refused(const Arguments& arguments, const std::string& part) const {
    const auto result = arks(arguments);
    EXPECT_EQ(result.exit_code, 2) << join(arguments, " ") << "\n" << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << part << "\n" << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  void train_refused(const Arguments& flags, const std::string& part) const {
    Arguments arguments{"train", "--method", "erm", "--epochs", "1", "--out", "bad", "--quiet"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    refused(arguments, part);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "bad"));
  }
  void expect_said(const ToolResult& result, const std::string& part) const {
    EXPECT_NE(result.err.find(part), std::string::npos) << part << "\n" << result.err;
  }
  std::string config(const std::string& run) const {
    return read_checkpoint(folder_ / (run + "/checkpoint.pt")).config;
  }
  void expect_recorded(const std::string& run, const std::string& line) const {
    EXPECT_NE(config(run).find(line + "\n"), std::string::npos) << line << " in\n" << config(run);
  }
  double last_test_loss(const std::string& run) const {
    std::ifstream in(folder_ / (run + "/metrics.jsonl"));
    std::string last;
    for (std::string line; std::getline(in, line);) last = line;
    return Json::parse(last)["test_loss"];
  }
  /// The run goes on, and is tested as it was in training, from another folder.
  void expect_usable(const std::string& run) const {
    std::filesystem::create_directories(folder_ / "elsewhere");
    succeed({"train", "--resume", "../" + run, "--epochs", "3", "--quiet"}, "elsewhere");
    const auto json =
        Json::parse(succeed({"evaluate", "../" + run, "--eps", "0,0.1", "--json", "-", "--quiet"}, "elsewhere").out);
    EXPECT_NEAR(json["points"][0]["loss"], last_test_loss(run), 1e-6);
    EXPECT_GT(json["points"][1]["loss"], json["points"][0]["loss"]);
    succeed({"certify", "../" + run, "--rho", "0.1", "--sigma", "0.5", "--limit", "2", "--inner-steps", "2", "--quiet"},
            "elsewhere");
  }
  Json shown(Arguments arguments) const {
    arguments.insert(arguments.begin(), {"data", "show"});
    arguments.insert(arguments.end(), {"--json", "-"});
    return Json::parse(succeed(arguments).out)["data_set"];
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write_photos() const {
    write_class(folder_ / "photos/dark", 10, 0, {3, 6, 4});
    write_class(folder_ / "photos/light", 6, 200, {3, 6, 4});
  }
  void write_arrays() const {
    const auto labels = torch::arange(20) % 2;
    write_npy(folder_ / "x.npy",
              (labels * 200 + torch::arange(20)).to(torch::kByte).view({20, 1, 1}).repeat({1, 5, 4}));
    write_npy(folder_ / "y.npy", labels);
  }

  TemporaryFolder folder_;
};

}  // namespace arks::testing
