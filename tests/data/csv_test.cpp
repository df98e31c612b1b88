#include "data/csv.h"
#include "support/testing.h"

#include <clocale>

namespace arks {

using testing::expect_error;
using testing::TemporaryFolder;
using Row = std::vector<std::string>;

namespace {

CsvTable parse_table(const std::string& text) {
  return parse_csv(text, "t.csv");
}

void refused(const std::string& text, const std::string& part) {
  expect_error([&] { parse_table(text); }, part);
}

void number_refused(const std::string& cell, const std::string& part) {
  expect_error([&] { number_column(parse_table("a,b\n1,2\n3," + cell + "\n"), 1); }, part);
}

}  // namespace

TEST(Csv, ReadsHeaderAndRows) {
  const auto table = parse_table("a,b,c\n1,2,x\n3,,y z\n");
  EXPECT_EQ(table.header, (Row{"a", "b", "c"}));
  EXPECT_EQ(table.rows, (std::vector<Row>{{"1", "2", "x"}, {"3", "", "y z"}}));
  EXPECT_EQ(table.lines, (std::vector<int64_t>{2, 3}));
}

TEST(Csv, ReadsAFile) {
  const TemporaryFolder folder;
  testing::write_bytes(folder / "a.csv", "a,b\n1,2\n", /*gzip=*/false);
  EXPECT_EQ(read_csv(folder / "a.csv").rows, (std::vector<Row>{{"1", "2"}}));
  expect_error([&] { read_csv(folder / "b.csv"); }, "cannot read " + (folder / "b.csv").string());
  expect_error([&] { read_csv(folder.path()); }, "is a folder");
}

TEST(Csv, DoesNotMindHowLinesEndAndWhatStandsAround) {
  const std::vector<Row> expected{{"1", "2"}, {"3", "4"}};
  for (const std::string text : {"a,b\n1,2\n3,4", "a,b\r\n1,2\r\n3,4\r\n",
                                 "\xef\xbb\xbf"
                                 "a,b\n1,2\n3,4\n\n\n",
                                 "a , b\n 1,2\t\n3, 4\n  \n\r\n"}) {
    const auto table = parse_table(text);
    EXPECT_EQ(table.header, (Row{"a", "b"})) << text;
    EXPECT_EQ(table.rows, expected) << text;
  }
}

TEST(Csv, ReadsQuotedFields) {
  const auto table = parse_table("\"a, b\",\"c \"\"d\"\"\"\n\"1\" , \" x \"\n\"two\r\nlines\",\"\"\n5,6\n");
  EXPECT_EQ(table.header, (Row{"a, b", "c \"d\""}));
  EXPECT_EQ(table.rows, (std::vector<Row>{{"1", " x "}, {"two\r\nlines", ""}, {"5", "6"}}));
  EXPECT_EQ(table.lines, (std::vector<int64_t>{2, 3, 5}));
}

TEST(Csv, RefusesRaggedRows) {
  refused("a,b,c\n1,2,3\n4,5\n", "t.csv, line 3 has 2 fields, but the header has 3");
  refused("a,b,c\n1,2,3,4\n", "t.csv, line 2 has 4 fields, but the header has 3");
  refused("a,b,c\n1\n", "t.csv, line 2 has 1 field, but the header has 3");
  refused("a,b\n1,2\n\n3,4\n", "t.csv, line 3 is empty, but rows follow it");
  refused("a,b\n\"1\n1\",2\n3\n", "t.csv, line 4 has 1 field");
}

TEST(Csv, RefusesQuotesThatDoNotEnd) {
  refused("a,b\n1,2\n3,\"4\n5,6\n", "t.csv, line 3: a quote opens here and is never closed");
  refused("a,b\n\"1\"x,2\n", "t.csv, line 2: text follows the closing quote of field 1");
}

TEST(Csv, RefusesAMissingOrDoubtfulHeader) {
  refused("1,2,3\n4,5,6\n", "t.csv, line 1: the first line must name the columns, found only numbers");
  refused("", "t.csv, line 1: the names of the columns are missing");
  refused("\n1,2\n", "t.csv, line 1: the names of the columns are missing");
  refused("a,,c\n1,2,3\n", "t.csv, line 1: column 2 has no name");
  refused("a,b,a\n1,2,3\n", "t.csv, line 1: the column 'a' appears twice");
  refused("a;b;c\n1;2;3\n", "t.csv, line 1: fields must be separated by commas, found 'a;b;c'");
}

TEST(Csv, RefusesATableWithoutRows) {
  refused("a,b\n", "t.csv: no rows below the header");
  refused("a,b\n\n\n", "t.csv: no rows below the header");
}

TEST(Csv, RefusesWhatIsNoText) {
  expect_error([] { parse_csv(std::string("a,b\0\n", 5), "t.csv"); }, "t.csv is not a text file");
}

TEST(Csv, FindsColumnsByName) {
  const auto table = parse_table("age,weight\n1,2\n");
  EXPECT_EQ(find_column(table, "weight"), 1U);
  expect_error([&] { find_column(table, "wieght"); },
               "t.csv: no column 'wieght' (did you mean 'weight'?); columns: age, weight");
}

TEST(Csv, ReadsNumbersToTheLastBitWhateverTheLocale) {
  const auto table = parse_table("x\n0.1\n-2.5e-3\n+7\n1e308\n1e-400\n \"3\" \n.5\n");
  const auto expected = torch::tensor({0.1, -2.5e-3, 7.0, 1e308, 0.0, 3.0, 0.5}, torch::kDouble);
  EXPECT_TRUE(testing::identical(number_column(table, 0), expected));
  if (std::setlocale(LC_NUMERIC, "de_DE.UTF-8") != nullptr) {
    EXPECT_TRUE(testing::identical(number_column(table, 0), expected));
    std::setlocale(LC_NUMERIC, "C");
  }
}

TEST(Csv, RefusesCellsThatAreNoFiniteNumbers) {
  number_refused("abc", "t.csv, line 3: column 'b' holds the text 'abc'; expected a number");
  number_refused("1.5x", "holds the text '1.5x'");
  number_refused("0x10", "holds the text '0x10'");
  number_refused("+-1", "holds the text '+-1'");
  number_refused("nan", "t.csv, line 3: column 'b' is 'nan'; expected a finite number");
  number_refused("-inf", "column 'b' is '-inf'");
  number_refused("1e400", "column 'b' is '1e400'");
  number_refused("", "t.csv, line 3: column 'b' is empty; expected a number");
  number_refused(std::string(100, 'z'), "the text '" + std::string(40, 'z') + "...'");
  number_refused("\"1\n2\"", "the text '1 2'");
}

}  // namespace arks
