#include "data/missing_code.h"

#include "support/testing.h"

namespace arks {

namespace {

/// What is said of 40 numbers from 0 to 10, and these.
std::string said_of(std::initializer_list<double> more) {
  CsvColumn column;
  column.name = "temp";
  for (int i = 0; i < 40; ++i) column.numbers.push_back(i * 17 % 40 / 4.);
  column.numbers.insert(column.numbers.end(), more);
  return missing_code(column);
}

}  // namespace

TEST(MissingCode, IsMadeOfNinesFarFromAllElse) {
  const std::string says = " 2 times, far from all else: a code for a missing value?";
  EXPECT_EQ(said_of({-9999, -9999}), "holds -9999" + says);
  EXPECT_EQ(said_of({999, 999}), "holds 999" + says);
  EXPECT_EQ(said_of({99999, NAN, 99999, 12}), "holds 99999" + says);
  EXPECT_EQ(said_of({-9999, -9999, -999}), "holds -9999" + says) << "the other one is no reason to be silent";
}

TEST(MissingCode, IsNothingElse) {
  EXPECT_EQ(said_of({}), "");
  EXPECT_EQ(said_of({-9999}), "") << "once";
  EXPECT_EQ(said_of({99, 99}), "") << "two nines";
  EXPECT_EQ(said_of({-9998, -9998}), "");
  EXPECT_EQ(said_of({999, 999, 5000}), "") << "neither the least nor the greatest";
  EXPECT_EQ(said_of({999, 999, 960, 980}), "") << "a long tail, and the last of it";
  CsvColumn column;
  for (int i = 0; i < 40; ++i) column.numbers.push_back(i * 25);
  column.numbers.insert(column.numbers.end(), {999, 999});
  EXPECT_EQ(missing_code(column), "");
  column.numbers.assign(10, 999);
  EXPECT_EQ(missing_code(column), "") << "nothing else";
  column.numbers.clear();
  EXPECT_EQ(missing_code(column), "");
}

/// Most numbers are the same, as of rain: then the range of the others counts.
TEST(MissingCode, IsSeenAmongZeros) {
  CsvColumn column;
  column.numbers.assign(40, 0);
  column.numbers.insert(column.numbers.end(), {3, 12, 700});
  column.numbers.insert(column.numbers.end(), {999, 999});
  EXPECT_EQ(missing_code(column), "");
  column.numbers.insert(column.numbers.end(), {-9999, -9999});
  EXPECT_NE(missing_code(column), "");
}

}  // namespace arks
