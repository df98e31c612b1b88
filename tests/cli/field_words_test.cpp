// What is said of models and of the data from the field that they are tested on.
#include "cli/field_data_tool.h"

namespace arks::testing {

namespace fs = std::filesystem;

/// Of a run that was interrupted: with a validation part its best epoch so far is used.
TEST_F(FieldDataTool, AnUnfinishedRunSaysWhoseWeightsItHas) {
  for (const std::string part : {"0", "0.2"}) {
    train_class("run" + part, {"--validation-fraction", part, "--lr", "0.3"});
    const auto file = folder_ / ("run" + part + "/checkpoint.pt");
    auto checkpoint = read_checkpoint(file);
    checkpoint.config.replace(checkpoint.config.find("epochs = 20"), 11, "epochs = 90");
    write_checkpoint(file, checkpoint);
    fs::remove(folder_ / ("run" + part + "/model.pt"));
    std::vector<EpochMetrics> epochs;
    for (const auto& line : checkpoint.metrics) epochs.push_back(epoch_metrics_from_json(line));
    const auto best = epochs[taken_epoch(epochs)].epoch;
    const auto said = succeed({"evaluate", "run" + part, "--eps", "0", "--quiet"}).err;
    const auto expected = part == "0" ? std::string("these are the weights of then")
                                      : c10::str("of epoch ", best, ", the best on the validation part so far");
    EXPECT_NE(said.find("after epoch 20 of at most 90; "), std::string::npos) << said;
    EXPECT_NE(said.find(expected), std::string::npos) << said;
  }
}

/// Whoever names field data alone wants the errors there; whoever names an attack gets it.
TEST_F(FieldDataTool, FieldDataAloneAreTestedAsTheyAre) {
  train_class("run");
  succeed({"export", "run", "--out", "out.pt"});
  const Arguments field{"--test-data", "field.csv"};
  for (const std::string models : {"run", "out.pt", "run/model.pt run"}) {
    const auto found = points("evaluate", models, field);
    for (const auto& point : found) EXPECT_EQ(point["eps"], 0) << models;
    EXPECT_EQ(found.size(), split(models, ' ').size()) << models;
  }
  const auto alone = succeed({"evaluate", "run", "--test-data", "field.csv"});
  expect_said(alone, "note: the samples of --test-data are taken as they are, eps 0; --attack or --eps");
  expect_said(alone, "run: clean: error ");
  EXPECT_EQ(alone.out.find("pgd"), std::string::npos) << alone.out;
  const auto two = succeed({"evaluate", "run", "--test-data", "winter=field.csv,siteB=rows.csv"});
  for (const std::string file : {"winter", "siteB"}) expect_said(two, "run on " + file + ": clean: error ");
  const std::vector<std::pair<Arguments, size_t>> attacked{
      {{"--attack", "pgd"}, 7}, {{"--norm", "l2"}, 7}, {{"--source", "run"}, 7}, {{"--eps", "0,0.1"}, 2}};
  for (const auto& [flags, count] : attacked) {
    auto all = field;
    all.insert(all.end(), flags.begin(), flags.end());
    EXPECT_EQ(points("evaluate", "run", all).size(), count) << join(flags, " ");
  }
}

TEST_F(FieldDataTool, TitlesNameTheTestFiles) {
  train_class("run");
  const auto title_with = [&](const std::string& model, Arguments flags) {
    flags.insert(flags.begin(), {"evaluate", model});
    if (std::count(flags.begin(), flags.end(), "--eps") == 0) flags.insert(flags.end(), {"--eps", "0,0.1"});
    flags.insert(flags.end(), {"--figure", "t.svg", "--force", "--quiet"});
    const auto table = succeed(flags).out;
    return read_file(folder_ / "t.svg") + table;
  };
  EXPECT_NE(title_with("run", {}).find("rows.csv, 30 test rows"), std::string::npos);
  EXPECT_NE(title_with("run", {"--test-data", "field.csv"}).find("field, 60 rows"), std::string::npos);
  const auto two = title_with("run", {"--test-data", "winter=field.csv,siteB=rows.csv"});
  EXPECT_NE(two.find(">winter, siteB<"), std::string::npos) << two;
  const auto silent = title_with("raw.pt", {"--data", "rows.csv", "--drop", "y,colour", "--test-data", "field.csv"});
  EXPECT_NE(silent.find("field, 60 rows"), std::string::npos);
  const auto alone = title_with("run", {"--eps", "0", "--test-data", "winter=field.csv,siteB=rows.csv"});
  EXPECT_NE(alone.find(">clean<"), std::string::npos) << "no axis of strengths\n" << alone;
  EXPECT_EQ(alone.find("pgd"), std::string::npos) << alone;
  EXPECT_NE(silent.find("\nfield: 60 rows"), std::string::npos) << silent;
}

/// A checkpoint may lie between two ends of an epoch.
TEST_F(FieldDataTool, WeightsFromTheMidstOfAnEpochAreCalledSo) {
  train_class("run", {"--validation-fraction", "0"});
  auto checkpoint = read_checkpoint(folder_ / "run/checkpoint.pt");
  checkpoint.epoch = 4;
  checkpoint.batch = 2;
  checkpoint.metrics.resize(4);
  write_checkpoint(folder_ / "alone.pt", checkpoint);
  expect_said(succeed({"evaluate", "alone.pt", "--eps", "0", "--quiet"}),
              "alone.pt is not finished: its training was interrupted, or it diverged, in epoch 5 of at most 20, after "
              "batch 2; these are the weights of then");
  checkpoint.batch = 0;
  write_checkpoint(folder_ / "alone.pt", checkpoint);
  expect_said(succeed({"evaluate", "alone.pt", "--eps", "0", "--quiet"}), "after epoch 4 of at most 20; these");
}

TEST_F(FieldDataTool, CertificatesOfNumbersSayTheUnitOfTheLoss) {
  train_number("run", "colour,label");
  const Arguments certify{"certify", "run", "--method", "c-transform", "--cost",     "l2",
                          "--gamma", "50",  "--rho",    "0",           "--quantity", "loss",
                          "--limit", "2",   "--label",  "estimated",   "--quiet"};
  const std::string unit = "loss: squared error, in squared standard deviations of the training target";
  auto drawn = certify;
  drawn.insert(drawn.end(), {"--figure", "c.svg"});
  EXPECT_NE(succeed(drawn).out.find(unit), std::string::npos);
  EXPECT_NE(read_file(folder_ / "c.svg").find("squared standard deviations"), std::string::npos);
}

/// Commands that look at data as they are have no validation part.
TEST_F(FieldDataTool, ShowingAndComparingDataHasNoValidationPart) {
  refused({"data", "show", "rows.csv", "--folds", "3"}, "unknown flag '--folds'");
  refused({"data", "drift", "rows.csv", "field.csv", "--validation-fraction", "0.5"},
          "unknown flag '--validation-fraction'");
}

TEST_F(FieldDataTool, AFileFromElsewherePredictsNothing) {
  refused({"predict", "raw.pt", "--data", "field.csv"}, "a run or a file of arks export is needed");
}

/// Grey made colour: the numbers are others, so --quiet says it, too.
TEST_F(FieldDataTool, WhatIsDoneToImagesIsSaidQuietlyToo) {
  write_photos();
  write_class(folder_ / "photos/dark", 3, 100, {1, 6, 4});
  const auto result = train("run", {"--data", "photos", "--quiet"});
  expect_said(result, "3 of 16 images are grey, the others are in colour; all are read as colour");
  const auto drifting = arks({"evaluate", "run", "--shift", "red+1"});
  EXPECT_EQ(drifting.exit_code, 2);
  expect_said(drifting, "attack drift moves columns of a table, and photos has none; uniform");
}

/// What is wrong with a path that leads nowhere is not its ending.
TEST_F(FieldDataTool, WhatDoesNotExistIsSaidNotToExist) {
  train_class("run");
  succeed({"export", "run", "--out", "out.pt"});
  for (const std::string data : {"none.csv", "none.npy", "some/none", "none.xlsx", "none/"}) {
    refused({"evaluate", "run", "--test-data", data}, data + " does not exist");
    refused({"evaluate", "out.pt", "--data", data}, data + " does not exist");
    refused({"predict", "run", "--data", data}, data + " does not exist");
    train_refused({"--data", "rows.csv", "--test-data", data}, data + " does not exist");
  }
  for (const std::string model : {"none", "none.pt", "some/none.pt"}) {
    refused({"evaluate", model}, "model " + model + " does not exist");
    refused({"predict", model, "--data", "field.csv"}, "model " + model + " does not exist");
    refused({"certify", model, "--test-data", "field.csv"}, "model " + model + " does not exist");
  }
  train_refused({"--data", "some/none"}, "some/none does not exist");
}

}  // namespace arks::testing
