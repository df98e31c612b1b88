// Runs, exported files and files from elsewhere on one set of rows: what each is given, and in which units it is
// reported.
#include "cli/field_data_tool.h"

namespace arks::testing {

namespace fs = std::filesystem;

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

/// Two scalings of one model would be meant as one.
TEST_F(FieldDataTool, AFileFromElsewhereIsScaledInOneWay) {
  const Arguments scaling{"--mean", "20,1000", "--std", "5,30"}, data{"--data", "rows.csv", "--drop", "y,colour"};
  const auto with = [&](Arguments arguments) {
    arguments.insert(arguments.end(), scaling.begin(), scaling.end());
    arguments.insert(arguments.end(), data.begin(), data.end());
    return arguments;
  };
  const std::string twice = "--mean and --std scale the inputs of raw.pt, and so does --standardise";
  refused(with({"evaluate", "raw.pt", "--standardise", "--eps", "0"}), twice);
  refused(with({"certify", "raw.pt", "--standardise", "--rho", "0"}), twice);
  train_refused(with({"--model", "raw.pt", "--standardise"}), "the inputs of rows.csv are standardised already");
  train_refused(with({"--model", "linear"}), "leave them out, or give --no-standardise");
  train("scaled", with({"--no-standardise", "--quiet"}));
  succeed(with({"evaluate", "raw.pt", "--eps", "0", "--quiet"}));
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
  refused({"evaluate", "scaled", "raw", "--test-data", "field.csv", "--attack", "pgd"},
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

/// --force replaces a report, and never what a command reads or another of its outputs.
TEST_F(FieldDataTool, NoOutputReplacesWhatIsReadOrAnotherOutput) {
  train_class("run");
  write_photos();
  succeed({"export", "run", "--out", "out.pt"});
  const auto before = [&] {
    std::string all;
    for (const char* file : {"rows.csv", "field.csv", "out.pt", "run/checkpoint.pt", "run/config.toml"}) {
      all += read_file(folder_ / file);
    }
    return all;
  };
  const auto content = before();
  const std::string same = "cannot go to the same place", lost = "would be lost";
  refused({"predict", "run", "--data", "field.csv", "--out", "p.csv", "--json", "p.csv"}, same);
  refused({"predict", "run", "--data", "field.csv", "--json", "-"}, same);
  refused({"predict", "run", "--data", "field.csv", "--out", "p.csv", "--json", "./field.csv", "--force"}, lost);
  refused({"predict", "run", "--data", "field.csv", "--out", "field.csv", "--force"}, lost);
  refused({"predict", "out.pt", "--data", "field.csv", "--out", "out.pt", "--force"}, lost);
  refused({"export", "run", "--out", "z.pt", "--json", "z.pt"}, same);
  refused({"export", "run", "--out", "run/checkpoint.pt", "--force"}, lost);
  refused({"export", "run", "--out", "run/initial.pt"}, lost);
  refused({"export", "run/checkpoint.pt", "--out", "run/model.pt", "--force"}, lost);
  refused({"evaluate", "run", "--test-data", "a=field.csv", "--json", "field.csv", "--force"}, lost);
  refused({"evaluate", "run", "--csv", "run/config.toml", "--force"}, lost);
  refused({"certify", "run", "--rho", "0", "--json", "run/metrics.jsonl", "--force"}, lost);
  for (const std::string data : {"rows.csv", "run/../rows.csv"}) {  // which the run names itself
    refused({"evaluate", "run", "--eps", "0", "--csv", data, "--force"}, lost);
    refused({"certify", "run/checkpoint.pt", "--rho", "0", "--json", data, "--force"}, lost);
    refused({"predict", "run", "--data", "field.csv", "--out", data, "--force"}, lost);
    refused({"evaluate", "out.pt", "--source", "run", "--test-data", "field.csv", "--json", data, "--force"}, lost);
  }
  refused({"data", "show", "rows.csv", "--json", "rows.csv", "--force"}, lost);
  refused({"data", "drift", "rows.csv", "field.csv", "--json", "field.csv", "--force"}, lost);
  refused({"data", "show", "photos", "--json", "photos/dark/0.png", "--force"}, lost);
  train_refused({"--data", "rows.csv", "--drop", "y", "--json", "rows.csv", "--force"}, lost);
  refused({"train", "--resume", "run", "--json", "run/config.toml", "--force"}, lost);
  const std::string plain = ": predictions and reports are written as plain text; leave .gz away";
  refused({"predict", "no run", "--data", "field.csv", "--out", "p.csv.gz"}, "--out: p.csv.gz" + plain);
  refused({"evaluate", "run", "--eps", "0", "--csv", "e.csv.GZ"}, "--csv: e.csv.GZ" + plain);
  refused({"evaluate", "run", "--eps", "0", "--json", "e.json.gz"}, "--json: e.json.gz" + plain);
  EXPECT_EQ(before(), content);
  EXPECT_FALSE(fs::exists(folder_ / "p.csv") || fs::exists(folder_ / "z.pt"));
  for (int time = 0; time < 2; ++time) {
    succeed({"evaluate", "run", "--eps", "0", "--json", "run/report.json", "--force", "--quiet"});
    fs::copy(folder_ / "out.pt", folder_ / "model.pt", fs::copy_options::overwrite_existing);
    succeed({"export", "run", "--out", "again.pt", "--json", "report.json", "--force", "--quiet"});
    succeed({"evaluate", "model.pt", "--test-data", "field.csv", "--eps", "0", "--json", "report.json", "--force",
             "--quiet"});
  }
}

/// Targets far from 0 keep their digits: in predictions, and in the exported file.
TEST_F(FieldDataTool, TargetsFarFromZeroKeepTheirDigits) {
  const auto z = normal({80, 1}, 3);
  std::ofstream table(folder_ / "far.csv");
  table << "a,y\n";
  for (int64_t i = 0; i < 80; ++i) {
    const double a = z[i][0].item<double>();
    table << a << "," << shortest(1e9 + std::round(2e4 * a) / 1e4) << "\n";
  }
  table.close();
  train("run", {"--data", "far.csv", "--epochs", "100", "--lr", "0.1", "--quiet"});
  succeed({"export", "run", "--out", "far.pt"});
  const auto program = load_torchscript(folder_ / "far.pt");
  for (const std::string model : {"run", "far.pt"}) {
    const auto lines = split(succeed({"predict", model, "--data", "far.csv", "--quiet"}).out, '\n');
    for (int64_t i = 0; i < 80; ++i) {
      const double predicted = std::stod(lines.at(static_cast<size_t>(i) + 1));
      EXPECT_NEAR(predicted, 1e9 + 2 * z[i][0].item<double>(), 0.5) << model << " " << i;
      const auto a = torch::tensor({{parse_number(shortest(z[i][0].item<double>()), "a")}}).to(torch::kFloat);
      EXPECT_NEAR(program(a).item<double>(), predicted, 1e-4) << model << " " << i;
    }
  }
  const auto attacked = points("evaluate", "far.pt run", {"--test-data", "far.csv", "--eps", "0.5"});
  EXPECT_NEAR(attacked[0]["loss"], attacked[1]["loss"], 1e-3 * attacked[1]["loss"].get<double>());
  succeed(
      {"certify", "far.pt", "--test-data", "far.csv", "--rho", "0", "--label", "estimated", "--limit", "2", "--quiet"});
}

/// A network of the user's that gives such numbers, which are put on the scale of the run beside it.
TEST_F(FieldDataTool, AFileFromElsewhereMayGiveNumbersFarFromZero) {
  std::ofstream table(folder_ / "far.csv");
  table << "a,b,y\n";
  for (int64_t i = 0; i < 60; ++i)
    table << i % 7 << "," << i % 5 << "," << shortest(1000000.125 + 100 * (i % 7) + 0.25 * (i % 5)) << "\n";
  table.close();
  train("run", {"--data", "far.csv", "--task", "regression", "--quiet"});
  auto layer = scripted_linear(2, 1, 1);
  {
    torch::NoGradGuard no_grad;
    layer.attr("weight").toTensor().copy_(torch::tensor({100.0, 0.25}).reshape({1, 2}));
    layer.attr("bias").toTensor().copy_(torch::tensor({1000000.125}));
  }
  write("far.pt", layer);
  for (const std::string attack : {"pgd", "arks"}) {
    const auto both = points("evaluate", "run far.pt", {"--attack", attack, "--eps", "0,0.1"});
    EXPECT_LT(both[1]["mae"][0], 0.5);
    EXPECT_GT(both[3]["loss"], both[1]["loss"]);
  }
}

}  // namespace arks::testing
