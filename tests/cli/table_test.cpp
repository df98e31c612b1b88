// Tables as a user trains and evaluates on them: CSV and NPY files, iris and diabetes.
#include "cli/tool.h"
#include "data/iris.h"
#include "support/data_files.h"
#include "support/file.h"
#include "support/testing.h"
#include "support/text.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

namespace arks {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

class TableTool : public ::testing::Test {
 protected:
  TableTool() {
    // two kinds of flowers that one line tells apart, and a height that depends on both measures
    std::ofstream kinds(folder_ / "flowers.csv"), heights(folder_ / "heights.csv");
    kinds << "id,width,kind,length\n";
    heights << "width,length,height\n";
    const auto x = testing::normal({60, 2});
    for (int64_t i = 0; i < 60; ++i) {
      const double width = 3 + x[i][0].item<double>(), length = 100 + 10 * x[i][1].item<double>();
      kinds << i << "," << width << "," << (10 * width + length > 130 ? "large" : "small") << "," << length << "\n";
      heights << width << "," << length << "," << 2 * width + length / 50 << "\n";
    }
  }

  testing::ToolResult arks(const Arguments& arguments) const {
    return testing::arks_tool(arguments, folder_.path(), {{"ARKS_DATA_DIR", "/nowhere"}});
  }
  testing::ToolResult succeed(const Arguments& arguments) const {
    auto result = arks(arguments);
    EXPECT_EQ(result.exit_code, 0) << join(arguments, " ") << "\n" << result.err;
    return result;
  }
  testing::ToolResult train(const std::string& out, Arguments flags) const {
    Arguments arguments{"train", "--method", "erm", "--epochs", "60", "--lr", "0.01", "--out", out};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return succeed(arguments);
  }
  Checkpoint checkpoint(const std::string& run) const { return read_checkpoint(folder_ / (run + "/checkpoint.pt")); }
  Json last_line(const std::string& run) const {
    std::ifstream in(folder_ / (run + "/metrics.jsonl"));
    std::string last;
    for (std::string line; std::getline(in, line);) last = line;
    return Json::parse(last);
  }
  void expect_refused(const Arguments& arguments, const std::string& part) const {
    const auto result = arks(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  }

  testing::TemporaryFolder folder_;
};

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

TEST_F(TableTool, TestsARunOnDataFromTheField) {
  train("run", {"--data", "flowers.csv", "--target", "kind", "--drop", "id", "--quiet"});
  std::ofstream(folder_ / "site.csv") << "length;width;kind;extra\n100;3;large;1\n90;2;small;1\n120;4;large;1\n";
  const auto result = succeed({"evaluate", "run", "--test-data", "site.csv,home=flowers.csv", "--eps", "0,0.1"});
  EXPECT_NE(result.err.find("is ignored: 'extra'"), std::string::npos) << result.err;
  EXPECT_NE(result.out.find("site, 0.1  run"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("home, 0.1  run"), std::string::npos) << result.out;
  // what was trained on is no longer needed
  fs::remove(folder_ / "flowers.csv");
  succeed({"export", "run", "--out", "model.pt"});
  const auto json = Json::parse(
      succeed({"evaluate", "run", "model.pt", "--test-data", "site.csv", "--eps", "0,1", "--json", "-", "--quiet"})
          .out);
  for (const size_t eps : {0U, 1U}) {
    EXPECT_NEAR(json["points"][2 * eps]["loss"], json["points"][2 * eps + 1]["loss"].get<double>(), 1e-5);
    EXPECT_EQ(json["points"][2 * eps]["n"], 3);
  }
  const auto refused = [&](const std::string& text, const std::string& part) {
    std::ofstream(folder_ / "field.csv") << text;
    expect_refused({"evaluate", "run", "--test-data", "field.csv"}, part);
  };
  refused("width,length,kind\n1,2,huge\n3,4,small\n",
          "the class 'huge' of the target 'kind' is not in the training data");
  refused("width,kind\n1,small\n", "no column 'length'");
  refused("width,length,kind\n1,,small\n", "column 'length' is empty");
  refused("width,length,kind,kind\n1,2,small,small\n", "the column 'kind' appears twice");
  expect_refused({"evaluate", "run", "--test-data", "none.csv"}, "none.csv does not exist");
  expect_refused({"evaluate", "run", "--test-data", "site.csv,site.csv"}, "two files are called 'site'");
  expect_refused({"predict", "run", "--data", "none.csv"}, "none.csv does not exist");
  expect_refused({"predict", "run"}, "--data is needed");
  std::ofstream(folder_ / "kept.csv") << "keep";
  expect_refused({"predict", "run", "--data", "site.csv", "--out", "kept.csv"}, "kept.csv exists");
  EXPECT_EQ(read_file(folder_ / "kept.csv"), "keep");
}

/// Runs that were scaled differently, in one command: each gets the numbers that it takes, as it does alone.
TEST_F(TableTool, RunsOfOtherScalesAreComparedOnFieldData) {
  for (const std::string seed : {"0", "1"}) {
    train("run" + seed, {"--data", "heights.csv", "--test-fraction", "0.8", "--split-seed", seed, "--quiet"});
    succeed({"export", "run" + seed, "--out", seed + ".pt"});
  }
  std::ofstream(folder_ / "field.csv") << "length,width,height\n100,3,8\n90,2,5\n120,4,11\n80,9,20\n";
  const auto mae = [&](const Arguments& models) {
    Arguments arguments{"evaluate"};
    arguments.insert(arguments.end(), models.begin(), models.end());
    for (const char* flag : {"--test-data", "field.csv", "--attack", "scale", "--eps", "0.1", "--json", "-", "--quiet"})
      arguments.emplace_back(flag);
    std::vector<double> found;
    const auto json = Json::parse(succeed(arguments).out);
    for (const auto& point : json["points"]) found.push_back(point["mae"][0]);
    return found;
  };
  const auto first = mae({"run0"}).at(0), second = mae({"run1"}).at(0);
  EXPECT_GT(std::abs(first - second), 1e-3) << "two runs that cannot be told apart show nothing";
  const auto together = mae({"run0", "run1", "1.pt", "run1/model.pt", "0.pt"});
  const std::vector<double> expected{first, second, second, second, first};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(together.at(i), expected[i], 1e-4 * expected[i]) << i;
}

/// What stands for a missing cell is learned on the training rows, which are others here: each model uses its own.
TEST_F(TableTool, EveryModelReadsFieldDataAsItDoesAlone) {
  for (const std::string seed : {"0", "1"}) {
    train("run" + seed, {"--data", "flowers.csv", "--target", "kind", "--drop", "id", "--missing", "mean",
                         "--split-seed", seed, "--quiet"});
  }
  std::ofstream(folder_ / "whole.csv") << "length,width,kind\n100,3,large\n90,2,small\n";
  std::ofstream(folder_ / "gaps.csv") << "length,width,kind\n100,,large\n90,2,small\n";
  const auto losses = [&](Arguments arguments) {
    arguments.insert(arguments.begin(), "evaluate");
    for (const char* flag : {"--attack", "gaussian", "--eps", "0", "--json", "-", "--quiet"})
      arguments.emplace_back(flag);
    std::vector<double> found;
    const auto json = Json::parse(succeed(arguments).out);
    for (const auto& point : json["points"]) found.push_back(point["loss"]);
    return found;
  };
  for (const std::string file : {"whole.csv", "gaps.csv"}) {
    const auto first = losses({"run0", "--test-data", file}).at(0),
               second = losses({"run1", "--test-data", file}).at(0);
    EXPECT_NE(first, second) << "two runs that cannot be told apart show nothing";
    const auto together = losses({"run0", "run1", "run0/model.pt", "--test-data", file});
    const std::vector<double> expected{first, second, first};
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(together.at(i), expected[i], 1e-5 * expected[i]) << i;
  }
  expect_refused({"evaluate", "run0", "--source", "run1", "--test-data", "gaps.csv"},
                 "read columns or fill missing cells differently");
  const auto said = succeed({"evaluate", "run0", "run1", "--test-data", "flowers.csv", "--eps", "0", "--quiet"}).err;
  EXPECT_NE(said.find("flowers.csv: run0 was trained on rows of it"), std::string::npos);
}

/// Runs of one table with other columns, fillings and validation parts have the same test rows.
TEST_F(TableTool, RunsThatPrepareATableDifferentlyAreComparedOnItsTestRows) {
  const Arguments data{"--data", "flowers.csv", "--target", "kind", "--quiet"};
  const auto with = [&](const std::string& name, Arguments flags) {
    flags.insert(flags.begin(), data.begin(), data.end());
    train(name, flags);
  };
  with("all", {"--drop", "id"});
  with("few", {"--drop", "id", "--train-limit", "20"});
  with("one", {"--drop", "id,length"});
  with("held", {"--drop", "id", "--validation-fraction", "0.3"});
  const auto losses = [&](Arguments arguments) {
    arguments.insert(arguments.begin(), "evaluate");
    for (const char* flag : {"--attack", "scale", "--eps", "0", "--json", "-", "--quiet"}) arguments.emplace_back(flag);
    std::vector<double> found;
    const auto json = Json::parse(succeed(arguments).out);
    for (const auto& point : json["points"]) found.push_back(point["loss"]);
    return found;
  };
  const auto together = losses({"all", "few", "one", "held"});
  size_t place = 0;
  for (const char* name : {"all", "few", "one", "held"}) {
    const auto alone = losses({name}).at(0);
    EXPECT_NEAR(together.at(place++), alone, 1e-5 * std::max(alone, 1e-3)) << name;
  }
  expect_refused({"evaluate", "all", "held", "--split", "train"},
                 "--validation-fraction is 0 in the first and 0.3 in the second; --split test");
  expect_refused(
      {"evaluate", "all", "--source", "one"},
      "cannot share the samples of one attack or certificate; test each alone, or train both with the same --missing");
}

/// Numbers of one run are never those of another task.
TEST_F(TableTool, RefusesModelsThatPredictOrTakeSomethingElse) {
  train("width", {"--data", "heights.csv", "--target", "width", "--drop", "height", "--quiet"});
  train("height", {"--data", "heights.csv", "--target", "height", "--drop", "width", "--quiet"});
  succeed({"export", "height", "--out", "height.pt"});
  expect_refused({"evaluate", "width", "height"}, "target is width in the first and height in the second");
  expect_refused({"evaluate", "width", "height.pt"}, "target is width in the first and height in the second");
  expect_refused({"evaluate", "width", "height", "--test-data", "heights.csv"},
                 "width and height have different targets: width and height");
  expect_refused({"evaluate", "width", "--source", "height.pt"}, "target is width in the first");
  expect_refused({"evaluate", "width", "--test-data", "heights.csv", "--split", "train"}, "--split: --test-data says");
  expect_refused({"evaluate", "width", "--test-data", "heights.csv", "--missing", "mean"},
                 "--missing: the models know how the files of --test-data are read");
}

/// A file that says what it takes is never given something else to begin with.
TEST_F(TableTool, TrainingGoesOnFromAFileOnlyWithWhatItTakes) {
  train("run", {"--data", "heights.csv", "--quiet"});
  succeed({"export", "run", "--out", "raw.pt"});
  const auto further = [&](const std::string& file, Arguments flags) {
    flags.insert(flags.begin(), {"train", "--model", file, "--method", "erm", "--epochs", "1", "--force", "--lr",
                                 "1e-9", "--no-swa", "--out", "further", "--quiet"});
    return flags;
  };
  succeed(further("raw.pt", {"--data", "heights.csv"}));
  const auto loss = [&](const std::string& model) {
    const auto json = succeed(
        {"evaluate", model, "--test-data", "heights.csv", "--attack", "scale", "--eps", "0", "--json", "-", "--quiet"});
    return Json::parse(json.out)["points"][0]["mae"][0].get<double>();
  };
  EXPECT_NEAR(loss("further"), loss("run"), 1e-4 * loss("run"));
  const auto split = further("run/model.pt", {"--data", "heights.csv", "--split-seed", "5"});
  expect_refused(split, "model.pt: its inputs are standardised as in its own training; start from the file");
  expect_refused(further("raw.pt", {"--data", "heights.csv", "--standardise"}),
                 "--standardise: raw.pt scales its inputs itself; leave it out");
  expect_refused(further("raw.pt", {"--data", "heights.csv", "--target", "width"}), "have different inputs");
}

TEST_F(TableTool, DriftsColumnsByNameInTheirOwnUnits) {
  train("run", {"--data", "flowers.csv", "--target", "kind", "--drop", "id", "--quiet"});
  const auto loss = [&](const Arguments& flags) {
    Arguments arguments{"evaluate", "run", "--eps", "1", "--json", "-", "--quiet"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return Json::parse(succeed(arguments).out)["points"][0]["loss"].get<double>();
  };
  // the same rows, changed in the file
  std::ofstream moved(folder_ / "moved.csv");
  moved << "width,kind,length\n";
  std::istringstream rows(read_file(folder_ / "flowers.csv"));
  std::string row;
  for (std::getline(rows, row); std::getline(rows, row);) {
    const auto cells = split(row, ',');
    moved << std::stod(cells[1]) + 0.5 << "," << cells[2] << "," << std::stod(cells[3]) * 1.1 << "\n";
  }
  moved.close();
  std::ofstream(folder_ / "drift.txt") << "width+0.5  # the new lens\nlength*1.1\n";
  const Arguments field{"--test-data", "flowers.csv"};
  const auto by_file = loss({"--attack", "uniform", "--eps", "0", "--test-data", "moved.csv"});
  EXPECT_NEAR(loss({"--attack", "drift", "--shift", "width + 0.5, length*1.1", "--test-data", "flowers.csv"}), by_file,
              1e-4);
  EXPECT_NEAR(loss({"--attack", "drift", "--shift-file", "drift.txt", "--test-data", "flowers.csv"}), by_file, 1e-4);
  EXPECT_EQ(loss({"--shift", "width + 0.5, length*1.1", "--test-data", "flowers.csv"}),
            loss({"--attack", "drift", "--shift", "width + 0.5, length*1.1", "--test-data", "flowers.csv"}))
      << "columns that drift are an attack of their own";
  expect_refused({"evaluate", "run", "--attack", "pgd", "--shift", "width+1"}, "are for --attack drift, not for pgd");
  loss({"--attack", "drift", "--shift", "width±0.5, length~2"});
  const auto refused = [&](const std::string& shift, const std::string& part) {
    expect_refused({"evaluate", "run", "--attack", "drift", "--shift", shift}, part);
  };
  refused("widht+1", "cannot read 'widht+1'; expected a column and +a, -a, *a, /a, ±a or ~a (did you mean 'width'?)");
  refused("width+2 cm", "'2 cm'");
  refused("width", "'width' does not say how far; write width+2.5");
  refused("width~-1", "noise must not be negative");
  expect_refused({"evaluate", "run", "--attack", "drift"},
                 "attack drift needs --shift or --shift-file, such as --shift '");
  EXPECT_EQ(loss({"--shift", "width±0.5, length~2"}), loss({"--attack", "drift", "--shift", "width±0.5, length~2"}));
}

/// Neither inputs nor targets of an NPY file have names.
TEST_F(TableTool, InputsAndTargetsWithoutNamesGoByTheirPlaces) {
  const auto x = testing::normal({60, 3}, 1);
  testing::write_npy(folder_ / "x.npy", x);
  testing::write_npy(folder_ / "y.npy", torch::stack({x.select(1, 0) + x.select(1, 1), x.select(1, 2)}, 1));
  train("run", {"--data", "x.npy", "--targets", "y.npy", "--quiet"});
  auto moved = x.clone();
  moved.select(1, 1) += 2.5;
  moved.select(1, 2) *= 1.5;
  testing::write_npy(folder_ / "moved.npy", moved);
  const auto point = [&](Arguments flags) {
    flags.insert(flags.begin(), {"evaluate", "run", "--test-targets", "y.npy", "--json", "-", "--quiet"});
    return Json::parse(succeed(flags).out)["points"][0]["loss"].get<double>();
  };
  EXPECT_NEAR(point({"--test-data", "x.npy", "--shift", "input 2 + 2.5, input 3*1.5", "--eps", "1"}),
              point({"--test-data", "moved.npy"}), 1e-4);
  const auto table = succeed({"evaluate", "run", "--eps", "0", "--quiet"}).out;
  EXPECT_NE(table.find("target 1  target 1  target 2  target 2\n"), std::string::npos) << table;
  expect_refused({"evaluate", "run", "--shift", "input 4+1"}, "columns: input 1, input 2, input 3");
  expect_refused({"evaluate", "run", "--attack", "drift"},
                 "such as --shift 'input 1+2.5'; columns that can drift: input 1, input 2, input 3");
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

}  // namespace arks
