// arks sweep as a user runs it: interrupted, in shards, with points that fail, and with every kind of bad input.
#include "cli/tool.h"
#include "support/file.h"
#include "support/testing.h"
#include "support/text.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <thread>

namespace arks {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

class SweepTool : public ::testing::Test {
 protected:
  SweepTool() { write("s.toml", kSearch); }

  void write(const std::string& name, const std::string& content) const {
    write_file_atomically(folder_ / name, content);
  }
  std::string read(const std::string& name) const { return read_file(folder_ / name); }
  testing::ToolResult arks(const Arguments& arguments) const {
    return testing::arks_program(arguments, folder_.path(), kEnvironment);
  }
  testing::ToolResult expect_code(int code, const Arguments& arguments) const {
    auto result = arks(arguments);
    EXPECT_EQ(result.exit_code, code) << join(arguments, " ") << "\n" << result.out << result.err;
    return result;
  }
  /// One line, with `part`, and exit code 2; nothing is left behind.
  void expect_refused(Arguments arguments, const std::string& part) const {
    arguments.insert(arguments.begin(), "sweep");
    arguments.insert(arguments.end(), {"--out", "refused"});
    const auto result = testing::arks_tool(arguments, folder_.path(), kEnvironment);  // nothing is started
    EXPECT_EQ(result.exit_code, 2) << join(arguments, " ") << "\n" << result.out << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.err.rfind("arks: ", 0), 0U) << result.err;
    EXPECT_FALSE(fs::exists(folder_ / "refused"));
  }
  void expect_file_refused(const std::string& toml, const std::string& part) const {
    write("bad.toml", toml);
    expect_refused({"bad.toml"}, part);
  }

  void write_long_search(int64_t epochs) const {
    write("s.toml",
          "[train]\ndata = \"iris\"\n[evaluate]\nattack = \"uniform\"\neps = [0.5]\n"
          "[[search]]\n[search.train]\nmethod = \"erm\"\nepochs = 2\n[search.grid]\nlr = [0.01, 0.1]\n"
          "[[search]]\n[search.train]\nmethod = \"arks\"\nepochs = " +
              std::to_string(epochs) + "\n[search.grid]\nsigma = [0.5]\n");
  }
  /// The search, ended by a signal when its first training has begun.
  testing::ToolResult interrupted(const std::string& out) const {
    testing::Tool running({"sweep", "s.toml", "--out", out, "--jobs", "1"}, folder_.path(), kEnvironment);
    const auto has_begun = [&] {
      std::error_code ignored;
      for (const auto& step : fs::directory_iterator(folder_ / (out + "/steps"), ignored)) {
        if (fs::exists(step.path() / "run/checkpoint.pt")) return true;
      }
      return false;
    };
    for (int tries = 0; tries < 30000 && !has_begun(); ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    running.send(SIGTERM);
    return running.wait();
  }

  // erm, and arks at two bandwidths; two seeds: six models and as many attacks
  static constexpr const char* kSearch = R"(
seeds = [0, 1]
[train]
data = "iris"
epochs = 3
[evaluate]
attack = "uniform"
eps = [0.5]
[[search]]
[search.train]
method = "erm"
[search.grid]
lr = [0.1]
[[search]]
[search.train]
method = "arks"
[search.grid]
sigma = [0.05, 0.5]
)";
  const std::map<std::string, std::string> kEnvironment{{"OMP_WAIT_POLICY", "passive"}};
  testing::TemporaryFolder folder_;
};

