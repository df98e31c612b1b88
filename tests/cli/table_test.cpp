// Tables as a user trains and evaluates on them: CSV and NPY files, iris and diabetes.
#include "cli/table_tool.h"
#include "data/iris.h"

namespace arks {

TEST_F(TableTool, RefusesATableThatHasChangedSinceTraining) {
  train("run", {"--data", "heights.csv", "--target", "height", "--quiet"});
  succeed({"evaluate", "run", "--attack", "uniform", "--eps", "0.1", "--quiet"});
  std::ofstream(folder_ / "heights.csv", std::ios::app) << "999,1,1\n";
  expect_refused({"evaluate", "run", "--attack", "uniform", "--eps", "0.1"}, "; other data would be divided");
  expect_refused({"train", "--resume", "run", "--epochs", "70"}, "; other data would be divided");
  expect_refused({"certify", "run", "--label", "estimated"}, "; other data would be divided");
}

TEST_F(TableTool, KeepsNamesThatTomlHasToEscape) {
  std::ofstream(folder_ / "odd.csv") << "a,\"price\n(EUR)\"\n1,2.5\n2,3.5\n3,4.5\n4,5.5\n5,6.5\n";
  train("run", {"--data", "odd.csv", "--quiet"});
  succeed({"evaluate", "run", "--attack", "uniform", "--eps", "0.1", "--quiet"});
  std::ofstream(folder_ / "latin.csv") << "a,gr\xf6sse\n1,2.5\n2,3.5\n3,4.5\n4,5.5\n";
  const auto result = train("latin", {"--data", "latin.csv"});
  EXPECT_NE(result.err.find("line 1 is not UTF-8, so the file is read as Windows-1252"), std::string::npos);
  EXPECT_NE(checkpoint("latin").config.find("target = \"grösse\"\n"), std::string::npos);
}

TEST_F(TableTool, ClassifiesByAColumnOfNames) {
  const auto result = train("run", {"--data", "flowers.csv", "--target", "kind"});
  EXPECT_NE(result.err.find("flowers.csv: 60 rows, 3 inputs; target 'kind', 2 classes; standardised"),
            std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("defaults: model mlp, batch-size 16, opt adam, swa-start 30"), std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("48 training and 12 test rows"), std::string::npos) << result.err;
  EXPECT_LT(last_line("run")["train_error"], 0.1);
  const auto config = checkpoint("run").config;
  for (const std::string& line :
       {"data = \"" + (folder_ / "flowers.csv").string() + "\"", std::string("target = \"kind\""),
        std::string("task = \"classification\""), std::string("test-fraction = 0.2"), std::string("split-seed = 0"),
        std::string("standardise = true"), std::string("swa-start = 30")}) {
    EXPECT_NE(config.find(line + "\n"), std::string::npos) << line << " in\n" << config;
  }
}

TEST_F(TableTool, LearnsNumbersAndReportsLossesThroughout) {
  const auto result = train("run", {"--data", "heights.csv", "--no-standardise", "--no-swa"});
  EXPECT_NE(result.err.find("regression; not standardised"), std::string::npos) << result.err;
  EXPECT_EQ(result.out.find("error"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("test loss "), std::string::npos) << result.out;
  EXPECT_EQ(result.err.find("averaged"), std::string::npos) << result.err;
  EXPECT_TRUE(last_line("run")["train_error"].is_null());
  EXPECT_NE(checkpoint("run").config.find("swa = false\n"), std::string::npos);
  EXPECT_TRUE(checkpoint("run").average.empty());
}

TEST_F(TableTool, EvaluatesOnTheSplitAndScalingOfTheRun) {
  // with another split, scaling, or the weights of the optimiser instead of the averaged ones the loss would differ
  train("run", {"--data", "flowers.csv", "--target", "kind", "--split-seed", "7", "--train-limit", "20", "--quiet"});
  const auto json = Json::parse(succeed({"evaluate", "run", "--eps", "0", "--json", "-", "--quiet"}).out);
  EXPECT_EQ(json["points"][0]["n"], 12);
  EXPECT_NEAR(json["points"][0]["loss"], last_line("run")["test_loss"].get<double>(), 1e-7);
  EXPECT_NEAR(json["points"][0]["error"], last_line("run")["test_error"].get<double>(), 1e-12);
}

/// A line, y = a whatever b is, and a linear model of it.
class LineTool : public TableTool {
 protected:
  LineTool() {
    std::ofstream csv(folder_ / "line.csv");
    csv << "a,b,y\n";
    const auto x = testing::normal({60, 2});
    for (int64_t i = 0; i < 60; ++i) {
      csv << x[i][0].item<double>() << "," << x[i][1].item<double>() << "," << x[i][0].item<double>() << "\n";
    }
    csv.close();
    train("run", {"--data", "line.csv", "--no-standardise", "--model", "linear", "--epochs", "400", "--quiet"});
  }
  Json evaluated(Arguments flags) const {
    flags.insert(flags.begin(), {"evaluate", "run", "--json", "-", "--quiet"});
    return Json::parse(succeed(flags).out);
  }
};

TEST_F(LineTool, EvaluatesRegressionsByTheirLoss) {
  const double clean = last_line("run")["test_loss"].get<double>();
  for (const std::string attack : {"pgd", "fgsm", "uniform", "scale"}) {
    const auto json = evaluated({"--attack", attack, "--eps", "0,2"});
    EXPECT_EQ(json["config"]["metric"], "loss");
    for (const auto& point : json["points"]) {
      EXPECT_TRUE(point["error"].is_null() && point["errors"].is_null()) << attack;
    }
    EXPECT_NEAR(json["points"][0]["loss"], clean, 1e-6) << attack;
    EXPECT_GT(json["points"][1]["loss"], clean + 0.1) << attack;  // the inputs have deviation 1
  }
  const auto result = succeed({"evaluate", "run", "--eps", "0:0.2:0.1", "--csv", "out.csv", "--figure", "out.svg"});
  EXPECT_NE(result.out.find("loss"), std::string::npos) << result.out;
  EXPECT_EQ((result.out + result.err).find("error %"), std::string::npos) << result.out << result.err;
  EXPECT_EQ(result.err.find("note:"), std::string::npos) << "the step follows eps: " << result.err;
  EXPECT_NE(read_file(folder_ / "out.csv").find("run,pgd,linf,0.1,,12,,,"), std::string::npos);
  EXPECT_NE(read_file(folder_ / "out.svg").find("mean loss"), std::string::npos);
  expect_refused({"evaluate", "run", "--metric", "error"}, "has no classes, so there are no errors to count");
  expect_refused({"evaluate", "run", "--grid", "grid.png"}, "--grid draws images with classes");
  EXPECT_FALSE(fs::exists(folder_ / "grid.png"));
}

TEST_F(LineTool, TakesARadiusAndARangePerFeature) {
  const auto loss = [&](Arguments flags) {
    flags.insert(flags.end(), {"--eps", "1"});
    return evaluated(flags)["points"][0]["loss"].get<double>();
  };
  const double free = loss({});
  EXPECT_GT(free, 0.8) << "the residual of y = a grows by 1";
  EXPECT_LT(loss({"--eps-scale", "0,1"}), 0.2) << "b has next to no part in it";
  EXPECT_NEAR(loss({"--eps-scale", "1,0"}), free, 0.2);
  EXPECT_LT(loss({"--attack", "scale", "--bounds", "-3,3;-9,9"}), loss({"--attack", "scale"}))
      << "the range of a holds the scaled values back";
  expect_refused({"evaluate", "run", "--bounds", "-1,1;-9,9"}, "feature 0 (counted from 0) spans [");
  expect_refused({"evaluate", "run", "--bounds", "-9,9;-9,9;-9,9"},
                 "bounds: shape [3] does not fit samples of shape [2]");
}

TEST_F(TableTool, ResumedFromElsewhereWithMoreEpochsEndsInTheSameWeights) {
  const Arguments flags{"--data", "flowers.csv", "--target", "kind", "--task", "classification", "--split-seed", "3"};
  train("whole", flags);
  train("parts", {"--data", "flowers.csv", "--target", "kind", "--split-seed", "3", "--epochs", "35", "--swa-start",
                  "30", "--quiet"});
  fs::create_directory(folder_ / "elsewhere");
  const auto result = testing::arks_tool({"train", "--resume", "../parts", "--epochs", "60"}, folder_ / "elsewhere");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto whole = checkpoint("whole"), parts = checkpoint("parts");
  ASSERT_EQ(whole.average.size(), 6U);
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_TRUE(testing::identical(whole.weights[i].second, parts.weights[i].second));
    EXPECT_TRUE(testing::identical(whole.average[i].second, parts.average[i].second));
  }
}

TEST_F(TableTool, ConfigFileOfARunRepeatsIt) {
  train("a", {"--data", "heights.csv", "--target", "width", "--task", "regression", "--test-fraction", "0.5"});
  succeed({"train", "--config", "a/config.toml", "--out", "b", "--quiet"});
  EXPECT_EQ(checkpoint("a").config, checkpoint("b").config);
  EXPECT_TRUE(testing::identical(checkpoint("a").average[0].second, checkpoint("b").average[0].second));
}

TEST_F(TableTool, TakesInputsAndTargetsFromNpyFiles) {
  const auto write = [&](const std::string& name, const std::string& shape, const torch::Tensor& values) {
    std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + shape + "), }";
    header.resize(118, ' ');
    std::ofstream(folder_ / name) << "\x93NUMPY" << std::string{'\1', '\0', '\x76', '\0'} << header
                                  << std::string(static_cast<const char*>(values.data_ptr()), values.nbytes());
  };
  const auto x = testing::normal({40, 3});
  write("x.npy", "40, 3", x);
  write("y.npy", "40,", x.sum(1));
  const auto result = train("run", {"--data", "x.npy", "--targets", "y.npy"});
  EXPECT_NE(result.err.find("x.npy: 40 rows, 3 inputs; target 'y.npy', regression; standardised"), std::string::npos)
      << result.err;
  EXPECT_NE(checkpoint("run").config.find("targets = \"" + (folder_ / "y.npy").string() + "\"\n"), std::string::npos);
  fs::create_directory(folder_ / "elsewhere");
  const auto json = testing::arks_tool({"evaluate", "../run", "--eps", "0", "--json", "-"}, folder_ / "elsewhere");
  EXPECT_NEAR(Json::parse(json.out)["points"][0]["loss"], last_line("run")["test_loss"].get<double>(), 1e-6);
}

TEST_F(TableTool, WritesTheAveragedWeightsForPython) {
  train("run", {"--data", "iris", "--train-limit", "40", "--quiet"});
  const auto splits = load_iris();
  SupervisedProblem problem(make_model("mlp", splits.test->info(), 0), CrossEntropy());
  load_trained_weights(checkpoint("run"), problem, "run");
  auto model = problem.model();
  const auto saved = read_file(folder_ / "run/model.pt");
  EXPECT_EQ(saved, to_torchscript(model, checkpoint("run").interface));
  EXPECT_EQ(interface_in(saved), checkpoint("run").interface);
}

TEST_F(TableTool, TrainsOnTheBuiltInSetsWithTheirPublishedValues) {
  const auto iris =
      succeed({"train", "--data", "iris", "--method", "erm", "--epochs", "4", "--train-limit", "80", "--out", "iris"});
  EXPECT_NE(iris.err.find("defaults: model mlp, batch-size 128, opt sgd, lr 0.1, swa-start 2"), std::string::npos)
      << iris.err;
  EXPECT_NE(checkpoint("iris").config.find("momentum = 0.0\n"), std::string::npos);
  const auto diabetes = succeed({"train", "--data", "diabetes", "--method", "erm", "--epochs", "4", "--out", "d"});
  EXPECT_NE(diabetes.err.find("defaults: model mlp, batch-size 256, opt adam, lr 0.001, swa-start 2"),
            std::string::npos)
      << diabetes.err;
  EXPECT_NE(diabetes.err.find("354 training and 88 test rows"), std::string::npos) << diabetes.err;
}

TEST_F(TableTool, TrainsRobustlyWithTheInnerLbfgs) {
  const auto result = succeed({"train", "--data", "iris", "--method", "arks", "--sigma", "0.1", "--epochs", "3",
                               "--train-limit", "20", "--out", "run"});
  EXPECT_NE(result.err.find("inner-steps 10, inner-lr 1, inner-opt lbfgs"), std::string::npos) << result.err;
  const auto line = last_line("run");
  EXPECT_GT(line["surrogate"], line["train_loss"]);
  succeed({"train", "--data", "iris", "--method", "pgd", "--eps", "0.1", "--epochs", "1", "--out", "pgd"});
  EXPECT_NE(checkpoint("pgd").config.find("inner-lr = 0.025\n"), std::string::npos) << checkpoint("pgd").config;
}

TEST_F(TableTool, AsksForAStrengthThatNeitherThePaperNorTheDataGive) {
  testing::write_bytes(folder_ / "same.csv",
                       "a,b,y\n" + testing::repeated("1,2,x\n1,2,y\n3,4,x\n3,4,y", 5, "\n") + "\n", false);
  const std::string why = " here: the paper gives no value for this data set, and the nearest samples of another class";
  const auto refused = [&](const std::string& method, const std::string& flags) {
    expect_refused({"train", "--data", "same.csv", "--method", method, "--epochs", "1", "--out", "x"},
                   "--method " + method + " needs " + flags + why);
  };
  refused("arks", "--sigma (or --temperature)");
  refused("wrm", "--gamma");
  refused("pgd", "--eps");
  EXPECT_FALSE(fs::exists(folder_ / "x"));
}

TEST_F(TableTool, PrintsAFewOfManyEpochs) {
  const auto count = [](const std::string& text) {
    size_t lines = 0;
    for (size_t at = text.find("epoch "); at != std::string::npos; at = text.find("\nepoch ", at + 1)) ++lines;
    return lines;
  };
  const auto many = succeed({"train", "--data", "iris", "--method", "erm", "--epochs", "300", "--out", "many"});
  EXPECT_LE(count(many.err), 50U);
  EXPECT_GE(count(many.err), 20U);
  EXPECT_NE(many.err.find("epoch 300: "), std::string::npos);
  EXPECT_EQ(last_line("many")["epoch"], 300);
}

TEST_F(TableTool, WillNotMixRunsThatWereDividedInDifferentWays) {
  train("a", {"--data", "flowers.csv", "--target", "kind", "--quiet"});
  train("b", {"--data", "flowers.csv", "--target", "kind", "--quiet", "--split-seed", "1"});
  train("few", {"--data", "flowers.csv", "--target", "kind", "--quiet", "--train-limit", "20"});
  expect_refused({"evaluate", "a", "b"},
                 "a and b cannot be compared on one test set: --split-seed is 0 in the first and 1 in the second");
  expect_refused({"evaluate", "a", "--source", "b"}, "split-seed is 0 in the first and 1 in the second");
  expect_refused({"evaluate", "a", "few", "--split", "train"}, "train-limit is 0 in the first and 20 in the second");
  expect_refused({"evaluate", "a", "--data", "iris"}, "a was trained on " + (folder_ / "flowers.csv").string());
  succeed({"evaluate", "a", "--data", "flowers.csv", "--eps", "0", "--quiet"});
}

TEST_F(TableTool, MentionsFlagsThatHaveNoEffect) {
  const auto result = train("run", {"--data", "iris", "--no-swa", "--swa-start", "3"});
  EXPECT_NE(result.err.find("--swa-start is only used with --swa"), std::string::npos) << result.err;
}

TEST_F(TableTool, NamesTheDefaultFolderAfterTheFile) {
  succeed({"train", "--data", "flowers.csv", "--target", "kind", "--method", "erm", "--epochs", "1", "--quiet"});
  EXPECT_TRUE(fs::exists(folder_ / "runs/flowers-erm-seed0/model.pt"));
}

/// Semicolons, an index, a category of numbers, a missing cell, a column of no use: every setting of text files.
TEST_F(TableTool, SettingsOfTextFilesSurviveConfigAndResume) {
  std::ofstream csv(folder_ / "mess.csv");
  csv << ";size;code;note;day;height\n";
  for (int i = 0; i < 40; ++i)
    csv << i << ";" << (i == 5 ? "" : std::to_string(i % 7)) << ";" << i % 3 << ";n;0" << 1 + i % 9 << "/0" << 1 + i % 8
        << "/2024;1." << i + 100 << "\n";
  csv.close();
  train("run", {"--data", "mess.csv", "--target", "height", "--sep", "semicolon", "--decimal", "comma", "--header",
                "--drop", "note", "--categorical", "code", "--missing", "mean", "--dates", "day-first",
                "--no-standardise-targets", "--quiet"});
  const auto config = checkpoint("run").config;
  for (const std::string line :
       {"sep = \"semicolon\"", "decimal = \"comma\"", "header = true", "drop = \"note\"", "categorical = \"code\"",
        "missing = \"mean\"", "dates = \"day-first\"", "standardise-targets = false"}) {
    EXPECT_NE(config.find(line + "\n"), std::string::npos) << line << " in\n" << config;
  }
  succeed({"train", "--config", "run/config.toml", "--out", "again", "--quiet"});
  EXPECT_EQ(last_line("again")["test_loss"], last_line("run")["test_loss"]);
  succeed({"train", "--resume", "run", "--epochs", "61", "--quiet"});
  EXPECT_EQ(checkpoint("run").interface, checkpoint("again").interface);
}

/// A regression of large numbers learns as one of small ones does, and gives numbers in the user's units.
TEST_F(TableTool, ScalesTheNumbersToPredict) {
  std::ofstream csv(folder_ / "prices.csv");
  csv << "area,price\n";
  for (int i = 0; i < 60; ++i) csv << i << "," << 100000 + 3000 * i << "\n";
  csv.close();
  train("run", {"--data", "prices.csv", "--epochs", "200", "--quiet"});
  EXPECT_LT(last_line("run")["test_loss"], 0.1) << "of a variance of 1";
  succeed({"predict", "run", "--data", "prices.csv", "--out", "out.csv", "--quiet"});
  std::istringstream lines(read_file(folder_ / "out.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "predicted price\r");
  for (int i = 0; i < 60; ++i) {
    std::getline(lines, line);
    EXPECT_NEAR(std::stod(line), 100000 + 3000 * i, 30000) << i;
  }
}

/// A CSV file that cannot be used: one line that says where and why, exit code 2, nothing written.
TEST_F(TableTool, RefusesBadFiles) {
  const auto refused = [&](const std::string& csv, const std::string& part, const Arguments& flags = {}) {
    std::ofstream(folder_ / "bad.csv") << csv;
    Arguments arguments{"train", "--data", "bad.csv", "--method", "erm", "--out", "bad", "--quiet"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const auto result = arks(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_FALSE(fs::exists(folder_ / "bad"));
  };
  refused("a,b,y\n1,2,u\n3,v\n", "bad.csv, line 3 has 2 fields, but the header has 3");
  refused("a,b,y\n1,2,u\nred,4,v\n3,5,u\n7,1,u\n", "bad.csv, line 3: column 'a' holds the text 'red' among 2 numbers",
          {"--test-fraction", "0.2"});
  refused("a,b,y\n1,2,u\n3,nan,v\n2,,v\n7,1,u\n",
          "column 'b' is missing ('nan'), one of 2 cells of this column; --missing median");
  refused("a,b,y\n1,2,u\n3,inf,v\n4,5,v\n2,2,u\n", "bad.csv, line 3: column 'b' is infinite; expected a finite number");
  refused("a,b,y\n1,2,u\n3,1e300,v\n4,5,v\n2,2,u\n", "bad.csv, line 3: column 'b' holds 1e+300, which is too large");
  refused("a,b,y\n1,2,u\n3,4,u\n", "the target 'y' holds only one class, 'u'");
  refused("a,b,y\n", "bad.csv: no rows below the header");
  const std::string good = "a,b,y\n1,2,u\n3,4,v\n5,6,u\n";
  refused(good, "no column 'target'; columns: a, b, y", {"--target", "target"});
  refused(good, "unknown task 'regresion' (did you mean 'regression'?)", {"--task", "regresion"});
  refused(good, "--split-seed must not be negative, got -1", {"--split-seed", "-1"});
  refused(good, "must be 1 to the number of epochs, 5, got 6", {"--epochs", "5", "--swa-start", "6"});
  refused(good, "cannot read", {"--data", "missing.csv"});
  refused(good, "the targets are needed too", {"--data", "x.npy"});
  refused(good, "unknown data set 'irs' (did you mean 'iris'?)", {"--data", "irs"});
}

TEST_F(TableTool, RefusesAListThatIsGivenTwice) {
  const auto refused = [&](Arguments flags, const std::string& part) {
    flags.insert(flags.begin(), {"train", "--data", "flowers.csv", "--out", "run", "--quiet"});
    expect_refused(flags, part);
  };
  refused({"--lr-steps", "5", "--lr-steps", "8"}, "--lr-steps is given twice, as '5' and '8'; give it once");
  refused({"--drop", "a", "--drop", "b"}, "--drop is given twice, as 'a' and 'b'; give it once, with commas");
  refused({"--sigma", "1", "--sigma", "-1"}, "--sigma must");            // of single values the last counts
  refused({"--drop", "id", "--drop", "id", "--lr", "-1"}, "--lr must");  // twice the same is once
}

}  // namespace arks
