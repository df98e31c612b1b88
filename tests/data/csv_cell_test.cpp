#include "data/csv_cell.h"
#include "support/testing.h"

namespace arks {

TEST(CsvCell, ReadsDigitsInGroups) {
  const std::vector<std::tuple<const char*, char, double>> numbers{
      {"1,234.50", '.', 1234.5}, {"1,234", '.', 1234},  {"-12,345,678", '.', -12345678}, {"+1,234.", '.', 1234},
      {"1.234,50", ',', 1234.5}, {"1.234", ',', 1234},  {"1.234.567", ',', 1234567},     {"1234,5", ',', 1234.5},
      {"1.038", '.', 1.038},     {"1,038", ',', 1.038}, {" 999,999 ", '.', 999999},      {"1,234e3", ',', 1234}};
  for (const auto& [text, decimal, number] : numbers) {
    const auto found = cell_number(text, decimal);
    ASSERT_TRUE(found) << text << " " << decimal;
    EXPECT_EQ(*found, number) << text << " " << decimal;
  }
  for (const char* none : {"1,23", "1,2345", "1234,567", "0,123", ",123", "1,234,", "1,234.5,6", "1,234x", "1,,234",
                           "--1,234", "1,234e3", "2,5"}) {
    EXPECT_FALSE(is_number(none, '.')) << none;
  }
  for (const char* none : {"2.5", "1.2345", "0.123", "31.12.2024", "192.168.0.1"})
    EXPECT_FALSE(is_number(none, ',')) << none;
}

TEST(CsvCell, KnowsTheWordsForNothing) {
  for (const char* word : {"", "NA", "<NA>", "n.a.", "N.A.", "-", "--", ".", "?", "None"}) {
    EXPECT_TRUE(is_missing(word)) << word;
  }
  for (const char* word : {"0", "no", "---", "..", "+", "N"}) EXPECT_FALSE(is_missing(word)) << word;
}

TEST(CsvCell, ShowsWholeLetters) {
  EXPECT_EQ(shown("a\nb"), "'a b'");
  EXPECT_EQ(shown(std::string(39, 'a') + "ö" + "x"), "'" + std::string(39, 'a') + "...'");
  EXPECT_EQ(shown(std::string(38, 'a') + "ö"), "'" + std::string(38, 'a') + "ö'");
}

}  // namespace arks
