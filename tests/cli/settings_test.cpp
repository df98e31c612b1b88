// Every setting of every command: from the flag to config.toml, to --resume, and back to the same.
#include "cli/command.h"
#include "cli/tool.h"
#include "settings/toml_file.h"
#include "support/data_files.h"
#include "support/file.h"
#include "support/testing.h"
#include "support/text.h"

#include <arks/train/checkpoint.h>
#include <sys/stat.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <thread>

namespace arks {

namespace {

using testing::arks_tool;
using testing::expect_error;
using testing::TemporaryFolder;
using Flags = std::vector<std::string>;

std::string command_of(const cli::Command& command) {
  return command.flags().command();
}

/// A value that this setting takes and that is not its default.
std::string other_value(const AnySetting& setting) {
  const auto words = setting.words();
  if (!words.empty()) {
    const auto used = setting.has_value() ? setting.text() : "";
    return words.back() == used ? words.front() : words.back();
  }
  if (setting.type().empty()) return setting.has_value() && setting.text() == "true" ? "false" : "true";
  if (setting.type().rfind('N', 0) == 0 && setting.type() != "NAME") return "3";
  if (setting.type().rfind('X', 0) == 0) return "0.375";
  if (setting.type().rfind("LIST", 0) == 0) return "1,2";
  if (setting.type() == "HxW") return "64x48";
  return setting.type() == "LO,HI" ? "0.5,2" : "some";
}

/// The values of a configuration, without those that may differ between two runs of the same.
SettingValues decisive(const std::string& config) {
  auto values = read_flat_toml(config, "config");
  values.erase("data-dir");
  return values;
}

/// What every epoch measured, without what depends on the clock.
std::vector<nlohmann::json> measured(const std::string& metrics) {
  std::vector<nlohmann::json> epochs;
  for (const auto& line : split(metrics, '\n')) {
    if (line.empty()) continue;
    epochs.push_back(nlohmann::json::parse(line));
    for (const char* key : {"seconds", "images_per_second"}) epochs.back().erase(key);
  }
  return epochs;
}

/// Without what follows the seed on request.
std::string for_other_seeds(const std::string& config) {
  std::string text;
  const bool follows = config.find("split-with-seed = true\n") != std::string::npos;
  for (const auto& line : split(config, '\n')) {
    const bool follower = line.rfind("split-seed = ", 0) == 0 || line.rfind("validation-seed = ", 0) == 0;
    if (!follows || !follower) text += (text.empty() ? "" : "\n") + line;
  }
  return text;
}

/// A training on iris by every method, with settings that are not the defaults, so that each setting occurs.
const std::vector<Flags>& trainings() {
  static const std::string kDomain = "4,8;2,5;1,7;0,3";
  static const std::vector<Flags> kAll{
      {"--method",     "erm",        "--opt",   "adam",   "--lr",          "0.02",  "--weight-decay",
       "0.01",         "--lr-steps", "1,2",     "--mean", "5,3,4,1",       "--std", "1,1,2,1",
       "--activation", "leaky-relu", "--limit", "20",     "--train-limit", "60"},
      {"--method",
       "arks",
       "--sigma",
       "0.3",
       "--inner-objective",
       "log",
       "--inner-steps",
       "3",
       "--inner-lr",
       "0.2",
       "--inner-lr-decay",
       "--inner-opt",
       "adam",
       "--inner-tol",
       "0.001",
       "--inner-return",
       "last",
       "--inner-mode",
       "train",
       "--seed",
       "7",
       "--opt",
       "sgd",
       "--momentum",
       "0.5",
       "--standardise"},
      {"--method", "arks", "--kernel", "c-exponential", "--cost", "mahalanobis", "--temperature", "0.5",
       "--mahalanobis-ridge", "0.2", "--domain", kDomain, "--no-swa"},
      {"--method", "arks", "--kernel", "imq", "--imq-scale", "0.5", "--domain", kDomain, "--swa-start", "2"},
      {"--method", "arks", "--cost", "mahalanobis", "--temperature", "0.5", "--mahalanobis", "matrix.csv"},
      {"--method", "arks", "--expect", "petal_length±0.5"},
      {"--method", "wrm", "--gamma", "3", "--cost", "l2", "--domain", kDomain, "--bounds", kDomain},
      {"--method", "pgd", "--eps", "0.2", "--eps-scale", "1,1,0,2", "--random-start", "--project-bounds", "--bounds",
       kDomain, "--target", "species", "--task", "classification"},
      {"--method", "pgd", "--eps", "0.2", "--norm", "l2", "--test-fraction", "0.3", "--split-seed", "5"},
      {"--method", "ke", "--sigma", "0.5", "--gamma", "3", "--domain", kDomain, "--inner-restarts", "2"},
      {"--method", "ki", "--sigma", "0.5", "--ki-variant", "model", "--ki-epsilon", "0.2", "--ki-lambda", "0.3",
       "--ki-jitter", "1e-4"},
      {"--method", "ro", "--domain", kDomain, "--model", "linear", "--class-weights", "1,2,3"},
      {"--method", "erm", "--validation-fraction", "0.25", "--validation-seed", "3", "--patience", "2"},
      {"--method", "erm", "--folds", "3", "--fold", "1", "--split-with-seed", "--seed", "4"},
      {"--method", "erm", "--group", "petal_width"},
      {"--method", "trades", "--eps", "0.2", "--beta", "2", "--norm", "l2", "--inner-steps", "2", "--awp-gamma",
       "0.02"},
      {"--method", "mart", "--eps", "0.2", "--beta", "3", "--inner-steps", "2"},
      {"--method", "fast", "--eps", "0.2", "--fast-step", "1", "--watch-batches", "2", "--watch-steps", "3",
       "--watch-drop", "0.9"},
      {"--method", "free", "--eps", "0.2", "--replays", "2"},
  };
  return kAll;
}

}  // namespace

/// Whether this program has a test of that name, "Suite.Name".
bool is_a_test(const std::string& name) {
  const auto& all = *::testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const auto& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      if (name == std::string(suite.name()) + "." + suite.GetTestInfo(j)->name()) return true;
    }
  }
  return false;
}

