// Runs, exported files and files from elsewhere on one set of rows: what each is given, and in which units it is
// reported.
#include "cli/own_data.h"
#include "model/scripts.h"

namespace arks::testing {

namespace fs = std::filesystem;

class FieldDataTool : public OwnDataTest {
 protected:
  /// A class and a number that depend on numbers far from 0, and a net for them that was made elsewhere: raw.pt.
  FieldDataTool() {
    write_rows("rows.csv", 150, 1, 0);
    write_rows("field.csv", 60, 2, 2);
    auto layer = scripted_linear(2, 2, 1);
    torch::NoGradGuard no_grad;
    layer.attr("weight").toTensor().copy_(torch::tensor({0.0, 0.0, 0.2, 1 / 30.0}).reshape({2, 2}));
    layer.attr("bias").toTensor().copy_(torch::tensor({0.0, -20 / 5.0 - 1000 / 30.0}));
    write("raw.pt", layer);
  }

  void write(const std::string& name, const torch::jit::Module& script) const {
    write_file_atomically(folder_ / name, bytes_of(script));
  }
  void write_rows(const std::string& name, int64_t count, uint64_t seed, double warmer) const {
    const auto z = normal({count, 3}, seed);
    std::ofstream out(folder_ / name);
    out << "temp,press,colour,y,label\n";
    for (int64_t i = 0; i < count; ++i) {
      const double temp = 20 + warmer + 5 * z[i][0].item<double>(), press = 1000 + 30 * z[i][1].item<double>();
      const bool red = i % 3 == 0, on = (temp - 20) / 5 + (press - 1000) / 30 + 0.5 * z[i][2].item<double>() > 0;
      out << temp << "," << press << "," << (red ? "red" : "blue") << "," << 3 * temp + 0.1 * press + (red ? 5 : 0)
          << "," << (on ? "yes" : "no") << "\n";
    }
  }
  /// ERM on rows.csv, of the class or of the number.
  void train_class(const std::string& out, Arguments flags = {}) const {
    flags.insert(flags.end(), {"--data", "rows.csv", "--drop", "y,colour", "--epochs", "20", "--quiet"});
    train(out, flags);
  }
  void train_number(const std::string& out, const std::string& drop, Arguments flags = {}) const {
    flags.insert(flags.end(), {"--data", "rows.csv", "--target", "y", "--drop", drop, "--epochs", "20", "--quiet"});
    train(out, flags);
  }
  /// The points of a report.
  Json points(const std::string& command, const std::string& models, const Arguments& flags) const {
    Arguments arguments{command};
    for (const auto& model : split(models, ' ')) arguments.push_back(model);
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    arguments.insert(arguments.end(), {"--json", "-", "--quiet"});
    return Json::parse(succeed(arguments).out)["points"];
  }
};

/// What such a model takes is known: a scaling of the user's would be a second one.
TEST_F(FieldDataTool, AModelThatSaysWhatItTakesIsNotScaledAgain) {
  train_class("run");
  succeed({"export", "run", "--out", "out.pt"});
  const Arguments scaling{"--mean", "20,1000", "--std", "5,30"};
  const auto with = [&](Arguments arguments) {
    arguments.insert(arguments.end(), scaling.begin(), scaling.end());
    return arguments;
  };
  const std::string says = ".pt says itself how its inputs are scaled; leave them out";
  for (const std::string model : {"out", "run/model"}) {
    refused(with({"evaluate", model + ".pt", "--test-data", "field.csv"}), model + says);
    refused(with({"evaluate", model + ".pt", "run"}), model + says);
    refused(with({"certify", model + ".pt", "--test-data", "field.csv", "--rho", "0"}), model + says);
    train_refused(with({"--model", model + ".pt", "--data", "rows.csv", "--drop", "y,colour"}), says);
  }
  const auto alone = points("evaluate", "out.pt run", {"--test-data", "field.csv", "--eps", "0.1"});
  const auto mixed = points("evaluate", "out.pt run raw.pt", with({"--test-data", "field.csv", "--eps", "0.1"}));
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(mixed[i]["loss"], alone[i]["loss"]) << "only raw.pt is scaled";
}

/// A file of arks export says how its data were divided: --data tests it on the samples that the run was not trained
/// on, and nothing else passes for its data.
TEST_F(FieldDataTool, AnExportedFileIsNeverTestedOnTrainingSamples) {
  train_class("run", {"--split-seed", "7", "--test-fraction", "0.3"});
  train_class("other", {"--split-seed", "8", "--test-fraction", "0.3"});
  succeed({"export", "run", "--out", "out.pt"});
  fs::copy(folder_ / "rows.csv", folder_ / "copy.csv");
  const auto run = points("evaluate", "run", {"--eps", "0"});
  for (const std::string model : {"out.pt", "run/model.pt"}) {
    for (const std::string data : {"rows.csv", "copy.csv"}) {
      const auto file = points("evaluate", model, {"--eps", "0", "--data", data});
      EXPECT_EQ(file[0]["n"], 45);
      EXPECT_NEAR(file[0]["loss"], run[0]["loss"], 1e-5) << model << " " << data;
    }
    EXPECT_EQ(points("evaluate", model, {"--eps", "0", "--data", "rows.csv", "--split", "train"})[0]["n"], 105);
    refused({"evaluate", model, "--data", "field.csv"}, "--test-data field.csv tests it on all samples there");
    refused({"evaluate", model, "--data", "rows.csv", "--split-seed", "1"}, "knows how its data were divided");
    refused({"certify", model, "--data", "field.csv", "--rho", "0"}, model + " was trained on other data");
    refused({"evaluate", "other", model}, "split-seed is 8 in the first and 7 in the second");
  }
  expect_said(succeed({"evaluate", "out.pt", "--test-data", "copy.csv", "--quiet"}),
              "out.pt was trained on rows of it");
  expect_said(succeed({"evaluate", "run", "--test-data", "copy.csv", "--quiet"}), "run was trained on rows of it");
  EXPECT_EQ(succeed({"evaluate", "out.pt", "--test-data", "field.csv", "--quiet"}).err, "");
}

TEST_F(FieldDataTool, ExportedFilesOfImagesAndArraysKnowTheirTestPart) {
  write_photos();
  write_arrays();
  train("folder", {"--data", "photos", "--split-seed", "3", "--quiet"});
  train("arrays", {"--data", "x.npy", "--targets", "y.npy", "--split-seed", "3", "--quiet"});
  train("iris", {"--data", "iris", "--split-seed", "3", "--quiet"});
  const std::vector<std::pair<std::string, Arguments>> cases{{"folder", {"--data", "photos"}},
                                                             {"arrays", {"--data", "x.npy", "--targets", "y.npy"}},
                                                             {"iris", {"--data", "iris"}}};
  for (const auto& [run, data] : cases) {
    succeed({"export", run, "--out", run + ".pt"});
    Arguments flags{"--eps", "0"};
    const auto alone = points("evaluate", run, flags);
    flags.insert(flags.end(), data.begin(), data.end());
    const auto file = points("evaluate", run + ".pt", flags);
    EXPECT_EQ(file[0]["n"], alone[0]["n"]);
    EXPECT_NEAR(file[0]["loss"], alone[0]["loss"], 1e-5) << run;
  }
  write_class(folder_ / "photos/dark", 11, 0, {3, 6, 4});
  refused({"evaluate", "folder.pt", "--data", "photos"}, "folder.pt was trained on other data");
  refused({"evaluate", "iris.pt", "--data", "diabetes"}, "iris.pt was trained on iris");
}

/// It has to do with the user's own numbers, whatever the models beside it take.
TEST_F(FieldDataTool, AFileFromElsewhereGetsTheNumbersAsTheyAre) {
  train_class("run");
  const Arguments rows{"--data", "field.csv", "--drop", "y,colour", "--test-fraction", "0.9", "--eps", "0"};
  const double alone = points("evaluate", "raw.pt", rows)[0]["error"];
  EXPECT_LT(alone, 0.3) << "it is a model of these rows";
  const Arguments field{"--test-data", "field.csv", "--eps", "0"};
  EXPECT_NEAR(points("evaluate", "run raw.pt", field)[1]["error"], alone, 0.05);
  const double of_part = points("evaluate", "run raw.pt", {"--eps", "0"})[1]["loss"];
  train_class("plain", {"--no-standardise"});
  EXPECT_NEAR(of_part, points("evaluate", "plain raw.pt", {"--eps", "0"})[1]["loss"], 1e-4) << "runs' own part";
  auto asked = rows;
  asked.emplace_back("--standardise");
  EXPECT_GT(points("evaluate", "raw.pt", asked)[0]["error"], alone + 0.1) << "scaled numbers are not what it takes";
  EXPECT_EQ(
      succeed({"certify", "run", "raw.pt", "--test-data", "field.csv", "--rho", "0", "--limit", "4", "--quiet"}).err,
      "");
}

TEST_F(FieldDataTool, AFileFromElsewhereGivesNumbersInTheUsersUnits) {
  auto layer = scripted_linear(2, 1, 1);
  {
    torch::NoGradGuard no_grad;
    layer.attr("weight").toTensor().copy_(torch::tensor({3.0, 0.1}).reshape({1, 2}));
    layer.attr("bias").toTensor().copy_(torch::tensor({1.7}));
  }
  write("numbers.pt", layer);
  train_number("run", "colour,label");
  for (const Arguments& flags : {Arguments{"--test-data", "field.csv"}, Arguments{}}) {
    auto all = flags;
    all.insert(all.end(), {"--eps", "0"});
    EXPECT_LT(points("evaluate", "run numbers.pt", all)[1]["mae"][0], 3.5) << "5 more where it is red";
  }
}

/// The deviation of each input and of the target, as a run learned them.
std::pair<std::vector<double>, double> scales_of(const fs::path& run) {
  const auto says = nlohmann::json::parse(read_checkpoint(run / "checkpoint.pt").interface);
  return {says["inputs"]["deviation"], says["outputs"]["deviation"][0]};
}

/// Runs that read a file in different ways have scales of their own. Together, all are in the units of the first.
TEST_F(FieldDataTool, ModelsOfOtherScalesAreComparedInOneUnit) {
  train_number("all", "label", {"--model", "mlp"});
  train_number("raw", "label,colour", {"--no-standardise", "--lr", "1e-7"});
  train_number("few", "label,colour", {"--no-standardise-targets"});
  const auto [inputs, target] = scales_of(folder_ / "all");
  const Arguments radius{"--eps", "0,0.1"};
  // temp and press of `raw` as far as 0.1 deviations of `all`
  const Arguments own_radius{"--eps", "0,0.1", "--eps-scale", c10::str(inputs.at(0), ",", inputs.at(1))};
  for (const Arguments& field : {Arguments{}, Arguments{"--test-data", "field.csv"}}) {
    const auto with = [&](Arguments flags) {
      flags.insert(flags.end(), field.begin(), field.end());
      return flags;
    };
    const auto alone = [&](const std::string& run, const Arguments& flags) {
      std::vector<double> losses;
      for (const auto& point : points("evaluate", run, with(flags))) losses.push_back(point["loss"]);
      return losses;
    };
    const auto all = alone("all", radius), raw = alone("raw", own_radius), few = alone("few", radius);
    const auto together = points("evaluate", "all raw few", with(radius));
    for (size_t i = 0; i < 2; ++i) {
      const double unit = target * target;
      const std::vector<double> expected{all[i], raw[i] / unit, few[i] / unit};
      for (size_t model = 0; model < 3; ++model) {
        EXPECT_NEAR(together[3 * i + model]["loss"], expected[model], 1e-3 * expected[model]) << i << " " << model;
      }
    }
    const auto raw_first = points("evaluate", "raw all", with({"--eps", "0"}));
    EXPECT_NEAR(raw_first[1]["loss"], all[0] * target * target, 1e-3 * all[0] * target * target);
  }
}

/// A column that only one model has, and as it is, has no deviation that a radius could be counted in.
TEST_F(FieldDataTool, OneRadiusIsNotTwoThings) {
  train_number("scaled", "label,colour,press");
  train_number("raw", "label,colour", {"--no-standardise", "--lr", "1e-7"});
  refused({"evaluate", "scaled", "raw", "--test-data", "field.csv"},
          "raw takes 'press' as it is, and scaled takes standardised numbers, so one --eps would mean two things");
  succeed({"evaluate", "scaled", "raw", "--test-data", "field.csv", "--eps", "0", "--quiet"});
  succeed({"evaluate", "scaled", "raw", "--attack", "scale", "--eps", "0.1", "--quiet"});
  const auto report = succeed({"evaluate", "raw", "scaled", "--eps", "1", "--quiet"});
  EXPECT_NE(report.out.find("units of the columns"), std::string::npos) << report.out;
}

/// Both read a complete table alike. Of a file with gaps one wants nothing, whoever is named first.
TEST_F(FieldDataTool, MissingCellsAreRefusedForAModelThatTakesNone) {
  train_class("strict", {"--missing", "error"});
  train_class("filling", {"--missing", "median"});
  std::ofstream(folder_ / "gaps.csv") << "temp,press,label\n20,1000,yes\n,990,no\n";
  succeed({"evaluate", "filling", "--test-data", "gaps.csv", "--eps", "0", "--quiet"});
  for (const auto& [first, second] : {std::pair{"strict", "filling"}, std::pair{"filling", "strict"}}) {
    refused({"evaluate", first, second, "--test-data", "gaps.csv", "--eps", "0"}, "column 'temp' is empty");
    succeed({"evaluate", first, second, "--source", first, "--test-data", "field.csv", "--eps", "0", "--quiet"});
  }
}

}  // namespace arks::testing