TEST_F(SweepTool, RunsAGridAndLeavesTablesAndFigures) {
  const auto result = expect_code(0, {"sweep", "s.toml", "--rule", "paper"});
  const fs::path out = folder_ / "runs/sweep-s";
  for (const char* file : {"results.csv", "runs.csv", "results.json", "sweep.toml", "figure-erm.svg", "figure-erm.png",
                           "figure-arks.svg", "figure-arks.png"}) {
    EXPECT_TRUE(fs::exists(out / file)) << file;
  }
  const auto table = split(read_file(out / "results.csv"), '\n');
  ASSERT_EQ(table.size(), 5U) << "a header, three points and an end";
  EXPECT_EQ(table[0].rfind("group,lr,sigma,test_error_mean,test_error_deviation,", 0), 0U) << table[0];
  EXPECT_EQ(table[2].rfind("arks,,0.05,", 0), 0U) << table[2];
  EXPECT_NE(table[2].find(",2,done,"), std::string::npos) << table[2];
  const auto document = Json::parse(read_file(out / "results.json"));
  EXPECT_EQ(document["rule"], "paper");
  EXPECT_EQ(document["runs"].size(), 6U);
  EXPECT_TRUE(document["points"][0]["metrics"].contains("error@0.5"));
  EXPECT_EQ(document["chosen"][1]["group"], "arks");
  EXPECT_NE(result.err.find("[12/12] "), std::string::npos) << "a line per step: " << result.err;
  EXPECT_NE(result.err.find("arks, sigma 0.5, seed 1, attack: done in "), std::string::npos) << result.err;
  EXPECT_NE(result.out.find("chosen (*), the lowest test_error of erm"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("3 of 3 points done"), std::string::npos) << result.out;

  const auto again = expect_code(0, {"sweep", "s.toml", "--rule", "paper", "--json", "-"});
  EXPECT_EQ(again.err.find("done in"), std::string::npos) << "nothing is computed twice: " << again.err;
  EXPECT_NE(again.err.find("12 of 12 steps already finished"), std::string::npos) << again.err;
  EXPECT_EQ(Json::parse(again.out)["chosen"], document["chosen"]);
}

TEST_F(SweepTool, SaysOfWhatTheTestErrorIsAndWhatTheSignsMean) {
  const auto out = expect_code(0, {"sweep", "s.toml", "--quiet"}).out;
  EXPECT_NE(out.find("] on 30 rows"), std::string::npos) << out;
  EXPECT_NE(out.find("; test_error "), std::string::npos) << out;
  EXPECT_NE(out.find("[ ]: 95 % interval, of the rows of a part alone; ±: standard deviation over 2 seeds\n"),
            std::string::npos)
      << out;
}

/// Of the samples that were tested, in the table, the last lines and results.json.
TEST_F(SweepTool, EveryErrorHasItsIntervalOnTheRowsThatItIsOf) {
  const std::string rest = "epochs = 3\nmethod = \"erm\"\n[evaluate]\neps = [0.1]\nlimit = 5\n[grid]\nlr = [0.1]\n";
  write("limited.toml", "[train]\ndata = \"iris\"\nlimit = 6\n" + rest);
  const auto out = expect_code(0, {"sweep", "limited.toml", "--out", "l", "--quiet"}).out;
  EXPECT_NE(out.find("] on 6 rows\n"), std::string::npos) << out;
  EXPECT_NE(out.find("] on 24 rows; test_error "), std::string::npos) << out;
  const auto document = Json::parse(read("l/results.json"));
  const auto test = document["chosen"][0]["test"]["test_error"];
  EXPECT_EQ(test["n"], 6);
  EXPECT_LE(test["low"], test["mean"]);
  EXPECT_LE(test["mean"], test["high"]);
  EXPECT_GT(test["high"].get<double>() - test["low"].get<double>(), 0.4) << "six rows say little";
  EXPECT_EQ(document["chosen"][0]["test"]["test_loss"]["n"], 6);
  const auto metrics = document["points"][0]["metrics"];
  EXPECT_EQ(metrics["validation_error"]["n"], 24);
  EXPECT_EQ(metrics["error@0.1"]["n"], 5);
  EXPECT_GT(metrics["error@0.1"]["high"], metrics["error@0.1"]["low"]);
  EXPECT_TRUE(metrics["surrogate"]["n"].is_null());
  write("folds.toml", "[train]\ndata = \"iris\"\nfolds = 2\n" + rest);
  const auto folds = expect_code(0, {"sweep", "folds.toml", "--out", "f", "--quiet"}).out;
  EXPECT_NE(folds.find("] on 120 rows; test_error "), std::string::npos) << "each is in one fold: " << folds;
  EXPECT_NE(folds.find("] on 30 rows\n"), std::string::npos) << folds;
  const auto copied = expect_code(0, {"sweep", "limited.toml", "--out", "copy", "--from", "l", "--quiet"}).out;
  EXPECT_NE(copied.find("] on 6 rows\n"), std::string::npos) << copied;
}

TEST_F(SweepTool, ReportsReplaceReportsOnlyAndNothingThatIsRead) {
  fs::create_directories(folder_ / "job");
  write("job/t.csv", "a,y\n1,yes\n2,no\n3,yes\n4,no\n5,yes\n6,no\n7,yes\n8,no\n9,yes\n10,no\n");
  write("job/k.toml", "[train]\ndata = \"t.csv\"\nmethod = \"erm\"\nepochs = 1\n[grid]\nlr = [0.1]\n");
  const auto table = read("job/t.csv");
  for (const bool force : {false, true}) {
    Arguments arguments{"job/k.toml", "--json", "job/t.csv"};
    if (force) arguments.emplace_back("--force");
    expect_refused(arguments, "--json: job/t.csv is read by this command");
    EXPECT_EQ(read("job/t.csv"), table);
  }
  write("mine.json", "{}");
  expect_refused({"job/k.toml", "--json", "mine.json"}, "--json: mine.json exists; --force overwrites it");
  for (int call = 0; call < 2; ++call) {  // the second goes on, and writes its report again
    expect_code(0, {"sweep", "job/k.toml", "--out", "out", "--json", "report.json", "--quiet"});
  }
  EXPECT_EQ(read("report.json"), read("out/results.json"));
  expect_code(0, {"sweep", "job/k.toml", "--out", "out", "--json", "mine.json", "--force", "--quiet"});
  EXPECT_EQ(read("mine.json"), read("out/results.json"));

  const auto elsewhere = testing::arks_tool({"sweep", "k.toml", "--out", "../out"}, folder_ / "job", kEnvironment);
  EXPECT_NE(elsewhere.err.find("1 of 1 steps already finished"), std::string::npos)
      << "steps are the same wherever a search is started: " << elsewhere.err;
}

TEST_F(SweepTool, ThatChoosesNothingFails) {
  std::string table = "x,y\n";
  for (int i = 0; i < 60; ++i) table += std::to_string(i) + "," + std::to_string(2.5 * i) + "\n";
  write("t.csv", table);
  write("s.toml",
        "[train]\ndata = \"t.csv\"\ntarget = \"y\"\nmethod = \"erm\"\nepochs = 1\n[grid]\nlr = [0.01, 0.1]\n");
  const auto result = expect_code(1, {"sweep", "s.toml", "--rule", "best:validation_error", "--quiet"});
  EXPECT_NE(result.err.find("nothing was chosen: no finished point of a group has validation_error"), std::string::npos)
      << result.err;
  EXPECT_NE(expect_code(0, {"sweep", "s.toml"}).out.find("test_loss"), std::string::npos);
}

/// arks comes first, as the longest, and never ends by itself.
TEST_F(SweepTool, InterruptedShowsWhatIsMissing) {
  write_long_search(100000000);
  const auto broken = interrupted("broken");
  EXPECT_EQ(broken.exit_code, 1) << broken.err;
  EXPECT_NE(broken.err.find("interrupted; what is finished is kept"), std::string::npos) << broken.err;
  EXPECT_NE(read("broken/results.csv").find(",0,begun,"), std::string::npos) << read("broken/results.csv");
  EXPECT_NE(read("broken/results.csv").find(",0,not run,"), std::string::npos) << "what is missing is shown";
}

TEST_F(SweepTool, InterruptedAndResumedOrInShardsTheTableIsTheSame) {
  write_long_search(300);
  expect_code(0, {"sweep", "s.toml", "--out", "whole", "--quiet"});
  const auto table = read("whole/results.csv");

  interrupted("broken");  // most often within the first training; wherever it is, the table is the same
  expect_code(0, {"sweep", "s.toml", "--out", "broken", "--quiet"});
  EXPECT_EQ(read("broken/results.csv"), table);

  for (const char* shard : {"2/3", "0/3"}) {
    expect_code(0, {"sweep", "s.toml", "--shard", shard, "--out", "shared", "--quiet"});
  }
  expect_code(0, {"sweep", "s.toml", "--shard", "1/3", "--out", "apart", "--quiet"});
  EXPECT_NE(read("shared/results.csv"), table);
  const auto merged = expect_code(0, {"sweep", "s.toml", "--from", "apart,shared", "--out", "merged"});
  EXPECT_EQ(read("merged/results.csv"), table);
  EXPECT_EQ(merged.err.find("done in"), std::string::npos) << "all was there: " << merged.err;
  expect_code(0, {"sweep", "s.toml", "--from", "apart", "--out", "shared", "--quiet"});
  EXPECT_EQ(read("shared/results.csv"), table);
}

TEST_F(SweepTool, ShardsThatNoPointFallsToAreCombinedWithTheOthers) {
  write("small.toml", "[train]\ndata = \"iris\"\nmethod = \"erm\"\nepochs = 2\n[grid]\nlr = [0.01]\n");
  for (const char* shard : {"0", "1"}) {
    expect_code(0, {"sweep", "small.toml", "--shard", std::string(shard) + "/2", "--out", shard, "--quiet"});
  }
  expect_code(0, {"sweep", "small.toml", "--from", "0,1", "--out", "merged", "--quiet"});
  EXPECT_NE(read("merged/results.csv").find(",done,"), std::string::npos) << read("merged/results.csv");
}

TEST_F(SweepTool, ShardsThatEndTogetherLeaveTheWholeTable) {
  write("small.toml", "[train]\ndata = \"iris\"\nmethod = \"erm\"\nepochs = 2\n[grid]\nlr = [0.01, 0.1]\n");
  testing::Tool first({"sweep", "small.toml", "--shard", "0/2", "--out", "both"}, folder_.path(), kEnvironment);
  testing::Tool second({"sweep", "small.toml", "--shard", "1/2", "--out", "both"}, folder_.path(), kEnvironment);
  EXPECT_EQ(first.wait().exit_code, 0);
  EXPECT_EQ(second.wait().exit_code, 0);
  expect_code(0, {"sweep", "small.toml", "--out", "alone", "--quiet"});
  EXPECT_EQ(read("both/results.csv"), read("alone/results.csv"));
}

TEST_F(SweepTool, AFailedPointIsShownWithItsReasonAndStopsNoOther) {
  // samples lie outside a narrow domain, which only the run itself can know
  const std::string search = "[train]\ndata = \"iris\"\nmethod = \"arks\"\nsigma = 0.5\nepochs = 2\n[grid]\n";
  write("f.toml", search + "domain = [[-10, 10], [0, 0.1], [-20, 20]]\n");
  const auto result = expect_code(1, {"sweep", "f.toml", "--out", "f"});
  const auto table = split(read("f/results.csv"), '\n');
  EXPECT_NE(table[1].find(",1,done,"), std::string::npos) << table[1];
  EXPECT_NE(table[2].find(",0,failed,"), std::string::npos) << table[2];
  EXPECT_NE(table[2].find("--domain: "), std::string::npos) << "the reason: " << table[2];
  EXPECT_NE(table[3].find(",1,done,"), std::string::npos) << table[3];
  EXPECT_NE(result.out.find("failed: "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("2 of 3 points done, 1 failed"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("(1 point left out"), std::string::npos) << result.out;
  const auto again = expect_code(1, {"sweep", "f.toml", "--out", "f"});
  EXPECT_NE(again.err.find("domain 0,0.1, seed 0: failed: "), std::string::npos) << "tried again: " << again.err;

  // repaired: the others are kept
  write("f.toml", search + "domain = [[-10, 10], [-15, 15], [-20, 20]]\n");
  const auto repaired = expect_code(0, {"sweep", "f.toml", "--out", "f"});
  EXPECT_NE(repaired.err.find("note: f.toml has changed; points"), std::string::npos) << repaired.err;
  EXPECT_NE(repaired.err.find("2 of 3 steps already finished"), std::string::npos) << repaired.err;
  EXPECT_EQ(read("f/sweep.toml"), read("f.toml"));
}

TEST_F(SweepTool, TrainingThatDivergesIsAFailedPoint) {
  write("d.toml",
        "[train]\ndata = \"diabetes\"\nmethod = \"erm\"\nopt = \"sgd\"\nepochs = 3\n[grid]\nlr = [1e-3, 1e30]\n");
  const auto result = expect_code(1, {"sweep", "d.toml", "--out", "d"});
  const auto table = split(read("d/results.csv"), '\n');
  EXPECT_NE(table[1].find(",1,done,"), std::string::npos) << table[1];
  EXPECT_NE(table[2].find(",0,failed,"), std::string::npos) << table[2];
  EXPECT_NE(result.out.find("the smallest validation_loss"), std::string::npos)
      << "numbers have no error: " << result.out;
}

TEST_F(SweepTool, TakesMethodsThatNeedADomainWhenTheFileGivesOne) {
  write("domain.toml",
        "[train]\ndata = \"iris\"\nepochs = 1\ndomain = [0, 10]\n"
        "[[search]]\ntrain = {method = \"ke\", gamma = 2.0}\ngrid = {sigma = [0.5]}\n"
        "[[search]]\ntrain = {method = \"ro\"}\ngrid = {inner-restarts = [1]}\n");
  const auto result = expect_code(0, {"sweep", "domain.toml", "--out", "with-domain"});
  EXPECT_NE(result.out.find("2 of 2 points done"), std::string::npos) << result.out;
}

TEST_F(SweepTool, ADryRunPrintsThePlanAndDoesNothing) {
  const auto result = expect_code(0, {"sweep", "s.toml", "--dry-run", "--shard", "1/4"});
  EXPECT_NE(result.err.find("2 groups, 3 points, 2 seeds, 6 runs; 2 in shard 1/4"), std::string::npos) << result.err;
  const auto lines = split(result.out, '\n');
  ASSERT_EQ(lines.size(), 5U) << result.out;
  EXPECT_EQ(
      lines[0].rfind("arks train --data=iris --epochs=3 --lr=0.1 --method=erm --seed=1 --validation-fraction=0.2 "), 0U)
      << lines[0];
  EXPECT_EQ(lines[1].rfind("arks evaluate runs/sweep-s/steps/", 0), 0U) << lines[1];
  EXPECT_FALSE(fs::exists(folder_ / "runs"));
}

TEST_F(SweepTool, BadFilesAreRefusedBeforeAnythingRuns) {
  expect_refused({"no.toml"}, "no.toml");
  expect_file_refused("[grid]\nsigam = [1]\n", "bad.toml: unknown key 'sigam' in [grid] (did you mean 'sigma'?)");
  expect_file_refused("[grid]\nsigma = [\"wide\"]\n", "bad.toml: --sigma: 'wide' is not a number");
  expect_file_refused("[grid]\nmethod = [\"erm\", \"arsk\"]\n", "unknown method 'arsk'");
  expect_file_refused("[train]\ndata = \"irsi\"\n[grid]\nsigma = [1]\n", "irsi");
  expect_file_refused("[evaluate]\neps = \"a\"\n[grid]\nsigma = [1]\n", "[evaluate] eps");
}

TEST_F(SweepTool, WhatAMethodOrAnAttackRefusesIsRefusedBeforeAnythingRuns) {
  const auto of = [](const std::string& flags) {
    return "[train]\ndata = \"iris\"\n" + flags + "[grid]\nlr = [0.1]\n";
  };
  expect_file_refused(of("method = \"free\"\neps = 0.1\ninner-opt = \"adam\"\n"),
                      "bad.toml: method free: --inner-opt can only be sign, got adam");
  expect_file_refused(of("method = \"fast\"\neps = 0.1\nnorm = \"l2\"\n"),
                      "bad.toml: method fast: --norm can only be linf, got l2");
  expect_file_refused(of("method = \"ke\"\nsigma = 1\ngamma = 1\n"), "bad.toml: --method ke needs --domain lo,hi");
  expect_file_refused("[train]\ndata = \"iris\"\n[grid]\nsigma = [0.5, inf]\n", "bad.toml: --sigma inf needs --domain");
  expect_file_refused(of("method = \"erm\"\nswa = true\nepochs = 2\nswa-start = 3\n"), "bad.toml: --swa-start");
  expect_file_refused(of("bounds = [1, 0]\n"), "bad.toml: --bounds: need low < high");
  expect_file_refused(of("resize = \"zz\"\n"), "bad.toml: --resize: expected HEIGHTxWIDTH");
  expect_file_refused(of("method = \"erm\"\n") + "[evaluate]\neps = [-1]\n",
                      "bad.toml: eps must be finite and not negative, got -1");
}

/// Squared errors of scaled and of raw numbers, or weighted and plain ones, have no smallest.
TEST_F(SweepTool, LossesInDifferentUnitsDecideNothing) {
  std::string rows = "a,y\n";
  for (int i = 0; i < 60; ++i) rows += c10::str(i % 11, ",", 100 * (i % 11) + 7 * (i % 3), ".5\n");
  write("n.csv", rows);
  const std::string head = "[train]\ndata = \"n.csv\"\nepochs = 2\nmethod = \"erm\"\n[grid]\n";
  expect_file_refused(head + "standardise-targets = [true, false]\n",
                      "cannot be compared by validation_loss: standardise-targets differs");
  write("bad.toml",
        "[train]\ndata = \"iris\"\nepochs = 2\nmethod = \"erm\"\n[grid]\nclass-weights = [\"none\", \"balanced\"]\n");
  expect_refused({"bad.toml", "--rule", "best:validation_loss"},
                 "class-weights differs, and with it the unit of the loss");
  write("scaling.toml", head + "standardise = [true, false]\n");
  const auto result = expect_code(1, {"sweep", "scaling.toml", "--out", "scaling", "--quiet"});
  EXPECT_NE(result.err.find("nothing was chosen: the points of group 'erm' cannot be compared by validation_loss: "
                            "standardise differs"),
            std::string::npos)
      << result.err;
  EXPECT_TRUE(fs::exists(folder_ / "scaling/results.csv"));
  write("one.toml",
        "[train]\ndata = \"n.csv\"\nepochs = 2\nmethod = \"erm\"\nstandardise-targets = true\n[grid]\n"
        "standardise = [true, false]\n");
  expect_code(0, {"sweep", "one.toml", "--out", "one", "--quiet"});
}

TEST_F(SweepTool, WhatBelongsToEveryRunIsRefusedWithTheReason) {
  for (const char* key :
       {"out", "resume", "config", "force", "quiet", "json", "threads", "seed", "seeds", "data-dir"}) {
    expect_file_refused(std::string("[train]\n") + key + " = 1\n[grid]\nsigma = [1]\n",
                        std::string("'") + key + "' is not allowed in [train]: ");
  }
  for (const char* key : {"csv", "figure", "grid", "metric", "title", "white-box"}) {
    expect_file_refused(std::string("[evaluate]\n") + key + " = \"x\"\n[grid]\nsigma = [1]\n",
                        std::string("'") + key + "' is not allowed in [evaluate]: ");
  }
  write("machine.toml", "[train]\ndata = \"iris\"\nsave-seconds = 9\n[grid]\nsigma = [1]\n");
  expect_code(0, {"sweep", "machine.toml", "--dry-run"});
}

TEST_F(SweepTool, MissingDataAreRefusedWithHowToGetThem) {
  write("c.toml", "[train]\ndata = \"cifar10\"\n[grid]\nsigma = [1]\n");
  expect_refused({"c.toml", "--data-dir", (folder_ / "nowhere").string()}, "arks data fetch cifar10");
}

TEST_F(SweepTool, BadFlagsAreRefusedBeforeAnythingRuns) {
  expect_refused({"s.toml", "--shard", "4/4"}, "4 shards are 0/4 to 3/4");
  expect_refused({"s.toml", "--rule", "best:error@0.4"},
                 "unknown metric 'error@0.4' (did you mean 'error@0.5'?); known: ");
  expect_refused({"s.toml", "--from", "nowhere"}, "--from: nowhere is not the folder of a search");
  expect_refused({"s.toml", "--json", "no/such/file"}, "--json");
  write("arks.toml", "[train]\ndata = \"iris\"\n[grid]\nsigma = [1]\n");
  expect_refused({"arks.toml", "--rule", "paper"}, "no group has method = \"erm\"");
  const auto other = expect_code(2, {"sweep", "s.toml", "--out", "."});
  EXPECT_NE(other.err.find("is not the folder of a search; choose a new one"), std::string::npos) << other.err;
  const auto file = expect_code(2, {"sweep", "s.toml", "--out", "s.toml"});
  EXPECT_NE(file.err.find("s.toml is not a folder"), std::string::npos) << file.err;
}

}  // namespace arks
