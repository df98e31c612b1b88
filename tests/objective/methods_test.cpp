// Methods by their names, as the tool and programs make them.
#include "objective/method.h"
#include "support/testing.h"

#include <arks/objective/methods.h>

#include <set>

namespace arks {

namespace {

using testing::expect_error;

DatasetPtr samples() {
  return testing::toy_dataset(32, {4}, 3);
}

/// What a method cannot do without.
SettingValues needed_by(const std::string& method) {
  if (method == "ke") return {{"gamma", "2"}, {"domain", "0,1"}};
  return method == "ro" ? SettingValues{{"domain", "0,1"}} : SettingValues{};
}

}  // namespace

TEST(Methods, EachMakesTheObjectiveOfItsName) {
  for (const auto& name : method_names()) {
    EXPECT_EQ(make_objective(name, needed_by(name), *samples())->name(), name);
  }
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
  const double by_name =
      value(*make_objective("arks", {{"sigma", "0.7"}, {"inner-steps", "3"}, {"inner-lr", "0.05"}}, *data));
  EXPECT_EQ(by_name, value(Arks(GaussianKernel(0.7), AscentOptions().steps(3).learning_rate(0.05))));
  EXPECT_NE(by_name, value(*make_objective("arks", {{"sigma", "0.2"}, {"inner-steps", "3"}}, *data)));
}

TEST(Methods, WhatGoesOnTopOfAnyIsPutThere) {
  EXPECT_EQ(make_objective("erm", {{"awp-gamma", "0.01"}}, *samples())->name(), "erm+awp");
}

TEST(Methods, WrongNamesAndValuesAreRefusedWithTheNearest) {
  const auto data = samples();
  expect_error([&] { make_objective("arsk", {}, *data); }, "unknown method 'arsk' (did you mean 'arks'?)");
  expect_error([&] { make_objective("arks", {{"sigam", "1"}}, *data); }, "did you mean 'sigma'?");
  expect_error([&] { make_objective("erm", {{"sigma", "1"}}, *data); }, "method erm has no setting 'sigma'");
  expect_error([&] { make_objective("arks", {{"sigma", "0"}}, *data); }, "--sigma must be positive, got 0");
  expect_error([&] { make_objective("ro", {}, *data); }, "--method ro needs --domain");
}

}  // namespace arks
