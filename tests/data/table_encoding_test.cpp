#include "data/table_encoding.h"
#include "data/model_interface.h"
#include "data/tabular.h"
#include "support/free_memory.h"
#include "support/testing.h"
#include "support/text.h"

#include <numeric>

namespace arks {

using testing::expect_error;
using testing::identical;

namespace {

constexpr const char* kText =
    "size,colour,day,ok,same,y\n"
    "1,red,2024-01-01,True,7,0\n"
    "2,blue,2024-01-02,False,7,1\n"
    ",red,2024-01-04,True,7,0\n"
    "6,,2024-01-03,False,7,1\n";

CsvTable table_of(const std::string& text) {
  return parse_csv(text, "t.csv");
}

TableEncoding learn(const CsvTable& table, const TabularOptions& options, std::vector<int64_t> rows = {}) {
  if (rows.empty()) {
    rows.resize(static_cast<size_t>(table.rows()));
    std::iota(rows.begin(), rows.end(), 0);
  }
  return learn_encoding(table, rows, {"y"}, options);
}

torch::Tensor encoded(const std::string& text, const TabularOptions& options) {
  auto table = table_of(text);
  return encode(table, learn(table, options)).values;
}

std::vector<std::string> names_of(const TableEncoding& encoding) {
  std::vector<std::string> names;
  for (const auto& feature : encoding.features()) names.push_back(feature.name);
  return names;
}

void refused(const std::string& text, const TabularOptions& options, const std::string& part) {
  expect_error([&] { learn(table_of(text), options); }, part);
}

TabularOptions with(Missing missing) {
  return TabularOptions().missing(missing);
}

torch::Tensor doubles(std::initializer_list<double> values, int64_t columns) {
  return torch::tensor(std::vector<double>(values), torch::kDouble).reshape({-1, columns});
}

}  // namespace

TEST(TableEncoding, TurnsEveryKindOfColumnIntoNumbers) {
  const auto encoding = learn(table_of(kText), with(Missing::kMedian));
  EXPECT_EQ(names_of(encoding), (std::vector<std::string>{"size", "colour=blue", "colour=red", "day", "ok"}));
  ASSERT_EQ(encoding.left_out.size(), 1U);
  EXPECT_EQ(encoding.left_out[0].name, "same");
  EXPECT_EQ(encoding.left_out[0].why, "constant in the training rows");
  EXPECT_FALSE(encoding.features()[1].quantity);
  EXPECT_FALSE(encoding.features()[4].quantity);
  const double day = 19723;  // 1 January 2024
  EXPECT_TRUE(identical(encoded(kText, with(Missing::kMedian)),
                        doubles({1, 0, 1, day, 1, 2, 1, 0, day + 1, 0, 2, 0, 1, day + 3, 1, 6, 0, 1, day + 2, 0}, 5)))
      << "medians 2 and red";
}

TEST(TableEncoding, FillsMissingCellsAsTold) {
  EXPECT_EQ(encoded(kText, with(Missing::kMean))[2][0].item<double>(), 3);
  const auto encoding = learn(table_of(kText), with(Missing::kIndicator));
  EXPECT_EQ(names_of(encoding), (std::vector<std::string>{"size", "size is missing", "colour=blue", "colour=red",
                                                          "colour is missing", "day", "ok"}));
  const auto values = encoded(kText, with(Missing::kIndicator));
  EXPECT_TRUE(identical(values[2].slice(0, 0, 5), doubles({2, 1, 0, 1, 0}, 5)[0]));
  EXPECT_TRUE(identical(values[3].slice(0, 0, 5), doubles({6, 0, 0, 0, 1}, 5)[0]));
  refused(kText, TabularOptions(),
          "t.csv: cells are missing in 2 columns: 'size' 1 cell, 'colour' 1 cell; --missing median, mean or indicator");
}

TEST(TableEncoding, IsLearnedOnTheTrainingRowsAlone) {
  const std::string text = "a,c,y\n1,x,0\n3,y,0\n100,z,1\n,z,1\n";
  auto table = table_of(text);
  const auto encoding = learn(table, with(Missing::kMedian), {0, 1});
  EXPECT_EQ(encoding.columns[0].fill, 2);
  EXPECT_EQ(encoding.columns[1].values, (std::vector<std::string>{"x", "y"}));
  const auto result = encode(table, encoding);
  EXPECT_TRUE(identical(result.values, doubles({1, 1, 0, 3, 0, 1, 100, 0, 0, 2, 0, 0}, 3))) << result.values;
  ASSERT_EQ(result.notes.size(), 2U);
  EXPECT_NE(result.notes[0].find("column 'a': 1 missing cell is filled with 2"), std::string::npos);
  EXPECT_NE(result.notes[1].find("2 rows have a value that the training rows do not have ('z' 2 times)"),
            std::string::npos);
}

TEST(TableEncoding, TakesNumbersAsNamesWhenTold) {
  auto table = parse_csv("zip,y\n01,0\n2,1\n01,0\n", "t.csv", [] {
    CsvOptions options;
    options.as_texts = {"zip"};
    return options;
  }());
  const auto encoding = learn(table, TabularOptions().categorical({"zip"}));
  EXPECT_EQ(names_of(encoding), (std::vector<std::string>{"zip=01", "zip=2"}));
}

TEST(TableEncoding, KnowsTheNumbersOfACategoryHoweverTheyAreWritten) {
  CsvOptions texts;
  texts.as_texts = {"code"};
  const auto learned = [&](const std::string& text) {
    return learn(parse_csv(text, "t.csv", texts), TabularOptions().categorical({"code"}));
  };
  const auto values = [&](const std::string& text, const TableEncoding& encoding) {
    auto table = parse_csv(text, "field.csv", csv_options(encoding, CsvOptions(), {"y"}, /*with_targets=*/false));
    return encode(table, encoding);
  };
  const auto encoding = learned("code,y\n1,0\n2,1\n1,0\n");
  const auto field = values("code,y\n1.0,0\n02,1\n1,0\n2.5,0\nx,0\n", encoding);
  EXPECT_TRUE(identical(field.values, doubles({1, 0, 0, 1, 1, 0, 0, 0, 0, 0}, 2))) << field.values;
  EXPECT_NE(field.notes.at(0).find("2 rows have a value that the training rows do not have ('2.5' once; 'x' once)"),
            std::string::npos);
  EXPECT_TRUE(identical(values("code;y\n1,0;0,5\n2;1\n", encoding).values, doubles({1, 0, 0, 1}, 2)));
  const auto zips = values("code,y\n1,0\n1.0,0\n", learned("code,y\n01,0\n1,1\n01,0\n"));
  EXPECT_TRUE(identical(zips.values, doubles({0, 1, 0, 0}, 2))) << "01 and 1 are two values, and 1.0 is none";
}

TEST(TableEncoding, KnowsADashThatWasAValueInTraining) {
  const auto encoding = learn(table_of("sign,y\n+,0\n-,1\n"), {});
  auto field =
      parse_csv("sign,y\n-,1\n", "field.csv", csv_options(encoding, CsvOptions(), {"y"}, /*with_targets=*/false));
  EXPECT_TRUE(identical(encode(field, encoding).values, doubles({0, 1}, 2)));
}

TEST(TableEncoding, NamesTheCellAmongNumbersWithACommaThatIsNone) {
  const auto encoding = learn(table_of("a;y\n1,5;0\n2,5;1\n"), {});
  auto field = parse_csv("a;y\n1,5;0\n1.234,5;0\nx;1\n", "field.csv");
  expect_error([&] { encode(field, encoding); }, "field.csv, line 4: column 'a' holds the text 'x'; expected a number");
}

TEST(TableEncoding, SaysHowTheFirstMissingCellIsWritten) {
  refused("a,y\n1,0\nNA,1\n,1\n", {}, "t.csv, line 3: column 'a' is missing ('NA'), one of 2 cells of this column");
  const auto encoding = learn(table_of("a,y\n1,0\n2,1\n"), {});
  auto field = table_of("a,y\n1,0\n?,1\n");
  expect_error([&] { encode(field, encoding); }, "t.csv, line 3: column 'a' is missing ('?'); training rows have no");
}

TEST(TableEncoding, MayBeToldToDropAnIndexThatIsLeftOutAlready) {
  const auto table = table_of("Unnamed: 0,a,y\n0,1,0\n1,2,1\n");
  EXPECT_EQ(names_of(learn(table, TabularOptions().drop({"Unnamed: 0"}))), (std::vector<std::string>{"a"}));
}

TEST(TableEncoding, RefusesInputsThatTheMemoryCannotHold) {
  constexpr size_t kRows = 100000;
  std::string text = "a,y\n";
  for (size_t i = 0; i < kRows; ++i) text += "x,0\n";
  TableEncoding encoding;
  ColumnEncoding column;
  column.name = "a";
  column.kind = ColumnKind::kCategory;
  column.values.resize(static_cast<size_t>(physical_memory_bytes() / (8 * kRows)) + 1, "v");
  encoding.columns = {column};
  auto table = table_of(text);
  expect_error([&] { encode(table, encoding); },
               c10::str("t.csv: 100000 rows with ", column.values.size(), " inputs each take "));
}

TEST(TableEncoding, RefusesWithAdvice) {
  refused("a,y\n1,0\nx,1\n3,1\n", {}, "t.csv, line 3: column 'a' holds the text 'x' among 2 numbers; mend the cell");
  std::string ids = "id,a,y\n";
  for (int i = 0; i < 200; ++i) ids += "part-" + std::to_string(i) + "," + std::to_string(i) + ",1\n";
  refused(ids, {}, "t.csv: column 'id' holds 200 different texts, such as 'part-0'; leave it out with --drop, or");
  EXPECT_EQ(names_of(learn(table_of(ids), TabularOptions().drop({"id"}))), (std::vector<std::string>{"a"}));
  EXPECT_EQ(learn(table_of(ids), TabularOptions().categorical({"id"})).features().size(), 201U);
  for (int i = 200; i < 2000; ++i) ids += "part-" + std::to_string(i) + "," + std::to_string(i) + ",1\n";
  refused(ids, TabularOptions().categorical({"id"}), "a category may have at most 1000 values; leave it out");
  refused(kText, TabularOptions().categorical({"y"}), "--categorical: 'y' is the target or the group of t.csv");
  refused(kText, TabularOptions().drop({"y"}), "--drop: 'y' is the target or the group of t.csv");
  refused(kText, TabularOptions().drop({"sise"}), "no column 'sise' (did you mean 'size'?)");
  refused("a,y\n1,0\n1,1\n", {}, "t.csv: no column is left as an input in 2 training rows; 'a' is left out: constant");
  refused("a,y\ninf,0\n1,1\n", {}, "t.csv, line 2: column 'a' is infinite");
}

TEST(TableEncoding, RefusesCellsOfAnotherKindLater) {
  const auto table = table_of(kText);
  const auto encoding = learn(table, with(Missing::kMedian));
  const auto refused_cell = [&](const std::string& row, const std::string& part) {
    auto field = parse_csv("size,colour,day,ok,y\n" + row + "\n", "field.csv",
                           csv_options(encoding, CsvOptions(), {"y"}, /*with_targets=*/false));
    expect_error([&] { encode(field, encoding); }, part);
  };
  refused_cell("x,red,2024-01-01,True,0", "field.csv, line 2: column 'size' holds the text 'x'; expected a number");
  refused_cell("1,red,1.13.2024,True,0", "column 'day' holds the text '1.13.2024'; expected a date like Y-M-D");
  refused_cell("1,red,2024-01-01,maybe,0", "column 'ok' holds the text 'maybe'; expected True or False");
  refused_cell("1,red,20240101,True,0", "column 'day' holds the number 20240101; expected a date like Y-M-D");
  refused_cell("1,red,2024-01-01,2,0", "column 'ok' holds the number 2; expected True or False");
  auto flags = parse_csv("size,colour,day,ok,y\n1,red,2024-01-01,1,0\n", "field.csv",
                         csv_options(encoding, CsvOptions(), {"y"}, /*with_targets=*/false));
  EXPECT_NO_THROW(encode(flags, encoding));
  auto shorter = table_of("size,colour,day,y\n1,red,2024-01-01,0\n");
  expect_error([&] { encode(shorter, encoding); }, "t.csv: no column 'ok'");
}

TEST(TableEncoding, TakesUnitsOffNumbersWhereEveryCellHasIt) {
  const auto table = table_of("share;price;y\n7,6 %;$5;0\n8 %;$1.549,50;1\n;$7;0\n");
  const auto encoding = learn(table, with(Missing::kMedian));
  ASSERT_EQ(encoding.columns.size(), 2U);
  EXPECT_EQ(encoding.columns[0].unit, "%");
  EXPECT_EQ(encoding.columns[1].unit, "$");
  auto copy = table;
  EXPECT_TRUE(identical(encode(copy, encoding).values, doubles({7.6, 5, 8, 1549.5, 7.8, 7}, 2)));
  const auto later = [&](const std::string& text) {
    auto other = table_of(text);
    return encode(other, encoding).values;
  };
  EXPECT_TRUE(identical(later("share;price\n5 %;$2\n6%;$3\n"), doubles({5, 2, 6, 3}, 2)));
  expect_error([&] { later("share;price\n5 ‰;$2\n"); }, "holds the text '5 ‰'; expected a number with the unit '%'");
  expect_error([&] { later("share;price\n5 %;€2\n"); }, "expected a number with the unit '$', as in training");
  expect_error([&] { later("share;price\n5;$2\n"); }, "holds the number 5; expected a number with the unit '%'");
}

/// Two units, and what only looks like one.
TEST(TableEncoding, LeavesOtherTextsAlone) {
  const auto kinds = [](const std::string& text) {
    const auto table = table_of(text);
    return learn(table, {}).columns[0].kind;
  };
  EXPECT_EQ(kinds("size,y\n5 kg,0\n500 g,1\n2 t,0\n"), ColumnKind::kCategory);
  EXPECT_EQ(kinds("size,y\nA1,0\nA2,1\nA1,0\n"), ColumnKind::kCategory);
  EXPECT_EQ(kinds("size,y\n1a,0\n2a,1\n1a,0\n"), ColumnKind::kCategory);
}

/// One bad cell must not turn a column into names.
TEST(TableEncoding, NamesTheCellThatIsNoDateFlagOrUnitAsTheOthersAre) {
  const auto column = [](const std::vector<std::string>& cells) {
    std::string text = "a,y\n";
    for (const auto& cell : cells) text += cell + ",0\n";
    return text;
  };
  const std::string advice = "; mend the cell, or use --categorical or --drop for this column";
  refused(column({"2024-01-01", "2024-01-02", "2024-01-02", "2024-13-02"}), {},
          "t.csv, line 5: column 'a' holds the text '2024-13-02' among 3 dates like Y-M-D" + advice);
  refused(column({"True", "False", "treu", "False"}), {},
          "t.csv, line 4: column 'a' holds the text 'treu' among 3 cells that are True or False" + advice);
  refused(column({"5 kg", "x", "7 kg"}), {},
          "t.csv, line 3: column 'a' holds the text 'x' among 2 numbers with the unit 'kg'" + advice);
  refused(column({"5 %", "6 %", "7"}), {},
          "t.csv, line 4: column 'a' holds the text '7' among 2 numbers with the unit '%'" + advice);
  const auto kind = [&](const std::vector<std::string>& cells, const TabularOptions& options) {
    return learn(table_of(column(cells)), options).columns[0].kind;
  };
  EXPECT_EQ(kind({"True", "False", "x", "y"}, {}), ColumnKind::kCategory) << "no more than the others";
  EXPECT_EQ(kind({"18 to 25", "18 to 25", "26 to 35"}, {}), ColumnKind::kCategory) << "a name with numbers in it";
  EXPECT_EQ(kind({"1 - low", "1 - low", "2 - high"}, {}), ColumnKind::kCategory);
  EXPECT_EQ(kind({"True", "False", "treu"}, TabularOptions().categorical({"a"})), ColumnKind::kCategory) << "as told";
}

TEST(TableEncoding, KnowsTheNumbersOfACategoryWithADecimalComma) {
  CsvOptions texts;
  texts.as_texts = {"code"};
  const auto encoding =
      learn(parse_csv("code;a;y\n1,5;0,5;0\n2,5;1,5;1\n", "t.csv", texts), TabularOptions().categorical({"code"}));
  auto field = parse_csv("code,a\n1.5,0.5\n2.50,0.5\n1.50,0.7\n", "field.csv",
                         csv_options(encoding, CsvOptions(), {"y"}, /*with_targets=*/false));
  EXPECT_TRUE(identical(encode(field, encoding).values, doubles({1, 0, 0.5, 0, 1, 0.5, 1, 0, 0.7}, 3)));
}

TEST(TableEncoding, SaysWhatStandsForAMissingCell) {
  const auto day = learn(table_of("day,y\n2024-01-01,0\n2024-01-02,1\n,0\n"), with(Missing::kMedian)).columns[0];
  EXPECT_EQ(day.fill, 19723.5);
  EXPECT_EQ(filled_with(day), "2024-01-01") << "and no count of days";
  EXPECT_EQ(filled_with(learn(table_of("a,y\n1,0\n2,1\n"), {}).columns[0]), "1.5");
  const std::string colours = "colour,y\nred,0\nred,1\nblue,0\n,1\n";
  EXPECT_EQ(filled_with(learn(table_of(colours), with(Missing::kMedian)).columns[0]), "'red'");
  EXPECT_EQ(filled_with(learn(table_of(colours), with(Missing::kIndicator)).columns[0]), "no value");
}

/// What never changed in training is no input, and nobody would notice that it does now.
TEST(TableEncoding, SaysThatAConstantHasChanged) {
  const auto encoding = learn(table_of("a,k,t,y\n1,5,on,0\n2,5,on,1\n3,,on,1\n"), with(Missing::kMedian));
  EXPECT_EQ(names_of(encoding), (std::vector<std::string>{"a"}));
  const auto notes = [&](const std::string& rows) {
    auto field =
        parse_csv("a,k,t,y\n" + rows, "field.csv", csv_options(encoding, CsvOptions(), {"y"}, /*with_targets=*/false));
    return join(encode(field, encoding).notes);
  };
  EXPECT_EQ(notes("1,5,on,0\n2,,on,1\n"), "");
  EXPECT_NE(notes("1,6,on,0\n2,5,on,1\n").find("column 'k' is '5' in all training rows but not in 1 row here"),
            std::string::npos)
      << notes("1,6,on,0\n2,5,on,1\n");
  CsvOptions texts;
  texts.as_texts = {"k"};
  const auto comma =
      learn(parse_csv("a;k;y\n1,5;2,5;0\n2,5;2,5;1\n", "t.csv", texts), TabularOptions().categorical({"k"}));
  auto same = table_of("a,k\n1.5,2.5\n1.5,2.5\n");
  EXPECT_TRUE(encode(same, comma).notes.empty()) << "2,5 in training is 2.5 here";
  EXPECT_NE(notes("1,5,off,0\n2,5,off,1\n").find("column 't' is 'on' in all training rows but not in 2 rows here"),
            std::string::npos);
}

/// A value by its name, and null where a missing cell is none of them; older files have its place in either case.
TEST(ModelInterface, SaysWhatStandsForAMissingCell) {
  const std::string text = "a,b,y\n1,x,0\n2,z,1\n,,2\n4,z,3\n";
  const auto splits = split_table(parse_csv_table(text, "t.csv", with(Missing::kMedian)), with(Missing::kMedian), true);
  for (const auto missing : {Missing::kMedian, Missing::kIndicator}) {
    const bool filled = missing == Missing::kMedian;
    const auto encoding = learn(table_of(text), with(missing));
    auto interface = interface_of(*splits.train, "y", &encoding);
    interface.input_mean = interface.input_deviation = torch::Tensor();
    interface.features.clear();
    interface.input_shape = {static_cast<int64_t>(encoding.features().size())};
    const auto now = to_json(interface);
    const std::string number = "\"missing\":2.0,", value = filled ? "\"missing\":\"z\"," : "\"missing\":null,";
    ASSERT_NE(now.find(number), std::string::npos) << now;
    ASSERT_NE(now.find(value), std::string::npos) << now;
    auto older = now;
    older.replace(older.find(value), value.size(), "\"missing\":1.0,");
    for (const auto& file : {now, older}) {
      const auto again = parse_interface(file, "model.pt").table->columns;
      EXPECT_TRUE(again == encoding.columns) << file;
      EXPECT_EQ(filled_with(again[1]), filled ? "'z'" : "no value");
    }
  }
}

TEST(ModelInterface, ReadsBackAsItWas) {
  constexpr const char* kSmall = "a,b,d,y\n1,x,2024-01-01,0.5\n2,y,2024-01-02,1.5\n4,x,2024-01-04,2.5\n";
  const auto splits = split_table(parse_csv_table(kSmall, "t.csv", TabularOptions()), TabularOptions(),
                                  /*standardise_by_default=*/true);
  const auto encoding = learn(table_of(kSmall), with(Missing::kIndicator));
  const auto interface = interface_of(*splits.train, "y", &encoding);
  const auto text = to_json(interface);
  const auto again = parse_interface(text, "model.pt");
  EXPECT_EQ(to_json(again), text);
  EXPECT_TRUE(again.takes_scaled && again.gives_scaled);
  EXPECT_EQ(names_of(*again.table), names_of(encoding));
  EXPECT_EQ(again.table->decimal, '.') << "as in 0.5";
  auto older = text;
  older.replace(older.find(",\"decimal\":\".\""), 14, "");
  EXPECT_FALSE(parse_interface(older, "model.pt").table->decimal.has_value());
  EXPECT_TRUE(identical(again.input_mean, splits.train->info().input_mean));
  EXPECT_TRUE(again.info().target_mean.defined());
  const auto damaged = [&](const std::string& was, const std::string& is, const std::string& part) {
    const auto place = text.find(was);
    ASSERT_NE(place, std::string::npos) << was << " in " << text;
    auto changed = text;
    changed.replace(place, was.size(), is);
    expect_error([&] { parse_interface(changed, "model.pt"); }, "model.pt: its description of the inputs is damaged: ");
    expect_error([&] { parse_interface(changed, "model.pt"); }, part);
  };
  damaged("\"values\":[\"x\",\"y\"],\"missing\":\"x\"", "\"values\":[\"x\",\"y\"],\"missing\":50000000",
          "'b' is none of its");
  damaged("\"values\":[\"x\",\"y\"],\"missing\":\"x\"", "\"values\":[\"x\",\"y\"],\"missing\":1.5",
          "'b' is none of its values");
  damaged("\"missing\":\"x\"", "\"missing\":\"z\"", "'b' is none of its values");
  damaged("\"missing\":\"x\"", "\"missing\":null", "null");
  damaged("\"features\":[{", "\"features\":[{\"name\":\"z\",\"column\":\"z\",\"quantity\":true,\"date\":false},{",
          "the features are not as many as the inputs");
  damaged("\"target_names\":[\"y\"]", "\"target_names\":[\"y\",\"z\"]",
          "1 means and 1 deviations; there are 2 targets");
  damaged("\"values\":[\"x\",\"y\"]", "\"values\":[\"x\"]", "do not make as many inputs");
  damaged("\"decimal\":\".\"", "\"decimal\":\"x\"", "unknown decimal sign 'x'");
  damaged("\"Y-M-D\"", "\"Y\"", "unknown format of dates");
  damaged("\"name\":\"b\",\"kind\"", "\"name\":\"a\",\"kind\"", "'a' appears twice");
  damaged("\"classes\":0", "\"classes\":1152921504606846976", "the number of classes");
  damaged("\"shape\":[4]", "\"shape\":[4000000000,4000000000]", "shape");
  expect_error([] { parse_interface("{}", "model.pt"); }, "model.pt: its description of the inputs cannot be read");
  expect_error([] { parse_interface(R"({"arks_interface": 9})", "model.pt"); }, "in format 9; this version reads 1");
  expect_error([] { parse_interface(R"({"arks_interface": 1})", "model.pt"); }, "is damaged");
}

}  // namespace arks
