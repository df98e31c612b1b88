// What single programs make of tables.
#include "data/csv.h"
#include "support/testing.h"

namespace arks {

using testing::expect_error;

namespace {

CsvTable parse(const std::string& text) {
  return parse_csv(text, "t.csv");
}

}  // namespace

/// write.table and write.csv name all columns but that of the names of rows.
TEST(CsvExports, OfRHaveAColumnThatTheHeaderLeavesOut) {
  for (const char separator : {' ', ',', ';', '\t'}) {
    std::string text = "\"speed\" \"kind\" \"dist\"\n\"1\" 4 \"a b\" 2\n\"2\" 7 \"c\" 4\n\"3\" 9 NA 10\n";
    if (separator != ' ') {
      bool quoted = false;
      for (char& c : text) {
        if (c == '"') quoted = !quoted;
        if (c == ' ' && !quoted) c = separator;
      }
    }
    const auto table = parse(text);
    ASSERT_EQ(table.columns.size(), 3U) << separator;
    EXPECT_EQ(table.columns[0].name, "speed");
    EXPECT_EQ(table.columns[0].numbers, (std::vector<double>{4, 7, 9}));
    EXPECT_EQ(table.columns[1].values, (std::vector<std::string>{"a b", "c"}));
    EXPECT_EQ(table.notes.back(), "the first column has no name: taken for the index of an export and left out");
  }
}

/// What one field too many makes of every row is not guessed.
TEST(CsvExports, WithAFieldTooManyAreRefused) {
  expect_error([] { parse("a,b\n1,2,\n2,3,\n"); }, "line 2 has 3 fields, but the header has 2");
  expect_error([] { parse("a,b\n1,2,3\n1,5,6\n"); }, "line 2 has 3 fields, but the header has 2");
}

TEST(CsvExports, WithOneColumnAreNotDividedAtBlanks) {
  EXPECT_EQ(parse("city\nNew York\nLos Angeles\n").columns.size(), 1U);
  EXPECT_EQ(parse("my city\nNew York\nBonn\n").columns.size(), 1U) << "not all lines have two words";
}

/// Of columns of fixed width.
TEST(CsvExports, WithFilledUpTextsAreReadWithoutTheBlanks) {
  const auto table = parse("\"id  \",\"answer  \"\n\" 1\",\"yes  \"\n2,yes\n\"3 \",\"no   \"\n");
  EXPECT_EQ(table.columns[0].name, "id");
  EXPECT_EQ(table.columns[1].values, (std::vector<std::string>{"yes", "no"}));
}

TEST(CsvExports, WithATitleAreRefusedWithAdvice) {
  expect_error([] { parse("Report 2024\n\na,b\n1,2\n"); }, "lines above the names of the columns have to be removed");
  expect_error([] { parse("Report,,\na,b,c\n1,2,3\n"); }, "lines above the names of the columns have to be removed");
}

}  // namespace arks
