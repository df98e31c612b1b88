// The rules of selection against numbers worked out on paper.
#include "support/testing.h"

#include <limits>

#include "study/selection.h"

namespace arks::study {

namespace {

Candidate point(double error) {
  return {true, {{"test_error", error}, {"error@0.1", 1 - error}}};
}

Candidate unfinished(double error) {
  return {false, {{"test_error", error}}};
}

const std::vector<std::string>& metrics() {
  static const std::vector<std::string> kMetrics{"test_error", "test_loss", "seconds", "error@0.1"};
  return kMetrics;
}

/// ERM reaches 9.0, 8.59375 and 8.7 %. ARKS at four bandwidths 8.2, 8.5, 9.4 and 12 %: the distances to 8.59375 are
/// 0.39375, 0.09375, 0.80625 and 3.40625, so the second is taken, which is not the one with the lowest error. WRM 6.25
/// and 10.9375 %: both are 2.34375 away (and exactly so as doubles), so the first is taken.
std::vector<CandidateGroup> worked_example() {
  return {{"erm", "erm", {point(0.090), point(0.0859375), point(0.087)}},
          {"arks", "arks", {point(0.082), point(0.085), point(0.094), point(0.12)}},
          {"wrm", "wrm", {point(0.0625), point(0.109375)}}};
}

}  // namespace

TEST(Selection, ThePaperTakesTheBestOfErmAndWhatComesClosest) {
  const auto choices = select(parse_rule("paper", metrics()), worked_example());
  EXPECT_EQ(choices[0].point, 1U);
  EXPECT_EQ(choices[0].value, 0.0859375);
  EXPECT_FALSE(choices[0].target);
  EXPECT_EQ(choices[1].point, 1U);
  EXPECT_EQ(choices[1].value, 0.085);
  EXPECT_EQ(choices[1].target, 0.0859375);
  EXPECT_EQ(choices[2].point, 0U) << "of two that are as close the first";
}

TEST(Selection, TheBestIsTheSmallestMeanOfTheMetricInEachGroup) {
  const auto clean = select(parse_rule("best:test_error", metrics()), worked_example());
  EXPECT_EQ(clean[0].point, 1U);
  EXPECT_EQ(clean[1].point, 0U);
  EXPECT_EQ(clean[2].point, 0U);
  const auto attacked = select(parse_rule("best:error@0.1", metrics()), worked_example());
  EXPECT_EQ(attacked[0].point, 0U);
  EXPECT_EQ(attacked[1].point, 3U);
  EXPECT_EQ(attacked[1].value, 1 - 0.12);
}

TEST(Selection, PointsThatAreNotFinishedDoNotCount) {
  auto groups = worked_example();
  groups[0].points[1] = unfinished(0.001);
  groups[1].points[0].means.clear();
  groups[1].points[1].means["test_error"] = std::numeric_limits<double>::quiet_NaN();
  const auto choices = select(parse_rule("paper", metrics()), groups);
  EXPECT_EQ(choices[0].point, 2U);
  EXPECT_EQ(choices[0].left_out, 1);
  EXPECT_EQ(choices[1].point, 2U);
  EXPECT_EQ(choices[1].left_out, 2);
  EXPECT_EQ(choices[1].target, 0.087);
  EXPECT_EQ(choices[2].left_out, 0);
}

TEST(Selection, WithoutAFinishedErmNothingIsChosenYet) {
  auto groups = worked_example();
  for (auto& candidate : groups[0].points) candidate.complete = false;
  for (const auto& choice : select(parse_rule("paper", metrics()), groups)) EXPECT_FALSE(choice.point);
}

TEST(Selection, OfSeveralGroupsOfErmTheBestIsTheTarget) {
  auto groups = worked_example();
  groups.push_back({"erm-sgd", "erm", {point(0.07)}});
  const auto choices = select(parse_rule("paper", metrics()), groups);
  EXPECT_EQ(choices[1].target, 0.07);
  EXPECT_EQ(choices[0].point, 1U);
  EXPECT_EQ(choices[3].point, 0U);
}

TEST(Selection, ThePaperNeedsErmAndOneMethodPerGroup) {
  const auto rule = parse_rule("paper", metrics());
  auto groups = worked_example();
  EXPECT_NO_THROW(check_rule(rule, groups));
  groups[2].method = "";
  testing::expect_error([&] { check_rule(rule, groups); }, "group 'wrm' searches the method itself");
  groups.erase(groups.begin());
  groups[1].method = "wrm";
  testing::expect_error([&] { check_rule(rule, groups); }, "no group has method = \"erm\"");
  EXPECT_NO_THROW(check_rule(parse_rule("best:seconds", metrics()), groups));
}

TEST(Selection, UnknownRulesAndMetricsAreRefusedWithTheNearest) {
  testing::expect_error([] { parse_rule("papre", metrics()); }, "unknown rule 'papre' (did you mean 'paper'?)");
  testing::expect_error([] { parse_rule("best:test_eror", metrics()); },
                        "unknown metric 'test_eror' (did you mean 'test_error'?); known: test_error, test_loss");
  testing::expect_error([] { parse_rule("best:", metrics()); }, "unknown metric ''");
}

}  // namespace arks::study
