#include "report/table.h"
#include "support/testing.h"

using namespace arks;
using namespace arks::testing;

TEST(Table, AlignsNumbersRightAndTextLeft) {
  Table table({"model", "eps", "error"});
  table.add_row({"runs/erm", "0", "8.9"});
  table.add_row({"x", "0.25", "100.0"});
  EXPECT_EQ(table.str(),
            "model      eps  error\n"
            "--------  ----  -----\n"
            "runs/erm     0    8.9\n"
            "x         0.25  100.0\n");
}

TEST(Table, CountsCharactersNotBytes) {
  Table table({"größe", "σ", "名"});
  table.add_row({"ε → 0", "0.5", "a"});
  table.add_row({"plain", "10", "漢字"});
  EXPECT_EQ(table.str(),
            "größe    σ  名\n"
            "-----  ---  ----\n"
            "ε → 0  0.5  a\n"
            "plain   10  漢字\n");
}

TEST(Table, GivesCombiningMarksNoWidthAndBrokenBytesOne) {
  Table table({"a", "b"});
  table.add_row({"e\xcc\x81", "x"});  // e and a combining accent
  table.add_row({"\xff\xfe", "x"});   // two bytes that are no UTF-8
  table.add_row({"\xe2\x82", "x"});   // a sequence cut short
  EXPECT_EQ(table.str(), "a   b\n--  -\ne\xcc\x81   x\n\xef\xbf\xbd\xef\xbf\xbd  x\n\xef\xbf\xbd\xef\xbf\xbd  x\n");
}

TEST(Table, TakesPercentNanAndMissingCellsForNumbers) {
  Table table({"a", "b", "c"});
  table.add_row({"8.9 %", "nan", "-"});
  table.add_row({"", "1e-05", "12"});
  EXPECT_EQ(table.str(),
            "    a      b   c\n"
            "-----  -----  --\n"
            "8.9 %    nan   -\n"
            "       1e-05  12\n");
}

TEST(Table, StacksHeadersOntoTheRule) {
  Table table({"eps", "runs/erm\npgd"});
  table.add_row({"0", "1"});
  EXPECT_EQ(table.str(),
            "     runs/erm\n"
            "eps       pgd\n"
            "---  --------\n"
            "  0         1\n");
}

TEST(Table, KeepsACellOnOneLine) {
  Table table({"a"});
  table.add_row({"x\ny\x1b[31m"});
  EXPECT_EQ(table.str(), "a\n--------\nx y [31m\n");
}

TEST(Table, RefusesRowsOfAnotherLength) {
  expect_error([] { Table({}); }, "at least one column");
  Table table({"a", "b"});
  expect_error([&] { table.add_row({"1"}); }, "a row needs 2 cells, got 1");
}
