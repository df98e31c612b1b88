// Decimal signs, groups of digits and locales.
#include "data/csv_tables.h"

#include <clocale>
#include <cstdio>
#include <locale>
#include <sstream>

namespace arks {

using testing::expect_error;
using testing::names_of;
using testing::numbers_of;
using testing::parse_table;
using testing::refused;
using testing::Row;
using testing::texts_of;

namespace {

void expect_numbers_to_the_last_bit() {
  const std::string text = "x\n0.1\n-2.5e-3\n+7\n1e308\n1e-400\n \"3\" \n.5\n";
  EXPECT_EQ(numbers_of(parse_table(text).columns[0]), (std::vector<double>{0.1, -2.5e-3, 7.0, 1e308, 0.0, 3.0, 0.5}));
}

/// Decimal commas and grouped digits, as in Germany.
class CommaPunctuation : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

}  // namespace

TEST(Csv, ReadsDecimalCommas) {
  const auto table = parse_table("a;b\n1,5;x\n-2,25;y\n");
  EXPECT_EQ(numbers_of(table.columns[0]), (std::vector<double>{1.5, -2.25}));
  EXPECT_EQ(table.decimal, ',');
  EXPECT_EQ(parse_table("a;b\n1.5;1\n2;2,5\n").decimal, '.') << "where both are written as often, the point counts";
}

TEST(Csv, TakesTheDecimalSignOfMostNumbers) {
  EXPECT_EQ(parse_table("a;b\n2,5;1.1\n3,5;2\n").decimal, ',') << "of most";
  EXPECT_EQ(parse_table("a;b\n2,5;1.234\n").decimal, ',') << "1.234 can be both";
  EXPECT_EQ(numbers_of(parse_table("a;b\n2,5;1.234\n").columns[1]), (std::vector<double>{1234}));
  EXPECT_EQ(parse_table("a;b\n1.234,50;x\n").decimal, ',');
  EXPECT_EQ(parse_table("a;b\n1,234.50;x\n").decimal, '.');
  const auto quoted = parse_table("a,b\n\"0,5\",1\n\"1,25\",2\n");
  EXPECT_EQ(numbers_of(quoted.columns[0]), (std::vector<double>{0.5, 1.25})) << "commas between columns, too";
  EXPECT_EQ(quoted.notes, Row{"numbers have a decimal comma"});
  std::string late = "a;b\n";
  for (int i = 0; i < 2000; ++i) late += "1;" + std::to_string(i) + "\n";
  EXPECT_EQ(parse_table(late + "2,5;1\n").decimal, ',') << "in row 2000";
}

/// The sign is looked for in the first 2 MB, but where nothing decides there it must not be forgotten.
TEST(Csv, LooksForTheDecimalSignUntilItIsFound) {
  std::string text = "a;b\n";
  for (int i = 0; i < 20000; ++i) text += std::to_string(i) + ";" + std::string(120, 'x') + "\n";
  ASSERT_GT(text.size(), size_t{1} << 21);
  const auto either = parse_table(text + "1,000;x\n");
  EXPECT_EQ(numbers_of(either.columns[0]).back(), 1);
  EXPECT_EQ(either.notes.at(1),
            "no cell shows whether the decimal sign is a point or a comma: '1,000' in line 20002 is "
            "read as 1; --decimal point reads it as 1000");
  const auto comma = parse_table(text + "2,5;x\n");
  EXPECT_EQ(numbers_of(comma.columns[0]).back(), 2.5);
  EXPECT_EQ(comma.notes.at(1), "numbers have a decimal comma");
  EXPECT_EQ(numbers_of(parse_table("a;b\n1,000;x\n" + text.substr(4) + "2.5;x\n").columns[0]).front(), 1000)
      << "2.5 decides";
}

TEST(Csv, TakesTheDecimalSignThatIsGiven) {
  CsvOptions options;
  options.decimal = parse_decimal("comma");
  const auto comma = parse_table("a;b\n1.038;1\n938;2\n", options);
  EXPECT_EQ(numbers_of(comma.columns[0]), (std::vector<double>{1038, 938}));
  EXPECT_TRUE(comma.notes.size() == 1) << "on the separator";
  options.decimal = parse_decimal("point");
  EXPECT_EQ(texts_of(parse_table("a;b\n2,5;1\n3,5;2\n", options).columns[0]), (Row{"2,5", "3,5"}));
  expect_error([] { parse_decimal("komma"); },
               "unknown decimal sign 'komma' (did you mean 'comma'?); known: point, comma");
  options.decimal = 'x';
  expect_error([&] { parse_table("a,b\n1,2\n", options); }, "the decimal sign must be '.' or ',', got 'x'");
}

TEST(Csv, SaysWhenNumbersMayHaveGroups) {
  const auto points = parse_table("a,b\n1.038,1\n938,2\n");
  EXPECT_EQ(numbers_of(points.columns[0]), (std::vector<double>{1.038, 938}));
  EXPECT_EQ(points.notes, Row{"no cell shows whether the decimal sign is a point or a comma: '1.038' in line 2 is read "
                              "as 1.038; --decimal comma reads it as 1038"});
  const auto commas = parse_table("a,b\n\"1,038\",1\n938,2\n");
  EXPECT_EQ(numbers_of(commas.columns[0]), (std::vector<double>{1038, 938}));
  EXPECT_EQ(commas.notes, Row{"no cell shows whether the decimal sign is a point or a comma: '1,038' in line 2 is read "
                              "as 1038; --decimal comma reads it as 1.038"});
  EXPECT_TRUE(parse_table("a,b\n1.038,0.5\n938,2\n").notes.empty()) << "0.5 shows what the point is";
}

/// Commas between columns are rare where numbers have decimal commas, and the other way round.
TEST(Csv, TakesCommasInNumbersForDecimalOnesWhereColumnsAreDividedByOthers) {
  const auto commas = parse_table("a;b\n1;938\n2;1,038\n");
  EXPECT_EQ(numbers_of(commas.columns[1]), (std::vector<double>{938, 1.038}));
  EXPECT_EQ(commas.notes.at(1),
            "no cell shows whether the decimal sign is a point or a comma: '1,038' in line 3 is "
            "read as 1.038; --decimal point reads it as 1038");
  EXPECT_EQ(commas.notes.size(), 2U) << "one sentence on it";
  EXPECT_EQ(numbers_of(parse_table("a\tb\n1,038\t1\n").columns[0]), (std::vector<double>{1.038}));
  EXPECT_EQ(numbers_of(parse_table("a;b\n1.038;1\n").columns[0]), (std::vector<double>{1.038}))
      << "programs that write semicolons write no thousands";
  const auto both = parse_table("a;b\n1.038;1,500\n");
  EXPECT_EQ(numbers_of(both.columns[0]), (std::vector<double>{1038})) << "one of the two divides thousands";
  EXPECT_EQ(numbers_of(both.columns[1]), (std::vector<double>{1.5}));
}

TEST(Csv, TakesTheUsualDecimalSignWhereNothingDecides) {
  CsvOptions options;
  options.usual_decimal = ',';
  const auto commas = parse_table("a,b\n\"1,038\",1\n938,2\n", options);
  EXPECT_EQ(numbers_of(commas.columns[0]), (std::vector<double>{1.038, 938}));
  EXPECT_EQ(commas.notes, Row{"no cell shows whether the decimal sign is a point or a comma: '1,038' in line 2 is read "
                              "as 1.038, as in training; --decimal point reads it as 1038"});
  EXPECT_EQ(numbers_of(parse_table("a,b\n1.038,1\n", options).columns[0]), (std::vector<double>{1038}));
  EXPECT_EQ(numbers_of(parse_table("a,b\n1.038,0.5\n", options).columns[0]), (std::vector<double>{1.038}))
      << "0.5 decides";
  EXPECT_TRUE(parse_table("a,b\n1,2\n", options).notes.empty()) << "there are no decimals at all";
  options.usual_decimal = '.';
  EXPECT_EQ(numbers_of(parse_table("a;b\n1,038;1\n", options).columns[0]), (std::vector<double>{1038}));
  options.decimal = ',';
  EXPECT_EQ(numbers_of(parse_table("a;b\n1,038;1\n", options).columns[0]), (std::vector<double>{1.038}))
      << "what is given goes before";
}

TEST(Csv, KnowsWhetherNumbersHaveADecimalSign) {
  EXPECT_FALSE(parse_table("a;b\n1;x,y\n2;v.2\n").holds_decimals);
  EXPECT_TRUE(parse_table("a;b\n1;1.5\n").holds_decimals);
  EXPECT_TRUE(parse_table("a;b\n1;1,538\n").holds_decimals);
  CsvOptions options;
  options.decimal = ',';
  EXPECT_TRUE(parse_table("a;b\n1;2\n", options).holds_decimals) << "who gives it knows";
}

TEST(Csv, ReadsNumbersToTheLastBit) {
  expect_numbers_to_the_last_bit();
  for (const char* none : {"abc", "1.5x", "0x10", "+-1", ""}) EXPECT_FALSE(is_number(none)) << none;
  EXPECT_TRUE(is_number("1e400") && is_number("-inf"));
}

TEST(Csv, ReadsTheSameNumbersWhateverTheLocaleOfCpp) {
  const auto before = std::locale::global(std::locale(std::locale::classic(), new CommaPunctuation));
  std::ostringstream shown;
  shown << 1234.5;
  expect_numbers_to_the_last_bit();
  std::locale::global(before);
  EXPECT_EQ(shown.str(), "1.234,5") << "the locale was in force";
}

TEST(Csv, ReadsTheSameNumbersWhateverTheLocaleOfC) {
  const char* found = nullptr;
  for (const char* name : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "nl_NL.UTF-8", "ru_RU.UTF-8", "pt_BR.UTF-8"}) {
    if (found == nullptr) found = std::setlocale(LC_NUMERIC, name);  // NOLINT(concurrency-mt-unsafe)
  }
  if (found == nullptr) GTEST_SKIP() << "no locale with a decimal comma is installed";
  char shown[8];
  std::snprintf(shown, sizeof shown, "%.1f", 0.5);
  expect_numbers_to_the_last_bit();
  std::setlocale(LC_NUMERIC, "C");  // NOLINT(concurrency-mt-unsafe)
  EXPECT_STREQ(shown, "0,5") << "the locale was in force";
}

}  // namespace arks
