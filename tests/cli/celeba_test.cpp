// Faces as a user trains and evaluates on them.
#include "cli/tool.h"
#include "support/encoded_images.h"
#include "support/file.h"
#include "support/testing.h"
#include "support/text.h"

namespace arks {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

class CelebaTool : public ::testing::Test {
 protected:
  CelebaTool() { testing::write_toy_celeba(folder_ / "data/celeba"); }

  testing::ToolResult arks(const Arguments& arguments) const {
    return testing::arks_tool(
        arguments, folder_.path(),
        {{"ARKS_DATA_DIR", (folder_ / "data").string()}, {"ARKS_CACHE_DIR", (folder_ / "cache").string()}});
  }
  testing::ToolResult succeed(const Arguments& arguments) const {
    auto result = arks(arguments);
    EXPECT_EQ(result.exit_code, 0) << join(arguments, " ") << "\n" << result.err;
    return result;
  }
  testing::ToolResult train(const std::string& out, const Arguments& flags) const {
    Arguments arguments{"train", "--data",   "celeba", "--model", "linear", "--method",
                        "erm",   "--epochs", "2",      "--out",   out};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return succeed(arguments);
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
  int64_t cache_files() const {
    std::error_code none;
    return std::distance(fs::directory_iterator(folder_ / "cache", none), fs::directory_iterator());
  }

  testing::TemporaryFolder folder_;
};

TEST_F(CelebaTool, TrainsRecordsAndEvaluatesOnTheSameFaces) {
  const auto trained = train("run", {"--attribute", "Bald", "--no-balance"});
  EXPECT_TRUE(has(trained.err, "12 training and 14 test images")) << trained.err;
  const auto config = read_file(folder_ / "run/config.toml");
  EXPECT_TRUE(has(config, "attribute = \"Bald\"\nbalance = false\n")) << config;
  EXPECT_EQ(cache_files(), 2);
  // the test set of the run, not that of the defaults, which has 10
  const auto evaluated = succeed({"evaluate", "run", "--attack", "pgd", "--eps", "0.01", "--json", "-", "-v"});
  EXPECT_TRUE(has(evaluated.out, "\"n\": 14")) << evaluated.out;
  EXPECT_TRUE(has(evaluated.err, "14 images from the cache")) << evaluated.err;
  const auto resumed = succeed({"train", "--resume", "run", "--epochs", "3", "--no-cache"});
  EXPECT_TRUE(has(resumed.err, "12 training and 14 test images")) << resumed.err;
}

TEST_F(CelebaTool, BalancesByDefaultAndRecordsTheSeed) {
  const auto trained = train("run", {"--no-cache"});
  EXPECT_TRUE(has(trained.err, "8 training and 10 test images")) << trained.err;
  const auto config = read_file(folder_ / "run/config.toml");
  EXPECT_TRUE(has(config, "attribute = \"Eyeglasses\"\nbalance = true\nbalance-seed = 0\n")) << config;
  EXPECT_EQ(cache_files(), 0);
  succeed({"train", "--config", "run/config.toml", "--out", "again", "--no-cache"});
  const auto weights = [&](const std::string& run) {
    return read_checkpoint(folder_ / (run + "/checkpoint.pt")).weights[0].second;
  };
  EXPECT_EQ(weights("run").numel(), 2 * 3 * 64 * 48);
  EXPECT_TRUE(testing::identical(weights("again"), weights("run")));
}

TEST_F(CelebaTool, SaysWhatIsWrongInOneLine) {
  const auto refused = [&](const Arguments& flags, const std::string& part) {
    Arguments arguments{"train", "--data", "celeba", "--model", "linear", "--method", "erm", "--out", "bad"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const auto result = arks(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_TRUE(has(result.err, part)) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_FALSE(fs::exists(folder_ / "bad"));
  };
  refused({"--attribute", "Eyeglases"}, "unknown attribute 'Eyeglases' (did you mean 'Eyeglasses'?)");
  refused({"--balance-seed", "-1"}, "--balance-seed must not be negative, got -1");
  fs::remove(folder_ / "data/celeba/img_align_celeba/000001.jpg");
  refused({}, "has no 000001.jpg");
}

TEST_F(CelebaTool, DoesNotCompareRunsOnDifferentAttributes) {
  train("glasses", {"--no-balance"});
  train("bald", {"--attribute", "Bald", "--no-balance"});
  const auto result = arks({"evaluate", "glasses", "--source", "bald", "--eps", "0.1"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(has(result.err,
                  "cannot be compared on one test set: --attribute is Eyeglasses in the first and Bald in the second"))
      << result.err;
}

TEST_F(CelebaTool, WorksWithoutACacheFolderAndSaysSo) {
  testing::write_bytes(folder_ / "cache", "a file where a folder should be", /*gzip=*/false);
  EXPECT_TRUE(has(train("run", {}).err, "arks: note: decoded images cannot be cached: "));
}

TEST_F(CelebaTool, NotesFlagsThatOtherSetsDoNotUse) {
  const auto result = succeed({"train", "--data", "iris", "--method", "erm", "--epochs", "1", "--attribute", "Bald",
                               "--no-balance", "--reinit", "--out", "run"});
  EXPECT_TRUE(has(result.err, "--attribute is not used by data set iris")) << result.err;
  EXPECT_TRUE(has(result.err, "--no-balance is not used by data set iris")) << result.err;
  EXPECT_TRUE(has(result.err, "--reinit is only used with --model FILE.pt")) << result.err;
}

}  // namespace arks
