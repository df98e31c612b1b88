// Choices are made on a part of the training samples: of a run, and of a search.
#include "cli/validation_tool.h"
#include "study/step.h"

namespace arks {

using testing::ValidationTool;
namespace fs = std::filesystem;

/// Of few rows, or of one group, no part is kept unless somebody asks for one, and --patience does. Either way the run
/// goes on, and can be repeated, with the same parts.
TEST_F(ValidationTool, RunsOnFewRowsGoOnWithTheSameParts) {
  write_table("t.csv", 30, /*noise=*/false);
  const auto again = [&](const std::string& run, int64_t validation) {
    EXPECT_EQ(epochs_of(run).front().contains("validation_error"), validation > 0) << run;
    succeed({"train", "--resume", run, "--quiet"});
    succeed({"train", "--config", run + "/config.toml", "--out", run + "-again", "--quiet"});
    const auto one = epochs_of(run), other = epochs_of(run + "-again");
    ASSERT_EQ(one.size(), other.size()) << run;
    EXPECT_EQ(one.back()["train_loss"], other.back()["train_loss"]) << run;
    EXPECT_EQ(one.back()["test_loss"], other.back()["test_loss"]) << run;
  };
  expect_said(train_bare("asked", {"--data", "t.csv", "--patience", "5"}), "19 training, 5 validation and 6 test rows");
  expect_recorded("asked", "patience = 5");
  again("asked", 5);
  train_bare("patient", {"--data", "t.csv", "--patience", "2", "--epochs", "4"});
  again("patient", 5);
  const auto usual = train_bare("usual", {"--data", "t.csv"});
  expect_said(usual, "24 training rows are too few, so none are kept");
  expect_said(usual, "epochs 50, ");
  EXPECT_EQ(config("usual").find("patience"), std::string::npos) << config("usual");
  again("usual", 0);
  write_table("sites.csv", 100, /*noise=*/false, /*sites=*/2);
  expect_said(train_bare("site", {"--data", "sites.csv", "--group", "site", "--test-fraction", "0.5"}), "one group");
  again("site", 0);
  train_refused({"--data", "sites.csv", "--group", "site", "--test-fraction", "0.5", "--patience", "5"},
                "the training part has one group only");
}

/// What the validation part decides is decided without a class that it lacks.
TEST_F(ValidationTool, AClassThatTheValidationPartLacksIsNamed) {
  std::string rows = "a,class\n";
  for (int i = 0; i < 80; ++i) rows += c10::str(i % 13, ",", i % 40 == 0 ? "rare" : i % 2 == 0 ? "yes" : "no", "\n");
  write_file_atomically(folder_ / "t.csv", rows);
  const Arguments flags{"--data", "t.csv", "--epochs", "2", "--validation-fraction", "0.1", "--quiet"};
  expect_said(train_bare("run", flags), "warning: the validation part has no rows of class 'rare'");
  write_table("all.csv", 100, /*noise=*/false);
  EXPECT_EQ(train_bare("all", {"--data", "all.csv", "--epochs", "2", "--validation-fraction", "0.2", "--quiet"}).err,
            "");
}

TEST_F(ValidationTool, OwnTablesAreTrainedAsLongAsItHelps) {
  write_table("t.csv", 300, /*noise=*/true);
  const auto result = train_bare("run", {"--data", "t.csv", "--lr", "0.01"});
  expect_said(result, "48 training rows are kept for validation, to stop training in time (patience 100)");
  expect_said(result, "192 training, 48 validation and 60 test rows");
  EXPECT_NE(result.out.find("stopped since 100 epochs brought no lower validation loss; epoch "), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("] on 60 rows"), std::string::npos) << result.out;
  const auto epochs = epochs_of("run");
  EXPECT_LT(epochs.size(), 2000U) << "noise cannot be learned";
  EXPECT_TRUE(epochs.front().contains("validation_error"));
  expect_recorded("run", "validation-fraction = 0.2");
  expect_recorded("run", "patience = 100");
  expect_recorded("run", "swa = false");
  EXPECT_EQ(result.err.find("averaged"), std::string::npos) << "training stops before: " << result.err;
  // what is evaluated are the weights of the epoch that was taken
  size_t best = 0;
  const auto rank = [&](size_t i) {
    return std::pair(epochs[i]["validation_loss"].get<double>(), epochs[i]["validation_error"].get<double>());
  };
  for (size_t i = 1; i < epochs.size(); ++i) best = rank(i) < rank(best) ? i : best;
  EXPECT_EQ(epochs.size(), best + 101);
  for (const std::string part : {"validation", "test"}) {
    succeed({"evaluate", "run", "--attack", "uniform", "--eps", "0", "--split", part, "--json", part + ".json"});
    const auto points = Json::parse(read_file(folder_ / (part + ".json")))["points"];
    EXPECT_EQ(points[0]["error"], epochs[best][part + "_error"]) << part;
    EXPECT_EQ(points[0]["n"], part == "test" ? 60 : 48);
  }
}

TEST_F(ValidationTool, OwnImagesAreTrainedAsLongAsItHelps) {
  auto generator = make_generator(3, Stream::kSamples);
  for (int64_t i = 0; i < 160; ++i) {  // noise cannot be learned
    testing::write_png(folder_ / c10::str("photos/", i % 2 == 0 ? "dark/" : "light/", i, ".png"),
                       torch::randint(256, {1, 8, 8}, generator, torch::TensorOptions(torch::kByte)));
  }
  const auto result = train_bare("run", {"--data", "photos", "--lr", "0.01", "--batch-size", "2"});
  expect_said(result, "26 training images are kept for validation, to stop training in time (patience 9)");
  expect_said(result, "102 training, 26 validation and 32 test images");
  expect_recorded("run", "validation-fraction = 0.2");
  expect_recorded("run", "patience = 9");
  expect_recorded("run", "epochs = 1000");
  EXPECT_LT(epochs_of("run").size(), 1000U);
  succeed({"evaluate", "run", "--attack", "uniform", "--eps", "0", "--split", "validation"});
  expect_said(train_bare("all", {"--data", "photos", "--epochs", "1"}), "128 training and 32 test images");
}

TEST_F(ValidationTool, WhoGivesEpochsOrHasFewRowsTrainsOnAllOfThem) {
  write_table("t.csv", 300, false);
  write_table("few.csv", 40, false);
  expect_said(train_bare("all", {"--data", "t.csv", "--epochs", "2"}), "240 training and 60 test rows");
  EXPECT_EQ(config("all").find("validation"), std::string::npos);
  expect_said(train_bare("off", {"--data", "t.csv", "--validation-fraction", "0", "--epochs", "1"}),
              "240 training and");
  const auto few = train_bare("few", {"--data", "few.csv", "--quiet"});
  expect_said(few, "32 training rows are too few, so none are kept to stop training in time: it takes 50 epochs");
  EXPECT_EQ(epochs_of("few").size(), 50U) << "of two steps";
  expect_said(train_bare("iris", {"--data", "iris", "--epochs", "1"}), "120 training and 30 test rows");
  refused({"evaluate", "all", "--split", "validation"}, "all has no validation part; train with --validation-fraction");
}

/// The flag that says what is the default anyway changes nothing, and a fold stops as a fifth does.
TEST_F(ValidationTool, AValidationPartStopsTrainingInTimeWhoeverAskedForIt) {
  write_table("t.csv", 300, true);
  const Arguments data{"--data", "t.csv", "--lr", "0.01"};
  const auto with = [&](const std::string& run, Arguments more) {
    more.insert(more.begin(), data.begin(), data.end());
    return train_bare(run, more);
  };
  with("usual", {});
  with("asked", {"--validation-fraction", "0.2"});
  EXPECT_EQ(read_file(folder_ / "usual/config.toml"), read_file(folder_ / "asked/config.toml"));
  EXPECT_EQ(epochs_of("usual").size(), epochs_of("asked").size());
  expect_said(with("fold", {"--folds", "5", "--fold", "1"}),
              "--fold 1 of 0 to 4 is the validation part; arks sweep does the cross-validation, with all 5");
  EXPECT_LT(epochs_of("fold").size(), 1000U);
  with("patient", {"--validation-fraction", "0.2", "--patience", "3"});
  expect_recorded("patient", "patience = 3");
}

/// One row in 25 is positive. By the error the best epoch would be one that never says so.
TEST_F(ValidationTool, WithClassWeightsTheWeightedLossDecides) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  const auto write = [&](const std::string& name, int64_t rows) {
    std::string text = "a,b,class\n";
    for (int64_t i = 0; i < rows; ++i) {
      const bool yes = i % 25 == 0;
      text += c10::str(normal(random) + (yes ? 1.5 : 0), ",", normal(random), ",", yes ? "yes" : "no", "\n");
    }
    write_file_atomically(folder_ / name, text);
  };
  write("t.csv", 1000);
  write("new.csv", 2000);
  for (const char* seed : {"0", "1", "2"}) {
    const auto result = train_bare(seed, {"--data", "t.csv", "--class-weights", "balanced", "--seed", seed});
    expect_said(result, "the result is the epoch with the lowest weighted validation loss");
    succeed({"evaluate", seed, "--test-data", "new.csv", "--attack", "uniform", "--eps", "0", "--json", "e.json",
             "--force"});
    const auto point = Json::parse(read_file(folder_ / "e.json"))["points"][0];
    EXPECT_GT(point["balanced_accuracy"].get<double>(), 0.7) << "seed " << seed;
  }
}

