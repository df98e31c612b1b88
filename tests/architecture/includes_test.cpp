// Which room may include which, read from the sources themselves. The rooms and what lives in them:
// docs/architecture.md.
#include "support/file.h"
#include "support/testing.h"

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

namespace arks {

namespace {

namespace fs = std::filesystem;

/// Each may include itself and those before it.
const std::vector<std::string> kRooms = {"support", "settings", "kernel",    "data",   "model", "engine",
                                         "problem", "inner",    "objective", "metric", "train", "attack",
                                         "certify", "sdp",      "report",    "study",  "cli"};

/// A source file as the rules see it: its path from the root of the source tree, and its text.
struct Source {
  std::string path, text;
};

struct Include {
  std::string path;  // what stands between the brackets or quotes
  bool quoted = false;
  int64_t line = 0;
};

std::vector<Include> includes_of(const Source& source) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)re");
  std::vector<Include> found;
  std::istringstream text(source.text);
  std::smatch match;
  int64_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    if (std::regex_match(line, match, kInclude)) found.push_back({match[2], match[1] == "\"", number});
  }
  return found;
}

bool begins_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

/// "inner" of "inner/ascent.h"; empty for a path without a folder.
std::string first_folder(const std::string& path) {
  const auto slash = path.find('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

/// The room that a file of ours belongs to: the folder below include/arks or src; empty for include/arks/arks.h.
std::string room_of(const std::string& path) {
  for (const std::string root : {"include/arks/", "src/"}) {
    if (begins_with(path, root)) return first_folder(path.substr(root.size()));
  }
  return "";
}

/// Of which room a header is that is included so; empty for one of another library, or beside the file.
std::string room_of(const Include& include) {
  const auto path = begins_with(include.path, "arks/") ? include.path.substr(5) : include.path;
  const auto folder = first_folder(path);
  const bool ours = include.quoted || begins_with(include.path, "arks/");
  return ours ? folder : "";
}

/// Its place in the order, or none.
std::optional<size_t> rank(const std::string& room) {
  const auto found = std::find(kRooms.begin(), kRooms.end(), room);
  if (found == kRooms.end()) return std::nullopt;
  return static_cast<size_t>(found - kRooms.begin());
}

/// What is wrong with that line of a file of this room; empty when nothing is.
std::string broken_rule(const Source& source, const std::string& room, const Include& include) {
  const bool is_public = begins_with(source.path, "include/");
  if (is_public && include.quoted) {
    return "a public header includes only public headers, as <arks/…>";
  }
  const bool vectors =
      begins_with(include.path, "hwy/") || begins_with(include.path, "dnnl") || begins_with(include.path, "oneapi/");
  if (vectors && room != "engine") return "only src/engine includes oneDNN and Highway";
  if (begins_with(include.path, "CLI/") && source.path != "src/cli/flags.cpp")
    return "only src/cli/flags.cpp includes CLI11";
  if (include.path == "toml++/toml.h" && source.path != "src/settings/toml_file.h") {
    return "TOML is read through src/settings/toml_file.h";
  }
  const auto other = room_of(include);
  if (other.empty()) return "";
  if (!rank(other)) return "there is no room '" + other + "'";
  if (!room.empty() && *rank(other) > *rank(room)) return "room " + room + " comes before room " + other;
  return "";
}

/// One line for each broken rule: the file, the line, the include and the rule.
std::vector<std::string> broken_rules(const std::vector<Source>& sources) {
  std::vector<std::string> broken;
  for (const auto& source : sources) {
    const auto room = room_of(source.path);
    if (!rank(room) && source.path != "include/arks/arks.h") {
      broken.push_back(source.path + ": there is no room '" + room + "'; add it to the order in this test and to the " +
                       "table in docs/architecture.md");
      continue;
    }
    for (const auto& include : includes_of(source)) {
      const auto rule = broken_rule(source, room, include);
      if (rule.empty()) continue;
      broken.push_back(source.path + ":" + std::to_string(include.line) + " includes " + include.path + ": " + rule);
    }
  }
  return broken;
}

std::vector<Source> sources_below(const fs::path& root) {
  std::vector<Source> sources;
  for (const std::string folder : {"include/arks", "src"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp") continue;
      sources.push_back({fs::relative(entry.path(), root).generic_string(), read_file(entry.path())});
    }
  }
  std::sort(sources.begin(), sources.end(), [](const Source& a, const Source& b) { return a.path < b.path; });
  return sources;
}

std::vector<std::string> rules_broken_by(const std::string& path, const std::string& line) {
  return broken_rules({{path, "#pragma once\n" + line + "\n"}});
}

}  // namespace

TEST(Includes, OfEveryFileKeepTheOrderOfTheRooms) {
  const auto sources = sources_below(ARKS_SOURCE_FOLDER);
  ASSERT_GT(sources.size(), 100U);
  for (const auto& broken : broken_rules(sources)) ADD_FAILURE() << broken;
}

TEST(Includes, OfALaterRoomAreFound) {
  const std::vector<std::string> expected = {
      "src/engine/plan.cpp:2 includes arks/inner/maximizer.h: room engine comes before room inner"};
  EXPECT_EQ(rules_broken_by("src/engine/plan.cpp", "#include <arks/inner/maximizer.h>"), expected);
  EXPECT_EQ(rules_broken_by("src/data/idx.cpp", "  #  include \"model/graph_of.h\"  // why").size(), 1U);
  EXPECT_EQ(rules_broken_by("include/arks/report/table.h", "#include <arks/study/plan.h>").size(), 1U);
  EXPECT_TRUE(rules_broken_by("src/inner/climb.cpp", "#include \"engine/ascent_loops.h\"").empty());
  EXPECT_TRUE(rules_broken_by("src/inner/climb.cpp", "#include \"inner/lbfgs.h\"").empty());
}

TEST(Includes, OfTheParsersStandInOnePlaceEach) {
  EXPECT_EQ(rules_broken_by("src/cli/train.cpp", "#include <CLI/CLI.hpp>").size(), 1U);
  EXPECT_TRUE(rules_broken_by("src/cli/flags.cpp", "#include <CLI/CLI.hpp>").empty());
  EXPECT_EQ(rules_broken_by("src/study/settings.cpp", "#include <toml++/toml.h>").size(), 1U);
  EXPECT_TRUE(rules_broken_by("src/settings/toml_file.h", "#include <toml++/toml.h>").empty());
}

TEST(Includes, OfOneDnnAndHighwayOutsideTheEngineAreFound) {
  for (const std::string line :
       {"#include <dnnl.hpp>", "#include <hwy/highway.h>", "#include <oneapi/dnnl/dnnl.hpp>"}) {
    EXPECT_EQ(rules_broken_by("src/inner/climb.cpp", line).size(), 1U) << line;
    EXPECT_TRUE(rules_broken_by("src/engine/gemm.cpp", line).empty()) << line;
  }
}

TEST(Includes, OfInternalHeadersInPublicOnesAreFound) {
  EXPECT_EQ(rules_broken_by("include/arks/inner/maximizer.h", "#include \"inner/climb.h\"").size(), 1U);
  EXPECT_EQ(rules_broken_by("include/arks/arks.h", "#include \"inner/climb.h\"").size(), 1U);
  EXPECT_TRUE(rules_broken_by("include/arks/arks.h", "#include <arks/inner/maximizer.h>").empty());
}

TEST(Includes, OfUnknownRoomsAreFound) {
  EXPECT_EQ(rules_broken_by("src/attic/old.cpp", "").size(), 1U);
  EXPECT_EQ(rules_broken_by("src/stray.cpp", "").size(), 1U);
  EXPECT_EQ(rules_broken_by("src/inner/climb.cpp", "#include \"attic/old.h\"").size(), 1U);
}

}  // namespace arks
