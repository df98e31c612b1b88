#include "support/text.h"
#include "support/testing.h"

#include <cmath>
#include <limits>

namespace arks {

using testing::expect_error;
using Numbers = std::vector<double>;

TEST(NearestName, FindsASlipOfTheHand) {
  const std::vector<std::string> names = {"sigma", "gamma", "temperature", "steps"};
  EXPECT_EQ(nearest_name("sigma", names), "sigma");
  EXPECT_EQ(nearest_name("bata", {"data", "beta"}), "beta") << "which begins alike";
  EXPECT_EQ(nearest_name("sgima", names), "sigma");
  EXPECT_EQ(nearest_name("step", names), "steps");
  EXPECT_EQ(nearest_name("temprature", names), "temperature");
  EXPECT_EQ(nearest_name("tempratur", names), "temperature");
}

TEST(NearestName, IsEmptyWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("batch", {"sigma", "gamma"}), "");
  EXPECT_EQ(nearest_name("sigma", {}), "");
}

TEST(NearestName, DoesNotReplaceAWholeShortName) {
  EXPECT_EQ(nearest_name("l3", {"erm", "l2"}), "l2");
  EXPECT_EQ(nearest_name("xy", {"ke", "ki"}), "");
  EXPECT_EQ(nearest_name("", {"ke", "ki"}), "");
}

TEST(NearestName, TakesTheFirstOfTwoEquallyNear) {
  EXPECT_EQ(nearest_name("kx", {"ke", "ki"}), "ke");
}

TEST(DidYouMean, IsAHintOrNothing) {
  EXPECT_EQ(did_you_mean("sgima", {"sigma"}), " (did you mean 'sigma'?)");
  EXPECT_EQ(did_you_mean("epochs", {"sigma"}), "");
}

TEST(PlaceOf, IsThePositionOrAnErrorThatListsTheKnownNames) {
  EXPECT_EQ(place_of("l2", {"linf", "l2"}, "norm"), 1U);
  expect_error(
      [] {
        place_of("l3", {"linf", "l2"}, "norm");
      },
      "unknown norm 'l3' (did you mean 'l2'?); known: linf, l2");
  expect_error([] { place_of("", {"linf", "l2"}, "norm"); }, "unknown norm ''; known: linf, l2");
  enum class Answer { kNo, kYes };
  EXPECT_EQ(named_value<Answer>("yes", {"no", "yes"}, "answer"), Answer::kYes);
}

TEST(Join, PutsTheSeparatorBetween) {
  EXPECT_EQ(join({}), "");
  EXPECT_EQ(join({"a"}), "a");
  EXPECT_EQ(join({"a", "b", "c"}), "a, b, c");
  EXPECT_EQ(join({"a", "b"}, " | "), "a | b");
}

TEST(ParseNumbers, ReadsOneNumber) {
  EXPECT_EQ(parse_numbers("0.1", "eps"), Numbers({0.1}));
  EXPECT_EQ(parse_numbers("-2e-3", "eps"), Numbers({-0.002}));
}

TEST(ParseNumbers, ReadsAList) {
  EXPECT_EQ(parse_numbers("0,0.1,0.3", "eps"), Numbers({0, 0.1, 0.3}));
  EXPECT_EQ(parse_numbers("3,1,2", "eps"), Numbers({3, 1, 2}));
}

TEST(ParseNumbers, ReadsARangeWithBothEnds) {
  EXPECT_EQ(parse_numbers("0:0.3:0.05", "eps"), Numbers({0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3}));
  EXPECT_EQ(parse_numbers("0:0.3:0.1", "eps"), Numbers({0, 0.1, 0.2, 0.3}));
  EXPECT_EQ(parse_numbers("1:3:1", "eps"), Numbers({1, 2, 3}));
  EXPECT_EQ(parse_numbers("0.5:0.5:0.1", "eps"), Numbers({0.5}));
}

TEST(ParseNumbers, LeavesOutAnEndThatTheStepsDoNotMeet) {
  EXPECT_EQ(parse_numbers("0:1:0.4", "eps"), Numbers({0, 0.4, 0.8}));
  EXPECT_EQ(parse_numbers("0:0.1:0.4", "eps"), Numbers({0}));
}

TEST(ParseNumbers, MeetsZeroInTheMiddleOfARange) {
  const auto numbers = parse_numbers("-0.3:0.3:0.1", "x");
  EXPECT_EQ(numbers, Numbers({-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3}));
  EXPECT_FALSE(std::signbit(numbers[3]));
}

TEST(ParseNumbers, KeepsRangesOfAnyMagnitude) {
  EXPECT_EQ(parse_numbers("0:3e-14:1e-14", "x"), Numbers({0, 1e-14, 2e-14, 3e-14}));
  EXPECT_EQ(parse_numbers("1e300:3e300:1e300", "x"), Numbers({1e300, 2e300, 3e300}));
  EXPECT_EQ(parse_numbers("0:3e6:1e6", "x"), Numbers({0, 1e6, 2e6, 3e6}));
}

