// arks train as a user runs it: methods, run folder, configuration files, interruption and resuming.
#include "cli/tool.h"
#include "support/testing.h"
#include "support/text.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

namespace arks {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

class TrainTool : public ::testing::Test {
 protected:
  TrainTool() { testing::write_toy_fashion_mnist(folder_ / "data", 256, 64); }

  std::map<std::string, std::string> environment() const { return {{"ARKS_DATA_DIR", (folder_ / "data").string()}}; }
  testing::ToolResult arks(const Arguments& arguments) const {
    return testing::arks_tool(arguments, folder_.path(), environment());
  }
  testing::ToolResult succeed(const Arguments& arguments) const {
    auto result = arks(arguments);
    EXPECT_EQ(result.exit_code, 0) << join(arguments, " ") << "\n" << result.err;
    return result;
  }
  Checkpoint checkpoint(const std::string& run) const { return read_checkpoint(folder_ / (run + "/checkpoint.pt")); }
  void expect_same_weights(const std::string& a, const std::string& b) const {
    const auto first = checkpoint(a), second = checkpoint(b);
    ASSERT_EQ(first.weights.size(), second.weights.size());
    for (size_t i = 0; i < first.weights.size(); ++i) {
      EXPECT_TRUE(testing::identical(first.weights[i].second, second.weights[i].second)) << first.weights[i].first;
    }
  }
  std::vector<Json> metrics(const std::string& run) const {
    std::vector<Json> lines;
    std::ifstream in(folder_ / (run + "/metrics.jsonl"));
    for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
    return lines;
  }
  /// Epochs 1 … n, each once.
  void expect_epochs(const std::string& run, int64_t n) const {
    const auto lines = metrics(run);
    ASSERT_EQ(static_cast<int64_t>(lines.size()), n);
    for (int64_t i = 0; i < n; ++i) EXPECT_EQ(lines[static_cast<size_t>(i)]["epoch"], i + 1);
  }
  void wait_for_epochs(const std::string& run, int64_t n) const {
    for (int tries = 0; tries < 30000 && static_cast<int64_t>(metrics(run).size()) < n; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ASSERT_GE(static_cast<int64_t>(metrics(run).size()), n) << "the run did not get that far in 5 minutes";
  }

  testing::TemporaryFolder folder_;
};

TEST_F(TrainTool, EveryMethodTrainsAndFillsItsRunFolder) {
  for (const std::string method : {"erm", "arks", "wrm", "pgd"}) {
    succeed({"train", "--method", method, "--model", "linear", "--epochs", "3", "--batch-size", "32", "--lr", "0.01",
             "--inner-steps", "5", "--out", method});
    for (const char* file : {"config.toml", "metrics.jsonl", "checkpoint.pt", "model.pt"}) {
      EXPECT_TRUE(fs::exists(folder_ / (method + "/" + file))) << method << " " << file;
    }
    expect_epochs(method, 3);
    const auto lines = metrics(method);
    EXPECT_LT(lines.back()["train_loss"], lines.front()["train_loss"]) << method;
    EXPECT_LT(lines.back()["test_error"], 0.5) << method;
    EXPECT_EQ(lines.back()["adversarial_loss"].is_null(), method == "erm");
    EXPECT_EQ(lines.back()["mean_kernel"].is_null(), method != "arks");
    for (const auto& line : lines) EXPECT_GE(line["surrogate"], line["train_loss"].get<double>() - 1e-9) << method;
  }
}

TEST_F(TrainTool, SaysWhichPublishedValuesItTakes) {
  const auto result =
      succeed({"train", "--method", "arks", "--epochs", "1", "--train-limit", "8", "--inner-steps", "1"});
  EXPECT_NE(result.err.find("defaults: model fashion-cnn, batch-size 256, opt amsgrad, lr 0.001, sigma 0.5"),
            std::string::npos)
      << result.err;
  EXPECT_TRUE(fs::exists(folder_ / "runs/fashion-mnist-arks-seed0/model.pt")) << "the default run folder";
}

TEST_F(TrainTool, WarnsWhenPgdCannotReachItsBall) {
  const auto result = succeed({"train", "--method", "pgd", "--model", "linear", "--epochs", "1", "--out", "run"});
  EXPECT_NE(result.err.find("15 steps of 0.001 reach 0.015, not eps 0.3"), std::string::npos) << result.err;
}

TEST_F(TrainTool, MentionsFlagsThatTheMethodDoesNotUse) {
  const auto result =
      succeed({"train", "--method", "erm", "--sigma", "1", "--model", "linear", "--epochs", "1", "--out", "run"});
  EXPECT_NE(result.err.find("--sigma is not used by method erm"), std::string::npos) << result.err;
}

TEST_F(TrainTool, SameSeedSameWeightsOtherSeedOtherWeights) {
  const Arguments flags{"train", "--epochs",      "1", "--train-limit", "64", "--batch-size",
                        "32",    "--inner-steps", "3", "--threads",     "2"};
  const auto run = [&](const std::string& out, const std::string& seed) {
    auto arguments = flags;
    arguments.insert(arguments.end(), {"--seed", seed, "--out", out});
    // not a copy of the test: the threads that a process has are gone in its copy
    const auto result = testing::arks_program(arguments, folder_.path(), environment());
    EXPECT_EQ(result.exit_code, 0) << result.err;
  };
  run("a", "0");
  run("b", "0");
  run("c", "1");
  expect_same_weights("a", "b");
  EXPECT_FALSE(torch::equal(checkpoint("a").weights[0].second, checkpoint("c").weights[0].second));
}

TEST_F(TrainTool, ConfigFileOfARunRepeatsItAndFlagsWin) {
  succeed({"train", "--model", "linear", "--epochs", "2", "--batch-size", "50", "--seed", "3", "--out", "a"});
  succeed({"train", "--config", "a/config.toml", "--out", "b"});
  expect_same_weights("a", "b");
  succeed({"train", "--config", "a/config.toml", "--epochs", "1", "--out", "c"});
  expect_epochs("c", 1);
  EXPECT_NE(checkpoint("c").config.find("batch-size = 50"), std::string::npos);
}

TEST_F(TrainTool, RecordsBoundsAndScalesAsListsAndRepeatsThem) {
  const auto scale = testing::repeated("2", 783, ",") + ",0";
  const Arguments flags{"train", "--method",         "pgd",          "--model", "linear",  "--inner-lr",
                        "0.05",  "--project-bounds", "--batch-size", "64",      "--quiet", "--epochs"};
  const auto run = [&](const std::string& out, const Arguments& more) {
    auto arguments = flags;
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), {"--out", out, "--json", "-"});
    return Json::parse(succeed(arguments).out)["config"];
  };
  const auto one = run("one", {"2", "--bounds", "0,1"});
  EXPECT_EQ(one["bounds"], (Json{0.0, 1.0}));
  EXPECT_FALSE(one.contains("eps-scale"));
  const auto many = run("many", {"2", "--bounds", testing::repeated("-1,1", 783, ";") + ";0,2", "--eps-scale", scale});
  ASSERT_EQ(many["bounds"].size(), 784U);
  EXPECT_EQ(many["bounds"][0], (Json{-1.0, 1.0}));
  EXPECT_EQ(many["bounds"][783], (Json{0.0, 2.0}));
  EXPECT_EQ(many["eps-scale"].size(), 784U);
  EXPECT_EQ(many["eps-scale"][783], 0.0);
  EXPECT_FALSE(torch::equal(checkpoint("one").weights[0].second, checkpoint("many").weights[0].second));
  succeed({"train", "--config", "many/config.toml", "--out", "again", "--quiet"});
  expect_same_weights("many", "again");
  succeed({"train", "--config", "many/config.toml", "--epochs", "1", "--out", "resumed", "--quiet"});
  succeed({"train", "--resume", "resumed", "--epochs", "2", "--quiet"});
  expect_same_weights("many", "resumed");
}

