// Augmentation as a user asks for it: flags, published values, configuration, resuming.
#include "cli/tool.h"
#include "data/cifar10_files.h"
#include "support/testing.h"
#include "support/text.h"

namespace arks {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

class AugmentTool : public ::testing::Test {
 protected:
  AugmentTool() {
    testing::write_toy_fashion_mnist(folder_ / "data", 64, 16);
    for (const auto& file : cifar10_files()) {
      std::string records;
      for (int i = 0; i < 8; ++i) {
        records.push_back(static_cast<char>(i));
        for (int pixel = 0; pixel < 3072; ++pixel) records.push_back(static_cast<char>((31 * i + pixel) % 251));
      }
      testing::write_bytes(folder_ / "data/cifar10" / file.name, records, /*gzip=*/false);
    }
  }

  testing::ToolResult arks(const Arguments& arguments) const {
    return testing::arks_tool(arguments, folder_.path(), {{"ARKS_DATA_DIR", (folder_ / "data").string()}});
  }
  testing::ToolResult train(const std::string& out, const Arguments& flags) const {
    Arguments arguments{"train", "--method", "erm", "--model",      "linear", "--opt", "adam", "--lr",
                        "0.01",  "--epochs", "3",   "--batch-size", "16",     "--out", out};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    auto result = arks(arguments);
    EXPECT_EQ(result.exit_code, 0) << join(arguments, " ") << "\n" << result.err;
    return result;
  }
  void expect_refused(const Arguments& flags, const std::string& part) const {
    Arguments arguments{"train", "--method", "erm", "--model", "linear", "--epochs", "1", "--out", "refused"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const auto result = arks(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_FALSE(fs::exists(folder_ / "refused"));
  }
  Checkpoint checkpoint(const std::string& run) const { return read_checkpoint(folder_ / (run + "/checkpoint.pt")); }
  bool same_weights(const std::string& one, const std::string& two) const {
    return testing::identical(checkpoint(one).weights[0].second, checkpoint(two).weights[0].second);
  }
  void expect_config(const std::string& run, const std::string& line, bool there = true) const {
    const auto config = checkpoint(run).config;
    EXPECT_EQ(config.find(line + "\n") != std::string::npos, there) << line << " in\n" << config;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(AugmentTool, TakesThePublishedOneForCifar10AndNoneElsewhere) {
  const auto cifar = train("cifar", {"--data", "cifar10"});
  EXPECT_NE(cifar.err.find("augment crop-flip"), std::string::npos) << cifar.err;
  EXPECT_NE(cifar.err.find("40 training and 8 test images"), std::string::npos) << cifar.err;
  expect_config("cifar", "augment = \"crop-flip\"");
  expect_config("cifar", "crop-padding = 4");
  const auto fashion = train("fashion", {});
  EXPECT_EQ(fashion.err.find("augment"), std::string::npos) << fashion.err;
  expect_config("fashion", "augment = \"none\"");
  expect_config("fashion", "crop-padding = 4", /*there=*/false);
}

TEST_F(AugmentTool, EveryKindTrainsOnOtherImages) {
  for (const std::string kind : {"none", "flip", "crop", "crop-flip"}) train(kind, {"--augment", kind, "--quiet"});
  train("wide", {"--augment", "crop", "--crop-padding", "9", "--quiet"});
  expect_config("wide", "crop-padding = 9");
  const std::vector<std::string> runs{"none", "flip", "crop", "crop-flip", "wide"};
  for (size_t i = 0; i < runs.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_FALSE(same_weights(runs[i], runs[j])) << runs[i] << " " << runs[j];
  }
}

TEST_F(AugmentTool, ResumedOrRepeatedRunEndsInTheSameWeights) {
  const Arguments flags{"--data", "cifar10", "--crop-padding", "3", "--seed", "2", "--quiet"};
  train("whole", flags);
  auto shorter = flags;
  shorter.insert(shorter.end(), {"--epochs", "1"});
  train("parts", shorter);
  EXPECT_EQ(arks({"train", "--resume", "parts", "--epochs", "3", "--quiet"}).exit_code, 0);
  EXPECT_TRUE(same_weights("whole", "parts"));
  EXPECT_EQ(arks({"train", "--config", "whole/config.toml", "--out", "again", "--quiet"}).exit_code, 0);
  EXPECT_TRUE(same_weights("whole", "again"));
  expect_config("again", "crop-padding = 3");
  EXPECT_EQ(arks({"evaluate", "whole", "--eps", "0", "--quiet"}).exit_code, 0);
}

TEST_F(AugmentTool, RefusesWhatCannotBe) {
  expect_refused({"--augment", "crop_flip"}, "unknown augment 'crop_flip' (did you mean 'crop-flip'?)");
  expect_refused({"--data", "iris", "--augment", "flip"},
                 "augmentation needs images [c,h,w], but the samples of iris have the shape [4]");
  expect_refused({"--augment", "crop", "--crop-padding", "28"}, "must be 0 to 27 for images of 28x28, got 28");
  expect_refused({"--augment", "crop", "--crop-padding", "0"}, "--crop-padding must be positive, got 0");
}

TEST_F(AugmentTool, MentionsAPaddingThatNothingUses) {
  const std::string note = "--crop-padding is only used with --augment crop or crop-flip";
  for (const auto& flags :
       {Arguments{}, Arguments{"--augment", "flip"}, Arguments{"--data", "cifar10", "--augment", "none"}}) {
    auto with_padding = flags;
    with_padding.insert(with_padding.end(), {"--crop-padding", "3", "--force"});
    EXPECT_NE(train("run", with_padding).err.find(note), std::string::npos) << join(flags, " ");
  }
  EXPECT_EQ(train("run", {"--data", "cifar10", "--crop-padding", "3", "--force"}).err.find(note), std::string::npos);
}

}  // namespace arks
