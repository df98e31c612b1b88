// Methods by their names, as the tool and programs make them.
#include "objective/method.h"
#include "support/testing.h"

#include <arks/objective/methods.h>

#include <map>
#include <set>

namespace arks {

namespace {

using testing::expect_error;

DatasetPtr samples() {
  return testing::toy_dataset(32, {4}, 3);
}

/// What a method cannot do without where the paper gives no strengths.
SettingValues needed_by(const std::string& method) {
  static const SettingValues values{{"sigma", "0.5"}, {"gamma", "2"}, {"eps", "0.1"}, {"domain", "0,1"}};
  SettingValues needed;
  for (const auto& entry : methods()) {
    if (entry.name != method) continue;
    const auto made = entry.make();
    for (const auto& [name, value] : values) {
      if (made->find(name) != nullptr) needed.emplace(name, value);
    }
  }
  return needed;
}

}  // namespace

TEST(Methods, EachMakesTheObjectiveOfItsName) {
  for (const auto& name : method_names()) {
    EXPECT_EQ(make_objective(name, needed_by(name), *samples())->name(), name);
  }
}

TEST(Methods, OfDataThatThePaperDoesNotHaveNeedTheirStrength) {
  expect_error([] { make_objective("arks", {}, *samples()); }, "method arks needs sigma (or temperature) here");
  const auto images = testing::toy_dataset(8, {3, 32, 32}, 10);
  expect_error([&] { make_objective("wrm", {}, *images); }, "method wrm needs gamma here");
  EXPECT_NO_THROW(make_objective("wrm", {{"gamma", "2"}}, *images));
}

/// Which setting says how far a method reaches, and that a reach of 2 over four inputs is covered by it.
TEST(Methods, SayHowFarTheyReach) {
  const GuardReach reach{2, 1, 0.5};
  const std::map<std::string, std::pair<std::string, double>> expected{
      {"arks", {"sigma", 2}},    {"ke", {"sigma", 2}}, {"ki", {"sigma", 2}},
      {"wrm", {"gamma", 0.063}}, {"pgd", {"eps", 1}},  {"fast", {"eps", 1}},
      {"free", {"eps", 1}},      {"mart", {"eps", 1}}, {"trades", {"eps", 1}}};
  for (const auto& entry : methods()) {
    const auto method = entry.make();
    const auto strength = method->strength();
    const auto found = expected.find(entry.name);
    ASSERT_EQ(strength.has_value(), found != expected.end()) << entry.name;
    if (!strength) continue;
    EXPECT_EQ(strength->setting->name(), found->second.first) << entry.name;
    EXPECT_DOUBLE_EQ(*strength->scale.covering(reach), found->second.second) << entry.name;
    EXPECT_EQ(strength->guard, entry.name == "ki" ? "--ki-epsilon" : "") << entry.name;
  }
}

TEST(Methods, HaveNoReachWhereItIsAnotherOne) {
  const auto strength = [](const std::string& method, const SettingValues& given) {
    const auto made = make_chosen("method", methods(), method, given);
    return made->strength();
  };
  EXPECT_FALSE(strength("arks", {{"kernel", "laplacian"}, {"sigma", "1"}}));
  EXPECT_FALSE(strength("arks", {{"temperature", "1"}}));
  EXPECT_FALSE(strength("wrm", {{"cost", "l1"}}));
  EXPECT_DOUBLE_EQ(*strength("wrm", {{"cost", "half-sq-l2"}})->scale.covering({1, 1, 1}), 1);
  EXPECT_DOUBLE_EQ(*strength("pgd", {{"norm", "l2"}})->scale.covering({2, 1, 1}), 2);
}

TEST(Methods, EachHasANameOfItsOwnAndOneSentence) {
  std::set<std::string> names;
  for (const auto& entry : methods()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.about.empty()) << entry.name;
    EXPECT_LT(entry.about.size(), 100U) << entry.name;
  }
}

TEST(Methods, NoSettingIsDeclaredTwiceAndEveryMeaningIsOneLine) {
  for (const auto& entry : methods()) {
    std::set<std::string> names;
    const auto method = entry.make();
    for (const auto* setting : method->all()) {
      EXPECT_TRUE(names.insert(setting->name()).second) << entry.name << " " << setting->name();
      EXPECT_LE(setting->help().size(), 90U) << setting->name();
      EXPECT_EQ(setting->help().find('\n'), std::string::npos) << setting->name();
    }
  }
}

TEST(Methods, SettingsDecideAsInTheTool) {
  const auto data = samples();
  Model net(torch::nn::Linear(4, 3));
  SupervisedProblem problem(net, CrossEntropy());
  const Batch batch = data->get(torch::arange(8, torch::kLong));
  const auto value = [&](const Objective& objective) {
    auto generator = make_generator(0, Stream::kObjective);
    return (*objective.bind(problem))(batch, generator).value.item<double>();
  };
  const double by_name = value(*make_objective(
      "arks", {{"sigma", "0.7"}, {"inner-steps", "3"}, {"inner-lr", "0.05"}, {"inner-opt", "amsgrad"}}, *data));
  EXPECT_EQ(by_name, value(Arks(GaussianKernel(0.7), AscentOptions().steps(3).learning_rate(0.05))));
  EXPECT_NE(by_name,
            value(*make_objective("arks", {{"sigma", "0.2"}, {"inner-steps", "3"}, {"inner-opt", "amsgrad"}}, *data)));
}

TEST(Methods, WhatGoesOnTopOfAnyIsPutThere) {
  EXPECT_EQ(make_objective("erm", {{"awp-gamma", "0.01"}}, *samples())->name(), "erm+awp");
}

TEST(Methods, WrongNamesAndValuesAreRefusedWithTheNearest) {
  const auto data = samples();
  expect_error([&] { make_objective("arsk", {}, *data); }, "unknown method 'arsk' (did you mean 'arks'?)");
  expect_error([&] { make_objective("arks", {{"sigam", "1"}}, *data); }, "did you mean 'sigma'?");
  expect_error([&] { make_objective("erm", {{"sigma", "1"}}, *data); }, "method erm has no setting 'sigma'");
  expect_error([&] { make_objective("arks", {{"sigma", "0"}}, *data); }, "sigma must be positive, got 0");
  expect_error([&] { make_objective("ro", {}, *data); }, "method ro needs domain lo,hi");
  for (const std::string method : {"ro", "ke", "wrm", "trades"}) {
    try {
      make_objective(method, {}, *data);
      ADD_FAILURE() << method;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find("--"), std::string::npos) << "a program has no flags: " << error.what();
    }
  }
}

}  // namespace arks
