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

TEST(CsvCell, ReadsOtherSignsBetweenGroupsAndAMinusBehind) {
  const std::vector<std::tuple<const char*, char, double>> numbers{
      {"2'944.65", '.', 2944.65},   {"1\u2019031\u2019000", '.', 1031000},
      {"1 031,67", ',', 1031.67},   {"1\u00a0031,67", ',', 1031.67},
      {"-1\u202f031", ',', -1031},  {"361,88-", ',', -361.88},
      {"1.361,88-", ',', -1361.88}, {"12-", '.', -12}};
  for (const auto& [text, decimal, number] : numbers) {
    const auto found = cell_number(text, decimal);
    ASSERT_TRUE(found) << text << " " << decimal;
    EXPECT_EQ(*found, number) << text << " " << decimal;
  }
  for (const char* none : {"12 34", "1 2345", "-12-", "12 -", "12--", "--", "-", "1'23", "a-", "1 031'000"}) {
    EXPECT_FALSE(is_number(none, '.')) << none;
  }
}

TEST(CsvCell, ReadsTheMinusOfTypesettingAndOfAccounts) {
  const std::vector<std::tuple<const char*, char, double>> numbers{
      {"\u22121.5", '.', -1.5}, {"\u22121.234,5", ',', -1234.5}, {" \u2212.5", '.', -0.5},
      {"(1.30)", '.', -1.3},    {"( 1,234.50 )", '.', -1234.5},  {"(1,5)", ',', -1.5}};
  for (const auto& [text, decimal, number] : numbers) {
    const auto found = cell_number(text, decimal);
    ASSERT_TRUE(found) << text << " " << decimal;
    EXPECT_EQ(*found, number) << text << " " << decimal;
  }
  for (const char* none :
       {"\u2212", "\u2212-1", "-\u22121", "()", "(-1)", "((1))", "(1", "1)", "(a)", "(\u22121)", "( )"})
    EXPECT_FALSE(is_number(none, '.')) << none;
  EXPECT_EQ(number_with_unit("\u22125 °C", '.')->number, -5);
  EXPECT_EQ(number_with_unit("\u2212$5", '.')->number, -5);
  EXPECT_EQ(number_with_unit("($1,005.50)", '.')->number, -1005.5);
  EXPECT_EQ(number_with_unit("(5 %)", '.')->unit, "%");
  EXPECT_FALSE(number_with_unit("(-5 %)", '.'));
  for (const char* text : {"5 \u00b5m", "5\u03bcm", "5\u00b5m"})
    EXPECT_EQ(number_with_unit(text, '.')->unit, "\u00b5m");
  for (const char* text : {"5\u03a9", "5 \u2126"}) EXPECT_EQ(number_with_unit(text, '.')->unit, "\u03a9") << text;
  EXPECT_EQ(number_with_unit("5 \u2103", '.')->unit, "°C");
}

/// Prices in German, Dutch and Swiss texts.
TEST(CsvCell, TakesDashesBehindTheDecimalSignForNoCents) {
  const std::vector<std::tuple<const char*, char, double>> numbers{
      {"100,-", ',', 100},      {"100.-", '.', 100},    {"1.549,-", ',', 1549}, {"1,549.-", '.', 1549},
      {"1'549.-", '.', 1549},   {"100,--", ',', 100},   {"100.--", '.', 100},   {"100,\u2013", ',', 100},
      {"100.\u2014", '.', 100}, {"1 549,-", ',', 1549}, {"-100,-", ',', -100},  {" 100,- ", ',', 100},
      {"100-", ',', -100},      {"100,5-", ',', -100.5}};
  for (const auto& [text, decimal, number] : numbers) {
    const auto found = cell_number(text, decimal);
    ASSERT_TRUE(found) << text << " " << decimal;
    EXPECT_EQ(*found, number) << text << " " << decimal;
  }
  for (const char* none : {"100--", "100\u2013", ",-", "-,-", "1,5,-", "1,-5", "100,-,-", "100.-"}) {
    EXPECT_FALSE(is_number(none, ',')) << none;
  }
  for (const char* text : {"€ 100,-", "€100,\u2013", "100,- €", "100,-\u00a0€"}) {
    const auto found = number_with_unit(text, ',');
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(found->number, 100) << text;
    EXPECT_EQ(found->unit, "€") << text;
  }
  EXPECT_EQ(number_with_unit("-€ 100,-", ',')->number, -100);
}

TEST(CsvCell, TakesUnitsOffNumbers) {
  const std::vector<std::tuple<const char*, char, double, const char*>> numbers{
      {"7,6 %", ',', 7.6, "%"},         {"30%", '.', 30, "%"},
      {"$1,549.34", '.', 1549.34, "$"}, {"-$5", '.', -5, "$"},
      {"5,44\u00a0€", ',', 5.44, "€"},  {"€ 5.44", '.', 5.44, "€"},
      {"12 kg", '.', 12, "kg"},         {"-20°C", '.', -20, "°C"},
      {"5 km/h", '.', 5, "km/h"},       {"12.5 m2", '.', 12.5, "m2"},
      {"1 031,67 €", ',', 1031.67, "€"}};
  for (const auto& [text, decimal, number, unit] : numbers) {
    const auto found = number_with_unit(text, decimal);
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(found->number, number) << text;
    EXPECT_EQ(found->unit, unit) << text;
  }
  for (const char* none :
       {"12", "kg", "12kg", "5a", "A12", "2024-01-02", "3:45", "", "%", "$", "12 3", "x 12 kg", "12-13 %", "1 - low"}) {
    EXPECT_FALSE(number_with_unit(none, '.')) << none;
  }
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