TEST_F(ValidationTool, ARunThatStoppedEarlyHasNoMoreEpochs) {
  write_table("t.csv", 300, true);
  train_bare("run", {"--data", "t.csv", "--lr", "0.05", "--patience", "3"});
  const auto before = read_file(folder_ / "run/config.toml");
  refused({"train", "--resume", "run", "--epochs", "5000", "--quiet"}, "since 3 epochs brought no lower validation");
  EXPECT_EQ(read_file(folder_ / "run/config.toml"), before);
  expect_said(succeed({"train", "--resume", "run"}), "run is complete: it stopped early, after ");
}

TEST_F(ValidationTool, QuietHidesNothingThatChangesNumbers) {
  write_table("t.csv", 300, false);
  const auto result = train_bare("run", {"--data", "t.csv", "--quiet", "--lr", "0.05"});
  expect_said(result, "arks: note: 48 training rows are kept for validation");
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

TEST_F(ValidationTool, WarnsWhereTestRowsWereTrainedOn) {
  write_table("t.csv", 60, false);
  write_table("u.csv", 60, true);
  fs::copy_file(folder_ / "t.csv", folder_ / "copy.csv");
  const auto with = [&](const std::string& test, const Arguments& more = {}) {
    Arguments flags{"--data", "t.csv", "--test-data", test, "--epochs", "1", "--quiet", "--force"};
    flags.insert(flags.end(), more.begin(), more.end());
    return train_bare("run", flags);
  };
  for (const char* test : {"t.csv", "copy.csv"}) {
    expect_said(with(test), "arks: warning: --test-data holds the samples of --data");
  }
  EXPECT_EQ(with("u.csv").err.find("warning"), std::string::npos);
  expect_said(with("u.csv", {"--group", "site"}), "groups of 'site' are in both --data and --test-data is not checked");
}

/// An export that holds every row twice is divided so that most test rows were trained on.
TEST_F(ValidationTool, RowsThatAreThereTwiceAreSaid) {
  write_table("t.csv", 60, false);
  const auto once = read_file(folder_ / "t.csv");
  write_file_atomically(folder_ / "twice.csv", once + once.substr(once.find('\n') + 1));
  const Arguments rest{"--epochs", "1", "--drop", "site", "--quiet", "--force"};
  const auto with = [&](const std::string& data) {
    Arguments flags{"--data", data};
    flags.insert(flags.end(), rest.begin(), rest.end());
    return train_bare("run", flags);
  };
  expect_said(with("twice.csv"), " of the 24 test rows are training rows, too, with the same inputs and target");
  EXPECT_EQ(with("t.csv").err, "");
}

TEST_F(ValidationTool, GroupsThatCannotBeDividedAsAskedAreSaid) {
  write_table("two.csv", 100, false, /*sites=*/2);
  const auto two = train_bare("two", {"--data", "two.csv", "--group", "site", "--quiet"});
  expect_said(two, "warning: the test part has 50 of 100 rows, 50 % instead of 20 %: the groups of 'site'");
  expect_said(two, "the training part has one group of 'site' only, so none are kept to stop training in time");
  train_refused({"--data", "two.csv", "--group", "site", "--validation-fraction", "0.2"}, "has one group only");
  write_table("ten.csv", 100, false, /*sites=*/10);
  EXPECT_EQ(train_bare("ten", {"--data", "ten.csv", "--group", "site", "--epochs", "1", "--quiet"}).err, "");
}

TEST_F(ValidationTool, PatienceAloneAsksForAValidationPart) {
  const auto result = train_bare("run", {"--data", "iris", "--patience", "2", "--epochs", "3"});
  expect_said(result, "96 training, 24 validation and 30 test rows");
  expect_recorded("run", "validation-fraction = 0.2");
}

TEST_F(ValidationTool, TheScalingIsLearnedOnTheRowsThatRemain) {
  write_table("t.csv", 50, false);
  const auto load = [&](double fraction) {
    return load_splits((folder_ / "t.csv").string(), DataOptions().validation(ValidationOptions().fraction(fraction)));
  };
  const auto whole = load(0), parts = load(0.5);
  const auto inputs = [](const Dataset& set) { return set.get(torch::arange(set.size())).inputs.to(torch::kDouble); };
  EXPECT_LT(inputs(*parts.train).mean(0).abs().max().item<double>(), 1e-6);
  EXPECT_GT(inputs(*parts.validation).mean(0).abs().max().item<double>(), 1e-3);
  EXPECT_FALSE(parts.train->info().input_mean.equal(whole.train->info().input_mean));
  EXPECT_TRUE(parts.validation->info().input_mean.equal(parts.train->info().input_mean));
  EXPECT_EQ(parts.test->size(), whole.test->size());
}

TEST_F(ValidationTool, AGroupColumnIsNoInputAndKeepsItsRowsTogether) {
  write_table("t.csv", 60, false);
  const auto options =
      DataOptions().tabular(TabularOptions().group("site").standardise(false)).validation(ValidationOptions().folds(4));
  const auto splits = load_splits((folder_ / "t.csv").string(), options);
  EXPECT_EQ(splits.train->info().input_shape, (std::vector<int64_t>{2}));
  EXPECT_EQ(splits.test->size(), 12) << "two sites of six rows";
  EXPECT_EQ(splits.validation->size() % 6, 0);
  expect_said(train_bare("run", {"--data", "t.csv", "--group", "site", "--epochs", "1"}), "48 training and 12 test");
  expect_recorded("run", "group = \"site\"");
  succeed({"evaluate", "run", "--attack", "uniform", "--eps", "0"});
}

TEST_F(ValidationTool, TheSplitFollowsTheSeedOnRequest) {
  write_table("t.csv", 60, false);
  train_bare("run", {"--data", "t.csv", "--split-with-seed", "--seed", "3", "--epochs", "1", "--folds", "3"});
  expect_recorded("run", "split-seed = 3");
  expect_recorded("run", "validation-seed = 3");
  succeed({"train", "--config", "run/config.toml", "--seed", "5", "--out", "other", "--quiet"});
  expect_recorded("other", "split-seed = 5");
  expect_recorded("other", "validation-seed = 5");
  succeed({"train", "--config", "run/config.toml", "--out", "same", "--quiet"});
  EXPECT_EQ(epochs_of("run").back()["test_loss"], epochs_of("same").back()["test_loss"]);
  succeed({"train", "--resume", "other", "--epochs", "2", "--quiet"});
  train_refused({"--data", "t.csv", "--split-with-seed", "--seed", "3", "--split-seed", "2"},
                "--split-seed 2 cannot be used with --split-with-seed");
}

TEST_F(ValidationTool, BadInputIsOneLine) {
  write_table("t.csv", 30, false, /*sites=*/1);
  train_refused({"--data", "t.csv", "--group", "site"}, "the group column 'site' has one group only");
  train_refused({"--data", "t.csv", "--group", "class"}, "cannot be both the target and the group");
  train_refused({"--data", "t.csv", "--group", "sight"}, "sight");
  train_refused({"--data", "t.csv", "--folds", "25"}, "25 folds need as many training samples; there are 24");
  train_refused({"--data", "t.csv", "--validation-fraction", "0.01"}, "would be an empty validation part");
  train_refused({"--data", "t.csv", "--folds", "3", "--fold", "3"}, "--fold must be 0 to 2");
  train_refused({"--data", "t.csv", "--folds", "3", "--validation-fraction", "0.1"}, "cannot be used together");
  train_refused({"--data", "t.csv", "--patience", "3", "--validation-fraction", "0"},
                "--patience needs a validation part, so --validation-fraction cannot be 0");
  train_refused({"--data", "t.csv", "--fold", "2"}, "--fold needs --folds");
  train_refused({"--data", "iris", "--validation-seed", "3"}, "--validation-seed 3 needs a validation part");
  train_refused({"--data", "fashion-mnist", "--group", "site"}, "--group is for tables with named columns");
}

/// Labels by lot: whatever is chosen, half of new rows are wrong. Twelve tables have 480 test rows: the errors of what
/// the search chose are within chance, four deviations of it. The same runs chosen by the test rows, the point as the
/// epoch, are not, by far. The weights of a processor decide which points look good, and not how good that is.
TEST_F(ValidationTool, ASearchOnNoiseReportsChance) {
  constexpr int kTables = 12;
  std::string search = "[train]\nmethod = \"erm\"\nmodel = \"mlp\"\nepochs = 40\n";
  for (int table = 0; table < kTables; ++table) {
    const auto name = c10::str("t", table);
    write_noise(name + ".csv", 200, /*seed=*/static_cast<unsigned>(table));
    search += c10::str("[[search]]\nname = \"", name, "\"\ntrain = {data = \"", name,
                       ".csv\"}\ngrid = {lr = [0.01, 0.03], batch-size = [8, 32]}\n");
  }
  write_file_atomically(folder_ / "s.toml", search);
  const auto result = testing::arks_program({"sweep", "s.toml", "--out", "s", "--jobs", "2"}, folder_.path(),
                                            {{"OMP_WAIT_POLICY", "passive"}});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_said(result, "chosen by a validation part, 0.2 of the training samples");
  const auto found = Json::parse(read_file(folder_ / "s/results.json"));
  EXPECT_EQ(found["selected_on"], "validation");
  ASSERT_EQ(found["points"].size(), 4U * kTables);
  for (const auto& point : found["points"]) EXPECT_FALSE(point["metrics"].contains("test_error"));
  double reported = 0;
  for (const auto& chosen : found["chosen"]) reported += chosen["test"]["test_error"]["mean"].get<double>() / kTables;
  std::map<std::string, double> lowest;
  for (const auto& run : found["runs"]) {
    const auto folder = study::StepStore("s").run_folder(run["step"]);
    for (const auto& epoch : epochs_of(folder.string())) {
      const auto place = lowest.emplace(run["group"], 1).first;
      place->second = std::min(place->second, epoch["test_error"].get<double>());
    }
  }
  double by_test = 0;
  for (const auto& [group, error] : lowest) by_test += error / kTables;
  const double chance = 4 * std::sqrt(0.25 / (40 * kTables));
  EXPECT_NEAR(reported, 0.5, chance);
  EXPECT_LT(by_test, 0.5 - chance);
}

TEST_F(ValidationTool, ASearchTakesTheMeanOverFolds) {
  write_table("t.csv", 60, false);
  write_file_atomically(folder_ / "s.toml",
                        "[train]\ndata = \"t.csv\"\nmethod = \"erm\"\nepochs = 2\nfolds = 3\n[evaluate]\nattack = "
                        "\"uniform\"\neps = 0\n[grid]\nlr = [0.01, 0.1]\n");
  const auto result = testing::arks_program({"sweep", "s.toml", "--out", "s"}, folder_.path(), {});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto found = Json::parse(read_file(folder_ / "s/results.json"));
  ASSERT_EQ(found["runs"].size(), 6U);
  EXPECT_EQ(found["points"][0]["n"], 3);
  double sum = 0;
  for (int64_t fold = 0; fold < 3; ++fold) {
    const auto& run = found["runs"][static_cast<size_t>(fold)];
    EXPECT_EQ(run["fold"], fold);
    sum += run["metrics"]["validation_error"].get<double>();
    EXPECT_EQ(run["metrics"]["error@0"], run["metrics"]["validation_error"]) << "attacked on the validation part";
  }
  EXPECT_NEAR(found["points"][0]["metrics"]["validation_error"]["mean"].get<double>(), sum / 3, 1e-12);
}

TEST_F(ValidationTool, OnlyThePapersRuleChoosesByTheTestPart) {
  const auto search = [&](const std::string& more) {
    write_file_atomically(folder_ / "s.toml", "[train]\ndata = \"iris\"\nmethod = \"erm\"\nepochs = 1\n" + more +
                                                  "[grid]\nlr = [0.01, 0.1]\n");
  };
  search("");
  refused({"sweep", "s.toml", "--rule", "best:test_error"}, "would choose by the test part");
  const auto paper = testing::arks_program({"sweep", "s.toml", "--rule", "paper", "--quiet"}, folder_.path(), {});
  EXPECT_EQ(paper.exit_code, 0) << paper.err;
  EXPECT_NE(paper.err.find("arks: warning: --rule paper chooses by the test part"), std::string::npos) << paper.err;
  EXPECT_EQ(Json::parse(read_file(folder_ / "runs/sweep-s/results.json"))["selected_on"], "test");
  search("validation-fraction = 0\n");
  refused({"sweep", "s.toml"}, "validation-fraction is 0, but a search chooses by the validation part");
  search("[evaluate]\nsplit = \"test\"\n");
  refused({"sweep", "s.toml"}, "a search chooses by the validation part");
  search("[evaluate]\ntest-data = \"field.csv\"\n");
  refused({"sweep", "s.toml"}, "[evaluate] test-data: a search chooses by the validation part");
}

}  // namespace arks
