// Defaults that --help shows against those that a training takes, for every method on every known data set. Nothing is
// loaded or trained; tests/cli/help_in_force_test.cpp compares help pages with the configurations of real runs.
#include "cli/train_settings.h"
#include "support/testing.h"

#include <arks/objective/methods.h>

#include <map>

namespace arks {

namespace {

/// What a method needs where the paper has no strength for the data.
SettingValues strengths(const std::string& method) {
  static const std::map<std::string, SettingValues> kNeeded{
      {"arks", {{"sigma", "0.4"}}},
      {"wrm", {{"gamma", "2"}}},
      {"ke", {{"sigma", "1"}, {"gamma", "2"}, {"domain", "-10,10"}}},
      {"ki", {{"sigma", "1"}}},
      {"ro", {{"domain", "-10,10"}}},
      {"erm", {}}};
  const auto found = kNeeded.find(method);
  return found == kNeeded.end() ? SettingValues{{"eps", "0.2"}} : found->second;
}

/// Values by name, of all that has one and has an effect.
SettingValues in_force(const cli::TrainSettings& settings) {
  SettingValues values;
  for (const auto* group : settings.groups()) {
    for (const auto* setting : group->in_force()) values[setting->name()] = setting->text();
  }
  return values;
}

void give(cli::TrainSettings& settings, const std::string& data, const std::string& method,
          const SettingValues& values) {
  settings.what.data.take(data);
  settings.what.method.take(method);
  for (const auto& [name, text] : values) settings.method.give(name, text);
}

/// Whether a run would take these settings at all.
bool same_in_help_and_run(const std::string& data, const std::string& method, const SettingValues& values) {
  cli::TrainSettings run, help;
  give(run, data, method, values);
  give(help, data, method, values);
  run.data.choose(data);
  try {
    run.fill();
  } catch (const Error&) {
    return false;
  }
  help.fill_for_help();
  auto expected = in_force(run), shown = in_force(help);
  shown.erase("standardise");  // a run learns it from the data
  expected.erase("standardise");
  EXPECT_EQ(shown, expected) << data << " " << method;
  return true;
}

}  // namespace

TEST(HelpDefaults, AreThoseOfARunForEveryMethodAndDataSet) {
  int with_strengths = 0, as_published = 0;
  for (const auto& data : dataset_names()) {
    for (const auto& method : method_names()) {
      EXPECT_TRUE(same_in_help_and_run(data, method, strengths(method))) << data << " " << method;
      ++with_strengths;
      as_published += same_in_help_and_run(data, method, {}) ? 1 : 0;
    }
  }
  EXPECT_GE(with_strengths, 55);
  EXPECT_GE(as_published, 26) << "eight methods and erm have values for the three sets of images, erm for all";
}

}  // namespace arks
