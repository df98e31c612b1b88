// The table of a search, collected from steps that were written by hand.
#include "study/sweep_results.h"
#include "study/step_record.h"
#include "study/sweep_figure.h"
#include "support/file.h"
#include "support/testing.h"
#include "support/text.h"

#include <nlohmann/json.hpp>

namespace arks::study {

namespace {

using Json = nlohmann::json;

class SweepResultsTest : public ::testing::Test {
 protected:
  explicit SweepResultsTest(const std::string& toml = "")
      : plan_(read_sweep_plan(
            toml.empty() ? kToml : toml, "s.toml",
            {{"train", {{"data", "method", "sigma", "opt", "lr", "folds"}, {}}}, {"evaluate", {{"eps"}, {}}}},
            {"fashion-mnist", "arks", "pgd"})),
        runs_(runs_of(plan_)),
        store_(folder_.path()) {}

  void finish(size_t run, double error, double attacked) const {
    const auto& train = runs_[run].train;
    const auto key = key_of(train);
    std::filesystem::create_directories(store_.run_folder(key));
    const auto line = [&](double of_epoch) {
      return Json{{"validation_error", of_epoch},
                  {"validation_loss", 2.5},
                  {"test_error", of_epoch / 2},
                  {"test_loss", 3.5},
                  {"train_error", nullptr},
                  {"surrogate", 1.25},
                  {"seconds", 1.5}}
                 .dump() +
             "\n";
    };
    write_file_atomically(store_.run_folder(key) / "metrics.jsonl", line(0.9) + line(error));
    write_file_atomically(store_.run_folder(key) / "model.pt", "weights");
    record(train, StepState::kDone);
    if (!runs_[run].evaluate) return;
    const Json points{{{"eps", 0.1}, {"error", attacked}, {"loss", 3.0}}};
    const auto attack = key_of(*runs_[run].evaluate);
    std::filesystem::create_directories(store_.folder(attack));
    write_file_atomically(store_.result_file(attack), Json{{"points", points}}.dump());
    record(*runs_[run].evaluate, StepState::kDone);
  }

  void record(const Step& step, StepState state, const std::string& reason = "") const {
    StepOutcome outcome;
    outcome.key = key_of(step);
    outcome.state = state;
    outcome.reason = reason;
    outcome.seconds = 7;
    std::filesystem::create_directories(store_.folder(outcome.key));
    write_record(store_, step, outcome);
  }

  SweepResults results() const { return collect(plan_, runs_, store_); }

