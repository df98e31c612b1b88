// What somebody runs into in the first hour with files of his own: each is said in one line that helps.
#include "cli/own_data.h"

namespace arks {

namespace fs = std::filesystem;
using testing::write_npy;

class Newcomer : public testing::OwnDataTest {
 protected:
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  /// Rows made of their number.
  template <typename Row>
  void write_rows(const std::string& name, const std::string& header, int64_t count, const Row& row) const {
    std::string text = header + "\n";
    for (int64_t i = 0; i < count; ++i) text += row(i) + "\n";
    write(name, text);
  }
  static std::string varied(int64_t i) { return std::to_string(static_cast<double>((i * 37) % 101) / 4); }
  static std::string decimal(double number) { return std::to_string(number); }
};

TEST_F(Newcomer, TargetsThatTeachNothingAreRefused) {
  write_rows("same.csv", "a,b,y", 40, [](auto i) { return varied(i) + "," + varied(i + 7) + ",3.5"; });
  const std::string why =
      "same.csv: the target 'y' is 3.5 in all 32 training rows, so there is nothing to learn; is "
      "it the right column? --target names it";
  train_refused({"--data", "same.csv"}, why);
  const auto shown = arks({"data", "show", "same.csv"});
  EXPECT_EQ(shown.exit_code, 2);
  expect_said(shown, why);
  EXPECT_NE(shown.out.find("standardised"), std::string::npos) << "its columns are shown all the same";
  write_rows("two.csv", "a,u,v", 40, [](auto i) { return varied(i) + "," + varied(i + 7) + ",3.5"; });
  expect_said(train("two", {"--data", "two.csv", "--target", "u,v"}),
              "the target 'v' is 3.5 in all 32 training rows: nothing can be learned of it");
  write_rows("number.csv", "a,number", 40, [](auto i) { return varied(i) + "," + std::to_string(i); });
  expect_said(succeed({"data", "show", "number.csv"}), "the target 'number' counts the rows; is it the right column?");
  write_npy(folder_ / "x.npy", testing::normal({30, 3, 8, 8}).sigmoid());
  write_npy(folder_ / "same.npy", torch::full({30}, 1.5));
  train_refused({"--data", "x.npy", "--targets", "same.npy"},
                "the target 'same.npy' is 1.5 in all 24 training images, so there is nothing to learn; is it the right "
                "file? --targets names it");
  write_npy(folder_ / "id.npy", torch::arange(30));
  train_refused({"--data", "x.npy", "--targets", "id.npy"}, "the target 'id.npy' has 30 classes in 30 rows");
}

TEST_F(Newcomer, FieldDataThatCannotBeMeantAreSaid) {
  const std::vector<std::string> cities{"Köln", "Bonn", "Aachen"};
  const auto row = [&](int64_t i, double warmer, double longer, const std::string& city) {
    const double temperature = static_cast<double>((i * 37) % 101) / 5, length = 1 + static_cast<double>(i % 7) / 10;
    return decimal(temperature * warmer + (warmer > 1 ? 32 : 0)) + "," + decimal(length * longer) + "," + city + "," +
           decimal(temperature + length);
  };
  const std::string header = "temp,length,city,y";
  const auto place = [&](int64_t i) { return cities[static_cast<size_t>(i % 3)]; };
  write_rows("train.csv", header, 60, [&](auto i) { return row(i, 1, 1, place(i)); });
  write_rows("same.csv", header, 20, [&](auto i) { return row(i + 9, 1, 1, place(i)); });
  write_rows("units.csv", header, 20, [&](auto i) { return row(i + 9, 1.8, 0.001, place(i)); });
  const std::vector<std::string> others{"Koeln", "KÖLN", "Bonn", "Berlin"};
  write_rows("cities.csv", header, 20, [&](auto i) { return row(i, 1, 1, others[static_cast<size_t>(i % 4)]); });
  train("run", {"--data", "train.csv", "--quiet"});
  const std::string far = "arks: warning: units.csv: columns are far from the training rows: 'temp' (median ";
  const std::string unknown =
      "column 'city': 15 rows have a value that the training rows do not have ('Berlin' 5 "
      "times; 'Koeln' 5 times, did you mean 'Köln'?; 'KÖLN' 5 times, did you mean 'Köln'?)";
  for (const bool predicts : {false, true}) {
    const auto use = [&](const std::string& file) {
      return succeed(predicts ? Arguments{"predict", "run", "--data", file, "--quiet"}
                              : Arguments{"evaluate", "run", "--test-data", file, "--eps", "0", "--quiet"});
    };
    EXPECT_EQ(use("same.csv").err.find("far from"), std::string::npos);
    expect_said(use("units.csv"), far);
    expect_said(use("units.csv"), "'length' (median 0.0013, there 1 to 1.6); other units?");
    expect_said(use("cities.csv"), unknown);
  }
}

TEST_F(Newcomer, AFewNumbersFarFromTrainingAreSaid) {
  const auto row = [](int64_t i, bool code) {
    return (code ? "-9999" : decimal(static_cast<double>(i * 37 % 101) / 5)) + "," + decimal(static_cast<double>(i));
  };
  write_rows("train.csv", "temp,y", 60, [&](auto i) { return row(i, false); });
  write_rows("same.csv", "temp,y", 40, [&](auto i) { return row(i + 9, false); });
  write_rows("codes.csv", "temp,y", 40, [&](auto i) { return row(i + 9, i % 20 == 0); });
  train("run", {"--data", "train.csv", "--quiet"});
  for (const bool predicts : {false, true}) {
    const auto use = [&](const std::string& file) {
      return succeed(predicts ? Arguments{"predict", "run", "--data", file, "--quiet"}
                              : Arguments{"evaluate", "run", "--test-data", file, "--eps", "0", "--quiet"});
    };
    EXPECT_EQ(use("same.csv").err.find("far from"), std::string::npos);
    expect_said(use("codes.csv"), "codes.csv: a column is far from the training rows: 'temp' (2 of 40 numbers beyond ");
    expect_said(use("codes.csv"), " by more than that range, such as -9999); codes for missing values?");
  }
}

TEST_F(Newcomer, CodesForMissingValuesAreSaidBeforeTraining) {
  const auto number = [](int64_t i, bool code) {
    return code ? "-9999" : decimal(static_cast<double>(i * 37 % 101) / 5);
  };
  write_rows("codes.csv", "temp,y", 60, [&](auto i) { return number(i, i % 20 == 0) + "," + number(i * i, i == 7); });
  write_rows("target.csv", "temp,y", 60, [&](auto i) { return number(i, i == 7) + "," + number(i * i, i % 20 == 0); });
  const std::string says = "' holds -9999 3 times, far from all else: a code for a missing value? ";
  const std::string input = "column 'temp" + says + "Empty these cells in the file, and --missing says what stands";
  const std::string target = "the target 'y" + says + "Leave these rows out";
  for (const auto& [file, note] : {std::pair{"codes.csv", input}, std::pair{"target.csv", target}}) {
    const auto shown = succeed({"data", "show", file});
    expect_said(shown, "arks: note: " + note);
    EXPECT_EQ(shown.err.find("holds -9999"), shown.err.rfind("holds -9999")) << "once is no code: " << shown.err;
    expect_said(train(file + std::string(".run"), {"--data", file, "--epochs", "1"}), note);
  }
}

TEST_F(Newcomer, FlagsThatDoNotFitTheFileAreNamed) {
  write_rows("semicolons.csv", "a;b;y", 30, [](auto i) { return c10::str(i, ",5;", i % 5, ",2;", i, ",75"); });
  write_rows("commas.csv", "a,b,y", 30, [](auto i) { return c10::str(i, ".5,", i % 5, ".2,", i, ".75"); });
  train_refused({"--data", "semicolons.csv", "--sep", "comma"},
                "--sep comma was given, but columns look separated by semicolons; so read, ");
  train_refused({"--data", "commas.csv", "--sep", ";"},
                "--sep semicolon was given, but columns look separated by commas; so read, ");
  train_refused({"--data", "semicolons.csv", "--decimal", "point"},
                "--decimal point was given, but numbers look as if written with a comma; so read, ");
  const auto shown = arks({"data", "show", "commas.csv", "--decimal", "comma"});
  EXPECT_EQ(shown.exit_code, 2);
  expect_said(shown, "arks: --decimal comma was given, but numbers look as if written with a point; so read, ");
  train("run", {"--data", "commas.csv", "--quiet"});
  refused({"predict", "run", "--data", "semicolons.csv", "--sep", "comma"}, "--sep comma was given, but columns look");
  write_rows("few.csv", "a;y", 40, [](auto i) { return c10::str(i % 4, ",5;", i, "0"); });
  expect_said(succeed({"data", "show", "few.csv", "--decimal", "point"}),
              "arks: note: --decimal point was given, but numbers look as if written with a comma");
  refused({"data", "show", "none.csv", "--sep", "comma"}, "none.csv");
  write("empty.csv", "");
  train_refused({"--data", "empty.csv"}, "empty.csv is empty; expected a line with the names of the columns, and rows");
}

TEST_F(Newcomer, WhatWasMadeOfCellsIsSaid) {
  write_rows("cells.csv", "zip,day,profit,width,patient,y", 60, [](auto i) {
    const auto profit = i % 4 == 0 ? c10::str("(", i % 7, ".25)") : (i % 4 == 1 ? "\u2212" : "") + varied(i);
    return c10::str("0", 1000 + (i * 37) % 50, ",", 1 + i % 28, "/0", 1 + i % 9, "/2023,", profit, ",", i % 7, ".5 ",
                    i % 2 == 0 ? "\u00b5m" : "\u03bcm", ",p", i / 6, ",", varied(i));
  });
  const auto result = succeed({"data", "show", "cells.csv", "--group", "patient"});
  expect_said(result,
              "column 'zip' has leading zeros, as in '01000': read as numbers; if they are codes, --categorical");
  expect_said(result, "column 'day': dates are read as D/M/Y, the day first, since not all of them can be read");
  expect_said(result, "column 'profit': 15 numbers in parentheses are read as negative; --categorical keeps");
  expect_said(result, "column 'width' is read as numbers in \u00b5m");
  EXPECT_NE(result.out.find("keeps its rows in one"), std::string::npos) << result.out;
  expect_said(train("run", {"--data", "cells.csv", "--group", "patient"}),
              "; rows with the same 'patient' stay in one part");
  write_rows("money.csv", "a,y", 60,
             [](auto i) { return c10::str(i % 6 == 0 ? "($" : "$", i, i % 6 == 0 ? ".50)," : ".50,", varied(i)); });
  const auto money = succeed({"data", "show", "money.csv"});
  expect_said(money, "column 'a': 10 numbers in parentheses are read as negative; --categorical keeps them as texts");
  expect_said(succeed({"data", "show", "money.csv", "--target", "a"}),
              "the target 'a': 10 numbers in parentheses are read as negative");
  EXPECT_NE(money.out.find("-54.5 to 59.5 $"), std::string::npos) << money.out;
  write_rows("days.csv", "day,y", 40,
             [](auto i) { return c10::str(1 + i % 12, "/0", 1 + i % 9, "/2023,", varied(i)); });
  train_refused({"--data", "days.csv"}, "--dates day-first or month-first says which comes first");
  expect_said(succeed({"data", "show", "days.csv", "--dates", "month-first"}),
              "column 'day': dates are read as M/D/Y, the month first, as --dates says");
  write_rows("gaps.csv", "a,b,c,y", 40, [](auto i) {
    return (i % 3 == 0 ? "" : varied(i)) + "," + (i % 4 == 0 ? "NA" : varied(i + 3)) + "," + varied(i) + "," +
           varied(i);
  });
  train_refused({"--data", "gaps.csv"},
                "gaps.csv: cells are missing in 2 columns: 'a' 14 cells, 'b' 10 cells; --missing median, mean or "
                "indicator fills them, --drop leaves the column out");
  write_rows("glued.csv", "a,y", 60, [](auto i) { return c10::str(i, "mm,", varied(i)); });
  train_refused({"--data", "glued.csv"}, "; a unit is taken off where a blank stands before it, as in '0 mm'");
}

TEST_F(Newcomer, BytesInFloatingPointAreBytes) {
  const auto bytes = (testing::normal({30, 3, 8, 8}).sigmoid() * 255).round();
  write_npy(folder_ / "bytes.npy", bytes.to(torch::kByte));
  write_npy(folder_ / "floats.npy", bytes.to(torch::kFloat));
  write_npy(folder_ / "unit.npy", (bytes / 255).to(torch::kFloat));
  write_npy(folder_ / "uneven.npy", (bytes * 0.99 + 0.3).to(torch::kFloat));
  write_npy(folder_ / "y.npy", torch::arange(30) % 2);
  const auto data = [](const std::string& name) {
    return Arguments{"--data", name, "--targets", "y.npy", "--epochs", "1"};
  };
  const std::string as_bytes = "floats.npy: floating point, but all values are whole numbers from ";
  expect_said(train("floats", data("floats.npy")), as_bytes);
  train("bytes", data("bytes.npy"));
  EXPECT_EQ(last_test_loss("floats"), last_test_loss("bytes"));
  expect_said(train("uneven", data("uneven.npy")),
              " are taken as they are; networks learn better from about 0 to 1, so divide them by 255");
  train("unit", data("unit.npy"));
  // each model takes what stands for the same images, and nothing that stands for others
  const auto losses = [&](const std::string& run, const std::string& file) {
    const auto result =
        succeed({"evaluate", run, "--test-data", file, "--test-targets", "y.npy", "--eps", "0", "--json", "-"});
    return Json::parse(result.out)["points"][0]["loss"].get<double>();
  };
  for (const std::string run : {"bytes", "unit"}) {
    const double loss = losses(run, "bytes.npy");
    EXPECT_NEAR(losses(run, "floats.npy"), loss, 1e-5) << run;
    EXPECT_NEAR(losses(run, "unit.npy"), loss, 1e-5) << run;
  }
  EXPECT_NEAR(losses("uneven", "bytes.npy"), losses("uneven", "floats.npy"), 1e-5);
  refused({"evaluate", "bytes", "--test-data", "uneven.npy", "--test-targets", "y.npy"},
          "uneven.npy holds floating point from ");
}

TEST_F(Newcomer, ImagesInArraysAreResizedAsFilesAre) {
  write_npy(folder_ / "small.npy", (testing::normal({30, 8, 8, 3}).sigmoid() * 255).to(torch::kByte));
  const auto large = (testing::normal({30, 12, 16, 3}).sigmoid() * 255).to(torch::kByte);
  write_npy(folder_ / "large.npy", large);
  write_npy(folder_ / "grey.npy", torch::ones({30, 8, 8}, torch::kByte));
  write_npy(folder_ / "y.npy", torch::arange(30) % 2);
  train("run", {"--data", "small.npy", "--targets", "y.npy", "--quiet"});
  const Arguments evaluate{"evaluate", "run", "--test-targets", "y.npy", "--eps", "0", "--test-data"};
  const auto test = [&](const std::string& file) {
    auto arguments = evaluate;
    arguments.push_back(file);
    return arguments;
  };
  expect_said(succeed(test("large.npy")), "images of 12x16 are resized to 8x8 (height x width)");
  refused(test("grey.npy"), "grey.npy: images of 1 channel, but the model was trained on small.npy with 3");
  const auto shown = succeed({"data", "show", "large.npy", "--targets", "y.npy", "--resize", "8x8", "--json", "-"});
  EXPECT_EQ(Json::parse(shown.out)["data_set"]["input_shape"], (std::vector<int64_t>{3, 8, 8}));
  train("resized", {"--data", "large.npy", "--targets", "y.npy", "--resize", "6x5", "--quiet"});
  expect_recorded("resized", "resize = \"6x5\"");
  succeed({"evaluate", "resized", "--eps", "0", "--quiet"});
}

TEST_F(Newcomer, TargetsOfArraysThatDoNotFitSayWhatWould) {
  write_npy(folder_ / "x.npy", torch::ones({6, 3, 8, 8}, torch::kByte));
  write_npy(folder_ / "rows.npy", testing::normal({12, 4}));
  write_npy(folder_ / "turned.npy", testing::normal({4, 12}));
  write_npy(folder_ / "y.npy", torch::arange(12) % 2);
  write_npy(folder_ / "deep.npy", torch::zeros({6, 2, 2}));
  write_npy(folder_ / "hot.npy", torch::eye(2).repeat({6, 1}));
  write_npy(folder_ / "grey.npy", testing::normal({12, 5, 7}));
  const auto with = [](const std::string& x, const std::string& y) { return Arguments{"--data", x, "--targets", y}; };
  train_refused(with("x.npy", "y.npy"), "x.npy has 6 rows but y.npy has 12; --targets needs one row for each");
  train_refused(with("x.npy", "deep.npy"), "need --targets of shape [6], or [6, outputs]");
  train_refused(with("turned.npy", "y.npy"), "has shape [4, 12]: save it transposed, so that the first is 12");
  train_refused(with("y.npy", "rows.npy"), "are --data and --targets exchanged?");
  train_refused({"--data", "x.npy"}, "in a second .npy file (--targets)");
  auto classes = with("rows.npy", "hot.npy");
  expect_said(train("hot", classes), "each row of hot.npy has one 1 among zeros: predicted as 2 numbers; if these are");
  classes.insert(classes.end(), {"--task", "classification"});
  train_refused(classes, "classes have one, so save numpy's argmax(axis=1) if a row has one 1");
  expect_said(train("grey", with("grey.npy", "y.npy")),
              "grey.npy: samples of 5x7 are taken for rows of a table; save images as [n, 1, 5, 7], or as bytes");
  train("run", {"--data", "rows.npy", "--targets", "y.npy", "--quiet"});
  write_npy(folder_ / "field.npy", testing::normal({12, 4}));
  refused({"evaluate", "run", "--test-data", "field.npy", "--test-targets", "deep.npy"},
          "need --test-targets of shape");
}

TEST_F(Newcomer, ShownDataFitATerminal) {
  const std::string text = "a text that goes on and on and has so many words that no column takes them all";
  write_rows("wide.csv", "a_name_that_is_so_long_that_nobody_would_type_it,b,kind,length,day,y", 60, [&](auto i) {
    return c10::str(varied(i), i % 2 == 0 ? ",-" : ",", 123.456 + i % 9, ",", text, i % 3, ",",
                    i % 5 == 0 ? "" : std::to_string(i % 7) + ".5 mm", ",2024-01-", 10 + i % 20, ",",
                    i % 4 == 0 ? "the first of the classes" : "the second one of these classes");
  });
  const auto shown = succeed({"data", "show", "wide.csv", "--missing", "indicator"}).out;
  for (const auto& line : split(shown, '\n')) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_NE(shown.find("12 rows (20 %); 2 classes"), std::string::npos) << shown;
  EXPECT_NE(shown.find("-131.456 to 131.456 "), std::string::npos) << "not broken: " << shown;
  EXPECT_NE(shown.find(" to 6.5 mm"), std::string::npos) << shown;
  EXPECT_EQ(shown.find("wide.csv\n"), 0U) << "its name, not the whole path: " << shown;
  for (const auto& line : split(succeed({"data", "list"}).out, '\n')) {
    if (line.find("arks-test") == std::string::npos) EXPECT_LE(line.size(), 120U) << line;
    EXPECT_LE(line.find_first_not_of(' ') == 4 ? line.size() : 0U, 80U) << line;
  }
}

}  // namespace arks
