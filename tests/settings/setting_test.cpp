#include "settings/choice.h"
#include "support/testing.h"

namespace arks {

namespace {

using testing::expect_error;

/// A made-up group with one setting of every kind.
class Weather : public SettingGroup {
 public:
  Weather() : SettingGroup("Weather") {}
  explicit Weather(SettingGroup* parent) : SettingGroup(parent, "Weather") {}

  Setting<double> wind{this,
                       real("wind", "how fast the air moves").unit("metres a second").not_negative().otherwise(1.5)};
  Setting<int64_t> days{this, whole("days", "how long").positive().otherwise([this] {
                          return std::optional<int64_t>(wind.value_or(0) > 10 ? 1 : 7);
                        })};
  Setting<std::string> sky{this, text("sky", "what it looks like").words({"clear", "grey"}).otherwise("grey")};
  Setting<bool> rain{this, yes_no("rain", "whether it rains")
                               .negatable()
                               .otherwise(false)
                               .only_if([this] { return sky.value_or("") == "grey"; }, "with --sky grey")};
  Setting<NumberList> hours{this, numbers("hours", "at which times")};
  Setting<RangeList> span{this, ranges("span", "of the temperature")};
  Setting<double> far{this, real("far", "how far one sees").or_infinity()};
  Setting<double> damp{this,
                       real("damp", "part of what the air can hold").checked("above 0 and below 1", [](double part) {
                         return part > 0 && part < 1;
                       })};
  Setting<std::string> log{this, text("log", "where it is noted").path().output()};
  Setting<std::string> station{this, text("station", "where it is measured").of_machine()};
};

std::vector<std::string> names(const std::vector<const AnySetting*>& settings) {
  std::vector<std::string> found;
  for (const auto* setting : settings) found.push_back(setting->name());
  return found;
}

}  // namespace

TEST(Setting, TellsWhatWasGivenFromWhatIsInForce) {
  Weather weather;
  EXPECT_FALSE(weather.wind.has_value());
  EXPECT_EQ(weather.fill(), std::vector<std::string>{"days 7"}) << "what depends on others is worth saying";
  EXPECT_EQ(*weather.wind, 1.5);
  EXPECT_FALSE(weather.wind.given());
  weather.wind.take("12");
  EXPECT_TRUE(weather.wind.given());
  weather.fill();
  EXPECT_EQ(*weather.wind, 12);
  EXPECT_EQ(*weather.days, 1) << "a default follows the settings before it";
  weather.days.take("3");
  EXPECT_TRUE(weather.fill().empty());
  EXPECT_EQ(*weather.days, 3);
}

TEST(Setting, WithoutAValueSaysSo) {
  Weather weather;
  expect_error([&] { *weather.hours; }, "--hours has no value");
  weather.fill();
  EXPECT_FALSE(weather.hours.has_value()) << "no default was declared";
}

TEST(Setting, RefusesWhatCannotBeMeantByNameAndValue) {
  Weather weather;
  expect_error([&] { weather.wind.take("-1"); }, "--wind must not be negative, got -1");
  expect_error([&] { weather.days.take("0"); }, "--days must be positive, got 0");
  expect_error([&] { weather.days.take("2.5"); }, "--days");
  expect_error([&] { weather.sky.take("gray"); }, "unknown sky 'gray' (did you mean 'grey'?); known: clear, grey");
  expect_error([&] { weather.rain.take("maybe"); }, "--rain: expected true or false, got 'maybe'");
  expect_error([&] { weather.hours.take("noon"); }, "--hours");
  expect_error([&] { weather.span.take("1"); }, "--span: expected lo,hi");
  expect_error([&] { weather.wind.take("inf"); }, "--wind");
  expect_error([&] { weather.damp.take("1"); }, "--damp must be above 0 and below 1, got 1");
  expect_error([&] { weather.wind.take(""); }, "--wind: a value is missing");
  EXPECT_FALSE(weather.wind.given()) << "a refused value leaves nothing behind";
}

TEST(Setting, MayBeCheckedByWhatThrowsItsOwnError) {
  class Team : public SettingGroup {
   public:
    Setting<std::string> colour{this, text("colour", "of the shirts").verify([](const std::string& given) {
                                  ARKS_CHECK(given != "black", "black is for the referee");
                                })};
  } team;
  expect_error([&] { team.colour.take("black"); }, "black is for the referee");
  EXPECT_FALSE(team.colour.given());
  team.colour.take("red");
  EXPECT_EQ(*team.colour, "red");
}

TEST(Setting, KnowsItsUnitAndItsRange) {
  const Weather weather;
  EXPECT_EQ(weather.wind.unit(), "metres a second");
  EXPECT_EQ(weather.wind.range(), ">= 0");
  EXPECT_EQ(weather.days.range(), "> 0");
  EXPECT_EQ(weather.days.unit(), "");
  EXPECT_EQ(weather.damp.range(), "above 0 and below 1");
  EXPECT_EQ(weather.sky.range(), "");
}

TEST(Setting, EveryKindReadsBackFromItsTextAndKnowsItsToml) {
  const std::vector<std::array<std::string, 3>> cases{{"wind", "0.25", "0.25"},
                                                      {"wind", "2", "2.0"},
                                                      {"days", "3", "3"},
                                                      {"sky", "clear", "\"clear\""},
                                                      {"rain", "true", "true"},
                                                      {"hours", "1,2.5", "[1.0, 2.5]"},
                                                      {"hours", "0:1:0.5", "[0.0, 0.5, 1.0]"},
                                                      {"span", "-1,2", "[-1.0, 2.0]"},
                                                      {"span", "0,1;2,3", "[[0.0, 1.0], [2.0, 3.0]]"},
                                                      {"far", "inf", "inf"},
                                                      {"log", "a \"b\"", "\"a \\\"b\\\"\""}};
  for (const auto& [name, text, toml] : cases) {
    Weather weather;
    auto& setting = *weather.find(name);
    setting.take(text);
    EXPECT_EQ(setting.text(), text) << name;
    EXPECT_EQ(setting.toml(), toml) << name;
  }
}

TEST(Setting, OfAnInputFileIsKeptAsAnAbsolutePath) {
  class Route : public SettingGroup {
   public:
    Setting<std::string> map{this, text("map", "drawn before").input_file()};
  } route;
  route.map.take("maps/../north.txt");
  EXPECT_EQ(*route.map, (std::filesystem::current_path() / "north.txt").string());
  route.map.take("/maps/./south.txt");
  EXPECT_EQ(*route.map, "/maps/south.txt");
  EXPECT_TRUE(route.map.is_path());
  EXPECT_EQ(route.map.type(), "FILE");
}

TEST(Setting, ThatHasNoEffectIsNamedAndNotInForce) {
  Weather weather;
  weather.take({{"sky", "clear"}, {"rain", "true"}});
  weather.fill();
  EXPECT_EQ(weather.without_effect(), std::vector<std::string>{"--rain is only used with --sky grey"});
  EXPECT_EQ(names(weather.in_force()), (std::vector<std::string>{"wind", "days", "sky"}));
}

TEST(Setting, OutputsAndTheMachineAreNoPartOfAConfiguration) {
  Weather weather;
  weather.take({{"log", "x"}, {"station", "y"}});
  EXPECT_TRUE(weather.in_force().empty());
}

TEST(Setting, OfTheMachineMayBeRecordedAndSayWhetherItCanChangeInARun) {
  class Machine : public SettingGroup {
   public:
    Setting<int64_t> threads{this, whole("threads", "how many").of_machine().recorded()};
    Setting<std::string> engine{this, text("engine", "which one").of_machine().changes_on_resume(false)};
    Setting<int64_t> epochs{this, whole("epochs", "how long").changes_on_resume(true)};
    Setting<int64_t> seed{this, whole("seed", "where it begins")};
  } machine;
  machine.take({{"threads", "2"}, {"engine", "x"}});
  EXPECT_EQ(names(machine.in_force()), std::vector<std::string>{"threads"});
  EXPECT_TRUE(machine.threads.changes_on_resume());
  EXPECT_FALSE(machine.engine.changes_on_resume());
  EXPECT_TRUE(machine.epochs.changes_on_resume());
  EXPECT_FALSE(machine.seed.changes_on_resume());
}

TEST(Setting, WhoseDefaultIsNotKnownYetHasWordsForIt) {
  Weather weather;
  weather.fill();
  weather.wind.leave_open("by the sea");
  EXPECT_FALSE(weather.wind.has_value());
  EXPECT_EQ(weather.wind.default_words(), "by the sea");
}

TEST(Setting, WithoutANumberInJsonIsText) {
  Weather weather;
  weather.take({{"far", "inf"}, {"wind", "2"}, {"hours", "1,2"}});
  EXPECT_EQ(weather.far.value(), ConfigValue(std::string("inf")));
  EXPECT_EQ(weather.wind.value(), ConfigValue(2.0));
  EXPECT_EQ(weather.hours.value(), ConfigValue(std::vector<double>{1, 2}));
}

TEST(Setting, ThatFollowsFromOthersIsPartOfAConfigurationOnlyWhereGiven) {
  class Walk : public SettingGroup {
   public:
    Setting<std::string> coat{
        this,
        text("coat", "against the rain").quietly([] { return std::optional<std::string>("none"); }).written_if_given()};
  };
  Walk walk;
  EXPECT_TRUE(walk.fill().empty());
  EXPECT_EQ(*walk.coat, "none");
  EXPECT_FALSE(walk.coat.given());
  EXPECT_TRUE(walk.in_force().empty());
  walk.coat.take("none");
  EXPECT_EQ(names(walk.in_force()), std::vector<std::string>{"coat"});
}

TEST(SettingGroup, TakesItsOwnAndThoseOfGroupsWithinAndLeavesTheRest) {
  class Trip : public SettingGroup {
   public:
    Setting<int64_t> people{this, whole("people", "how many")};
    Weather weather{this};
  } trip;
  const auto left = trip.take({{"people", "2"}, {"wind", "3"}, {"colour", "red"}});
  EXPECT_EQ(left, (SettingValues{{"colour", "red"}}));
  EXPECT_EQ(*trip.people, 2);
  EXPECT_EQ(*trip.weather.wind, 3);
  EXPECT_EQ(trip.given_flags(), (std::vector<std::string>{"--people", "--wind"}));
}

namespace {

class Plan : public SettingGroup {
 public:
  using SettingGroup::SettingGroup;
};
class Walk : public Plan {
 public:
  Walk() : Plan("Plan") {}
  Setting<double> length{this, real("length", "in kilometres").between(1, 10).otherwise(5)};
  Setting<std::string> shoes{this, text("shoes", "on the feet").words({"boots"}).otherwise("boots")};
};
class Swim : public Plan {
 public:
  Swim() : Plan("Plan") {}
  Setting<double> length{this, real("length", "in metres").between(1, 1000).otherwise(100)};
  Setting<bool> cap{this, yes_no("cap", "worn or not").otherwise(true)};
  Setting<std::string> shoes{this, text("shoes", "on the feet").words({"none"}).otherwise("none")};
};

const std::vector<Choosable<Plan>>& plans() {
  static const std::vector<Choosable<Plan>> table{{"walk", "on foot", [] { return std::make_unique<Walk>(); }},
                                                  {"swim", "in water", [] { return std::make_unique<Swim>(); }}};
  return table;
}

}  // namespace

TEST(Choice, WhatIsGivenMinusWhatIsDeclaredIsNotUsed) {
  Choice<Plan> choice("plan", plans());
  choice.give("length", "3");
  choice.give("cap", "false");
  choice.choose("walk");
  EXPECT_EQ(choice.unused(), std::vector<std::string>{"--cap"});
  EXPECT_EQ(choice->find("length")->text(), "3");
  choice.choose("swim");
  EXPECT_TRUE(choice.unused().empty());
  EXPECT_EQ(choice->find("cap")->text(), "false");
}

TEST(Choice, EverySettingIsDeclaredOnceAndAsTheChosenThingHasIt) {
  Choice<Plan> choice("plan", plans());
  ASSERT_EQ(choice.declared().size(), 3U);
  EXPECT_EQ(choice.declared()[0].second->help(), "in kilometres");
  choice.choose("swim").fill();
  EXPECT_EQ(choice.declared()[0].second->help(), "in metres");
  EXPECT_EQ(choice.declared()[0].second->text(), "100");
}

TEST(Choice, TakesAValueThatOneOfThemTakes) {
  Choice<Plan> choice("plan", plans());
  choice.give("length", "500");  // too far to walk
  EXPECT_EQ(choice.choose("swim").find("length")->text(), "500");
  expect_error([&] { choice.choose("walk"); }, "plan walk: --length must be 1 to 10, got 500");
  expect_error([&] { choice.give("length", "5000"); }, "--length must be 1 to 10, got 5000");
  expect_error([&] { choice.give("depth", "1"); }, "no setting is called depth");
  Choice<Plan> barefoot("plan", plans());
  barefoot.give("shoes", "none");
  expect_error([&] { barefoot.choose("walk"); }, "plan walk: --shoes can only be boots, got none");
}

TEST(Choice, ForHelpTakesWhatFitsAndKnowsWhatItUses) {
  Choice<Plan> choice("plan", plans());
  EXPECT_FALSE(choice.uses("length")) << "nothing is chosen";
  choice.give("cap", "false");
  choice.give("length", "500");  // too far to walk
  EXPECT_FALSE(choice.choose_with_what_fits("walk").find("length")->given());
  EXPECT_TRUE(choice.uses("length"));
  EXPECT_FALSE(choice.uses("cap"));
  EXPECT_EQ(choice.choose_with_what_fits("swim").find("cap")->text(), "false");
  EXPECT_EQ(choice->find("length")->text(), "500");
}

TEST(Choice, KnowsWhatASettingMeansToWhom) {
  const Choice<Plan> choice("plan", plans());
  const auto of_length = choice.meanings("length"), of_cap = choice.meanings("cap");
  ASSERT_EQ(of_length.size(), 2U);
  EXPECT_EQ(of_length[0].users, std::vector<std::string>{"walk"});
  EXPECT_EQ(of_length[0].help, "in kilometres");
  EXPECT_EQ(of_length[1].users, std::vector<std::string>{"swim"});
  EXPECT_EQ(of_length[1].help, "in metres");
  ASSERT_EQ(of_cap.size(), 1U);
  EXPECT_EQ(of_cap[0].users, std::vector<std::string>{"swim"});
}

TEST(Choice, AValueThatNobodyCouldMeanIsAnErrorWhoeverIsChosen) {
  Choice<Plan> choice("plan", plans());
  expect_error([&] { choice.give("cap", "red"); }, "--cap: expected true or false");
  expect_error([&] { make_chosen("plan", plans(), "swm", {}); }, "unknown plan 'swm' (did you mean 'swim'?)");
  expect_error([&] { make_chosen("plan", plans(), "walk", {{"lenght", "1"}}); }, "did you mean 'length'?");
}

}  // namespace arks
