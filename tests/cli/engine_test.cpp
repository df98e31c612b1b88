// What runs the networks, as a user sees and chooses it.
#include "cli/tool.h"
#include "support/testing.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace arks {

using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

class EngineTool : public ::testing::Test {
 protected:
  EngineTool() { testing::write_toy_fashion_mnist(folder_ / "data", 64, 32); }

  testing::ToolResult arks(const Arguments& arguments, const std::string& cpu = "") const {
    std::map<std::string, std::string> environment{{"ARKS_DATA_DIR", (folder_ / "data").string()}};
    if (!cpu.empty()) environment["ARKS_CPU"] = cpu;
    return testing::arks_program(arguments, folder_.path(), environment);
  }
  /// Trains the Fashion-MNIST network for an epoch of two batches, verbosely.
  testing::ToolResult train(const std::string& run, const Arguments& more, const std::string& cpu = "") const {
    Arguments arguments{"train", "--epochs", "1", "--batch-size", "32", "--inner-steps", "3", "-v", "--out", run};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arks(arguments, cpu);
  }
  Json metrics(const std::string& run) const {
    std::ifstream in(folder_ / (run + "/metrics.jsonl"));
    std::string line;
    std::getline(in, line);
    return Json::parse(line);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(EngineTool, SaysWhatRunsOnAPlan) {
  const auto result = train("run", {});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("in training mode the network runs on a compiled plan"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("the inner maximisation runs on a plan with"), std::string::npos) << result.err;
}

TEST_F(EngineTool, SaysWhatDoesNotAndWhy) {
  const auto cost = train("run", {"--method", "wrm", "--gamma", "1", "--cost", "linf"});
  ASSERT_EQ(cost.exit_code, 0) << cost.err;
  EXPECT_NE(cost.err.find("the inner maximisation runs on libtorch: the cost linf is not compiled"), std::string::npos)
      << cost.err;
  const auto asked = train("other", {"--engine", "libtorch"});
  ASSERT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_NE(asked.err.find("runs on libtorch: libtorch was requested"), std::string::npos) << asked.err;
}

/// Also of commands that compute with no model.
TEST_F(EngineTool, EveryCommandSaysWhatTheEngineHasToDoWithIt) {
  const auto said = [&](Arguments arguments) {
    arguments.emplace_back("-v");
    const bool starts_others = arguments[0] == "sweep" || arguments[0] == "reproduce";
    const auto result = starts_others ? arks(arguments) : testing::arks_tool(arguments, folder_.path());
    EXPECT_EQ(result.exit_code, 0) << join(arguments) << "\n" << result.err;
    EXPECT_NE(result.err.find("engine: "), std::string::npos) << join(arguments) << "\n" << result.err;
  };
  std::string rows = "a,b,class\n";
  for (int i = 0; i < 40; ++i) rows += c10::str(i % 7, ".5,", i % 5, ",", i % 3 == 0 ? "yes" : "no", "\n");
  write_file_atomically(folder_ / "t.csv", rows);
  said({"train", "--data", "t.csv", "--method", "erm", "--epochs", "1", "--out", "run"});
  said({"evaluate", "run", "--eps", "0"});
  said({"predict", "run", "--data", "t.csv"});
  said({"certify", "run", "--rho", "0", "--sigma", "0.5", "--limit", "1"});
  said({"export", "run", "--out", "run.pt"});
  said({"data", "show", "t.csv"});
  said({"data", "drift", "run", "t.csv"});
  said({"reproduce", "fig-iris", "--scale", "smoke", "--dry-run"});
  write_file_atomically(folder_ / "s.toml",
                        "[train]\ndata = \"iris\"\nmethod = \"erm\"\nepochs = 1\n[grid]\nlr = [0.1]\n");
  said({"sweep", "s.toml"});
}

TEST_F(EngineTool, RefusesAnEngineThatIsNone) {
  const auto result = train("run", {"--engine", "libtroch"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("unknown engine 'libtroch' (did you mean 'libtorch'?)"), std::string::npos) << result.err;
}

TEST_F(EngineTool, IsRememberedByARun) {
  ASSERT_EQ(train("run", {"--engine", "libtorch"}).exit_code, 0);
  EXPECT_NE(read_checkpoint(folder_ / "run/checkpoint.pt").config.find("engine = \"libtorch\""), std::string::npos);
}

TEST_F(EngineTool, EveryPathTrainsAlike) {
  ASSERT_EQ(train("plan", {}).exit_code, 0);
  ASSERT_EQ(train("libtorch", {"--engine", "libtorch"}).exit_code, 0);
  const auto portable = train("portable", {}, "portable");
  ASSERT_EQ(portable.exit_code, 0) << portable.err;
  EXPECT_EQ(portable.err.find("AVX"), std::string::npos) << portable.err;
  for (const char* key : {"train_loss", "surrogate", "test_loss"}) {
    const double expected = metrics("libtorch")[key];
    EXPECT_NEAR(metrics("plan")[key], expected, 1e-4 * expected) << key;
    EXPECT_NEAR(metrics("portable")[key], expected, 1e-4 * expected) << key;
  }
}

TEST_F(EngineTool, RefusesAProcessorThatIsNone) {
  const auto result = train("run", {}, "avx9");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("ARKS_CPU is 'avx9'; it can be 'auto' or 'portable'"), std::string::npos) << result.err;
}

}  // namespace arks
