// A TOML file becomes the plan of a search.
#include "support/testing.h"

#include <cmath>

#include "study/sweep_plan.h"

namespace arks::study {

namespace {

const KnownFlags& known() {
  static const KnownFlags kKnown{
      {"train",
       {{"data", "method", "sigma", "gamma", "inner-lr", "lr", "epochs", "opt", "lr-steps"},
        {{"out", "results go elsewhere"}, {"seed", "seeds belong at the top of the file"}}}},
      {"evaluate", {{"attack", "eps", "limit", "seed", "shift"}, {{"title", "figures show all runs"}}}}};
  return kKnown;
}

SweepPlan plan_of(const std::string& toml) {
  return read_sweep_plan(toml, "s.toml", known(), {"fashion-mnist", "arks", "pgd"});
}

void expect_refused(const std::string& toml, const std::string& part) {
  testing::expect_error([&] { plan_of(toml); }, part);
  testing::expect_error([&] { plan_of(toml); }, "s.toml");
}

using Parameters = std::vector<std::pair<std::string, std::string>>;

double number_at(const SweepPoint& point, const std::string& name) {
  return std::stod(point.flags.at(name));
}

}  // namespace

TEST(SweepPlan, AGridHasEveryCombinationTheLastParameterFastest) {
  const auto plan = plan_of("[train]\ndata = \"iris\"\n[grid]\nsigma = [0.1, 1]\ninner-lr = [0.001, 1e-2, 0.10]\n");
  ASSERT_EQ(plan.groups.size(), 1U);
  const auto& group = plan.groups[0];
  EXPECT_EQ(group.name, "arks") << "the method that arks train takes";
  EXPECT_EQ(plan.seeds, std::vector<int64_t>{0});
  ASSERT_EQ(group.points.size(), 6U);
  EXPECT_EQ(group.points[0].parameters, (Parameters{{"sigma", "0.1"}, {"inner-lr", "0.001"}}));
  EXPECT_EQ(group.points[1].parameters, (Parameters{{"sigma", "0.1"}, {"inner-lr", "0.01"}}));
  EXPECT_EQ(group.points[5].parameters, (Parameters{{"sigma", "1"}, {"inner-lr", "0.1"}}));
  EXPECT_EQ(group.points[5].flags, (FlagValues{{"data", "iris"}, {"inner-lr", "0.1"}, {"sigma", "1"}}));
}

TEST(SweepPlan, GroupsHaveTheirOwnFlagsOverThoseOfAll) {
  const auto plan = plan_of(R"(
seeds = [0, 10, 20]
[train]
data = "iris"
epochs = 5
[evaluate]
eps = [0.1, 0.2]
[[search]]
[search.train]
method = "erm"
epochs = 9
[search.grid]
lr = [0.1, 0.2]
[[search]]
name = "both.sigmas"
[search.grid]
sigma = [0.5]
lr-steps = [[25, 50], "none"]
)");
  EXPECT_EQ(plan.seeds, (std::vector<int64_t>{0, 10, 20}));
  ASSERT_EQ(plan.groups.size(), 2U);
  EXPECT_EQ(plan.groups[0].name, "erm");
  EXPECT_EQ(plan.groups[0].points[0].flags.at("epochs"), "9");
  EXPECT_EQ(plan.groups[1].name, "both.sigmas");
  EXPECT_EQ(plan.groups[1].method, "arks");
  EXPECT_EQ(plan.groups[1].points[0].flags.at("epochs"), "5");
  EXPECT_EQ(plan.groups[1].points[0].flags.at("lr-steps"), "25,50");
  EXPECT_EQ(plan.groups[1].points[1].flags.at("lr-steps"), "none");
  EXPECT_EQ(plan.evaluate, (FlagValues{{"eps", "0.1,0.2"}}));
  EXPECT_EQ(plan.parameters(), (std::vector<std::string>{"lr", "sigma", "lr-steps"}));
  EXPECT_EQ(plan.num_points(), 4);
}

TEST(SweepPlan, AGroupWithoutAnythingToSearchIsOnePoint) {
  const auto plan =
      plan_of("[[search]]\n[search.train]\nmethod = \"erm\"\n[[search]]\n[search.grid]\nsigma = [1, 2]\n");
  ASSERT_EQ(plan.groups[0].points.size(), 1U);
  EXPECT_TRUE(plan.groups[0].points[0].parameters.empty());
}

TEST(SweepPlan, WhoSearchesTheMethodHasNoMethod) {
  const auto plan = plan_of("[grid]\nmethod = [\"erm\", \"arks\"]\n");
  EXPECT_EQ(plan.groups[0].method, "");
  EXPECT_EQ(plan.groups[0].name, "search");
}

TEST(SweepPlan, DrawsAreOfTheirKind) {
  const auto plan = plan_of(R"(
[random]
points = 200
lr = {log = [1e-4, 0.1]}
sigma = {uniform = [2, 3]}
epochs = {whole = [1, 3]}
opt = ["sgd", "adam"]
)");
  const auto& points = plan.groups[0].points;
  ASSERT_EQ(points.size(), 200U);
  int below = 0, sgd = 0;
  std::map<int, int> epochs;
  double sigma = 0;
  for (const auto& point : points) {
    const double lr = number_at(point, "lr");
    EXPECT_GE(lr, 1e-4);
    EXPECT_LE(lr, 0.1);
    EXPECT_LE(point.flags.at("lr").size(), 9U) << "four digits are enough: " << point.flags.at("lr");
    below += lr < std::sqrt(1e-4 * 0.1) ? 1 : 0;
    EXPECT_GE(number_at(point, "sigma"), 2);
    EXPECT_LE(number_at(point, "sigma"), 3);
    sigma += number_at(point, "sigma") / 200;
    ++epochs[static_cast<int>(number_at(point, "epochs"))];
    sgd += point.flags.at("opt") == "sgd" ? 1 : 0;
  }
  // four standard deviations of a fair coin tossed 200 times are 28
  EXPECT_NEAR(below, 100, 28) << "half of the draws lie below the geometric middle";
  EXPECT_NEAR(sgd, 100, 28);
  EXPECT_NEAR(sigma, 2.5, 4 * 0.2887 / std::sqrt(200));
  EXPECT_EQ(epochs.size(), 3U);
  for (const auto& [value, count] : epochs) EXPECT_NEAR(count, 67, 27) << value;
}

TEST(SweepPlan, MorePointsAndParametersKeepTheFirstDraws) {
  const auto draws = [](const std::string& lines) {
    const auto plan = plan_of("[random]\n" + lines);
    std::vector<std::string> values;
    for (const auto& point : plan.groups[0].points) values.push_back(point.flags.at("lr"));
    return values;
  };
  const auto few = draws("points = 3\nlr = {log = [1e-4, 0.1]}\n");
  auto more = draws("points = 8\nsigma = {uniform = [0, 1]}\nlr = {log = [1e-4, 0.1]}\n");
  EXPECT_NE(more[0], more[1]);
  more.resize(3);
  EXPECT_EQ(few, more);
  EXPECT_NE(few, draws("points = 3\nseed = 1\nlr = {log = [1e-4, 0.1]}\n"));
}

TEST(SweepPlan, EveryDrawMeetsTheWholeGrid) {
  const auto plan = plan_of("[random]\npoints = 2\nlr = {log = [1e-4, 0.1]}\n[grid]\nsigma = [1, 2, 3]\n");
  const auto& points = plan.groups[0].points;
  ASSERT_EQ(points.size(), 6U);
  EXPECT_EQ(points[0].flags.at("lr"), points[2].flags.at("lr"));
  EXPECT_NE(points[0].flags.at("lr"), points[3].flags.at("lr"));
  EXPECT_EQ(points[4].flags.at("sigma"), "2");
}

TEST(SweepPlan, EqualPointsAreOne) {
  EXPECT_EQ(plan_of("[grid]\nsigma = [1, 1.0, 2]\n").groups[0].points.size(), 2U);
  EXPECT_EQ(plan_of("[random]\npoints = 50\nepochs = {whole = [1, 3]}\n").groups[0].points.size(), 3U);
}

TEST(SweepPlan, AKeyThatNobodyReadsIsRefusedWithTheNearest) {
  expect_refused("[grid]\nsigam = [1]\n", "unknown key 'sigam' in [grid] (did you mean 'sigma'?)");
  expect_refused("[train]\nepoch = 1\n[grid]\nsigma = [1]\n",
                 "unknown key 'epoch' in [train] (did you mean 'epochs'?)");
  expect_refused("[evaluate]\natack = \"pgd\"\n[grid]\nsigma = [1]\n", "in [evaluate] (did you mean 'attack'?)");
  expect_refused("[random]\npoints = 2\nsgma = [1]\n", "unknown key 'sgma' in [random] (did you mean 'sigma'?)");
  expect_refused("sedes = [1]\n[grid]\nsigma = [1]\n", "unknown key 'sedes' (did you mean 'seeds'?)");
  expect_refused("[[search]]\n[search.gird]\nsigma = [1]\n", "of group 1: unknown key 'gird' (did you mean 'grid'?)");
}

TEST(SweepPlan, WhatAFileMayNotGiveIsRefusedWithTheReason) {
  expect_refused("[train]\nout = \"x\"\n[grid]\nsigma = [1]\n", "'out' is not allowed in [train]: results go");
  expect_refused("[train]\nseeds = [1]\n[grid]\nsigma = [1]\n", "'seeds' is not allowed in [train]: seeds belong");
  expect_refused("[grid]\nseed = [1, 2]\n", "'seed' is not allowed in [grid]: seeds belong at the top of the file");
  expect_refused("[evaluate]\ntitle = \"x\"\n[grid]\nsigma = [1]\n",
                 "'title' is not allowed in [evaluate]: figures show all runs");
  EXPECT_EQ(plan_of("[evaluate]\nshift = \"t+1\"\n[grid]\nsigma = [1]\n").evaluate->at("attack"), "drift");
  EXPECT_EQ(plan_of("[evaluate]\nseed = 3\n[grid]\nsigma = [1]\n").evaluate->at("seed"), "3");
}

TEST(SweepPlan, EmptyAndReversedThingsAreRefused) {
  expect_refused("", "nothing to search");
  expect_refused("[train]\ndata = \"iris\"\n", "nothing to search");
  expect_refused("[grid]\n", "[grid] is empty");
  expect_refused("[grid]\nsigma = []\n", "'sigma' in [grid] is an empty list");
  expect_refused("[grid]\nsigma = 1\n", "must be a list");
  expect_refused("[grid]\nopt = [\"\"]\n", "has no value");
  expect_refused("seeds = []\n[grid]\nsigma = [1]\n", "seeds must be a list");
  expect_refused("seeds = [0, 0]\n[grid]\nsigma = [1]\n", "0 is listed twice");
  expect_refused("seeds = [-1]\n[grid]\nsigma = [1]\n", "whole number >= 0");
  expect_refused("[random]\nlr = [1]\n", "[random] needs points");
  expect_refused("[random]\npoints = 0\nlr = [1]\n", "whole number >= 1");
  expect_refused("[random]\npoints = 3\n", "draws nothing");
  expect_refused("[random]\npoints = 3\nlr = []\n", "is an empty list");
  expect_refused("[random]\npoints = 3\nlr = 1\n", "expected a list of values, {log = [a, b]}");
  expect_refused("[random]\npoints = 3\nlr = {log = [0.1, 0.01]}\n", "the range [0.1, 0.01] is reversed");
  expect_refused("[random]\npoints = 3\nlr = {log = [0, 1]}\n", "must begin above 0, got 0");
  expect_refused("[random]\npoints = 3\nlr = {lgo = [1, 2]}\n", "unknown kind of range 'lgo' (did you mean 'log'?)");
  expect_refused("[random]\npoints = 3\nlr = {log = [1]}\n", "a range needs two ends");
  expect_refused("[random]\npoints = 3\nlr = {log = [\"a\", 2]}\n", "expected a number");
  expect_refused("[random]\npoints = 3\nepochs = {whole = [1, 2.5]}\n", "whole ends");
}

TEST(SweepPlan, OtherMistakesAreRefused) {
  expect_refused("[grid\n", "line 1");
  expect_refused("[search]\n[search.grid]\nsigma = [1]\n", "two brackets");
  expect_refused("[grid]\nsigma = [1]\n[[search]]\n", "with [[search]], write [search.grid]");
  expect_refused("[[search]]\n[[search]]\n", "two groups are called 'arks'");
  expect_refused("[[search]]\nname = \"a/b\"\n", "must be a string of letters, digits, dots, dashes and underscores");
  expect_refused("[grid]\nsigma = [1]\n[random]\npoints = 1\nsigma = [2]\n",
                 "'sigma' is given twice: in [grid] and in [random]");
  expect_refused("[[search]]\n[search.train]\nsigma = 1\n[search.grid]\nsigma = [1]\n", "'sigma' is given twice");
  expect_refused("[train]\nlr = 1\n[grid]\nlr = [1, 2]\n",
                 "'lr' is given twice: in [train], and in [grid] or [random]");
  expect_refused("[train]\nlr = 1\n[random]\npoints = 1\nlr = [2]\n", "'lr' is given twice");
  expect_refused("train = 3\n[grid]\nsigma = [1]\n", "'train' must be a table");
  expect_refused("[train.data]\nx = 1\n[grid]\nsigma = [1]\n", "expected a number, a string, true or false");
  expect_refused("[random]\npoints = 100001\nlr = {log = [1, 2]}\n", "more than 100000 points");
}

}  // namespace arks::study
