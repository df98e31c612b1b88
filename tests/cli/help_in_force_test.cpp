// Defaults that --help shows are those in force: of trainings, and of tests on their runs.
#include "cli/tool.h"
#include "settings/toml_file.h"
#include "support/data_files.h"
#include "support/file.h"
#include "support/testing.h"
#include "support/text.h"

#include <arks/attack/attacks.h>
#include <arks/objective/methods.h>
#include <arks/train/checkpoint.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace arks {

namespace {

using testing::arks_tool;
using testing::TemporaryFolder;
using Flags = std::vector<std::string>;

/// A value of a configuration in JSON as it would be typed.
std::string typed(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_integer()) return std::to_string(value.get<int64_t>());
  if (value.is_number()) return shortest(value.get<double>());
  std::vector<std::string> parts;
  for (const auto& part : value) parts.push_back(typed(part));
  return join(parts, !value.empty() && value.front().is_array() ? ";" : ",");
}

/// The default that a page of --help shows for a setting; nothing where it shows none.
std::optional<std::string> shown_default(const std::string& page, const std::string& name) {
  auto flag = page.find("\n  --" + name + " ");
  if (flag == std::string::npos) flag = page.find("\n  --" + name + ",--no-");
  if (flag == std::string::npos) return std::nullopt;
  const auto next = std::min(page.find("\n  -", flag + 1), page.find("\n\n", flag + 1));
  const auto text = page.substr(flag, next == std::string::npos ? next : next - flag);
  const auto open = text.rfind('['), close = text.rfind(']');
  if (open == std::string::npos || close == std::string::npos) return std::nullopt;
  const auto shown = text.substr(open + 1, close - open - 1);
  if (shown == "yes" || shown == "no") return shown == "yes" ? "true" : "false";
  return shown;
}

/// Every setting in force is what the page shows, but for those that `told_later` names. A switch that is off shows
/// nothing.
void expect_shown(const std::string& page, const SettingValues& in_force, const std::set<std::string>& told_later,
                  const std::string& what) {
  EXPECT_GT(in_force.size(), 8U) << what;
  for (const auto& [name, value] : in_force) {
    if (told_later.count(name) > 0) continue;
    EXPECT_EQ(shown_default(page, name).value_or("false"), value) << what << ": --" << name << "\n" << page;
  }
}

/// What a method needs where the paper has no strength for the data.
Flags needed_by(const std::string& method) {
  static const std::map<std::string, Flags> kNeeded{
      {"arks", {"--sigma", "0.5"}}, {"wrm", {"--gamma", "2"}},
      {"pgd", {"--eps", "0.2"}},    {"ke", {"--sigma", "1", "--gamma", "2", "--domain", "-10,10"}},
      {"ki", {"--sigma", "1"}},     {"ro", {"--domain", "-10,10"}},
      {"trades", {"--eps", "0.2"}}, {"mart", {"--eps", "0.2"}},
      {"fast", {"--eps", "0.2"}},   {"free", {"--eps", "0.2"}}};
  const auto found = kNeeded.find(method);
  return found == kNeeded.end() ? Flags{} : found->second;
}

class HelpInForce : public ::testing::Test {
 protected:
  void train(const Flags& flags) {
    Flags arguments{"train", "--quiet"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const auto result = arks_tool(arguments, folder_.path());
    ASSERT_EQ(result.exit_code, 0) << join(flags, " ") << ": " << result.err;
  }
  /// The defaults in the help of arks train with these flags are those of the run.
  void expect_help_as_trained(const Flags& asked) {
    auto help = asked, run = asked;
    help.insert(help.begin(), "train");
    help.emplace_back("--help");
    run.insert(run.end(), {"--out", "run", "--force", "--data-dir", (folder_ / "data").string()});
    train(run);
    // found in the data, or on the machine
    std::set<std::string> told_later{"target", "task", "threads", "data-checksum", "width"};
    const auto named = std::find(asked.begin(), asked.end(), "iris") != asked.end() ||
                       std::find(asked.begin(), asked.end(), "fashion-mnist") != asked.end();
    if (!named) told_later.insert("batch-size");
    // of images it follows from gamma and from how hard the targets are to guess
    if (std::find(asked.begin(), asked.end(), "wrm") != asked.end()) told_later.insert("inner-lr");
    expect_shown(arks_tool(help, folder_.path()).out, recorded("run"), told_later, join(asked, " "));
  }
  /// The defaults in the help of a command about this run are those of the configuration in its report.
  void expect_help_as_reported(const std::string& command, const Flags& chosen, std::set<std::string> told_later) {
    Flags help{command, "run", "--help"}, run{command, "run", "--json", "-", "--quiet"};
    help.insert(help.end(), chosen.begin(), chosen.end());
    run.insert(run.end(), chosen.begin(), chosen.end());
    const auto result = arks_tool(run, folder_.path());
    ASSERT_EQ(result.exit_code, 0) << join(run, " ") << ": " << result.err;
    SettingValues in_force;
    const auto document = nlohmann::json::parse(result.out);
    for (const auto& [name, value] : document["config"].items()) in_force[name] = typed(value);
    told_later.insert({"model", "models", "threads", "data-dir"});
    expect_shown(arks_tool(help, folder_.path()).out, in_force, told_later, join(run, " "));
  }
  /// What the configuration of a run says.
  SettingValues recorded(const std::string& run) const {
    auto values = read_flat_toml(read_checkpoint(folder_ / run / "checkpoint.pt").config, "config");
    values.erase("data-dir");
    return values;
  }

  TemporaryFolder folder_;
};

}  // namespace

