// Models that are tested on the same rows: whether they are the same, and what each makes of them.
#include "cli/own_data.h"
#include "model/scripts.h"

namespace arks::testing {

namespace fs = std::filesystem;

class SameRowsTool : public OwnDataTest {
 protected:
  /// Many cells of `a` are missing, and its mean is far from its median.
  SameRowsTool() {
    const auto z = normal({200, 3}, 1);
    std::ofstream out(folder_ / "gaps.csv");
    out << "a,b,label\n";
    for (int64_t i = 0; i < 200; ++i) {
      const double a = std::exp(2 * z[i][0].item<double>()), b = z[i][1].item<double>();
      if (z[i][2].item<double>() > -0.4) out << a;
      out << "," << b << "," << (a + b > 2 ? "yes" : "no") << "\n";
    }
  }

  void train_on(const std::string& data, const std::string& out, Arguments flags = {}) const {
    flags.insert(flags.end(), {"--data", data, "--epochs", "30", "--lr", "0.1", "--quiet"});
    train(out, flags);
  }
  void export_to(const std::string& run, const std::string& file) const {
    succeed({"export", run, "--out", file, "--quiet"});
  }
  Json report(Arguments arguments) const {
    arguments.insert(arguments.begin(), "evaluate");
    arguments.insert(arguments.end(), {"--json", "-", "--quiet"});
    return Json::parse(succeed(arguments).out);
  }
  std::vector<double> losses(Arguments arguments) const {
    arguments.insert(arguments.end(), {"--eps", "0"});
    std::vector<double> found;
    const auto points = report(arguments)["points"];
    for (const auto& point : points) found.push_back(point["loss"]);
    return found;
  }
};

/// An exported file gets the rows as its own run does, whatever it stands beside.
TEST_F(SameRowsTool, ExportedFilesFillMissingCellsAsTheyWereTrained) {
  for (const std::string how : {"median", "mean"}) {
    train_on("gaps.csv", how, {"--missing", how});
    export_to(how, how + ".pt");
  }
  const double median = losses({"median"}).at(0), mean = losses({"mean"}).at(0);
  const Arguments data{"--data", "gaps.csv"};
  const auto expect = [&](Arguments models, bool with_data) {
    const auto typed = models;
    if (with_data) models.insert(models.end(), data.begin(), data.end());
    for (const std::string part : {"test", "train"}) {
      auto arguments = models;
      arguments.insert(arguments.end(), {"--split", part});
      const auto found = losses(arguments);
      for (size_t i = 0; i < typed.size(); ++i) {
        const auto run = typed[i].substr(0, typed[i].find('.'));
        const double own = losses({run, "--split", part}).at(0);
        EXPECT_NEAR(found.at(i), own, 1e-5 * own) << join(typed, " ") << ": " << typed[i] << " " << part;
      }
    }
  };
  EXPECT_GT(std::abs(median - mean), 1e-3 * median) << "they differ";
  expect({"median.pt"}, true);
  expect({"mean.pt", "median.pt"}, true);
  expect({"median.pt", "mean.pt", "median.pt"}, true);
  expect({"median", "mean.pt"}, false);
  expect({"mean.pt", "median", "mean", "median.pt"}, false);
  const std::string advice = "cannot share the samples of one attack or certificate; test each alone, or train both";
  refused({"evaluate", "median", "--source", "mean"}, advice);
  refused({"evaluate", "median", "--source", "mean.pt"}, advice);
  refused({"evaluate", "median.pt", "--source", "mean.pt", "--data", "gaps.csv"}, advice);
  refused({"certify", "median.pt", "mean.pt", "--data", "gaps.csv", "--rho", "0"}, advice);
  refused({"certify", "median", "mean.pt", "--rho", "0"}, advice);
  refused({"evaluate", "median", "--source", "mean", "--test-data", "gaps.csv"}, advice);
}

/// The folder is gone; what was recorded of it is not.
TEST_F(SameRowsTool, AMovedFolderIsDividedAsItWas) {
  write_photos();
  for (const std::string seed : {"0", "1"}) train_on("photos", "run" + seed, {"--split-seed", seed});
  train_on("photos", "held", {"--split-seed", "0", "--validation-fraction", "0.3"});
  const std::string differs = "--split-seed is 0 in the first and 1 in the second; --test-data FILE tests both on";
  const auto before = losses({"run1"});
  refused({"evaluate", "run0", "run1"}, differs);
  fs::rename(folder_ / "photos", folder_ / "moved");
  refused({"evaluate", "run0", "run1", "--data", "moved"}, differs);
  EXPECT_EQ(losses({"run1", "--data", "moved"}), before);
  EXPECT_EQ(losses({"run0", "held", "--data", "moved"}).size(), 2);
  export_to("run1", "run1.pt");
  EXPECT_NEAR(losses({"run1.pt", "--data", "moved"}).at(0), before.at(0), 1e-5 * before.at(0));
  train_on("moved", "here", {"--split-seed", "1"});
  EXPECT_EQ(losses({"here", "run1"}).size(), 2) << "the same content in another place is the same data";
}

/// What was typed and what was found are the same.
TEST_F(SameRowsTool, RunsThatDifferInWhatWasTypedOnlyAreCompared) {
  train_on("gaps.csv", "plain", {"--missing", "median", "--folds", "3"});
  train_on("gaps.csv", "typed",
           {"--missing", "median", "--folds", "3", "--fold", "0", "--header", "--sep", ",", "--train-limit", "0"});
  for (const std::string part : {"test", "validation", "train"}) {
    const auto found = losses({"plain", "typed", "--split", part});
    EXPECT_EQ(found.at(0), found.at(1)) << part;
  }
  train_on("gaps.csv", "one", {"--missing", "median", "--folds", "3", "--fold", "1"});
  refused({"evaluate", "plain", "one", "--split", "validation"},
          "--fold is 0 in the first and 1 in the second; --split test compares them on the test part");
  std::ofstream table(folder_ / "sites.csv");
  table << "a,site,label\n";
  for (int64_t i = 0; i < 40; ++i) table << i * i % 17 << "," << i % 10 << "," << i % 2 << "\n";
  table.close();
  train_on("sites.csv", "grouped", {"--group", "site"});
  train_on("sites.csv", "single", {"--drop", "site"});
  refused({"evaluate", "grouped", "single"}, "--group is site in the first and not given in the second; --test-data");
}

/// What an attack takes where nothing is said depends on the samples, and not on where the tool is called.
TEST_F(SameRowsTool, DefaultsOfAttacksAreThoseOfTheSamples) {
  train_on("gaps.csv", "run", {"--missing", "median"});
  export_to("run", "out.pt");
  fs::create_directories(folder_ / "elsewhere");
  const auto config = [&](const std::string& where, const std::string& up) {
    const auto result = succeed({"evaluate", up + "out.pt", "--test-data", up + "gaps.csv", "--eps", "0.1", "--limit",
                                 "4", "--json", "-", "--quiet"},
                                where);
    auto found = Json::parse(result.out)["config"];
    for (const char* path : {"models", "test-data"}) found.erase(path);
    return found;
  };
  EXPECT_EQ(config("elsewhere", "../"), config("", ""));
}

/// Its samples are those of a run, and so is their number, wherever that stands.
TEST_F(SameRowsTool, TheMahalanobisCostIsThatOfTheRun) {
  train_on("gaps.csv", "run", {"--missing", "median", "--train-limit", "12", "--no-standardise"});
  write_file_atomically(folder_ / "raw.pt", bytes_of(scripted_linear(2, 2, 1)));
  const auto bound = [&](const Arguments& models, const std::string& name) {
    Arguments arguments{"certify"};
    arguments.insert(arguments.end(), models.begin(), models.end());
    arguments.insert(arguments.end(),
                     {"--cost", "mahalanobis", "--method", "c-transform", "--quantity", "loss", "--gamma", "2", "--rho",
                      "0.5", "--limit", "4", "--label", "estimated", "--json", "-", "--quiet"});
    const auto json = Json::parse(succeed(arguments).out);
    for (const auto& model : json["models"]) {
      if (model["model"] == name) return model["curve"].dump();
    }
    return json.dump();
  };
  for (const std::string name : {"run", "raw.pt"}) {
    EXPECT_EQ(bound({"raw.pt", "run"}, name), bound({"run", "raw.pt"}, name)) << name;
  }
}

/// --names renames a model and the source once.
TEST_F(SameRowsTool, TheSourceHasTheNameOfItsModel) {
  train_on("gaps.csv", "full", {"--missing", "median"});
  train_on("gaps.csv", "again", {"--missing", "median", "--seed", "1"});
  const auto json = report({"full", "again", "--names", "again,x", "--source", "full", "--eps", "0.1"});
  EXPECT_EQ(json["config"]["source"], "again");
  EXPECT_EQ(json["points"][0]["source"], "again");
  EXPECT_EQ(report({"full", "--source", "again", "--eps", "0.1"})["config"]["source"], "again");
}

/// The checkpoint knows that training came to its end, wherever it lies.
TEST_F(SameRowsTool, ACheckpointAloneIsNoUnfinishedRun) {
  train("run",
        {"--data", "gaps.csv", "--missing", "median", "--patience", "1", "--epochs", "500", "--lr", "1", "--quiet"});
  fs::copy(folder_ / "run/checkpoint.pt", folder_ / "alone.pt");
  auto checkpoint = read_checkpoint(folder_ / "alone.pt");
  ASSERT_LT(checkpoint.epoch, 500) << "it stopped early";
  EXPECT_EQ(succeed({"evaluate", "alone.pt", "--eps", "0", "--quiet"}).err, "");
  checkpoint.ended = "epoch 3 was undone";
  checkpoint.metrics.resize(1);
  write_checkpoint(folder_ / "ended.pt", checkpoint);
  EXPECT_EQ(succeed({"evaluate", "ended.pt", "--eps", "0", "--quiet"}).err, "");
  checkpoint.ended = "";
  write_checkpoint(folder_ / "run/checkpoint.pt", checkpoint);
  expect_said(succeed({"evaluate", "run", "--eps", "0", "--quiet"}), "run is not finished");
}

/// Units are rows of tables and images of images.
TEST_F(SameRowsTool, ImagesAreNotCalledRows) {
  write_photos();
  write_class(folder_ / "one/dark", 1, 0, {3, 6, 4});
  refused({"data", "drift", "photos", "one"}, "one: at least two images are needed to compare, got 1");
  train_on("photos", "run");
  const auto json = Json::parse(succeed({"predict", "run", "--data", "photos", "--out", "p.csv", "--json", "-"}).out);
  EXPECT_EQ(json["samples"], 16);
  EXPECT_EQ(json["rows"], 16);
}

}  // namespace arks::testing