TEST(EverySetting, OfEveryCommandIsTheSameAfterAFile) {
  cli::CommandLine names("", "", "");
  int64_t seen = 0;
  for (const auto& listed : cli::make_commands(names)) {
    for (const auto& name : listed->flags().names()) {
      cli::CommandLine given_line("", "", ""), file_line("", "", "");
      const auto find = [&](const std::vector<std::unique_ptr<cli::Command>>& commands) -> cli::Command& {
        for (const auto& command : commands) {
          if (command_of(*command) == command_of(*listed)) return *command;
        }
        throw Error("no such command");
      };
      const auto given_commands = cli::make_commands(given_line), file_commands = cli::make_commands(file_line);
      auto& given = find(given_commands);
      auto& from_file = find(file_commands);
      const auto text = other_value(*given.flags().find(name));
      given.flags().take(name, text);
      const auto& setting = *given.flags().find(name);
      EXPECT_TRUE(setting.given()) << command_of(given) << " --" << name;
      if (name == "config" || name == "resume") continue;  // these stand on the command line alone
      const auto line = name + " = " + setting.toml() + "\n";
      for (const auto& [key, value] : cli::read_config(line, "file.toml", from_file.flags())) {
        from_file.flags().take(key, value);
      }
      const auto& read = *from_file.flags().find(name);
      EXPECT_TRUE(read.given()) << command_of(given) << ": " << line;
      EXPECT_EQ(read.toml(), setting.toml()) << command_of(given) << ": " << line;
      ++seen;
    }
  }
  EXPECT_GT(seen, 150) << "commands have settings";
}

class SettingsTool : public ::testing::Test {
 protected:
  SettingsTool() { testing::write_bytes(folder_ / "matrix.csv", "2,0,0,0\n0,1,0,0\n0,0,1,0.5\n0,0,0.5,1\n", false); }

