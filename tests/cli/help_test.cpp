// --help, which comes whatever else stands on the command line.
#include "cli/command.h"
#include "cli/tool.h"
#include "data/published.h"
#include "support/data_files.h"
#include "support/testing.h"
#include "support/text.h"

namespace arks {

using testing::arks_tool;
using Arguments = std::vector<std::string>;

namespace {

/// The part of a help page that is about one flag, in one line.
std::string entry_of(const std::string& page, const std::string& flag) {
  const auto begin = page.find("\n  " + flag + " ");
  if (begin == std::string::npos) return "";
  auto entry = page.substr(begin, page.find("\n  -", begin + 1) - begin);
  for (auto at = entry.find('\n', 1); at != std::string::npos; at = entry.find('\n', at)) {
    const auto text = entry.find_first_not_of(" \n", at);
    entry.replace(at, text == std::string::npos ? text : text - at, " ");
  }
  return entry;
}

/// Within the brackets of its entry; nothing where there are none.
std::string default_on(const std::string& page, const std::string& flag) {
  const auto entry = entry_of(page, flag);
  EXPECT_NE(entry, "") << flag << "\n" << page;
  const auto open = entry.rfind('[');
  return open == std::string::npos ? "" : entry.substr(open + 1, entry.rfind(']') - open - 1);
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
  EXPECT_EQ(page({"train", "--data", "iris", "-help"}), usual);
  EXPECT_EQ(page({"-help"}), page({"--help"}));
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
  const auto rule = entry_of(text, "--inner-opt NAME");
  const auto free = rule.find(" free: always a step of eps along the sign");
  ASSERT_NE(free, std::string::npos) << text;
  EXPECT_LT(rule.find("  how a step is made from a gradient"), free) << text;
}

TEST_F(HelpPage, NamesTheUnitWhereTheSentenceDoesNot) {
  const auto text = page({"train", "--help"});
  EXPECT_NE(entry_of(text, "--crop-padding N").find("zeros on every side (pixels)"), std::string::npos) << text;
  EXPECT_NE(entry_of(text, "--batch-size N").find("samples per step [256]"), std::string::npos) << text;
}

TEST_F(HelpPage, ListsWhatGoesOnTopOfAnyMethod) {
  const auto text = page({"train", "--help"});
  EXPECT_NE(text.find("\nOn top of any method:\n  awp       each step uses"), std::string::npos) << text;
}

TEST_F(HelpPage, ComesForAValueThatTheChosenMethodRefuses) {
  const auto text = page({"train", "--method", "free", "--inner-opt", "adam", "--help"});
  EXPECT_NE(entry_of(text, "--replays").find("[8]"), std::string::npos) << text;
}

TEST_F(HelpPage, TakesTheValuesBesideOneThatTheMethodRefuses) {
  const auto text = page({"train", "--method", "free", "--inner-opt", "adam", "--replays", "4", "--help"});
  EXPECT_EQ(default_on(text, "--replays"), "4");
  EXPECT_EQ(default_on(text, "--epochs"), "12");
}

TEST_F(HelpPage, ShowsNoDefaultForASettingThatTheMethodLacks) {
  const auto erm = page({"train", "--method", "erm", "--sigma", "0.7", "--help"});
  EXPECT_EQ(default_on(erm, "--sigma"), "");
  EXPECT_EQ(default_on(erm, "--mahalanobis"), "");
  EXPECT_EQ(default_on(page({"train", "--sigma", "0.7", "--help"}), "--sigma"), "0.7");
  EXPECT_EQ(default_on(page({"evaluate", "--attack", "fgsm", "--alpha", "3", "--help"}), "--alpha"), "");
  EXPECT_EQ(default_on(page({"train", "--attribute", "Smiling", "--help"}), "--attribute"), "") << "of celeba";
  EXPECT_EQ(default_on(page({"train", "--momentum", "0.5", "--help"}), "--momentum"), "") << "of sgd";
}

TEST_F(HelpPage, DefaultsOfOwnImagesFollowTheirShape) {
  using testing::write_class;
  using testing::write_npy;
  for (const std::string name : {"a", "b"}) {
    write_class(folder_ / "photos" / name, 2, 0, {3, 32, 32});
    write_class(folder_ / "grey" / name, 2, 0, {1, 28, 28});
  }
  write_npy(folder_ / "bytes.npy", torch::zeros({4, 3, 32, 32}, torch::kByte));
  write_npy(folder_ / "floats.npy", torch::full({4, 28, 28, 1}, 0.5));
  write_npy(folder_ / "classes.npy", torch::tensor({0, 1, 0, 1}, torch::kLong));
  const auto shown = [&](const Arguments& data, const std::string& method, const std::string& flag) {
    Arguments arguments{"train", "--method", method, "--eps", "0.1", "--help", "--data"};
    arguments.insert(arguments.end(), data.begin(), data.end());
    return default_on(page(arguments), flag);
  };
  for (const Arguments& data : {Arguments{"photos"}, Arguments{"bytes.npy", "--targets", "classes.npy"}}) {
    EXPECT_EQ(shown(data, "trades", "--model"), "cnn") << "four are too few for the network of the paper";
    EXPECT_EQ(shown(data, "trades", "--beta"), "6");
    EXPECT_EQ(shown(data, "trades", "--inner-steps"), "10");
  }
  EXPECT_EQ(shown({"photos", "--resize", "28x28", "--channels", "1"}, "trades", "--model"), "cnn");
  EXPECT_EQ(shown({"bytes.npy", "--targets", "classes.npy", "--task", "regression"}, "trades", "--model"), "cnn");
  // what a glance does not tell is no number: whether all are grey, what numbers span
  EXPECT_EQ(shown({"grey"}, "trades", "--beta"), "by the images");
  EXPECT_EQ(shown({"grey"}, "trades", "--batch-size"), "16 to 256 by the samples");
  EXPECT_EQ(shown({"grey", "--channels", "1"}, "trades", "--model"), "cnn");
  EXPECT_EQ(shown({"grey", "--channels", "1"}, "trades", "--beta"), "1");
  EXPECT_EQ(shown({"floats.npy", "--targets", "classes.npy"}, "arks", "--model"), "cnn");
  EXPECT_EQ(shown({"floats.npy", "--targets", "classes.npy"}, "arks", "--inner-lr"), "") << "it follows from sigma";
  write_npy(folder_ / "many.npy", torch::zeros({kManyImages, 3, 32, 32}, torch::kByte));
  EXPECT_EQ(shown({"many.npy", "--targets", "classes.npy"}, "erm", "--model"), "by the images")
      << "it may be that enough are for training";
}

TEST_F(HelpPage, ShowsTheValuesOfTheRunThatItIsAskedAbout) {
  const auto trained = arks_tool({"train", "--data", "iris", "--method", "pgd", "--eps", "0.25", "--epochs", "2",
                                  "--test-fraction", "0.3", "--quiet", "--out", "run"},
                                 folder_.path());
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const auto resumed = page({"train", "--resume", "run", "--help"});
  EXPECT_EQ(default_on(resumed, "--method"), "pgd");
  EXPECT_EQ(default_on(resumed, "--eps"), "0.25");
  EXPECT_EQ(default_on(resumed, "--epochs"), "2");
  EXPECT_EQ(default_on(page({"train", "--resume", "run", "--epochs", "3", "--help"}), "--epochs"), "3");
  const auto tested = page({"evaluate", "run", "--help"});
  EXPECT_EQ(default_on(tested, "--alpha"), "2.5*eps/steps");
  EXPECT_EQ(default_on(tested, "--data"), "iris");
  EXPECT_EQ(default_on(tested, "--test-fraction"), "0.3");
  EXPECT_EQ(default_on(page({"certify", "run", "--help"}), "--test-fraction"), "0.3");
}

TEST_F(HelpPage, OfEveryCommandFits120ColumnsAndKeepsThem) {
  cli::CommandLine line("", "", "");
  std::vector<Arguments> asked{{"--help"}};
  for (const auto& command : cli::make_commands(line)) asked.push_back({command->flags().command(), "--help"});
  for (const auto& arguments : asked) {
    for (const auto& row : split(page(arguments), '\n')) EXPECT_LE(row.size(), 120U) << join(arguments, " ") << row;
  }
  EXPECT_NE(page({"train", "--help"}).find("\n  --swa,--no-swa              the result is"), std::string::npos);
}

/// Below the line of a flag stand only the words that it takes, and what it means for other methods.
TEST_F(HelpPage, SaysInOneLineWhatAFlagMeans) {
  cli::CommandLine line("", "", "");
  const auto commands = cli::make_commands(line);
  size_t continued = 0;
  for (const auto& command : commands) {
    const auto rows = split(page({command->flags().command(), "--help"}), '\n');
    for (const auto& flag : command->flags().describe().flags) {
      const auto has_name = [&](const std::string& row) { return (row + " ").find(flag.names.back() + " ") < 28; };
      auto row = std::find_if(rows.begin(), rows.end(), has_name);
      ASSERT_TRUE(row != rows.end()) << flag.names.back();
      if (row->find("  ", 2) == std::string::npos) ++row;  // a long name has a line of its own
      while (++row != rows.end() && row->rfind(std::string(30, ' '), 0) == 0) {
        const auto text = row->substr(30);
        const bool is_meaning = ("; " + flag.help).find("; " + text.substr(0, text.find(" ("))) != std::string::npos;
        EXPECT_TRUE(is_meaning || text == join(flag.words, " | ")) << *(row - 1) << "\n" << *row;
        ++continued;
      }
    }
  }
  EXPECT_GT(continued, 0U);
}

TEST_F(HelpPage, OfAnUnknownDataSetComesAllTheSame) {
  EXPECT_NE(page({"train", "--data", "fashion-minst", "--method", "pgd", "--help"}).find("--inner-steps"),
            std::string::npos);
}

}  // namespace arks
