#include "data/csv.h"
#include "data/csv_guess.h"
#include "data/csv_tables.h"

#include <cmath>

namespace arks {

using testing::expect_error;
using testing::names_of;
using testing::numbers_of;
using testing::parse_table;
using testing::refused;
using testing::Row;
using testing::TemporaryFolder;
using testing::texts_of;

TEST(Csv, ReadsColumnsOfNumbersAndOfTexts) {
  const auto table = parse_table("a,b,c\n1,2,x\n3,-0.5,y z\n");
  EXPECT_EQ(names_of(table), (Row{"a", "b", "c"}));
  EXPECT_EQ(table.rows(), 2);
  EXPECT_EQ(numbers_of(table.columns[1]), (std::vector<double>{2, -0.5}));
  EXPECT_EQ(texts_of(table.columns[2]), (Row{"x", "y z"}));
  EXPECT_EQ(table.lines, (std::vector<int64_t>{2, 3}));
  EXPECT_TRUE(table.notes.empty());
}

TEST(Csv, ReadsAFilePlainAndCompressed) {
  const TemporaryFolder folder;
  testing::write_bytes(folder / "a.csv", "a,b\n1,2\n", /*gzip=*/false);
  testing::write_bytes(folder / "a.csv.gz", "a,b\n1,2\n", /*gzip=*/true);
  testing::write_bytes(folder / "bad.csv.gz", std::string("\x1f\x8b\x08\0\0\0\0\0garbage", 15), /*gzip=*/false);
  for (const char* name : {"a.csv", "a.csv.gz"}) {
    EXPECT_EQ(numbers_of(read_csv(folder / name).columns[1]), (std::vector<double>{2})) << name;
  }
  expect_error([&] { read_csv(folder / "bad.csv.gz"); }, "bad.csv.gz is damaged");
  expect_error([&] { read_csv(folder / "b.csv"); }, "cannot read " + (folder / "b.csv").string());
  expect_error([&] { read_csv(folder / "b.csv.gz"); }, "cannot read " + (folder / "b.csv.gz").string());
  expect_error([&] { read_csv(folder.path()); }, "is a folder");
}

TEST(Csv, KnowsItsFilesByTheirNames) {
  for (const char* name : {"x/a.csv", "a.tsv", "a.tsv.gz", "A.CSV", "a.csv.GZ", "a.txt", "a.TXT.gz"}) {
    EXPECT_TRUE(is_csv_name(name)) << name;
  }
  for (const char* name : {"a.gz", "a", "a.xlsx", "csv"}) EXPECT_FALSE(is_csv_name(name)) << name;
  const TemporaryFolder folder;
  testing::write_bytes(folder / "A.CSV.GZ", "a,b\n1,2\n", /*gzip=*/true);
  EXPECT_EQ(names_of(read_csv(folder / "A.CSV.GZ")), (Row{"a", "b"}));
  EXPECT_EQ(parse_csv("a,b\tc\n1,2\t3\n", "X.TSV").separator, '\t');
}

TEST(Csv, ReadsOtherCharacterSets) {
  const auto latin = parse_table(
      "gr\xf6sse,b\n1,stra\xdf"
      "e\n");
  EXPECT_EQ(names_of(latin), (Row{"grösse", "b"}));
  EXPECT_EQ(texts_of(latin.columns[1]), (Row{"straße"}));
  EXPECT_EQ(latin.notes.at(0), "line 1 is not UTF-8, so the file is read as Windows-1252");
  const std::string excel(
      "\xff\xfe"
      "a\0\t\0"
      "b\0\n\0"
      "1\0\t\0"
      "2\0\n\0",
      18);
  EXPECT_EQ(numbers_of(parse_table(excel).columns[1]), (std::vector<double>{2}));
}

TEST(Csv, DoesNotMindHowLinesEndAndWhatStandsAround) {
  for (const std::string text : {"a,b\n1,2\n3,4", "a,b\r\n1,2\r\n3,4\r\n",
                                 "\xef\xbb\xbf"
                                 "a,b\n1,2\n3,4\n\n\n",
                                 "a , b\n 1,2\t\n3, 4\n  \n\r\n"}) {
    const auto table = parse_table(text);
    EXPECT_EQ(names_of(table), (Row{"a", "b"})) << text;
    EXPECT_EQ(numbers_of(table.columns[0]), (std::vector<double>{1, 3})) << text;
    EXPECT_EQ(numbers_of(table.columns[1]), (std::vector<double>{2, 4})) << text;
  }
}

TEST(Csv, ReadsQuotedFields) {
  const auto table = parse_table("\"a, b\",\"c \"\"d\"\"\"\n\"1\" , \" x \"\n\"two\r\nlines\",\"\"\n5,6\n");
  EXPECT_EQ(names_of(table), (Row{"a, b", "c \"d\""}));
  EXPECT_EQ(texts_of(table.columns[0]), (Row{"1", "two\r\nlines", "5"}));
  EXPECT_EQ(texts_of(table.columns[1]), (Row{"x", "-", "6"}));
  EXPECT_EQ(table.lines, (std::vector<int64_t>{2, 3, 5}));
}

TEST(Csv, FindsTheSeparatorAndSaysSo) {
  for (const auto& [text, separator] : std::vector<std::pair<std::string, char>>{
           {"a,b\n1,2\n", ','}, {"a;b\n1;2\n", ';'}, {"a\tb\n1\t2\n", '\t'}, {"a|b\n1|2\n", '|'}}) {
    const auto table = parse_table(text);
    EXPECT_EQ(table.separator, separator) << text;
    EXPECT_EQ(numbers_of(table.columns[1]), (std::vector<double>{2})) << text;
    EXPECT_EQ(table.notes.empty(), separator == ',') << text;
  }
  EXPECT_EQ(parse_table("name;note\nx;a, b, c\ny;d, e, f\n").separator, ';') << "commas within texts";
  CsvOptions options;
  options.separator = ',';
  EXPECT_EQ(names_of(parse_table("a;b,c\n1;2,3\n", options)), (Row{"a;b", "c"})) << "as told";
  EXPECT_EQ(parse_csv("a,b\tc\n1,2\t3\n", "x.tsv").separator, '\t') << "by the name of the file";
  EXPECT_EQ(parse_separator("tab"), '\t');
  EXPECT_EQ(parse_separator(";"), ';');
}

TEST(Csv, TakesAnyCharacterAsSeparator) {
  CsvOptions options;
  options.separator = parse_separator("space");
  EXPECT_EQ(numbers_of(parse_table("a b\n1 2\n", options).columns[1]), (std::vector<double>{2}));
  options.separator = parse_separator(":");
  EXPECT_EQ(names_of(parse_table("a:b,c\n1:2\n", options)), (Row{"a", "b,c"}));
  expect_error(
      [] { parse_separator("comm"); },
      "unknown separator 'comm' (did you mean 'comma'?); known: comma, semicolon, tab, pipe, space, and any other "
      "single character, such as ':'");
  for (const char* none : {"\"", "1", "a", ".", "\n", "", "::", "\xf6"}) {
    expect_error([&] { parse_separator(none); }, "unknown separator");
  }
}

TEST(Csv, TakesTheFirstLineOfExcel) {
  for (const std::string first : {"sep=;\n", "sep=;\r\n", "\"sep=;\"\n"}) {
    const auto table = parse_table(first + "a,b;c\n1;2\n");
    EXPECT_EQ(names_of(table), (Row{"a,b", "c"})) << first;
    EXPECT_EQ(table.lines, (std::vector<int64_t>{3})) << "lines of the file";
    EXPECT_EQ(table.notes.at(0), "columns are separated by semicolons");
  }
  refused("sep=;\na;a\n1;2\n", "t.csv, line 2: the column 'a' appears twice");
  refused("sep=:\na:b\n1\n", "t.csv, line 3 has 1 field");
  EXPECT_EQ(parse_table("sep=:\na:b\n1:2\n").notes.at(0), "columns are separated by ':'");
  for (const std::string first : {"sep=\t\n", "sep=\t\r\n", "\"sep=\t\"\n", "sep=\t \n"}) {
    const auto table = parse_table(first + "a,b\tc\n1,5\t2\n");
    EXPECT_EQ(table.separator, '\t') << first;
    EXPECT_EQ(names_of(table), (Row{"a,b", "c"})) << first;
  }
  EXPECT_EQ(parse_table("sep=; \na;b\n1;2\n").separator, ';');
  EXPECT_EQ(names_of(parse_table("sep=a,b\n1,2\n")), (Row{"sep=a", "b"})) << "a name";
  for (const char none : {'a', '1', '.', '"', '-'}) {
    const std::string name = std::string("sep=") + none;
    EXPECT_EQ(names_of(parse_table(name + "\nx\ny\n")), (Row{none == '"' ? "sep=\"" : name})) << "nothing that divides";
  }
}

TEST(Csv, FindsOutWhetherThereIsAHeader) {
  const auto flowers = parse_table("5.1,3.5,setosa\n7.0,3.2,versicolor\n");
  EXPECT_FALSE(flowers.header);
  EXPECT_EQ(flowers.rows(), 2);
  EXPECT_EQ(names_of(flowers), (Row{"c1", "c2", "c3"}));
  EXPECT_NE(flowers.notes.at(0).find("c1, c2"), std::string::npos);
  EXPECT_FALSE(parse_table("1,2,3\n4,5,6\n").header);
  EXPECT_TRUE(parse_table("id,2019,2020\n1,2,3\n4,5,6\n").header) << "years are names here";
  EXPECT_TRUE(parse_table("a,b\nx,y\nu,v\n").header) << "nothing but texts: the first line names them";
  CsvOptions options;
  options.header = true;
  EXPECT_EQ(names_of(parse_table("2019,2020\n1,2\n", options)), (Row{"2019", "2020"}));
  options.header = false;
  EXPECT_EQ(parse_table("a,b\nx,y\n", options).rows(), 2);
}

/// A model whose training file has no header knows how wide its rows are.
TEST(Csv, TakesOneLineForARowWhereColumnsHaveNoNames) {
  CsvOptions options;
  options.unnamed = UnnamedColumns{2, 3};
  const auto one = parse_table("5.1,setosa\n", options);
  EXPECT_FALSE(one.header);
  EXPECT_EQ(names_of(one), (Row{"c1", "c2"}));
  EXPECT_EQ(parse_table("x,y\nu,v\n", options).rows(), 2) << "texts alone do not show a header";
  EXPECT_TRUE(parse_table("id,2019\n1,2\n3,4\n", options).header) << "names above numbers do";
  EXPECT_TRUE(parse_table("c2,c1\nx,y\n", options).header) << "and so do the names themselves";
  const auto refuses = [&](const std::string& text) {
    expect_error([&] { parse_table(text, options); },
                 "t.csv: no rows below the header; --no-header takes the first line "
                 "for a row");
  };
  refuses("x,y,z,w\n");
  refuses("x\n");
  refuses("c1,y\n");
  options.header = true;
  expect_error([&] { parse_table("x,y\n", options); }, "t.csv: no rows below the header");
}

TEST(Csv, KnowsTheNumberOfAColumnWithoutAName) {
  EXPECT_EQ(column_number("c1"), 1U);
  EXPECT_EQ(column_number("c20000"), 20000U);
  for (const char* other : {"", "c", "c0", "c01", "C1", "c1x", "d1", "c12345678", "1"}) {
    EXPECT_EQ(column_number(other), 0U) << other;
  }
}

TEST(Csv, TakesNumbersOfColumnsForTheirNames) {
  const auto pandas = parse_table("0,1,2\n5,6,7\n8,9,1\n");
  EXPECT_EQ(names_of(pandas), (Row{"0", "1", "2"}));
  EXPECT_EQ(pandas.rows(), 2);
  EXPECT_EQ(pandas.notes,
            Row{"the first line counts 0, 1, 2, ... and is taken for the names of the columns (--no-header if not)"});
  EXPECT_FALSE(parse_table("0,1\n1,1\n0,1\n").header) << "such a row comes again";
  EXPECT_FALSE(parse_table("1,2,3\n5,6,7\n").header);
}

TEST(Csv, TakesTheFirstLineOfTextsForARowWhenItsCellsComeAgain) {
  const auto mushrooms = parse_table("x,s,n\nb,s,n\nx,f,n\n");
  EXPECT_FALSE(mushrooms.header);
  EXPECT_EQ(mushrooms.rows(), 3);
  EXPECT_TRUE(parse_table("x,s,kind\nb,s,n\nx,f,n\n").header) << "one of them is a name";
}

TEST(Csv, LeavesOutWhatOnlyAnExportPutThere) {
  const auto index = parse_table(",a,b\n0,1,2\n1,3,4\n");
  EXPECT_EQ(names_of(index), (Row{"a", "b"}));
  EXPECT_NE(index.notes.at(0).find("index"), std::string::npos);
  const auto trailing = parse_table("a;b;\n1;2;\n3;4;\n");
  EXPECT_EQ(names_of(trailing), (Row{"a", "b"}));
  const auto again = parse_table("Unnamed: 0,a,b\n0,1,2\n1,3,4\n");
  EXPECT_EQ(names_of(again), (Row{"a", "b"})) << "an index that was read and written again";
  EXPECT_EQ(again.index, "Unnamed: 0");
  EXPECT_EQ(again.notes, Row{"the first column is called 'Unnamed: 0': taken for the index of an export and left out"});
  refused("a,b,\n1,2,3\n", "t.csv, line 1: column 3 has no name");
}

TEST(Csv, TakesWhatExportsWriteForNothing) {
  const auto table = parse_table("a,b\n1,x\nNA,\n,n/a\nnan,?\n2,null\n");
  EXPECT_EQ(table.columns[0].missing, 3);
  EXPECT_TRUE(std::isnan(numbers_of(table.columns[0])[1]));
  EXPECT_EQ(texts_of(table.columns[1]), (Row{"x", "-", "-", "-", "-"}));
  EXPECT_EQ(missing_words(table.columns[0]), "is missing ('NA')");
  EXPECT_EQ(missing_words(table.columns[1]), "is empty");
  const auto dashes = parse_table("a,b\n1,x\n-,--\n<NA>,n.a.\n");
  EXPECT_EQ(dashes.columns[0].missing, 2);
  EXPECT_EQ(dashes.columns[1].missing, 2);
  const auto signs = parse_table("a,b\n1,+\n-,-\n");
  EXPECT_EQ(signs.columns[1].values, (Row{"+", "-"})) << "the opposite of +";
  EXPECT_EQ(signs.columns[0].missing, 1);
}

/// Wherever in the column the + stands.
TEST(Csv, TakesADashBesideAPlusForAText) {
  std::string text = "a,b,c\n";
  for (int i = 0; i < 1500; ++i) text += i % 2 == 0 ? "-,-,\n" : "x,-,y\n";
  const auto late = parse_table(text + "+,+,-\n");
  EXPECT_EQ(late.columns[0].values, (Row{"-", "x", "+"}));
  EXPECT_EQ(late.columns[0].missing, 0);
  EXPECT_EQ(late.columns[1].values, (Row{"-", "+"})) << "also where all before it are dashes";
  EXPECT_EQ(late.columns[2].values, Row{"y"});
  EXPECT_EQ(late.columns[2].missing, 751);
  EXPECT_EQ(missing_words(late.columns[2]), "is empty") << "the first of them";
  const auto none = parse_table(text + "z,1,NA\n");
  EXPECT_EQ(none.columns[0].values, (Row{"x", "z"}));
  EXPECT_EQ(none.columns[0].missing, 750);
  EXPECT_EQ(missing_words(none.columns[0]), "is missing ('-')");
  std::string numbers = "a,b\n";
  for (int i = 0; i < 1500; ++i) numbers += "-,1\n";
  const auto again = parse_table(numbers + "NA,1\nx,1\n");
  EXPECT_EQ(again.columns[0].missing, 1501) << "read as numbers first";
  EXPECT_EQ(missing_words(again.columns[0]), "is missing ('-')");
  EXPECT_EQ(texts_of(parse_table("a,b\nNA,1\n-,2\nx,3\n-,4\ny,5\n").columns[0]), (Row{"-", "-", "x", "-", "y"}));
  EXPECT_EQ(missing_words(parse_table("a,b\nx,1\nNA,1\n-,2\n").columns[0]), "is missing ('NA')");
}

TEST(Csv, SkipsRowsWithoutContentAtTheEnd) {
  for (const std::string end : {";\n", ";\r\n ;\r\n", "\n;\n\n;", " ; \n"}) {
    const auto table = parse_table("a;b\n1;2\n3;\n" + end);
    EXPECT_EQ(table.rows(), 2) << end;
    EXPECT_EQ(table.columns[1].missing, 1) << end;
  }
  EXPECT_EQ(parse_table("a;b\n1;2\n;\n3;4\n").rows(), 3) << "in the middle it is a row";
  EXPECT_EQ(texts_of(parse_table("a;b\n1;\"x\n;\n\"\n").columns[1]), (Row{"x\n;\n"})) << "within quotes";
  refused(";;\n;;\n", "t.csv, line 1: the names of the columns are missing");
}

/// They may have been meant as rows, and whoever counts rows must know that they are not.
TEST(Csv, SaysWhichRowsWithoutContentItSkips) {
  const auto notes = [](const std::string& end) { return parse_table("a,b\n1,2\n\"x\ny\",4\n" + end).notes; };
  EXPECT_EQ(notes(",\n , \r\n,\n"), Row{"3 rows at the end, from line 5 on, without a single cell are left out"});
  EXPECT_EQ(notes("\n,"), Row{"1 row at the end, from line 6 on, without a single cell is left out"});
  EXPECT_TRUE(notes("\n\n  \n\t\n").empty()) << "lines without a separator are no rows";
  EXPECT_EQ(parse_table("sep=;\na;b\n1;2\n;\n").notes.at(1),
            "1 row at the end, from line 4 on, without a single cell is left out");
  CsvOptions blanks;
  blanks.separator = ' ';
  EXPECT_TRUE(parse_table("a b\n1 2\n  \n", blanks).notes.empty());
}

TEST(Csv, TakesLineEndsOfOldMacs) {
  const auto table = parse_table("a,b\r1,x\r2,y\r");
  EXPECT_EQ(numbers_of(table.columns[0]), (std::vector<double>{1, 2}));
  EXPECT_EQ(texts_of(table.columns[1]), (Row{"x", "y"}));
  refused("a,b\r1,x\r2\r", "t.csv, line 3 has 1 field");
  EXPECT_EQ(texts_of(parse_table("a,b\n1,\"x\ry\"\n").columns[1]), Row{"x\ry"})
      << "where lines end in LF it is a letter";
}

TEST(Csv, ReservesAsManyRowsAsThereSeemToBe) {
  const auto capacity = [](const std::string& text) { return parse_table(text).columns[0].numbers.capacity(); };
  std::string text = "a,b\n";
  for (int i = 0; i < 1000; ++i) text += "1," + std::string(200, 'x') + "\n";
  EXPECT_LT(capacity(text), 1200U) << "whatever the length of the first line";
  EXPECT_LT(capacity("a,b\n1,2"), 5U);
}

TEST(Csv, ReadsAColumnAgainWhenATextComesLate) {
  std::string text = "a,b\n";
  for (int i = 0; i < 500; ++i) text += "01," + std::to_string(i) + "\n";
  const auto table = parse_table(text + "x,1\n");
  EXPECT_EQ(table.columns[0].values, (Row{"01", "x"})) << "as they were written";
  EXPECT_EQ(table.columns[0].codes.size(), 501U);
  EXPECT_EQ(numbers_of(table.columns[1]).size(), 501U);
  CsvOptions options;
  options.as_texts = {"b"};
  EXPECT_EQ(parse_table("a,b\n1,02\n", options).columns[1].values, (Row{"02"}));
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
  refused("", "t.csv is empty; expected a line with the names of the columns, and rows below it");
  refused("\n\n", "t.csv holds nothing but empty lines; expected");
  refused("\n1,2\n", "t.csv, line 1: the names of the columns are missing");
  refused("a,,c\n1,2,3\n", "t.csv, line 1: column 2 has no name");
  refused("a,b,a\n1,2,3\n", "t.csv, line 1: the column 'a' appears twice");
  std::string many = "c0";
  for (int i = 1; i < 100000; ++i) many += ",c" + std::to_string(i);
  refused(many + "\n", "t.csv: 100000 columns, but at most 20000 are read");
  std::string long_names = "a";
  for (int i = 0; i < 60000; ++i)
    long_names += ",the name of a column that is about eighty bytes long as programs make them " + std::to_string(i);
  refused(long_names + "\n1\n", "t.csv: 60001 columns, but at most 20000 are read");
  refused(long_names, "t.csv: 60001 columns, but at most 20000 are read");
  refused(std::string(5000000, 'a') + ",b\n1,2\n", "t.csv, line 1 is longer than 4 MB");
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
  expect_error([] { find_column(parse_table("1,2\n3,4\n"), "age"); },
               "columns: c1, c2; the first line was taken for a row, --header takes it for the names");
}

}  // namespace arks