  void train(const Flags& flags) {
    Flags arguments{"train", "--quiet"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const auto result = arks_tool(arguments, folder_.path());
    ASSERT_EQ(result.exit_code, 0) << join(flags, " ") << ": " << result.err;
  }
  std::string config(const std::string& run) const { return read_checkpoint(folder_ / run / "checkpoint.pt").config; }

  TemporaryFolder folder_;
};

TEST_F(SettingsTool, EveryTrainingSettingSurvivesConfigAndResume) {
  std::set<std::string> tested;
  int run = 0;
  for (const auto& given : trainings()) {
    const auto name = "run" + std::to_string(run++);
    auto flags = given;
    for (const auto* more : {"--data", "iris", "--epochs", "3", "--batch-size", "64", "--threads", "1", "--out"}) {
      flags.emplace_back(more);
    }
    flags.push_back(name);
    train(flags);
    const auto first = decisive(config(name));
    for (const auto& flag : flags) {
      if (flag.rfind("--", 0) == 0) tested.insert(flag.substr(flag.rfind("--no-", 0) == 0 ? 5 : 2));
    }
    // every flag with a value is in the file, as it was given
    for (size_t i = 0; i + 1 < given.size(); ++i) {
      if (given[i].rfind("--", 0) != 0 || given[i + 1].rfind("--", 0) == 0) continue;
      const auto key = given[i].substr(2);
      ASSERT_EQ(first.count(key), 1U) << name << ": " << key;
      if (key == "mahalanobis") {  // found from any folder
        EXPECT_EQ(first.at(key), std::filesystem::canonical(folder_ / given[i + 1]).string());
        continue;
      }
      EXPECT_EQ(split(first.at(key), ';').size(), split(given[i + 1], ';').size()) << key;
      if (given[i + 1].find(',') == std::string::npos) {
        EXPECT_TRUE(first.at(key) == given[i + 1] ||
                    parse_number(first.at(key), key) == parse_number(given[i + 1], key))
            << key << " " << first.at(key);
      }
    }
    EXPECT_EQ(read_file(folder_ / name / "config.toml"), for_other_seeds(config(name)));
    train({"--config", name + "/config.toml", "--out", name + "-again"});
    EXPECT_EQ(decisive(config(name + "-again")), first) << name;
    EXPECT_EQ(measured(read_file(folder_ / name / "metrics.jsonl")),
              measured(read_file(folder_ / (name + "-again") / "metrics.jsonl")))
        << name;
    train({"--resume", name, "--epochs", "4"});
    auto resumed = decisive(config(name));
    EXPECT_EQ(resumed["epochs"], "4");
    resumed["epochs"] = first.at("epochs");
    EXPECT_EQ(resumed, first) << name;
  }
  // a setting that decides the result and that none of these runs was given would not be tested
  cli::CommandLine line("", "", "");
  const std::map<std::string, std::string> tested_elsewhere{
      {"sep", "TableTool.SettingsOfTextFilesSurviveConfigAndResume"},
      {"decimal", "TableTool.SettingsOfTextFilesSurviveConfigAndResume"},
      {"header", "TableTool.SettingsOfTextFilesSurviveConfigAndResume"},
      {"drop", "TableTool.SettingsOfTextFilesSurviveConfigAndResume"},
      {"categorical", "TableTool.SettingsOfTextFilesSurviveConfigAndResume"},
      {"dates", "TableTool.SettingsOfTextFilesSurviveConfigAndResume"},
      {"missing", "TableTool.SettingsOfTextFilesSurviveConfigAndResume"},
      {"standardise-targets", "TableTool.SettingsOfTextFilesSurviveConfigAndResume"},
      {"expect-file", "GuardTool.TakesAFileOfExpectedDrifts"},
      {"targets", "OwnData.TrainsOnImagesInNpyFiles"},
      {"width", "OwnData.TrainsTheCnnWithAWidthAndBatchNormOfTheUsers"},
      {"batch-norm", "OwnData.TrainsTheCnnWithAWidthAndBatchNormOfTheUsers"},
      {"test-data", "OwnData.TestRowsOfTablesComeFromAnotherFile"},
      {"test-targets", "OwnData.TakesTestImagesFromNpyFiles"},
      {"resize", "OwnData.RepeatsARunFromItsConfiguration"},
      {"channels", "OwnData.RepeatsARunFromItsConfiguration"},
      {"layout", "OwnData.AsksForTheLayoutThatIsNotClear"},
      {"data-checksum", "OwnData.RefusesAFolderThatHasChanged"},
      {"attribute", "CelebaTool.TrainsRecordsAndEvaluatesOnTheSameFaces"},
      {"balance", "CelebaTool.TrainsRecordsAndEvaluatesOnTheSameFaces"},
      {"balance-seed", "CelebaTool.BalancesByDefaultAndRecordsTheSeed"},
      {"augment", "AugmentTool.ResumedOrRepeatedRunEndsInTheSameWeights"},
      {"crop-padding", "AugmentTool.ResumedOrRepeatedRunEndsInTheSameWeights"},
      {"reinit", "OwnModelTool.ReinitialisesFromTheSeed"},
      {"model-checksum", "OwnModelTool.AConfigurationRefusesAnotherFile"}};
  for (const auto& [name, test] : tested_elsewhere) EXPECT_TRUE(is_a_test(test)) << name << ": " << test;
  const auto commands = cli::make_commands(line);
  for (const auto& name : commands.front()->flags().names()) {
    const auto& setting = *commands.front()->flags().find(name);
    if (setting.is_output() || setting.of_machine() || tested_elsewhere.count(name) > 0) continue;
    EXPECT_EQ(tested.count(name), 1U) << "give --" << name << " in one of the trainings of this test";
  }
}

TEST_F(SettingsTool, ACostThatWasNotGivenIsNotWritten) {
  train({"--data", "iris", "--epochs", "1", "--method", "wrm", "--gamma", "2", "--out", "usual"});
  EXPECT_EQ(decisive(config("usual")).count("cost"), 0U);
  train({"--data", "iris", "--epochs", "1", "--method", "wrm", "--gamma", "2", "--cost", "sq-l2", "--out", "given"});
  EXPECT_EQ(decisive(config("given")).count("cost"), 1U);
}

/// A pipe in place of the file can be read once and no second time.
TEST_F(SettingsTool, ResumeReadsTheCheckpointOnce) {
  train({"--data", "iris", "--method", "erm", "--epochs", "1", "--no-swa", "--out", "run"});
  const auto file = folder_ / "run/checkpoint.pt";
  const auto content = read_file(file);
  std::filesystem::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(file, std::ios::binary) << content; });
  train({"--resume", "run", "--epochs", "2"});
  writer.join();
  EXPECT_EQ(read_checkpoint(file).epoch, 2);
}

TEST_F(SettingsTool, RunsOfTheVersionBeforeResumeToTheSameWeights) {
  namespace fs = std::filesystem;
  for (const std::string name : {"arks", "pgd"}) {
    const auto fixture = fs::path(ARKS_FIXTURES_FOLDER) / "run-0.1.0" / name;
    fs::create_directory(folder_ / name);
    for (const auto* file : {"checkpoint.pt", "config.toml"}) fs::copy_file(fixture / file, folder_ / name / file);
    train({"--resume", name, "--epochs", "4"});
    const auto found = load_torchscript(read_file(folder_ / name / "model.pt"), "model.pt").state();
    const auto expected = load_torchscript(read_file(fixture / "model-after-4-epochs.pt"), "fixture").state();
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].first, expected[i].first);
      // to the bit on the machine they were made on; others may add in another order
      EXPECT_LT(testing::max_difference(found[i].second, expected[i].second), 1e-5) << name << " " << found[i].first;
    }
    train({"--config", (fixture / "config.toml").string(), "--out", name + "-again"});
    EXPECT_EQ(decisive(config(name + "-again")), decisive(read_file(fixture / "config.toml"))) << name;
  }
}

}  // namespace arks