TEST(ParseNumbers, NamesTheOptionAndTheTextOfABadNumber) {
  expect_error([] { parse_numbers("", "eps"); },
               "eps: expected a number, a list a,b,c or a range a:b:step, got nothing");
  expect_error([] { parse_numbers("ten", "eps"); }, "eps: 'ten' is not a number");
  expect_error([] { parse_numbers("0.1x", "eps"); }, "eps: '0.1x' is not a number");
  expect_error([] { parse_numbers("nan", "eps"); }, "eps: 'nan' is not a number");
  expect_error([] { parse_numbers("0,inf", "eps"); }, "eps: 'inf' is not a number");
  expect_error([] { parse_numbers("1e999", "eps"); }, "eps: '1e999' is not a number");
}

TEST(ParseNumbers, RefusesGapsInAList) {
  for (const char* text : {"0.1,", ",0.1", "0,,1", ","}) {
    expect_error([&] { parse_numbers(text, "eps"); }, "eps: '' is not a number");
  }
}

TEST(ParseNumbers, RefusesARangeThatIsNone) {
  for (const char* text : {"0:1", "0:1:0.1:2"}) {
    expect_error([&] { parse_numbers(text, "eps"); }, std::string("eps: a range is a:b:step, got '") + text + "'");
  }
  for (const char* text : {"1:0:0.1", "0:1:0", "0:1:-0.1"}) {
    expect_error([&] { parse_numbers(text, "eps"); },
                 std::string("eps: a range a:b:step needs a <= b and step > 0, got '") + text + "'");
  }
  for (const char* text : {"0:1:", ":1:0.1", "0::0.1"}) {
    expect_error([&] { parse_numbers(text, "eps"); }, "eps: '' is not a number");
  }
}

TEST(ParseNumbers, RefusesARangeWithoutEnd) {
  expect_error([] { parse_numbers("0:1:1e-9", "eps"); }, "eps: '0:1:1e-9' has more than 100000 values");
  expect_error([] { parse_numbers("-1e308:1e308:1e-308", "eps"); }, "more than 100000 values");
}

TEST(SixDigits, RoundsForPeople) {
  EXPECT_EQ(six_digits(1.0 / 3), "0.333333");
  EXPECT_EQ(six_digits(0.25), "0.25");
  EXPECT_EQ(six_digits(1234567), "1.23457e+06");
}

TEST(Shortest, WritesNoMoreDigitsThanNeeded) {
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(0.5), "0.5");
  EXPECT_EQ(shortest(3), "3");
  EXPECT_EQ(shortest(0.1 + 0.2), "0.30000000000000004");
}

TEST(Shortest, ReadsBackAsTheSameNumber) {
  for (const double value : {0.1, 1.0 / 3, -2.5e-17, 1e300, std::numeric_limits<double>::denorm_min(),
                             std::numeric_limits<double>::max(), std::nextafter(1.0, 2.0)}) {
    EXPECT_EQ(std::strtod(shortest(value).c_str(), nullptr), value) << shortest(value);
  }
}

TEST(Hex, HasAlwaysEightDigits) {
  EXPECT_EQ(hex(0x803), "0x00000803");
  EXPECT_EQ(hex(0xb4f29f28), "0xb4f29f28");
}

TEST(HumanBytes, UsesPowersOfAThousand) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(512), "512 B");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1000), "1.0 kB");
  EXPECT_EQ(human_bytes(3.44e6), "3.4 MB");
  EXPECT_EQ(human_bytes(2e9), "2.0 GB");
  EXPECT_EQ(human_bytes(5e15), "5000.0 TB");
}

TEST(HumanBytes, GoesToTheNextUnitAsPrinted) {
  EXPECT_EQ(human_bytes(999940), "999.9 kB");
  EXPECT_EQ(human_bytes(999960), "1.0 MB");
}

TEST(HumanSeconds, UsesTheTwoLargestUnits) {
  EXPECT_EQ(human_seconds(0), "0 s");
  EXPECT_EQ(human_seconds(7.4), "7 s");
  EXPECT_EQ(human_seconds(59.6), "1 min 00 s");
  EXPECT_EQ(human_seconds(200), "3 min 20 s");
  EXPECT_EQ(human_seconds(3599.7), "1 h 00 min");
  EXPECT_EQ(human_seconds(3900), "1 h 05 min");
  EXPECT_EQ(human_seconds(360000), "100 h 00 min");
}

TEST(HumanSeconds, TakesWhatIsNoTimeAsNone) {
  EXPECT_EQ(human_seconds(-3), "0 s");
  EXPECT_EQ(human_seconds(std::numeric_limits<double>::quiet_NaN()), "0 s");
}

}  // namespace arks
