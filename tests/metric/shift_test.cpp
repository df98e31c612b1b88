#include "metric/shift.h"

#include "support/data_files.h"
#include "support/testing.h"

#include <algorithm>
#include <cmath>

namespace arks {

using testing::normal;

namespace {

ColumnCells numbers(const std::string& name, const torch::Tensor& values) {
  ColumnCells cells;
  cells.name = name;
  const auto flat = values.to(torch::kDouble).contiguous().flatten();
  cells.numbers.assign(flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel());
  return cells;
}

ColumnCells texts(const std::string& name, std::map<std::string, int64_t> counts) {
  ColumnCells cells;
  cells.name = name;
  cells.kind = ColumnKind::kCategory;
  cells.texts = std::move(counts);
  return cells;
}

}  // namespace

TEST(ColumnShift, FindsTheShiftedColumnAndNoOther) {
  const auto shifts = compare_columns(
      {numbers("a", normal({400}, 1)), numbers("b", normal({400}, 2)), texts("c", {{"x", 200}, {"y", 200}})},
      {numbers("a", normal({300}, 3)), numbers("b", 2 * normal({300}, 4) + 1), texts("c", {{"x", 155}, {"y", 145}})});
  EXPECT_FALSE(shifts[0].drifted());
  EXPECT_TRUE(shifts[1].drifted());
  EXPECT_FALSE(shifts[2].drifted());
  EXPECT_NEAR(*shifts[1].difference, 1, 0.2);
  EXPECT_NEAR(*shifts[1].deviation_two, 2, 0.2);
  EXPECT_NEAR(shifts[1].p_adjusted, 3.5 * shifts[1].test->p_value, 1e-15) << "and a quarter for the numbers outside";
}

TEST(ColumnShift, OfCategoriesIsThePartThatChanges) {
  const auto shifts = compare_columns({texts("c", {{"x", 50}, {"y", 50}})}, {texts("c", {{"y", 60}, {"z", 40}})});
  EXPECT_NEAR(*shifts[0].difference, 0.5, 1e-12);
  EXPECT_EQ(shifts[0].unseen, 40);
  EXPECT_TRUE(shifts[0].drifted());
}

TEST(ColumnShift, SeesThatCellsHaveGoneMissing) {
  auto some = numbers("a", normal({200}, 3)), none = numbers("b", torch::empty({0}));
  some.missing = 140;
  none.missing = 340;
  const auto shifts =
      compare_columns({numbers("a", normal({400}, 1)), numbers("b", normal({400}, 2)), numbers("c", normal({400}, 4))},
                      {some, none, numbers("c", normal({340}, 5))});
  EXPECT_FALSE(shifts[1].test.has_value());
  for (const size_t i : {0U, 1U}) {
    EXPECT_TRUE(shifts[i].drifted());
    EXPECT_TRUE(shifts[i].drifted_by_missing());
    EXPECT_LT(shifts[i].missing_p_adjusted, 1e-12);
  }
  EXPECT_GT(shifts[0].p_adjusted, 0.05) << "the cells that are there are as before";
  EXPECT_FALSE(shifts[2].drifted());
  EXPECT_FALSE(shifts[2].missing_test.has_value()) << "none is missing: no test, and no part of the adjustment";
  // of four tests two are found first; then two are left, and the numbers outside of each, with a quarter of the weight
  const double small = std::min(shifts[0].test->p_value, shifts[2].test->p_value);
  const bool first = shifts[2].test->p_value == small;
  EXPECT_GE(shifts[2].p_adjusted, std::min(1.0, (first ? 2 : 1) * shifts[2].test->p_value));
  EXPECT_LE(shifts[2].p_adjusted, std::min(1.0, 2.5 * shifts[2].test->p_value));
}

/// One number of 20 is a code for a missing value: ranks hardly change, and no field sample of training has as many
/// numbers outside.
TEST(ColumnShift, SeesAFewNumbersFarOutside) {
  auto some = normal({300}, 3);
  for (int64_t i = 0; i < 300; i += 20) some[i] = -9999;
  const auto shifts = compare_columns({numbers("a", normal({300}, 1)), numbers("b", normal({300}, 2))},
                                      {numbers("a", some), numbers("b", normal({300}, 4))});
  EXPECT_GT(shifts[0].p_adjusted, 0.05);
  EXPECT_TRUE(shifts[0].drifted());
  EXPECT_TRUE(shifts[0].drifted_by_outside());
  EXPECT_EQ(shifts[0].far.count, 15);
  EXPECT_EQ(shifts[0].far.farthest, -9999);
  EXPECT_FALSE(shifts[1].drifted());
  EXPECT_EQ(shifts[1].far.count, 0);
  auto days = numbers("day", torch::arange(100)), later = numbers("day", torch::arange(100) + 5000);
  days.kind = later.kind = ColumnKind::kDate;
  EXPECT_EQ(compare_columns({days}, {later})[0].far.count, 0) << "time goes by";
}

/// 40 sites of which most are rare, in 30 rows from the field: nothing drifts, and nothing is found.
TEST(ColumnShift, OfRareCategoriesIsNoFalseAlarm) {
  std::map<std::string, int64_t> training;
  for (int64_t k = 1; k <= 40; ++k) training["site " + std::to_string(k)] = std::max<int64_t>(1, 620 / (k * k));
  const auto shifts = compare_columns({texts("site", training)}, {texts("site", {{"site 1", 18},
                                                                                 {"site 2", 5},
                                                                                 {"site 3", 3},
                                                                                 {"site 4", 1},
                                                                                 {"site 9", 1},
                                                                                 {"site 30", 1},
                                                                                 {"site 38", 1}})});
  EXPECT_GT(shifts[0].test->p_value, 0.05);
  EXPECT_GT(shifts[0].test->draws, 0);
}

/// Draws are for rare values of more than two, and all columns share them: the work does not grow with the square.
TEST(ColumnShift, OfManyColumnsDrawsNoMoreThanOneCanAfford) {
  constexpr int64_t kColumns = 1000;
  std::vector<ColumnCells> one, two;
  for (int64_t i = 0; i < kColumns; ++i) {
    one.push_back(texts("switch", {{"no", 99}, {"yes", 1}}));
    two.push_back(texts("switch", {{"no", 92}, {"yes", 8}}));
    one.push_back(texts("colour", {{"red", 97}, {"green", 2}, {"blue", 1}}));
    two.push_back(texts("colour", {{"red", 50}, {"green", 47}, {"blue", 3}}));
  }
  const auto shifts = compare_columns(one, two);
  int64_t counts = 0;
  for (size_t i = 0; i < shifts.size(); i += 2) {
    ASSERT_EQ(shifts[i].test->draws, 0);
    ASSERT_GT(shifts[i + 1].test->draws, 0);
    ASSERT_TRUE(shifts[i + 1].drifted()) << "one of thousands, all the same";
    counts += 3 * shifts[i + 1].test->draws;
  }
  EXPECT_NEAR(shifts[0].test->p_value, rate_test(1, 100, 8, 100).p_value, 1e-12);
  EXPECT_LE(counts, 20'000'000);
}

/// One column of hundreds: where draws find nothing as far apart, there are more of them.
TEST(ColumnShift, OfManyColumnsFindsADriftOfRareValues) {
  std::vector<ColumnCells> one, two;
  for (int64_t i = 0; i < 300; ++i) {
    one.push_back(numbers("x", normal({20}, i)));
    two.push_back(numbers("x", normal({20}, i)));
  }
  one.push_back(texts("colour", {{"red", 1000}, {"green", 1}, {"blue", 1}}));
  two.push_back(texts("colour", {{"red", 50}, {"green", 1}, {"blue", 0}, {"mauve", 5}}));
  const auto shifts = compare_columns(one, two);
  EXPECT_GT(shifts.back().test->draws, 9999);
  EXPECT_TRUE(shifts.back().drifted()) << shifts.back().p_adjusted;
}

/// Columns and all inputs together are one statement: half of the level is for each, and what is found frees its part.
TEST(ColumnShift, IsAdjustedTogetherWithAllInputs) {
  auto columns = compare_columns({numbers("a", normal({40}, 1)), numbers("b", normal({40}, 2))},
                                 {numbers("a", normal({40}, 3)), numbers("b", normal({40}, 4))});
  for (auto& column : columns) column.outside_test.reset();
  columns[0].test->p_value = 0.02;
  columns[1].test->p_value = 0.5;
  SampleShift all;
  all.mmd.p_value = 0.03;
  adjust_together(columns, all);
  EXPECT_DOUBLE_EQ(all.p_adjusted, 0.06) << "twice: alone it would have been below 0.05";
  EXPECT_DOUBLE_EQ(columns[0].p_adjusted, 0.06) << "0.04 as one of two columns, and behind the MMD";
  EXPECT_FALSE(all.found() || columns[0].drifted());
  all.mmd.p_value = 0.001;
  adjust_together(columns, all);
  EXPECT_DOUBLE_EQ(all.p_adjusted, 0.002);
  EXPECT_DOUBLE_EQ(columns[0].p_adjusted, 0.04) << "the whole level is left for the columns";
  std::vector<ColumnShift> none;
  adjust_together(none, all);
  EXPECT_DOUBLE_EQ(all.p_adjusted, 0.001);
}

/// Judged apart, columns and all inputs would each find something in 5 % of the sets.
TEST(ColumnShift, FindsNothingInOneDistributionAsOftenAsItSays) {
  constexpr int kSets = 150;
  int found = 0, apart = 0;
  for (int set = 0; set < kSets; ++set) {
    const auto x = normal({40, 3}, 2 * set + 1000), z = normal({30, 3}, 2 * set + 1001);
    std::vector<ColumnCells> one, two;
    for (int64_t j = 0; j < 3; ++j) {
      one.push_back(numbers("x", x.select(1, j)));
      two.push_back(numbers("x", z.select(1, j)));
    }
    auto columns = compare_columns(one, two);
    auto all = compare_samples(x, z);
    const auto drifted = [&] {
      return all.found() || std::any_of(columns.begin(), columns.end(), [](const auto& c) { return c.drifted(); });
    };
    apart += drifted() ? 1 : 0;
    adjust_together(columns, all);
    found += drifted() ? 1 : 0;
  }
  EXPECT_LE(found, 13) << "of 150, 7.5 at most are expected";
  EXPECT_GT(apart, found);
}

TEST(ColumnShift, OfNoCellsIsNotTested) {
  const auto shifts = compare_columns({numbers("a", normal({10})), numbers("b", torch::ones({10}))},
                                      {numbers("a", torch::empty({0})), numbers("b", torch::ones({5}))});
  EXPECT_FALSE(shifts[0].test.has_value());
  EXPECT_FALSE(shifts[0].drifted());
  EXPECT_FALSE(shifts[1].difference.has_value()) << "in deviations of a constant";
}

TEST(SampleShift, IsCoveredByItsLength) {
  const auto shift = compare_samples(normal({1500, 3}, 1), normal({900, 3}, 2) + torch::tensor({2.0, 0.0, 0.0}));
  EXPECT_EQ(shift.mmd_samples_one, 1000);
  EXPECT_TRUE(shift.found());
  const auto reach = covering(shift, 0.5);
  EXPECT_NEAR(reach.length, 2, 0.15);
  EXPECT_NEAR(reach.single, 2, 0.15);
  EXPECT_EQ(reach.blind_loss, 0.5);
}

TEST(SampleShift, OfOneDistributionIsNotFound) {
  const auto shift = compare_samples(normal({500, 3}, 3), normal({400, 3}, 4));
  EXPECT_FALSE(shift.found());
  EXPECT_LT(covering(shift, 1).length, 0.2);
}

/// Of many inputs the assignment sees mostly sampling; it must not be taken for a drift.
TEST(SampleShift, DoesNotTakeSamplingForADrift) {
  auto shifted = normal({2000, 30}, 5);
  shifted.select(1, 4) += 0.5;
  const auto shift = compare_samples(normal({4000, 30}, 6), shifted);
  EXPECT_GT(shift.transport.upper, 3);
  EXPECT_NEAR(covering(shift, 1).length, 0.5, 0.2);
  EXPECT_NEAR(covering(shift, 1).single, 0.5, 0.1);
}

TEST(ColumnCells, AreThoseOfTheFileInItsOwnUnits) {
  const testing::TemporaryFolder folder;
  testing::write_bytes(folder / "t.csv", "day,on,site,n\n2020-01-02,True,a,1\n,false,z,2.5\n2020-01-03,,,\n", false);
  TableEncoding encoding;
  encoding.columns = {{"n", ColumnKind::kNumber, "", {}, 0, true},
                      {"site", ColumnKind::kCategory, "", {"a", "b"}, 0, false},
                      {"on", ColumnKind::kFlag, "", {}, 0, false},
                      {"day", ColumnKind::kDate, "Y-M-D", {}, 0, false}};
  const auto cells = read_cells(folder / "t.csv", encoding, CsvOptions(), {});
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(cells[0].numbers, (std::vector<double>{1, 2.5}));
  EXPECT_EQ(cells[0].missing, 1);
  EXPECT_EQ(cells[1].texts, (std::map<std::string, int64_t>{{"a", 1}, {"z", 1}}));
  EXPECT_EQ(cells[2].texts, (std::map<std::string, int64_t>{{"False", 1}, {"True", 1}}));
  EXPECT_EQ(cells[3].numbers, (std::vector<double>{18263, 18264}));
  for (const auto& column : cells) EXPECT_EQ(column.missing, 1) << column.name;
}

TEST(ColumnCells, OfNumbersAreInTheUsersUnits) {
  DatasetInfo info;
  info.features = {{"a", "a"}};
  info.input_mean = torch::tensor({10.0, 0.0}, torch::kDouble);
  info.input_deviation = torch::tensor({2.0, 1.0}, torch::kDouble);
  const auto cells = cells_of(torch::tensor({{1.0F, 5.0F}, {-1.0F, 6.0F}}), info);
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0].name, "a");
  EXPECT_EQ(cells[0].numbers, (std::vector<double>{12, 8}));
  EXPECT_EQ(cells[1].name, "input 2");
  EXPECT_EQ(cells[1].numbers, (std::vector<double>{5, 6}));
}

TEST(SamplesToCompare, AreAllPartsOfOneFile) {
  const auto part = [](double value, int64_t count) {
    return std::make_shared<TensorDataset>(torch::full({count, 2}, value, torch::kFloat),
                                           torch::full({count}, value, torch::kFloat), DatasetInfo());
  };
  DataSplits splits;
  splits.train = part(1, 3);
  splits.validation = part(2, 2);
  splits.test = part(3, 1);
  EXPECT_TRUE(samples_to_compare(splits).targets.equal(torch::tensor({1.0F, 1.0F, 1.0F, 2.0F, 2.0F, 3.0F})));
  splits.divided = false;
  EXPECT_EQ(samples_to_compare(splits).inputs.size(0), 5) << "a test file of its own is another one";
}

}  // namespace arks
