#include "cli/tool.h"
#include "data/registry.h"
#include "support/file.h"
#include "support/testing.h"
#include "support/text.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace arks::testing {

namespace {

/// The output of a shell command; its standard error counts as well.
std::string shell(const std::string& command) {
  const TemporaryFolder folder;
  const auto out = folder / "out";
  const int status = std::system((command + " >" + out.string() + " 2>&1").c_str());
  EXPECT_EQ(status, 0) << command << "\n" << read_file(out);
  return read_file(out);
}

std::string script_file(const TemporaryFolder& folder, const std::string& shell_name) {
  const auto result = arks_tool({"completion", shell_name}, folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto path = folder / ("arks." + shell_name);
  write_file_atomically(path, result.out);
  return path.string();
}

/// What bash would offer for the last of these words.
std::vector<std::string> bash_offers(const std::string& words) {
  const TemporaryFolder folder;
  const auto script = script_file(folder, "bash");
  // compopt works only inside a real completion
  write_file_atomically(folder / "ask",
                        "compopt() { :; }\nsource " + script + "\nCOMP_WORDS=(" + words +
                            ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_arks\necho \"${COMPREPLY[@]}\"\n");
  std::istringstream offered(shell("bash " + (folder / "ask").string()));
  std::vector<std::string> list;
  for (std::string word; offered >> word;) list.push_back(word);
  return list;
}

using Words = std::vector<std::string>;

bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

}  // namespace

TEST(Completion, OffersCommandsThenTheirFlagsThenTheirValues) {
  const auto commands = bash_offers("arks ''");
  for (const auto* name : {"train", "evaluate", "certify", "sweep", "data", "completion", "manual"}) {
    EXPECT_NE(std::find(commands.begin(), commands.end(), name), commands.end()) << name;
  }
  EXPECT_EQ(bash_offers("arks ev"), Words{"evaluate"});
  EXPECT_EQ(bash_offers("arks train --inner-m"), Words{"--inner-mode"});
  EXPECT_EQ(bash_offers("arks train --method ''"), method_names());
  EXPECT_EQ(bash_offers("arks train --method = a"), Words{"arks"});
  EXPECT_EQ(bash_offers("arks train --inner-mode ''"), (Words{"eval", "train"}));
  EXPECT_EQ(bash_offers("arks train --ki-variant ''"), (Words{"loss", "model", "ridge"}));
  EXPECT_EQ(bash_offers("arks evaluate --attack u"), Words{"uniform"});
  EXPECT_EQ(bash_offers("arks completion z"), Words{"zsh"});
}

TEST(Completion, OffersNothingWhereANumberIsWanted) {
  EXPECT_EQ(bash_offers("arks train --epochs ''"), Words{});
}

TEST(Completion, OffersTheKnownDataSets) {
  EXPECT_EQ(bash_offers("arks train --data fash"), Words{"fashion-mnist"});
  EXPECT_EQ(bash_offers("arks data fetch ci"), Words{"cifar10"});
  EXPECT_EQ(bash_offers("arks data fe"), Words{"fetch"});
  const TemporaryFolder folder;
  const auto names = join(dataset_names(), " ");
  EXPECT_NE(read_file(script_file(folder, "zsh")).find("'2:NAME:{ compadd -- " + names + "; _files }'"),
            std::string::npos);
  EXPECT_NE(read_file(script_file(folder, "fish"))
                .find("__fish_seen_subcommand_from data; and __fish_seen_subcommand_from list show drift fetch verify; "
                      "and not __fish_seen_subcommand_from " +
                      names + "' -a '" + names + "'"),
            std::string::npos);
}

TEST(Completion, ScriptsOfAllShellsParse) {
  const TemporaryFolder folder;
  for (const std::string name : {"bash", "zsh", "fish"}) {
    const auto script = script_file(folder, name);
    EXPECT_NE(read_file(script).find("inner-steps"), std::string::npos) << name;
    if (is_installed(name)) EXPECT_EQ(shell(name + " -n " + script), "") << name;
  }
}

TEST(Completion, AnUnknownShellIsRefusedWithTheNearest) {
  const TemporaryFolder folder;
  const auto result = arks_tool({"completion", "bsh"}, folder.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "arks: unknown shell 'bsh' (did you mean 'bash'?); known: bash, zsh, fish\n");
}

TEST(Manual, DescribesEveryCommandAndFlagOfTheHelp) {
  const TemporaryFolder folder;
  const auto page = arks_tool({"manual"}, folder.path());
  ASSERT_EQ(page.exit_code, 0) << page.err;
  EXPECT_EQ(page.out.rfind(".TH ARKS 1", 0), 0U);
  for (const std::string command :
       {"train", "evaluate", "certify", "sweep", "export", "data", "completion", "manual"}) {
    std::string title = command;
    for (auto& c : title) c = static_cast<char>(std::toupper(c));
    const auto begin = page.out.find(".SH ARKS " + title);
    ASSERT_NE(begin, std::string::npos) << command;
    const auto section = page.out.substr(begin, page.out.find(".SH", begin + 1) - begin);
    std::istringstream help(arks_tool({command, "--help"}, folder.path()).out);
    for (std::string word; help >> word;) {
      if (word.rfind("--", 0) != 0 || word.size() < 4) continue;
      std::string escaped;
      for (const char c : word.substr(0, word.find_first_not_of("-abcdefghijklmnopqrstuvwxyz0123456789"))) {
        escaped += c == '-' ? "\\-" : std::string(1, c);
      }
      EXPECT_NE(section.find(escaped), std::string::npos) << command << " " << word;
    }
  }
}

TEST(Manual, NamesTheWordsOfAnArgumentOnce) {
  const TemporaryFolder folder;
  const auto page = arks_tool({"manual"}, folder.path()).out;
  const std::string words = "list | show | drift | fetch | verify";
  EXPECT_NE(page.find("\n" + words + "\n"), std::string::npos);
  EXPECT_EQ(page.find(words + ": " + words), std::string::npos);
}

TEST(Manual, SettingsStandUnderOneHeadingEachByTheirOwnNames) {
  const TemporaryFolder folder;
  std::istringstream tables(arks_tool({"manual", "--settings"}, folder.path()).out);
  Words headings;
  std::string command, all;
  for (std::string line; std::getline(tables, line); all += line + "\n") {
    if (line.rfind("## ", 0) == 0) command = line;
    if (line.rfind("### ", 0) == 0) headings.push_back(command + line);
  }
  EXPECT_GT(headings.size(), 20U);
  std::sort(headings.begin(), headings.end());
  EXPECT_EQ(std::adjacent_find(headings.begin(), headings.end()), headings.end());
  EXPECT_NE(all.find("| `--standardise`, `--no-standardise` |"), std::string::npos);
  EXPECT_NE(all.find("| `--no-cache` |"), std::string::npos) << "a name of its own";
}

TEST(Manual, SaysUnitAndRangeOfEveryNumber) {
  const TemporaryFolder folder;
  const auto tables = arks_tool({"manual", "--settings"}, folder.path()).out;
  EXPECT_NE(tables.find("| `--epochs` | N > 0 | epochs | passes over the training set |"), std::string::npos);
  EXPECT_NE(tables.find("| `--test-fraction` | X, above 0 and below 1 |"), std::string::npos);
  EXPECT_NE(tables.find("| `--gamma` | X >= 0 | loss per cost or loss units |"), std::string::npos);
  const auto page = arks_tool({"manual"}, folder.path()).out;
  EXPECT_NE(page.find("passes over the training set (epochs > 0)"), std::string::npos);
}

TEST(Manual, IsTroffWithoutComplaint) {
  if (!is_installed("groff")) GTEST_SKIP() << "groff is not installed";
  const TemporaryFolder folder;
  write_file_atomically(folder / "arks.1", arks_tool({"manual"}, folder.path()).out);
  EXPECT_EQ(shell("groff -man -ww -z -Tutf8 -k " + (folder / "arks.1").string()), "");
}

}  // namespace arks::testing