TEST_F(HelpInForce, DefaultsInTheHelpAreThoseInForce) {
  testing::write_toy_fashion_mnist(folder_ / "data");  // the paper has strengths for it
  testing::write_class(folder_ / "photos/a", 6, 0, {3, 32, 32});
  testing::write_class(folder_ / "photos/b", 6, 90, {3, 32, 32});
  testing::write_bytes(folder_ / "own.csv", "a,b,class\n" + testing::repeated("1,2,x\n3,4,y", 10, "\n") + "\n", false);
  const auto photos = (folder_ / "photos").string(), table = (folder_ / "own.csv").string();
  const Flags few{"--epochs", "2", "--train-limit", "32"};
  for (const auto& method : method_names()) {
    for (const Flags& data : std::vector<Flags>{{"--data", "iris"},
                                                {"--data", table},
                                                {"--data", "fashion-mnist", "--model", "linear"},
                                                {"--data", photos, "--train-limit", "2"}}) {
      auto asked = few;
      const auto needed = data[1] == "fashion-mnist" && method != "ke" && method != "ki" && method != "ro"
                              ? Flags{}
                              : needed_by(method);
      for (const auto& more : {data, Flags{"--method", method}, needed}) {
        asked.insert(asked.end(), more.begin(), more.end());
      }
      expect_help_as_trained(asked);
    }
  }
  expect_help_as_trained({"--data", "iris", "--epochs", "2", "--method", "erm", "--no-swa"});
}

TEST_F(HelpInForce, DefaultsInTheHelpOfTestsAreThoseInForce) {
  train({"--data", "iris", "--method", "erm", "--epochs", "2", "--test-fraction", "0.3", "--out", "run"});
  for (const auto& attack : attack_names()) {
    Flags chosen{"--attack", attack, "--limit", "5"};
    if (attack == "drift") chosen.insert(chosen.end(), {"--shift", "petal_length+1"});
    expect_help_as_reported("evaluate", chosen, {"metric", "bounds"});
  }
  const Flags few{"--limit", "2", "--inner-steps", "5"};
  for (const Flags& chosen : std::vector<Flags>{
           {"--sigma", "0.1"}, {"--method", "wrm", "--gamma", "20"}, {"--method", "c-transform", "--gamma", "20"}}) {
    auto flags = few;
    flags.insert(flags.end(), chosen.begin(), chosen.end());
    expect_help_as_reported("certify", flags, {"starts"});
  }
}

TEST_F(HelpInForce, TheCostInTheHelpFollowsMethodAndKernel) {
  const auto shown = [&](const Flags& flags) {
    return shown_default(arks_tool(flags, folder_.path()).out, "cost").value_or("none");
  };
  EXPECT_EQ(shown({"train", "--help"}), "half-sq-l2");
  EXPECT_EQ(shown({"train", "--method", "wrm", "--help"}), "sq-l2");
  EXPECT_EQ(shown({"train", "--kernel", "laplacian", "--help"}), "l1");
  EXPECT_EQ(shown({"train", "--kernel", "imq", "--help"}), "none") << "it has one of its own";
  EXPECT_EQ(shown({"certify", "--help"}), "half-sq-l2");
  EXPECT_EQ(shown({"certify", "--method", "wrm", "--help"}), "sq-l2");
}

}  // namespace arks