  static constexpr const char* kToml =
      "seeds = [0, 1]\n[train]\ndata = \"iris\"\n[evaluate]\neps = 0.1\n[grid]\nsigma = [0.5, 1]\nopt = [\"sgd\", "
      "\"adam\"]\n";
  testing::TemporaryFolder folder_;
  SweepPlan plan_;
  std::vector<SweepRun> runs_;
  StepStore store_;
};

}  // namespace

TEST_F(SweepResultsTest, MetricsAreThoseOfTrainingAndOfTheAttack) {
  EXPECT_EQ(metrics_of(plan_), (std::vector<std::string>{"validation_error", "validation_loss", "train_error",
                                                         "surrogate", "error@0.1", "loss@0.1", "seconds"}));
}

TEST_F(SweepResultsTest, AnAttackThatIsGivenNoStrengthsHasItsOwn) {
  plan_.evaluate = FlagValues{{"attack", "drift"}, {"shift", "a+1"}};
  EXPECT_EQ(metrics_of(plan_),
            (std::vector<std::string>{"validation_error", "validation_loss", "train_error", "surrogate", "error@0",
                                      "loss@0", "error@1", "loss@1", "seconds"}));
  plan_.evaluate = FlagValues{};
  EXPECT_EQ(metrics_of(plan_)[4 + 2 * 6], "error@0.3") << "those of pgd";
}

/// One eps is two radii where the inputs of one model are scaled and those of another are not.
TEST_F(SweepResultsTest, AttacksOnModelsInOtherUnitsAreNotCompared) {
  auto& points = plan_.groups[0].points;
  EXPECT_EQ(groups_of(plan_, false)[0].incomparable("error@0.1"), "");
  points[0].flags["standardise"] = "true";  // iris is not, unless asked for
  const auto groups = groups_of(plan_, false);
  for (const char* metric : {"error@0.1", "loss@0.1"}) EXPECT_EQ(groups[0].incomparable(metric), "standardise");
  EXPECT_EQ(groups[0].incomparable("validation_error"), "");
  testing::expect_error(
      [&] {
        check_rule({SelectionRule::Kind::kBest, "error@0.1"}, groups);
      },
      "cannot be compared by error@0.1: standardise differs, and with it what eps means; give each "
      "value a group of its own, or use --rule best:validation_error");
  plan_.evaluate->insert({"attack", "gaussian"});
  EXPECT_EQ(groups_of(plan_, false)[0].incomparable("error@0.1"), "") << "a shift is in the units of the columns";
  plan_.evaluate->at("attack") = "fgsm";
  points[0].flags.erase("standardise");
  points[0].flags["model"] = "net.pt";
  EXPECT_EQ(groups_of(plan_, false)[0].incomparable("error@0.1"), "") << "iris is scaled for none";
  for (auto& point : points) point.flags["data"] = "t.csv";
  EXPECT_EQ(groups_of(plan_, false)[0].incomparable("error@0.1"), "model") << "a file takes what it took";
  EXPECT_EQ(groups_of(plan_, true)[0].incomparable("validation_loss"), "model");
  points[0].flags["data"] = "diabetes";
  EXPECT_EQ(groups_of(plan_, false)[0].incomparable("error@0.1"), "data");
}

TEST_F(SweepResultsTest, SurrogatesOfOtherMethodsAreNotCompared) {
  const SelectionRule rule{SelectionRule::Kind::kBest, "surrogate"};
  check_rule(rule, groups_of(plan_, false));
  plan_.groups[0].method = "";
  testing::expect_error([&] { check_rule(rule, groups_of(plan_, false)); },
                        "cannot be compared by surrogate: method differs, and with it what a surrogate is");
}

/// Seeds see the same samples again; each fold has others.
TEST_F(SweepResultsTest, IntervalsAreOfTheSamplesThatWereSeen) {
  RunParts parts;
  parts.word = "rows";
  parts.validation = {20, 0};
  parts.test = {10, 4};
  for (const size_t run : {0, 1}) {
    finish(run, 0.25, 0.5);
    write_file_atomically(store_.run_folder(key_of(runs_[run].train)) / "parts.json", to_json(parts));
  }
  const auto found = results();
  EXPECT_EQ(found.samples, "rows");
  const auto& point = found.points[0][0];
  EXPECT_EQ(point.sizes.at("validation_error").samples, 20);
  const auto expected = fraction_interval(5, 20);
  EXPECT_EQ(point.interval("validation_error")->low, expected.low);
  EXPECT_EQ(point.interval("validation_error")->high, expected.high);
  EXPECT_FALSE(point.interval("validation_loss"));
  EXPECT_FALSE(point.interval("test_error")) << "rows in groups are alike";
  EXPECT_EQ(point.sizes.at("test_error").groups, 4);
  EXPECT_FALSE(point.interval("error@0.1")) << "of how many is not known";
  EXPECT_FALSE(found.points[0][1].interval("validation_error")) << "not finished";
}

TEST_F(SweepResultsTest, APointIsTheMeanOverItsSeeds) {
  finish(0, 0.25, 0.5);
  finish(1, 0.75, 1.0);
  const auto point = results().points[0][0];
  EXPECT_EQ(point.state, StepState::kDone);
  EXPECT_EQ(point.n, 2);
  EXPECT_EQ(point.metrics.at("validation_error").mean, 0.5);
  EXPECT_DOUBLE_EQ(point.metrics.at("validation_error").deviation, std::sqrt(0.125)) << "divided by n - 1 = 1";
  EXPECT_EQ(point.metrics.at("error@0.1").mean, 0.75);
  EXPECT_EQ(point.metrics.at("seconds").mean, 3) << "of both epochs";
  EXPECT_EQ(point.metrics.count("train_error"), 0U) << "null is no number";
}

TEST_F(SweepResultsTest, HowAPointStandsIsSaid) {
  finish(0, 0.25, 0.5);                                                      // its other seed is missing
  record(runs_[2].train, StepState::kFailed, "training diverged, \"nan\"");  // of the second point one failed
  finish(3, 0.5, 0.5);                                                       // and the other is done
  record(runs_[4].train, StepState::kPartial);                               // of the third one was begun
  const auto found = results();
  EXPECT_EQ(found.points[0][0].state, StepState::kPartial);
  EXPECT_EQ(found.points[0][0].n, 1);
  EXPECT_EQ(found.points[0][1].state, StepState::kFailed);
  EXPECT_EQ(found.points[0][1].reason, "training diverged, \"nan\"");
  EXPECT_EQ(found.points[0][1].metrics.at("validation_error").mean, 0.5);
  EXPECT_EQ(found.points[0][2].state, StepState::kPartial);
  EXPECT_EQ(found.points[0][3].state, StepState::kMissing);
  const auto choice = select(parse_rule("best:validation_error", found.metrics), found.candidates(plan_))[0];
  EXPECT_FALSE(choice.point) << "no point has both seeds";
  EXPECT_EQ(choice.left_out, 4);
}

TEST_F(SweepResultsTest, AModelWithoutItsAttackIsNotDone) {
  finish(0, 0.25, 0.5);
  finish(1, 0.25, 0.5);
  std::filesystem::remove(store_.result_file(key_of(*runs_[1].evaluate)));
  EXPECT_EQ(results().runs[1].state, StepState::kPartial);
  EXPECT_EQ(results().points[0][0].state, StepState::kPartial);
  record(*runs_[1].evaluate, StepState::kFailed, "no such attack");
  EXPECT_EQ(results().points[0][0].reason, "no such attack");
}

TEST_F(SweepResultsTest, AResultThatCannotBeReadIsAFailureAndNotTheEnd) {
  finish(0, 0.25, 0.5);
  write_file_atomically(store_.result_file(key_of(*runs_[0].evaluate)), "{\"points\": [");
  const auto run = results().runs[0];
  EXPECT_EQ(run.state, StepState::kFailed);
  EXPECT_NE(run.reason.find("cannot be read"), std::string::npos) << run.reason;
}

TEST_F(SweepResultsTest, TheTableHasARowPerPointAndNoTimes) {
  finish(0, 0.25, 0.5);
  finish(1, 0.75, 1.0);
  record(runs_[2].train, StepState::kFailed, "diverged, \"nan\"");
  EXPECT_EQ(results_csv(plan_, results()),
            "group,sigma,opt,validation_error_mean,validation_error_deviation,validation_loss_mean,validation_loss_"
            "deviation,train_error_mean,"
            "train_error_deviation,surrogate_mean,surrogate_deviation,error@0.1_mean,error@0.1_deviation,"
            "loss@0.1_mean,loss@0.1_deviation,n,state,reason\r\n"
            "arks,0.5,sgd,0.5,0.3535533905932738,2.5,0,,,1.25,0,0.75,0.3535533905932738,3,0,2,done,\r\n"
            "arks,0.5,adam,,,,,,,,,,,,,0,failed,\"diverged, \"\"nan\"\"\"\r\n"
            "arks,1,sgd,,,,,,,,,,,,,0,not run,\r\n"
            "arks,1,adam,,,,,,,,,,,,,0,not run,\r\n");
}

TEST_F(SweepResultsTest, RunsHaveTheirTimeAndFolder) {
  finish(0, 0.25, 0.5);
  const auto text = runs_csv(plan_, runs_, results());
  EXPECT_NE(text.find("\r\narks,0.5,sgd,0,,0.25,2.5,,1.25,0.5,3,3,done,,14," + key_of(runs_[0].train) + "\r\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\r\narks,0.5,sgd,1,,,,,,,,,not run,,0," + key_of(runs_[1].train) + "\r\n"), std::string::npos)
      << text;
}

namespace {

class FoldedSweepTest : public SweepResultsTest {
 protected:
  FoldedSweepTest() : SweepResultsTest("seeds = [0, 7]\n[train]\nfolds = 3\n[grid]\nsigma = [1]\n") {}
};

}  // namespace

TEST_F(FoldedSweepTest, FoldsAddUpToAllSamples) {
  RunParts parts;
  parts.validation = {20, 0};
  parts.test = {10, 0};
  for (size_t run = 0; run < runs_.size(); ++run) {
    finish(run, 0.25, 0.5);
    write_file_atomically(store_.run_folder(key_of(runs_[run].train)) / "parts.json", to_json(parts));
  }
  const auto found = results();
  EXPECT_EQ(found.points[0][0].sizes.at("validation_error").samples, 60);
  EXPECT_EQ(found.points[0][0].sizes.at("test_error").samples, 10);
  std::filesystem::remove(store_.run_folder(key_of(runs_[1].train)) / "parts.json");
  EXPECT_FALSE(results().points[0][0].interval("validation_error")) << "of one fold it is not known";
}

TEST_F(FoldedSweepTest, RunsSayWhichFoldTheyAre) {
  const auto lines = split(runs_csv(plan_, runs_, results()), '\n');
  EXPECT_EQ(lines[0].rfind("group,sigma,seed,fold,validation_error", 0), 0U) << lines[0];
  EXPECT_EQ(lines[2].rfind("arks,1,0,1,", 0), 0U) << lines[2];
  EXPECT_EQ(lines[6].rfind("arks,1,7,2,", 0), 0U) << lines[6];
  const auto& point = plan_.groups[0].points[0];
  EXPECT_EQ(plan_.repeats_of(point), "2 seeds, 3 folds each");
  plan_.seeds = {0};
  EXPECT_EQ(plan_.repeats_of(point), "3 folds");
  EXPECT_EQ(plan_.repeats_of(SweepPoint()), "");
}

TEST_F(SweepResultsTest, TheDocumentSaysWhatWasChosen) {
  for (size_t i = 0; i < runs_.size(); ++i) finish(i, i / 2 == 2 ? 0.125 : 0.5, 0.5);
  const auto found = results();
  const auto document = Json::parse(
      results_json(plan_, runs_, found, "best:validation_error", parse_rule("best:validation_error", found.metrics)));
  EXPECT_EQ(document["rule"], "best:validation_error");
  EXPECT_EQ(document["points"].size(), 4U);
  EXPECT_EQ(document["runs"].size(), 8U);
  EXPECT_EQ(document["points"][0]["metrics"]["validation_error"]["mean"], 0.5);
  ASSERT_EQ(document["chosen"].size(), 1U);
  EXPECT_EQ(document["chosen"][0]["parameters"], (Json{{"sigma", "1"}, {"opt", "sgd"}}));
  EXPECT_EQ(document["chosen"][0]["value"], 0.125);
}

TEST_F(SweepResultsTest, APanelShowsEveryPointAndTheBestOfEachValue) {
  const std::vector<double> errors{0.5, 0.25, 0.125, 0.75};
  for (size_t i = 0; i < runs_.size(); ++i) finish(i, errors[i / 2], 0.5);
  const auto panels = panels_of(plan_.groups[0], results().points[0], "validation_error");
  ASSERT_EQ(panels.size(), 2U);
  EXPECT_EQ(panels[0].parameter, "sigma");
  EXPECT_EQ(panels[0].x, (std::vector<double>{0.5, 0.5, 1, 1}));
  EXPECT_EQ(panels[0].y, (std::vector<double>{50, 25, 12.5, 75})) << "in percent";
  EXPECT_EQ(panels[0].best_x, (std::vector<double>{0.5, 1}));
  EXPECT_EQ(panels[0].best_y, (std::vector<double>{25, 12.5}));
  EXPECT_FALSE(panels[0].logarithmic);
  EXPECT_EQ(panels[1].labels, (std::vector<std::string>{"sgd", "adam"}));
  EXPECT_EQ(panels[1].x, (std::vector<double>{1, 2, 1, 2}));
  EXPECT_EQ(panels[1].best_y, (std::vector<double>{12.5, 25}));
}

TEST_F(SweepResultsTest, NothingFinishedMakesNoFigure) {
  EXPECT_TRUE(panels_of(plan_.groups[0], results().points[0], "validation_error").empty());
  EXPECT_TRUE(write_sweep_figures(folder_.path(), plan_, results(), "validation_error").empty());
}

namespace {

class RandomSweepTest : public SweepResultsTest {
 protected:
  RandomSweepTest()
      : SweepResultsTest("[random]\npoints = 12\nlr = {log = [1e-4, 0.1]}\nsigma = {uniform = [1, 2]}\n") {}
};

}  // namespace

TEST_F(RandomSweepTest, ARandomSearchHasNoLineAndWideRangesALogarithmicAxis) {
  for (size_t i = 0; i < runs_.size(); ++i) finish(i, 0.5, 0.5);
  const auto panels = panels_of(plan_.groups[0], results().points[0], "validation_error");
  EXPECT_TRUE(panels[0].best_x.empty());
  EXPECT_TRUE(panels[0].logarithmic);
  EXPECT_FALSE(panels[1].logarithmic);
  EXPECT_EQ(panels[0].x.size(), 12U);
}

}  // namespace arks::study
