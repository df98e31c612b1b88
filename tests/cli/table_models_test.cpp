// Runs on tables from the field: what they are tested on, compared on and shifted by.
#include "cli/table_tool.h"

namespace arks {

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
    Arguments arguments{"evaluate", "run", "--json", "-", "--quiet"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    if (std::find(flags.begin(), flags.end(), "--eps") == flags.end())
      arguments.insert(arguments.end(), {"--eps", "1"});
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

}  // namespace arks
