// arks evaluate, arks data and the help texts as a user runs them.
#include "cli/tool.h"
#include "support/file.h"
#include "support/testing.h"
#include "support/text.h"

#include <arks/support/process.h>
#include <nlohmann/json.hpp>

#include <regex>
#include <sstream>

namespace arks {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

class EvaluateTool : public ::testing::Test {
 protected:
  // two models for all tests: starting the tool is what costs time
  static void SetUpTestSuite() {
    // as the tool runs in these tests, so that its numbers are the library's to the last bit
    torch::set_num_threads(1);
    set_blas_threads(1);
    folder_ = std::make_unique<testing::TemporaryFolder>();
    testing::write_toy_fashion_mnist(*folder_ / "data", 256, 64);
    train("erm", {"--method", "erm"});
    train("arks", {"--method", "arks", "--sigma", "1", "--inner-lr", "0.05"});
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static void train(const std::string& name, const Arguments& flags) {
    Arguments arguments{"train", "--model", "linear", "--epochs", "4",     "--batch-size",
                        "32",    "--lr",    "0.01",   "--quiet",  "--out", name};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    succeed(arguments);
  }
  static testing::ToolResult succeed(const Arguments& arguments) {
    auto result = testing::arks_tool(arguments, folder_->path(), {{"ARKS_DATA_DIR", (*folder_ / "data").string()}});
    EXPECT_EQ(result.exit_code, 0) << join(arguments, " ") << "\n" << result.err;
    return result;
  }
  Json evaluate(Arguments arguments) const {
    arguments.insert(arguments.begin(), "evaluate");
    arguments.insert(arguments.end(), {"--json", "-", "--quiet"});
    return Json::parse(succeed(arguments).out);
  }
  /// The model of a run, as the library loads it.
  SupervisedProblem problem(const std::string& run) const {
    const auto data = load_fashion_mnist(*folder_ / "data", Split::kTest);
    SupervisedProblem loaded(make_model("linear", data->info(), 0), CrossEntropy());
    load_weights(read_checkpoint(*folder_ / (run + "/checkpoint.pt")), loaded, run);
    return loaded;
  }

  static std::unique_ptr<testing::TemporaryFolder> folder_;
};

std::unique_ptr<testing::TemporaryFolder> EvaluateTool::folder_;

/// Which values an attack may have depends on the data, so they are looked at first.
TEST_F(EvaluateTool, DefaultsOfAnAttackAreThoseOfTheDataItMeets) {
  ASSERT_EQ(
      testing::arks_tool({"train", "--data", "iris", "--method", "erm", "--epochs", "1", "--quiet", "--out", "table"},
                         folder_->path())
          .exit_code,
      0);
  const auto result =
      testing::arks_tool({"evaluate", "table", "--eps", "0.5", "--json", "-", "--quiet"}, folder_->path());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto config = nlohmann::json::parse(result.out)["config"];
  EXPECT_EQ(config["alpha"], "2.5*eps/steps") << "and not the one published for Fashion-MNIST";
  // what the run says of its data stands there as well, each value of its own kind
  EXPECT_EQ(config["test-fraction"], 0.2);
  EXPECT_EQ(config["split-seed"], 0);
  EXPECT_EQ(config["standardise"], false);
  EXPECT_EQ(config["target"], "species");
  EXPECT_EQ(config["engine"], "auto");
  EXPECT_EQ(config["seed"], 0);
  EXPECT_EQ(config["threads"], 1) << "as many as there were";
  const auto missing = testing::arks_tool({"evaluate", "nothing", "--eps", "-1"}, folder_->path());
  EXPECT_NE(missing.err.find("model nothing does not exist"), std::string::npos)
      << "an attack is checked when the data are known: " << missing.err;
}

TEST_F(EvaluateTool, WhiteBoxPointsEqualTheLibrarys) {
  const auto json = evaluate({"erm", "--attack", "pgd", "--eps", "0,0.1"});
  ASSERT_EQ(json["points"].size(), 2U);
  auto model = problem("erm");
  const auto data = load_fashion_mnist(*folder_ / "data", Split::kTest);
  for (const auto& point : json["points"]) {
    const auto expected = arks::evaluate(model, data, PgdAttack(PgdOptions().eps(point["eps"])));
    EXPECT_EQ(point["errors"], expected.errors);
    EXPECT_EQ(point["n"], 64);
    EXPECT_DOUBLE_EQ(point["loss"], expected.loss);
    EXPECT_TRUE(point["source"].is_null());
  }
  EXPECT_GT(json["points"][1]["error"], json["points"][0]["error"]);
}

TEST_F(EvaluateTool, TransferIsCraftedOnTheSource) {
  const auto json = evaluate({"erm", "arks", "--attack", "pgd", "--eps", "0.1", "--source", "erm", "--white-box"});
  ASSERT_EQ(json["points"].size(), 4U);
  auto source = problem("erm");
  auto target = problem("arks");
  const auto data = load_fashion_mnist(*folder_ / "data", Split::kTest);
  const auto expected =
      arks::evaluate(target, data, PgdAttack(PgdOptions().eps(0.1)), EvaluateOptions().source(&source));
  for (const auto& point : json["points"]) {
    if (point["model"] == "arks" && !point["source"].is_null()) {
      EXPECT_EQ(point["source"], "erm");
      EXPECT_EQ(point["errors"], expected.errors);
      EXPECT_DOUBLE_EQ(point["loss"], expected.loss);
    }
  }
  // on the source itself transfer is white-box
  EXPECT_EQ(json["points"][0]["errors"], json["points"][2]["errors"]);
}

TEST_F(EvaluateTool, FgsmL2RandomStartsAndRestarts) {
  const auto one = evaluate({"erm", "--attack", "pgd", "--norm", "l2", "--eps", "1", "--random-start", "--seed", "5"});
  const auto many = evaluate({"erm", "--attack", "pgd", "--norm", "l2", "--eps", "1", "--restarts", "4"});
  EXPECT_EQ(one["points"][0]["norm"], "l2");
  EXPECT_EQ(many["config"]["restarts"], 4);
  EXPECT_EQ(many["config"]["models"], Json::array({"erm"}));
  EXPECT_EQ(evaluate({"erm", "--attack", "fgsm", "--eps", "0.1"})["points"][0]["attack"], "fgsm");
  const auto again =
      evaluate({"erm", "--attack", "pgd", "--norm", "l2", "--eps", "1", "--random-start", "--seed", "5"});
  EXPECT_EQ(one["points"][0]["loss"], again["points"][0]["loss"]);
}

TEST_F(EvaluateTool, LimitCutsTheTestSet) {
  EXPECT_EQ(evaluate({"erm", "--eps", "0", "--limit", "10"})["points"][0]["n"], 10);
}

TEST_F(EvaluateTool, TakesACheckpointFileToo) {
  EXPECT_EQ(evaluate({"erm/checkpoint.pt", "--eps", "0"})["points"][0]["errors"],
            evaluate({"erm", "--eps", "0"})["points"][0]["errors"]);
}

TEST_F(EvaluateTool, WritesTableCsvFiguresAndGrid) {
  const auto result = succeed({"evaluate", "erm", "arks/", "--eps", "0:0.2:0.1", "--source", "erm", "--csv", "out.csv",
                               "--figure", "out.svg,out.png", "--grid", "grid.png"});
  EXPECT_NE(result.out.find("0.2"), std::string::npos) << result.out;
  EXPECT_NE(read_file(*folder_ / "out.csv").find("arks,pgd,linf,0.1,erm,64,"), std::string::npos);
  EXPECT_NE(read_file(*folder_ / "out.svg").find("</svg>"), std::string::npos);
  for (const char* file : {"out.png", "grid.png"}) EXPECT_EQ(read_file(*folder_ / file).substr(1, 3), "PNG") << file;
}

TEST_F(EvaluateTool, ShiftsEqualTheLibrarys) {
  const auto data = load_fashion_mnist(*folder_ / "data", Split::kTest);
  auto model = problem("erm");
  const auto uniform = evaluate({"erm", "arks", "--attack", "uniform", "--eps", "0:1:0.5", "--repeats", "2"});
  ASSERT_EQ(uniform["points"].size(), 6U);
  EXPECT_EQ(uniform["config"]["repeats"], 2);
  EXPECT_FALSE(uniform["config"].contains("norm"));
  for (const auto& point : uniform["points"]) {
    EXPECT_EQ(point["attack"], "uniform");
    EXPECT_TRUE(point["norm"].is_null());
    EXPECT_EQ(point["n"], 64) << "rows, not draws";
    EXPECT_EQ(point["repeats"], 2);
    if (point["model"] != "erm") continue;
    const auto expected = arks::evaluate(model, data, UniformNoise(UniformNoiseOptions().eps(point["eps"])),
                                         EvaluateOptions().repeats(2));
    EXPECT_EQ(point["errors"].get<double>(), expected.errors / 2.0) << "of the rows, a mean over the draws";
    EXPECT_DOUBLE_EQ(point["loss"], expected.loss);
  }
  const auto scale = evaluate({"erm", "--attack", "scale", "--eps", "0:4:2", "--bounds", "0,5"});
  ASSERT_EQ(scale["points"].size(), 3U);
  for (const auto& point : scale["points"]) {
    const auto expected = arks::evaluate(model, data, Scaling(ScalingOptions().eps(point["eps"])),
                                         EvaluateOptions().bounds(Bounds{0, 5}));
    EXPECT_DOUBLE_EQ(point["loss"], expected.loss);
  }
  EXPECT_NE(scale["points"][2]["loss"], scale["points"][0]["loss"]);
}

TEST_F(EvaluateTool, TakesARadiusAndBoundsPerFeature) {
  const auto data = load_fashion_mnist(*folder_ / "data", Split::kTest);
  auto model = problem("erm");
  const auto scale = torch::cat({torch::ones({392}), torch::zeros({392})}).to(torch::kDouble);
  const Bounds bounds(torch::full({784}, -1), torch::full({784}, 2));
  const auto json = evaluate({"erm", "--eps", "0.1", "--bounds", testing::repeated("-1,2", 784, ";"), "--eps-scale",
                              testing::repeated("1", 392, ",") + "," + testing::repeated("0", 392, ",")});
  const auto expected =
      arks::evaluate(model, data, PgdAttack(PgdOptions().eps(0.1).eps_scale(scale)), EvaluateOptions().bounds(bounds));
  EXPECT_DOUBLE_EQ(json["points"][0]["loss"], expected.loss);
  EXPECT_NE(expected.loss, arks::evaluate(model, data, PgdAttack(PgdOptions().eps(0.1))).loss);
  ASSERT_EQ(json["config"]["bounds"].size(), 784U);
  EXPECT_EQ(json["config"]["bounds"][783], (Json{-1.0, 2.0}));
  EXPECT_EQ(json["config"]["eps-scale"].size(), 784U);
  EXPECT_EQ(evaluate({"erm", "--eps", "0"})["config"]["bounds"], (Json{0.0, 1.0})) << "one range for all";
}

TEST_F(EvaluateTool, MentionsFlagsThatTheAttackDoesNotUse) {
  const auto notes = [&](Arguments flags) {
    flags.insert(flags.begin(), {"evaluate", "erm", "--eps", "0", "--limit", "8"});
    return succeed(flags).err;
  };
  const auto shift = notes({"--attack", "scale", "--norm", "l2", "--source", "arks", "--white-box", "--steps", "3",
                            "--repeats", "3", "--eps-scale", "1"});
  for (const char* flag : {"--norm", "--source", "--white-box", "--steps", "--eps-scale"}) {
    EXPECT_NE(shift.find(std::string(flag) + " is not used by attack scale"), std::string::npos) << shift;
  }
  EXPECT_NE(shift.find("--repeats changes nothing: scale draws nothing at random"), std::string::npos) << shift;
  EXPECT_NE(notes({"--repeats", "3"}).find("pgd without --random-start or --restarts draws nothing"),
            std::string::npos);
  const auto fgsm = notes({"--attack", "fgsm", "--restarts", "2"});
  EXPECT_NE(fgsm.find("--restarts is not used by attack fgsm"), std::string::npos) << fgsm;
  EXPECT_EQ(notes({"--attack", "uniform", "--repeats", "2"}).find("note:"), std::string::npos);
}

TEST_F(EvaluateTool, NamesModelsAndComparesThem) {
  const auto json = evaluate({"erm", "arks", "--eps", "0,0.1", "--names", "usual,robust"});
  EXPECT_EQ(json["points"][1]["model"], "robust");
  ASSERT_EQ(json["comparisons"].size(), 4U);
  const auto& found = json["comparisons"][2];
  EXPECT_EQ(found["second"], "robust");
  EXPECT_EQ(found["test"], "mcnemar");
  const auto& points = json["points"];
  EXPECT_NEAR(found["difference"].get<double>(), points[3]["error"].get<double>() - points[2]["error"].get<double>(),
              1e-12);
  EXPECT_LE(points[0]["error_low"], points[0]["error"]);
  EXPECT_EQ(points[0]["confusion"].size(), 10U);
  const auto result = succeed(
      {"evaluate", "erm", "arks", "--eps", "0", "--names", "usual,robust", "--figure", "named.svg", "--details", "-v"});
  EXPECT_NE(result.out.find("robust - usual"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("64 images"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("true \\ predicted"), std::string::npos) << result.out;
  EXPECT_NE(result.err.find("robust: engine: in evaluation mode the network runs on"), std::string::npos) << result.err;
  const auto figure = read_file(*folder_ / "named.svg");
  EXPECT_NE(figure.find("usual"), std::string::npos);
  EXPECT_NE(figure.find("95 % intervals"), std::string::npos);
  const auto wrong = testing::arks_tool({"evaluate", "erm", "arks", "--names", "usual"}, folder_->path(),
                                        {{"ARKS_DATA_DIR", (*folder_ / "data").string()}});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("--names: needs one name for each of the 2 models, got 1"), std::string::npos) << wrong.err;
}

TEST_F(EvaluateTool, QuietHidesNoWarning) {
  // steps that cannot reach the radius make the error too small
  const Arguments weak{"evaluate", "erm", "--eps", "0.5", "--alpha", "0.001", "--steps", "2", "--limit", "8"};
  auto quiet = weak;
  quiet.emplace_back("--quiet");
  EXPECT_NE(succeed(weak).err.find("arks: warning: "), std::string::npos);
  EXPECT_NE(succeed(quiet).err.find("arks: warning: "), std::string::npos);
}

TEST_F(EvaluateTool, ClassWeightsChangeTrainingAndNotTheTestFigures) {
  const auto trained = testing::arks_tool({"train", "--data", "iris", "--method", "arks", "--sigma", "0.3", "--epochs",
                                           "2", "--class-weights", "1,2,5", "--out", "weighted"},
                                          folder_->path());
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_NE(trained.err.find("class weights 1, 2, 5: losses of training are weighted; test figures are not"),
            std::string::npos)
      << trained.err;
  EXPECT_NE(trained.err.find(" rows/s"), std::string::npos) << trained.err;
  EXPECT_EQ(trained.err.find("images"), std::string::npos) << trained.err;
  std::string last;
  for (const auto& line : split(read_file(*folder_ / "weighted/metrics.jsonl"), '\n'))
    last = line.empty() ? last : line;
  const auto json = evaluate({"weighted", "--eps", "0"});
  EXPECT_NEAR(Json::parse(last)["test_loss"], json["points"][0]["loss"], 1e-6) << "both unweighted";
  for (const auto& [value, part] : std::vector<std::pair<std::string, std::string>>{
           {"1,2", "has 3 classes, got 2 weights"}, {"1,2,-1", "must be positive"}, {"some", "none, balanced or"}}) {
    const auto refused = testing::arks_tool(
        {"train", "--data", "iris", "--method", "erm", "--class-weights", value, "--out", "bad"}, folder_->path());
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.err.find(part), std::string::npos) << refused.err;
  }
}

TEST_F(EvaluateTool, WhatDivergedFailsAndSaysWhatToChange) {
  const auto result = testing::arks_tool({"train", "--data", "diabetes", "--method", "erm", "--opt", "sgd", "--lr",
                                          "1e6", "--epochs", "5", "--model", "linear", "--out", "diverged", "--quiet"},
                                         folder_->path());
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_NE(result.err.find("a smaller learning rate (--lr, now 1e+06)"), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("no sample moved"), std::string::npos) << result.err;
}

TEST_F(EvaluateTool, ListsDataSetsInLinesThatFit) {
  for (const auto& line : split(succeed({"data", "list"}).out, '\n')) EXPECT_LE(line.size(), 120U) << line;
}

TEST_F(EvaluateTool, ShowsTheLossWhenAskedFor) {
  const auto result = succeed({"evaluate", "erm", "arks", "--attack", "uniform", "--eps", "0,1", "--metric", "loss",
                               "--figure", "loss.svg", "--quiet"});
  EXPECT_NE(result.out.find("loss"), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("error %"), std::string::npos) << result.out;
  const auto svg = read_file(*folder_ / "loss.svg");
  EXPECT_NE(svg.find("mean loss"), std::string::npos);
  EXPECT_EQ(svg.find("error (%)"), std::string::npos);
  EXPECT_NE(svg.find("strength d of the noise"), std::string::npos);
  EXPECT_EQ(svg.find("white-box"), std::string::npos);
  EXPECT_EQ(evaluate({"erm", "--eps", "0", "--metric", "loss"})["config"]["metric"], "loss");
  EXPECT_EQ(evaluate({"erm", "--eps", "0"})["config"]["metric"], "error");
}

TEST_F(EvaluateTool, DataListAndVerify) {
  EXPECT_NE(succeed({"data", "list"}).out.find("fashion-mnist"), std::string::npos);
  const auto json = Json::parse(succeed({"data", "list", "--json", "-"}).out);
  EXPECT_EQ(json["data_sets"][0]["found"], true);
  // the toy set is not the official one, and verify says so
  const auto result = testing::arks_tool({"data", "verify", "fashion-mnist"}, folder_->path(),
                                         {{"ARKS_DATA_DIR", (*folder_ / "data").string()}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("60000"), std::string::npos) << result.err;
}

/// The lines "  arks …" under "Example" in a help text.
std::vector<Arguments> examples(const std::string& help) {
  std::vector<Arguments> found;
  std::istringstream in(help.substr(std::min(help.find("\nExample"), help.size())));
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("  arks ", 0) != 0) continue;
    std::istringstream words(line.substr(7));
    Arguments arguments;
    for (std::string word; words >> word;) arguments.push_back(word);
    found.push_back(arguments);
  }
  return found;
}

TEST(Help, ExamplesOfAllCommandsWorkAsPrinted) {
  if (!fs::exists(default_data_dir() / "fashion-mnist")) {
    GTEST_SKIP() << "Fashion-MNIST is not in " << default_data_dir() << " (apt-get install dataset-fashion-mnist)";
  }
  const testing::TemporaryFolder folder;
  // in this order, since the examples of evaluate and certify use the model that the example of train makes
  for (const Arguments& command : {Arguments{"--help"}, Arguments{"train", "--help"}, Arguments{"evaluate", "--help"},
                                   Arguments{"certify", "--help"}, Arguments{"data", "--help"}}) {
    const auto help = testing::arks_tool(command, folder.path());
    EXPECT_EQ(help.exit_code, 0);
    const auto lines = examples(help.out);
    EXPECT_FALSE(lines.empty()) << join(command, " ") << " shows no example\n" << help.out;
    for (const auto& arguments : lines) {
      const auto result = testing::arks_tool(arguments, folder.path());
      EXPECT_EQ(result.exit_code, 0) << join(arguments, " ") << "\n" << result.err;
    }
  }
}

TEST(Help, IsGivenWhateverElseIsWrong) {
  const testing::TemporaryFolder folder;
  for (const Arguments& arguments :
       {Arguments{"help", "train"}, Arguments{"train", "--epochs", "x", "--help"},
        Arguments{"train", "--config", "missing.toml", "-h"}, Arguments{"train", "--resume", "missing", "--help"}}) {
    const auto result = testing::arks_tool(arguments, folder.path());
    EXPECT_EQ(result.exit_code, 0) << join(arguments, " ") << result.err;
    EXPECT_NE(result.out.find("--inner-steps"), std::string::npos) << join(arguments, " ");
  }
}

TEST(Help, VersionNamesBothVersions) {
  const testing::TemporaryFolder folder;
  const auto result = testing::arks_tool({"--version"}, folder.path());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out.rfind(std::string("arks ") + kVersion, 0), 0U) << result.out;
}

}  // namespace arks
