#include "data/column_values.h"
#include "data/tabular.h"
#include "support/testing.h"

#include <numeric>

namespace arks {

namespace {

CsvColumn column_of(std::vector<double> numbers) {
  CsvColumn column;
  column.name = "id";
  column.numbers = std::move(numbers);
  return column;
}

std::vector<double> from(double first, size_t count) {
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

}  // namespace

TEST(RunningNumbers, AreSeenInWhateverOrder) {
  EXPECT_TRUE(counts_rows(column_of(from(4500100000, 50))));
  auto mixed = from(0, 50);
  std::reverse(mixed.begin() + 10, mixed.end());
  EXPECT_TRUE(counts_rows(column_of(mixed)));
  EXPECT_TRUE(counts_rows(column_of(from(-3, 20))));
}

TEST(RunningNumbers, AreNotSeenInOtherNumbers) {
  EXPECT_FALSE(counts_rows(column_of(from(1, 19)))) << "too few rows";
  auto gap = from(1, 50);
  gap[20] = 51;
  EXPECT_FALSE(counts_rows(column_of(gap)));
  auto twice = from(1, 50);
  twice[20] = 3;
  EXPECT_FALSE(counts_rows(column_of(twice)));
  auto halves = from(1, 50);
  halves[20] = 20.5;
  EXPECT_FALSE(counts_rows(column_of(halves)));
  EXPECT_FALSE(counts_rows(column_of(std::vector<double>(50, 7))));
}

TEST(RunningNumbers, AreSaidAndUsedAllTheSame) {
  std::string text = "id,x,y\n";
  for (int i = 0; i < 40; ++i) text += c10::str(1000 + i, ",", i * i % 7, ",", i % 2, "\n");
  const auto notes = split_table(parse_csv_columns(text, "t.csv", {}), {}, true).notes;
  ASSERT_EQ(notes.size(), 1);
  EXPECT_EQ(notes[0],
            "column 'id' counts the rows, from 1000 to 1039; leave it out with --drop if it says nothing about them");
}

TEST(ColumnNames, MayHaveBlanksAroundThemAndCommasInQuotes) {
  EXPECT_EQ(names_in("price, rooms", "--target"), (std::vector<std::string>{"price", "rooms"}));
  EXPECT_EQ(names_in("\"temp, C\",id", "--drop"), (std::vector<std::string>{"temp, C", "id"}));
  EXPECT_TRUE(names_in(" ", "--drop").empty());
  testing::expect_error([] { names_in("\"temp, C", "--drop"); },
                        "--drop, line 1: a quote opens here and is never closed");
}

}  // namespace arks