TEST_F(TrainTool, JsonHoldsFiguresConfigurationSeedVersionsAndTime) {
  const auto result =
      succeed({"train", "--model", "linear", "--epochs", "2", "--out", "run", "--json", "-", "--quiet"});
  const auto json = Json::parse(result.out);
  EXPECT_EQ(json["method"], "arks");
  EXPECT_EQ(json["epochs"].size(), 2U);
  EXPECT_EQ(json["config"]["sigma"], 0.5);
  EXPECT_EQ(json["config"]["batch-size"], 256);
  EXPECT_EQ(json["config"]["inner-lr-decay"], false);
  EXPECT_EQ(json["seed"], 0);
  EXPECT_EQ(json["versions"]["arks"], kVersion);
  EXPECT_GT(json["wall_seconds"], 0);
}

TEST_F(TrainTool, LbfgsTriesALengthOfOneFirst) {
  const auto result = succeed({"train", "--model", "linear", "--epochs", "1", "--inner-opt", "lbfgs", "--out", "run"});
  EXPECT_NE(result.err.find("inner-lr 1"), std::string::npos) << result.err;
  EXPECT_NE(checkpoint("run").config.find("inner-opt = \"lbfgs\""), std::string::npos);
  const auto line = metrics("run").back();
  EXPECT_GT(line["surrogate"], line["train_loss"]);
}

