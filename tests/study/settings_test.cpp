#include "study/settings.h"

#include "study/experiment.h"
#include "support/testing.h"

namespace arks::study {

using testing::expect_error;

const KnownFlags kKnown{
    {"train", {{"method", "sigma", "epochs", "lr-steps", "domain"}, {{"out", "results go elsewhere"}}}}};

TEST(StudySettings, FlagsAreTheKeysThatNobodyElseRead) {
  const auto settings = Settings::parse("label = 'x'\nsigma = 0.50\nepochs = 3\nlr-steps = [8, 11]\n", "f.toml");
  EXPECT_EQ(settings.text("label"), "x");
  const FlagValues expected{{"epochs", "3"}, {"lr-steps", "8,11"}, {"sigma", "0.5"}};
  EXPECT_EQ(settings.flags("train", kKnown), expected);
  settings.refuse_unread();
}

/// A step is found by its flags: the same ones, wherever the program runs.
TEST(StudySettings, PathsBeginAtTheFolderOfTheFileAndAreWhole) {
  const CommandFlags flags{{}, {}, {{"data", {{"iris"}, false}}}};
  const auto here = std::filesystem::current_path();
  EXPECT_EQ(flags.typed("data", "t.csv", "job"), (here / "job/t.csv").string());
  EXPECT_EQ(flags.typed("data", "job/t.csv", ""), (here / "job/t.csv").string());
  EXPECT_EQ(flags.typed("data", "../t.csv", here / "job"), (here / "t.csv").string());
  EXPECT_EQ(flags.typed("data", "iris", "job"), "iris");
  EXPECT_EQ(flags.typed("data", "isir", "job"), "isir") << "a slip in a name, not a path";
  EXPECT_EQ(flags.typed("method", "t.csv", "job"), "t.csv") << "no path";
}

TEST(StudySettings, FlagsAreWrittenAsInASearch) {
  const auto settings = Settings::parse("sigma = inf\ndomain = [[0, 1], [2, 3.5]]\n", "f.toml");
  const FlagValues expected{{"domain", "0,1;2,3.5"}, {"sigma", "inf"}};
  EXPECT_EQ(settings.flags("train", kKnown), expected);
  expect_error([] { Settings::parse("method = ''", "f.toml").flags("train", kKnown); },
               "f.toml: method has no value; leave the line out for the default");
  expect_error([] { Settings::parse("method = {a = 1}", "f.toml").flags("train", kKnown); },
               "f.toml: method: expected a number, a string, true or false");
}

TEST(StudySettings, AKeyThatNobodyReadsIsNamedWithTheNearest) {
  const auto settings = Settings::parse("sigma = 1\n[table]\nlimt = 3\nlimit = 4\n", "f.toml");
  settings.number("sigma");
  expect_error([&] { settings.refuse_unread(); }, "f.toml: unknown key 'table'");
  settings.table("table").whole("limit");
  expect_error([&] { settings.refuse_unread(); }, "f.toml, [table]: unknown key 'limt' (did you mean 'limit'?)");
}

TEST(StudySettings, AFlagThatTheCommandLacksAndOneThatAFileMayNotGiveAreRefused) {
  const auto flags = [](const std::string& toml) { return Settings::parse(toml, "f.toml").flags("train", kKnown); };
  expect_error([&] { flags("sigmo = 1"); },
               "f.toml: unknown key 'sigmo' (did you mean 'sigma'?); arks train --help lists the flags");
  expect_error([&] { flags("out = 'x'"); }, "f.toml: 'out' is not allowed: results go elsewhere");
  expect_error([&] { flags("sigma = []"); }, "f.toml: sigma has no value: an empty list");
}

TEST(StudySettings, WhatIsLaidOverMergesTablesAndReplacesLists) {
  const auto base = Settings::parse("a = [1, 2]\n[t]\nx = 1\ny = 2\n", "f.toml");
  const auto both = base.overlaid(Settings::parse("a = [3]\n[t]\ny = 5\n", "f.toml"));
  EXPECT_EQ(both.numbers("a"), std::vector<double>{3});
  EXPECT_EQ(both.table("t").number("x"), 1);
  EXPECT_EQ(both.table("t").number("y"), 5);
  EXPECT_EQ(base.table("t").number("y"), 2) << "what was laid over is as before";
}

TEST(StudySettings, BadValuesAreNamed) {
  const auto settings = Settings::parse("n = 1.5\nt = 3\nl = [1, 'a']\nr = '0:1:0.5'\n", "f.toml");
  expect_error([&] { settings.whole("n"); }, "f.toml: n: expected a whole number, got 1.5");
  expect_error([&] { settings.text("t"); }, "f.toml: t: expected a string, got 3");
  expect_error([&] { settings.numbers("l"); }, "f.toml: l: expected a number, got \"a\"");
  const auto large = Settings::parse("x = 9007199254740993", "f.toml");  // which no double holds
  EXPECT_EQ(large.number("x"), 9007199254740992.0);
  EXPECT_EQ(large.numbers("x"), std::vector<double>{9007199254740992.0});
  expect_error([&] { settings.number("missing"); }, "f.toml: 'missing' is missing");
  expect_error([] { Settings::parse("x = inf", "f.toml").number("x"); }, "f.toml: x: expected a number, got inf");
  EXPECT_EQ(settings.numbers("r"), (std::vector<double>{0, 0.5, 1})) << "a range as on the command line";
  expect_error([] { Settings::parse("a = \n", "f.toml"); }, "f.toml, line 1: ");
}

TEST(StudySettings, AnErrorShowsTheValueOnOneLine) {
  const auto settings = Settings::parse("a = [1, 2.5]\ns = [{grid = {x-y = [\"p\", \"q\"]}, on = true}]\n", "f.toml");
  expect_error([&] { settings.text("a"); }, "f.toml: a: expected a string, got [1, 2.5]");
  expect_error([&] { settings.number("s"); }, R"(got [{"grid" = {"x-y" = ["p", "q"]}, "on" = true}])");
}

TEST(Experiments, EveryIdHasAFileThatSaysWhatItShowsAtEveryScale) {
  for (const auto& id : experiment_ids()) {
    for (const auto& scale : scale_names()) {
      const auto experiment = read_experiment(id, experiment_toml(id), id + ".toml", scale);
      EXPECT_FALSE(experiment.shows.empty()) << id;
      EXPECT_FALSE(experiment.paper.empty()) << id;
      for (const auto& takes : experiment.takes) EXPECT_NE(takes, "-") << id;
    }
  }
}

TEST(Experiments, AnUnknownIdOrScaleIsAnsweredWithTheNearestAndTheList) {
  expect_error([] { experiment_toml("fig-fashon"); },
               "unknown experiment 'fig-fashon' (did you mean 'fig-fashion'?); known: fig-landscape, ");
  expect_error([] { read_experiment("x", "kind = 'curves'\nshows = ''\npaper = ''", "x.toml", "laptp"); },
               "--scale: unknown scale 'laptp' (did you mean 'laptop'?)");
  expect_error([] { read_experiment("x", "[scale.huge]", "x.toml", "smoke"); }, "x.toml: unknown scale [scale.huge]");
}

}  // namespace arks::study
