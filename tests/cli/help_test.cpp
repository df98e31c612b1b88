// --help, which comes whatever else stands on the command line.
#include "cli/tool.h"
#include "support/testing.h"
#include "support/text.h"

namespace arks {

using testing::arks_tool;
using Arguments = std::vector<std::string>;

namespace {

/// The part of a help page that is about one flag.
std::string entry_of(const std::string& page, const std::string& flag) {
  const auto begin = page.find("\n  " + flag + " ");
  if (begin == std::string::npos) return "";
  return page.substr(begin, page.find("\n  -", begin + 1) - begin);
}

class HelpPage : public ::testing::Test {
 protected:
  std::string page(const Arguments& arguments) const {
    const auto result = arks_tool(arguments, folder_.path());
    EXPECT_EQ(result.exit_code, 0) << join(arguments, " ") << ": " << result.err;
    EXPECT_EQ(result.err, "") << join(arguments, " ");
    return result.out;
  }

  testing::TemporaryFolder folder_;
};

}  // namespace

TEST_F(HelpPage, OfEveryMethodComesWithoutTheStrengthThatItNeeds) {
  for (const auto& method : method_names()) {
    const auto text = page({"train", "--data", "iris", "--method", method, "--help"});
    const auto epochs = method == "free" ? "[250]" : "[2000]";  // of its 8 passes over every batch
    EXPECT_NE(entry_of(text, "--epochs").find(epochs), std::string::npos) << method << "\n" << text;
    EXPECT_NE(entry_of(text, "--model").find("[mlp]"), std::string::npos) << method;
  }
}

TEST_F(HelpPage, ComesAloneHoweverItIsAskedFor) {
  const auto usual = page({"train", "--data", "iris", "--help"});
  EXPECT_EQ(page({"train", "--data", "iris", "-h"}), usual);
  EXPECT_EQ(page({"train", "--data", "iris", "-vh"}), usual);
  EXPECT_EQ(page({"train", "--data", "iris", "--help=1"}), usual);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << "nothing was trained";
}

TEST_F(HelpPage, ShowsDefaultsForTheSwitchesBesideIt) {
  const auto swa = [&](const Arguments& arguments) { return entry_of(page(arguments), "--swa,--no-swa"); };
  EXPECT_NE(swa({"train", "--data", "iris", "--help"}).find("[yes]"), std::string::npos);
  EXPECT_NE(swa({"train", "--data", "iris", "--no-swa", "--help"}).find("[no]"), std::string::npos);
  const auto averaged = page({"train", "--epochs", "10", "--swa", "--help"});
  EXPECT_NE(entry_of(averaged, "--swa,--no-swa").find("[yes]"), std::string::npos) << averaged;
  EXPECT_NE(entry_of(averaged, "--swa-start").find("[5]"), std::string::npos) << averaged;
  const auto after_switch = page({"train", "--random-start", "--method", "wrm", "--help"});
  EXPECT_NE(entry_of(after_switch, "--method").find("[wrm]"), std::string::npos) << after_switch;
}

TEST_F(HelpPage, ShowsDefaultsForTheConfigurationBesideIt) {
  testing::write_bytes(folder_ / "run.toml", "data = \"iris\"\nepochs = 7\n", /*gzip=*/false);
  EXPECT_NE(entry_of(page({"train", "--config", "run.toml", "--help"}), "--model").find("[mlp]"), std::string::npos);
  const auto both = page({"train", "--help", "--epochs", "9", "--config", "run.toml"});
  EXPECT_NE(entry_of(both, "--epochs").find("[9]"), std::string::npos) << "flags win\n" << both;
}

TEST_F(HelpPage, SaysWhatASettingMeansInEachMethod) {
  const auto text = page({"train", "--help"});
  EXPECT_NE(
      entry_of(text, "--gamma X").find("wrm: multiplies the cost (loss per cost); ke: multiplies 1-k (loss units)"),
      std::string::npos)
      << text;
  EXPECT_NE(entry_of(text, "--beta X").find("trades, mart: weight of the divergence"), std::string::npos) << text;
  EXPECT_NE(entry_of(text, "--inner-opt NAME").find("  how a step is made from a gradient; free: by eps along"),
            std::string::npos)
      << text;
}

TEST_F(HelpPage, NamesTheUnitWhereTheSentenceDoesNot) {
  const auto text = page({"train", "--help"});
  EXPECT_NE(entry_of(text, "--crop-padding N").find("zeros on every side (pixels)"), std::string::npos) << text;
  EXPECT_NE(entry_of(text, "--batch-size N").find("samples per step [256]"), std::string::npos) << text;
}

TEST_F(HelpPage, ListsWhatGoesOnTopOfAnyMethod) {
  const auto text = page({"train", "--help"});
  EXPECT_NE(text.find("\nOn top of any method:\n  awp       each step is taken"), std::string::npos) << text;
}

TEST_F(HelpPage, ComesForAValueThatTheChosenMethodRefuses) {
  const auto text = page({"train", "--method", "free", "--inner-opt", "adam", "--help"});
  EXPECT_NE(entry_of(text, "--replays").find("[8]"), std::string::npos) << text;
}

TEST_F(HelpPage, OfAnUnknownDataSetComesAllTheSame) {
  EXPECT_NE(page({"train", "--data", "fashion-minst", "--method", "pgd", "--help"}).find("--inner-steps"),
            std::string::npos);
}

}  // namespace arks
