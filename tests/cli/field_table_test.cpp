// Tables from the field, written otherwise than the training file or scaled in another way.
#include "cli/own_data.h"

#include <sstream>

namespace arks {

class FieldTable : public testing::OwnDataTest {
 protected:
  void write(const std::string& name, const std::string& text) const {
    testing::write_bytes(folder_ / name, text, /*gzip=*/false);
  }
  /// The lines that predict writes, without the header.
  std::vector<std::string> predictions(const std::string& run, const std::string& file) const {
    std::istringstream out(succeed({"predict", run, "--data", file}).out);
    std::vector<std::string> lines;
    for (std::string line; std::getline(out, line);) lines.push_back(line);
    if (!lines.empty()) lines.erase(lines.begin());
    return lines;
  }
};

/// Numbers with three decimals and no other could as well be thousands: the training file knows what they are.
TEST_F(FieldTable, KeepsTheDecimalSignOfTheTrainingFile) {
  std::string training = "width;height\n";
  for (int i = 0; i < 40; ++i)
    training += std::to_string(1 + i % 7) + ",25;" + std::to_string(2 + 2 * (i % 7)) + ",5\n";
  write("training.csv", training);
  train("run", {"--data", "training.csv", "--quiet"});
  write("field.csv", "width;height\n1,250;2,500\n4,250;8,500\n");
  write("points.csv", "width,height\n1.25,2.5\n4.25,8.5\n");
  EXPECT_EQ(predictions("run", "field.csv"), predictions("run", "points.csv"));
  const auto result = arks({"predict", "run", "--data", "field.csv", "--quiet"});
  expect_said(result,
              "field.csv: no cell shows whether the decimal sign is a point or a comma: '1,250' in line 2 is "
              "read as 1.25, as in training; --decimal point reads it as 1250");
  write("quoted.csv", "width,height\n\"1,250\",\"2,500\"\n\"4,250\",\"8,500\"\n");
  EXPECT_EQ(predictions("run", "quoted.csv"), predictions("run", "points.csv"));
  const auto loss = [&](const std::string& file) {
    return Json::parse(succeed({"evaluate", "run", "--test-data", file, "--eps", "0", "--json", "-", "--quiet"}).out)
        .at("points")[0]
        .at("loss")
        .get<double>();
  };
  EXPECT_EQ(loss("field.csv"), loss("points.csv"));
}

TEST_F(FieldTable, ReadsDatesAndClassesAsTheFieldWritesThem) {
  std::string training = "day,size,ok\n", field = "ok;size;day\n", same = "day,size,ok\n";
  for (int i = 1; i <= 28; ++i) {
    const std::string day = std::to_string(i), padded = (i < 10 ? "0" : "") + day;
    const bool ok = i * i % 5 < 2;
    training += "2024-02-" + padded + "," + std::to_string(i * i % 5) + "," + (ok ? "True" : "False") + "\n";
    field += std::string(ok ? "TRUE" : "FALSE") + ";" + std::to_string(i % 4) + ";" + day + ".3.2024 08:30 UTC\n";
    same += "2024-03-" + padded + "T08:30," + std::to_string(i % 4) + "," + (ok ? "1" : "0") + "\n";
  }
  write("training.csv", training);
  write("field.csv", field);
  write("same.csv", same);
  train("run", {"--data", "training.csv", "--target", "ok", "--quiet"});
  EXPECT_EQ(predictions("run", "field.csv"), predictions("run", "same.csv"));
  expect_said(arks({"predict", "run", "--data", "field.csv", "--quiet"}),
              "field.csv: column 'day': dates are written as D.M.Y and not as in training, Y-M-D");
  const auto point = [&](const std::string& file) {
    const auto json =
        Json::parse(succeed({"evaluate", "run", "--test-data", file, "--eps", "0", "--json", "-", "--quiet"}).out);
    return json.at("points")[0].at("confusion");
  };
  EXPECT_EQ(point("field.csv"), point("same.csv"));
  write("slip.csv", "day,size,ok\n1.3.2024,1,True\n2.3.2024,1,True\n31.2.2024,1,True\n");
  refused({"predict", "run", "--data", "slip.csv"},
          "slip.csv, line 4: column 'day' holds the text '31.2.2024'; expected a date like D.M.Y, as all dates of a "
          "column are written alike");
  write("other.csv", "day,size,ok\n2024-01-01,1,maybe\n2024-01-02,1,True\n");
  refused({"evaluate", "run", "--test-data", "other.csv", "--quiet"}, "the class 'maybe' of the target 'ok' is not in");
}

/// Its columns have names, but the table is scaled as in scikit-learn, which nobody knows of a file from outside.
TEST_F(FieldTable, OfDiabetesMustBeScaledByTheUser) {
  train("run", {"--data", "diabetes", "--quiet"});
  write("field.csv", "age,sex,bmi,bp,s1,s2,s3,s4,s5,s6,target\n59,2,32.1,101,157,93.2,38,4,4.8598,87,151\n");
  refused({"evaluate", "run", "--test-data", "field.csv", "--eps", "0"},
          "field.csv cannot be read as diabetes was: its inputs were scaled over all of its rows before the model saw "
          "them; scale yours likewise and give them as .npy, or train on a file of your own");
  testing::write_npy(folder_ / "field.npy", torch::full({3, 10}, 0.02));
  EXPECT_EQ(predictions("run", "field.npy").size(), 3U);
  train("flowers", {"--data", "iris", "--quiet"});
  write("iris.csv", "sepal_length,sepal_width,petal_length,petal_width\n5.1,3.5,1.4,0.2\n");
  EXPECT_EQ(predictions("flowers", "iris.csv").size(), 1U);
}

/// 15 names in 30 rows may be categories, but not in the 24 rows of the training part.
TEST_F(FieldTable, IsShownAsItsTrainingRowsAre) {
  std::string text = "name,size,kind\n";
  for (int i = 0; i < 30; ++i)
    text += "n" + std::to_string(i % 15) + "," + std::to_string(i) + (i % 2 ? ",a\n" : ",b\n");
  write("names.csv", text);
  const auto result = arks({"data", "show", "names.csv"});
  EXPECT_EQ(result.exit_code, 2);
  expect_said(result, "looks like a name of the row");
  const auto row = result.out.substr(result.out.find("\nname "), 80);
  EXPECT_NE(row.find("refused"), std::string::npos) << result.out;
  train_refused({"--data", "names.csv"}, "looks like a name of the row");
}

/// Whoever joins predictions with the rows of the file must know which rows are none.
TEST_F(FieldTable, SaysWhichRowsItDoesNotPredict) {
  write("training.csv", "width,height\n1,2\n2,4\n3,6\n4,8\n5,10\n6,12\n");
  train("run", {"--data", "training.csv", "--task", "regression", "--quiet"});
  write("field.csv", "width,height\n1,\n2,\n,\n,\n");
  EXPECT_EQ(predictions("run", "field.csv").size(), 2U);
  expect_said(arks({"predict", "run", "--data", "field.csv", "--quiet"}),
              "field.csv: 2 rows at the end, from line 4 on, without a single cell are left out");
}

/// Arrays without names: nothing but their shapes shows that they are others.
TEST_F(FieldTable, OfArraysMustHaveTheShapesOfTraining) {
  const auto array = [&](const std::string& name, torch::IntArrayRef shape) {
    testing::write_npy(folder_ / name, torch::arange(c10::multiply_integers(shape)).reshape(shape) / 8.);
  };
  array("x.npy", {40, 3});
  testing::write_npy(folder_ / "field.npy", torch::ones({40, 3}));
  array("two.npy", {40, 2});
  array("three.npy", {40, 3});
  array("one.npy", {40});
  testing::write_npy(folder_ / "labels.npy", torch::arange(40).remainder(2));
  array("single.npy", {});
  train("run", {"--data", "x.npy", "--targets", "two.npy", "--quiet"});
  train("classes", {"--data", "x.npy", "--targets", "labels.npy", "--quiet"});
  const auto test_refused = [&](const std::string& run, const std::string& targets, const std::string& part) {
    refused({"evaluate", run, "--test-data", "field.npy", "--test-targets", targets, "--eps", "0"}, part);
  };
  succeed({"evaluate", "run", "--test-data", "field.npy", "--test-targets", "two.npy", "--eps", "0", "--quiet"});
  test_refused("run", "three.npy", "three.npy' has 3 numbers for each row; in training it had 2");
  test_refused("run", "one.npy", "one.npy' has 1 number for each row; in training it had 2");
  test_refused("classes", "two.npy", "two.npy' has 2 numbers for each row; in training it had 1");
  refused({"evaluate", "run", "--test-data", "single.npy", "--test-targets", "two.npy"},
          "single.npy holds a single number, of shape (); expected an array with rows");
  refused({"predict", "run", "--data", "single.npy"}, "single.npy holds a single number");
}

/// Whether the first line is a row is one question, and evaluate, predict and data drift have one answer.
TEST_F(FieldTable, WithoutNamesIsReadByDriftAsByTheOthers) {
  std::string training, field;
  for (int i = 0; i < 60; ++i) {
    training +=
        std::string(i % 3 == 0 ? "north," : "south,") + (i % 2 == 0 ? "wet," : "dry,") + (i % 4 == 0 ? "a\n" : "b\n");
  }
  field = "north,wet,a\n";
  for (int i = 0; i < 30; ++i) field += "south,dry,b\n";
  write("training.csv", training);
  write("field.csv", field);
  train("run", {"--data", "training.csv", "--quiet"});
  EXPECT_EQ(predictions("run", "field.csv").size(), 31U);
  const auto drift = Json::parse(succeed({"data", "drift", "run", "field.csv", "--json", "-", "--quiet"}).out);
  EXPECT_EQ(drift.at("drift").at("rows").at("field"), 31);
  EXPECT_EQ(drift.at("drift").at("columns")[0].at("field").at("counts").at("north"), 1);
}

/// As with inputs: the unit is taken off, said, and expected of field data.
TEST_F(FieldTable, TakesUnitsOffTargets) {
  const auto table = [](const std::string& before, const std::string& behind) {
    std::string text = "width,price\n";
    for (int i = 0; i < 40; ++i) {
      text += std::to_string(i % 7) + ",\"" + before + "1,0" + std::to_string(10 + i) + ".50" + behind + "\"\n";
    }
    return text;
  };
  write("training.csv", table("$", ""));
  write("same.csv", table("$", ""));
  write("pounds.csv", table("£", ""));
  write("bare.csv", table("", ""));
  write("plain.csv", table("", ""));
  expect_said(train("run", {"--data", "training.csv"}), "column 'price' is read as numbers in $");
  train("plain", {"--data", "plain.csv", "--quiet"});
  const auto loss = [&](const std::string& run, const std::string& file) {
    const auto out = succeed({"evaluate", run, "--test-data", file, "--eps", "0", "--json", "-", "--quiet"}).out;
    return Json::parse(out).at("points")[0].at("loss").get<double>();
  };
  EXPECT_EQ(loss("run", "same.csv"), loss("plain", "bare.csv"));
  refused({"evaluate", "run", "--test-data", "pounds.csv", "--eps", "0"},
          "expected a number with the unit '$', as in training");
  refused({"evaluate", "run", "--test-data", "bare.csv", "--eps", "0"},
          "holds the number 1010.5; expected a number with the unit '$'");
  succeed({"export", "run", "--out", "out.pt"});
  EXPECT_NEAR(loss("out.pt", "same.csv"), loss("run", "same.csv"), 1e-5);
}

TEST_F(FieldTable, PredictsForOneRowWithoutNames) {
  std::string training;
  for (int i = 0; i < 40; ++i) {
    const std::string number = std::to_string(i % 7);
    training += number + (i % 3 == 0 ? ",north," : ",south,") + number + "\n";
  }
  write("training.csv", training);
  train("run", {"--data", "training.csv", "--task", "regression", "--quiet"});
  write("one.csv", "5,north\n");
  EXPECT_EQ(predictions("run", "one.csv").size(), 1U);
  write("wide.csv", "5,north,6,7\n");
  refused({"predict", "run", "--data", "wide.csv"},
          "no rows below the header; --no-header takes the first line for a row");
}

/// Whoever joins predictions with other tables needs the key of a row, as it was written.
TEST_F(FieldTable, KeptColumnsStandBeforeThePredictions) {
  std::string training = "key;width;class\n";
  for (int i = 0; i < 40; ++i)
    training += "00" + std::to_string(i) + ";" + std::to_string(i % 7) + (i % 7 < 3 ? ";a\n" : ";b\n");
  write("training.csv", training);
  train("run", {"--data", "training.csv", "--drop", "key", "--quiet"});
  write("field.csv", "name;key;width;class\n\"O'Neil; Ann\";007;1,50;a\nNA;1e3;6;b\n");
  const auto without = predictions("run", "field.csv");
  const auto with = [&](const std::string& keep) {
    std::istringstream out(succeed({"predict", "run", "--data", "field.csv", "--keep", keep, "--quiet"}).out);
    std::vector<std::string> lines;
    for (std::string line; std::getline(out, line);) lines.push_back(line);
    return lines;
  };
  const auto key = with("key");
  EXPECT_EQ(key.at(0), "key,class,probability of a,probability of b\r");
  EXPECT_EQ(key.at(1), "007," + without.at(0));
  EXPECT_EQ(key.at(2), "1e3," + without.at(1));
  const auto all = with("all");
  EXPECT_EQ(all.at(0), "name,key,width,kept class,class,probability of a,probability of b\r");
  EXPECT_EQ(all.at(1), "O'Neil; Ann,007,\"1,50\",a," + without.at(0));
  EXPECT_EQ(all.at(2), ",1e3,6,b," + without.at(1)) << "a missing cell is empty";
  EXPECT_EQ(with("class,name").at(1), "a,O'Neil; Ann," + without.at(0)) << "in the order asked for";
  const auto keep = [](const std::string& list, const std::string& file = "field.csv") {
    return Arguments{"predict", "run", "--data", file, "--keep", list, "--out", "p.csv", "--quiet"};
  };
  refused(keep("kye"), "--keep: field.csv: no column 'kye' (did you mean 'key'?); columns: name, key, width, class");
  refused(keep("key,key"), "--keep: column 'key' is listed twice");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "p.csv"));
  write_arrays();
  train("arrays", {"--data", "x.npy", "--targets", "y.npy", "--quiet"});
  refused({"predict", "arrays", "--data", "x.npy", "--keep", "key"},
          "--keep copies columns of a table, and x.npy has none");
}

TEST_F(FieldTable, RefusesWhatFloatCannotHold) {
  std::string training = "width,height\n";
  for (int i = 0; i < 40; ++i) training += c10::str(1 + i % 7, ".25,", 2 + 2 * (i % 7), ".5\n");
  write("training.csv", training);
  train("run", {"--data", "training.csv", "--epochs", "2", "--quiet"});
  write("far.csv", "width,height\n1.25,2.5\n1e40,3\n");
  write("target.csv", "width,height\n1.25,2.5\n\"2\",-1e40\n");
  const std::string why = ", which is too large for float32; mend it, or scale it down";
  refused({"evaluate", "run", "--test-data", "target.csv"}, "target.csv, line 3: column 'height' holds -1e+40" + why);
  refused({"evaluate", "run", "--test-data", "far.csv"}, "far.csv, line 3: column 'width' holds 1e+40" + why);
  refused({"predict", "run", "--data", "far.csv"}, "far.csv, line 3: column 'width' holds 1e+40" + why);
  EXPECT_EQ(predictions("run", "target.csv").size(), 2U) << "targets are not needed";
  refused({"data", "show", "far.csv"}, "far.csv, line 3: column 'width' holds 1e+40" + why);
}

}  // namespace arks