TEST_F(TrainTool, ForceReplacesARun) {
  succeed({"train", "--model", "linear", "--epochs", "2", "--out", "run"});
  write_file_atomically(folder_ / "run/notes.txt", "mine");
  const std::string files = "config.toml, metrics.jsonl, checkpoint.pt, model.pt, parts.json";
  const auto refused = arks({"train", "--model", "linear", "--epochs", "1", "--out", "run"});
  EXPECT_EQ(refused.exit_code, 2);
  const auto expected =
      "run exists; --force replaces the run in it (" + files + "; nothing else), --resume continues it";
  EXPECT_NE(refused.err.find(expected), std::string::npos) << refused.err;
  const auto result = succeed({"train", "--model", "linear", "--epochs", "1", "--out", "run", "--force"});
  EXPECT_NE(result.err.find("--force: replaces the run in run: " + files + "\n"), std::string::npos) << result.err;
  expect_epochs("run", 1);
  EXPECT_EQ(read_file(folder_ / "run/notes.txt"), "mine");
}

TEST_F(TrainTool, KilledAndResumedEndsInTheSameWeights) {
  // PGD with random starts, so that the state of the random numbers matters too
  const Arguments flags{"train", "--method",      "pgd", "--random-start", "--inner-lr", "0.05", "--batch-size",
                        "32",    "--train-limit", "128", "--inner-steps",  "4"};
  auto whole = flags, killed = flags;
  killed.insert(killed.end(), {"--epochs", "1000000", "--out", "killed", "--save-seconds", "0"});
  testing::Tool tool(killed, folder_.path(), environment());
  wait_for_epochs("killed", 1);
  tool.send(SIGKILL);
  EXPECT_EQ(tool.wait().exit_code, -1);
  const auto epochs = checkpoint("killed").epoch + 2;
  succeed({"train", "--resume", "killed", "--epochs", std::to_string(epochs)});
  whole.insert(whole.end(), {"--epochs", std::to_string(epochs), "--out", "whole"});
  succeed(whole);
  expect_same_weights("whole", "killed");
  expect_epochs("killed", epochs);
  const auto expected = metrics("whole"), found = metrics("killed");
  for (size_t i = 0; i < expected.size(); ++i) {
    for (const char* key : {"train_error", "train_loss", "adversarial_loss", "surrogate", "test_error", "test_loss"}) {
      EXPECT_EQ(found[i][key], expected[i][key]) << "epoch " << i + 1 << " " << key;
    }
  }
}

TEST_F(TrainTool, InterruptFinishesTheBatchSavesAndSaysHowToGoOn) {
  const Arguments flags{"train", "--method", "arks", "--batch-size", "16", "--inner-steps", "6"};
  auto whole = flags, stopped = flags;
  stopped.insert(stopped.end(), {"--epochs", "1000000", "--out", "stopped", "--save-seconds", "0"});
  testing::Tool tool(stopped, folder_.path(), environment());
  wait_for_epochs("stopped", 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(60));  // most often into the next epoch
  tool.send(SIGINT);
  const auto result = tool.wait();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("arks train --resume stopped"), std::string::npos) << result.err;
  EXPECT_FALSE(fs::exists(folder_ / "stopped/model.pt"));
  const auto epochs = checkpoint("stopped").epoch + 2;
  succeed({"train", "--resume", "stopped", "--epochs", std::to_string(epochs)});
  whole.insert(whole.end(), {"--epochs", std::to_string(epochs), "--out", "whole"});
  succeed(whole);
  expect_same_weights("whole", "stopped");
  expect_epochs("stopped", epochs);
  EXPECT_TRUE(fs::exists(folder_ / "stopped/model.pt"));
}

TEST_F(TrainTool, ResumeOfACompleteRunChangesNothingUnlessThereAreMoreEpochs) {
  const Arguments flags{"train", "--model", "linear", "--batch-size", "32"};
  auto two = flags, three = flags;
  two.insert(two.end(), {"--epochs", "2", "--out", "grown"});
  three.insert(three.end(), {"--epochs", "3", "--out", "whole"});
  succeed(two);
  succeed(three);
  const auto result = succeed({"train", "--resume", "grown"});
  EXPECT_NE(result.err.find("is complete: 2 epochs"), std::string::npos) << result.err;
  expect_epochs("grown", 2);
  succeed({"train", "--resume", "grown", "--epochs", "3"});
  expect_epochs("grown", 3);
  expect_same_weights("whole", "grown");
  const auto fewer = arks({"train", "--resume", "grown", "--epochs", "2"});
  EXPECT_EQ(fewer.exit_code, 2);
  EXPECT_NE(fewer.err.find("--epochs: the run already has 3 epochs, got 2"), std::string::npos) << fewer.err;
}

/// Averaging is the default for tables, and its start was fixed when the run began.
TEST_F(TrainTool, ResumeRefusesFewerEpochsOfAnAveragedRunInTheirOwnWords) {
  succeed({"train", "--data", "iris", "--method", "erm", "--epochs", "20", "--out", "table"});
  const auto fewer = arks({"train", "--resume", "table", "--epochs", "5"});
  EXPECT_EQ(fewer.exit_code, 2);
  EXPECT_EQ(fewer.err, "arks: --epochs: the run already has 20 epochs, got 5\n");
}

TEST_F(TrainTool, ResumeCompletesARunThatWasKilledAfterItsLastEpoch) {
  succeed({"train", "--model", "linear", "--epochs", "2", "--out", "run"});
  fs::remove(folder_ / "run/model.pt");
  std::ofstream(folder_ / "run/metrics.jsonl") << "";
  succeed({"train", "--resume", "run"});
  EXPECT_TRUE(fs::exists(folder_ / "run/model.pt"));
  expect_epochs("run", 2);
}

TEST_F(TrainTool, ResumeFindsTheDataOfTheRun) {
  const auto data = (folder_ / "data").string();
  const std::map<std::string, std::string> elsewhere{{"ARKS_DATA_DIR", "/nowhere"}};
  const auto train = [&](const Arguments& arguments) {
    const auto result = testing::arks_tool(arguments, folder_.path(), elsewhere);
    EXPECT_EQ(result.exit_code, 0) << result.err;
  };
  train({"train", "--model", "linear", "--epochs", "1", "--data-dir", data, "--out", "run"});
  train({"train", "--resume", "run", "--epochs", "2"});
  expect_epochs("run", 2);
}

}  // namespace arks
