// A network of the user's own, as a TorchScript file, through every command.
#include "cli/tool.h"
#include "model/scripts.h"
#include "support/file.h"
#include "support/testing.h"
#include "support/text.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace arks {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

class OwnModelTool : public ::testing::Test {
 protected:
  /// A table of six numbers and three classes, and a network for it: net.pt.
  OwnModelTool() {
    const auto x = testing::normal({90, 6}, 4);
    std::ofstream table(folder_ / "table.csv");
    table << "a,b,c,d,e,f,class\n";
    for (int64_t i = 0; i < 90; ++i) {
      for (int64_t j = 0; j < 6; ++j) table << x[i][j].item<double>() + (j == i % 3 ? 2 : 0) << ",";
      table << "class" << i % 3 << "\n";
    }
    write("net.pt", testing::scripted_net());
  }

  void write(const std::string& name, const torch::jit::Module& script) const {
    write_file_atomically(folder_ / name, testing::bytes_of(script));
  }
  testing::ToolResult arks(const Arguments& arguments) const { return testing::arks_tool(arguments, folder_.path()); }
  testing::ToolResult succeed(const Arguments& arguments) const {
    auto result = arks(arguments);
    EXPECT_EQ(result.exit_code, 0) << join(arguments, " ") << "\n" << result.err;
    return result;
  }
  void refuse(const Arguments& arguments, const std::string& part) const {
    const auto result = arks(arguments);
    EXPECT_EQ(result.exit_code, 2) << join(arguments, " ");
    EXPECT_NE(result.err.find(part), std::string::npos) << join(arguments, " ") << "\n" << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  Arguments training(const std::string& out, const Arguments& more = {}) const {
    Arguments all{"train",   "--data", "table.csv", "--model",     "net.pt", "--method", "arks",
                  "--sigma", "0.5",    "--epochs",  "2",           "--opt",  "adam",     "--lr",
                  "0.01",    "--out",  out,         "--inner-opt", "sgd",    "--quiet"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::map<std::string, torch::Tensor> weights(const std::string& file) const {
    std::map<std::string, torch::Tensor> found;
    for (const auto& [name, tensor] : load_torchscript(folder_ / file).state()) found[name] = tensor.detach();
    return found;
  }
  /// The line of a configuration that begins with this key.
  std::string read_toml_line(const std::string& file, const std::string& key) const {
    std::ifstream in(folder_ / file);
    for (std::string line; std::getline(in, line);) {
      if (line.rfind(key + " ", 0) == 0) return line;
    }
    return "";
  }
  void expect_same_weights(const std::string& one, const std::string& other, bool same = true) const {
    const auto first = weights(one), second = weights(other);
    bool equal = first.size() == second.size();
    for (const auto& [name, tensor] : first) equal = equal && testing::identical(tensor, second.at(name));
    EXPECT_EQ(equal, same) << one << " " << other;
  }
  Json evaluated(const Arguments& arguments) const {
    Arguments all{"evaluate"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.insert(all.end(), {"--quiet", "--json", "-"});
    return Json::parse(succeed(all).out)["points"];
  }

  testing::TemporaryFolder folder_;
};

TEST_F(OwnModelTool, IsTrainedResumedAndEvaluatedFromTheRunFolderAlone) {
  succeed(training("whole"));
  succeed(training("parts", {"--epochs", "1"}));
  const auto config = read_file(folder_ / "parts/config.toml");
  EXPECT_NE(config.find("model = \"" + (folder_ / "net.pt").string() + "\""), std::string::npos) << config;
  EXPECT_NE(config.find("model-checksum = \"0x"), std::string::npos) << config;
  EXPECT_EQ(read_file(folder_ / "parts/initial.pt"), read_file(folder_ / "net.pt"));
  fs::remove(folder_ / "net.pt");
  succeed({"train", "--resume", "parts", "--epochs", "2", "--quiet"});
  expect_same_weights("whole/model.pt", "parts/model.pt");
  expect_same_weights("whole/model.pt", "whole/initial.pt", false);

  const auto points = evaluated({"whole", "parts/checkpoint.pt", "whole/model.pt", "--eps", "0,0.5"});
  ASSERT_EQ(points.size(), 6U);
  for (size_t i = 0; i < 6; i += 3) {
    EXPECT_EQ(points[i]["errors"], points[i + 1]["errors"]);
    EXPECT_EQ(points[i]["loss"], points[i + 2]["loss"]) << "the export is the run";
  }
  succeed({"certify", "whole", "--rho", "0:0.1:0.1", "--sigma", "0.05", "--limit", "3", "--inner-steps", "3"});
}

/// One number z for two classes against the same network with the logits 0 and z.
class OneLogitTool : public OwnModelTool {
 protected:
  OneLogitTool() {
    const auto x = testing::normal({120, 6}, 4);
    std::ofstream table(folder_ / "two.csv");
    table << "a,b,c,d,e,f,class\n";
    for (int64_t i = 0; i < 120; ++i) {
      for (int64_t j = 0; j < 6; ++j) table << x[i][j].item<double>() + (i % 3 == 0 && j < 2 ? 1.5 : 0) << ",";
      table << (i % 3 == 0 ? "ill" : "well") << "\n";
    }
    const auto body = [] { return std::vector{testing::scripted_linear(6, 5, 1), testing::scripted_relu()}; };
    auto one = body(), two = body();
    one.push_back(testing::scripted_linear(5, 1, 7));
    two.push_back(testing::scripted_linear(5, 1, 7));
    two.push_back(testing::scripted_linear(1, 2, 9));
    torch::NoGradGuard no_grad;
    two.back().attr("weight").toTensor().copy_(torch::tensor({0.0F, 1.0F}).view({2, 1}));
    two.back().attr("bias").toTensor().zero_();
    for (const char* name : {"weight", "bias"}) two.back().attr(name).toTensor().set_requires_grad(false);
    write("one.pt", testing::scripted_sequential(one));
    write("two.pt", testing::scripted_sequential(two));
    auto flat = testing::script_module("__torch__.Flat");
    flat.register_module("net", testing::scripted_sequential(one));
    flat.define("def forward(self, x):\n    return self.net.forward(x).squeeze()\n");
    write("flat.pt", flat);
    auto sure = testing::script_module("__torch__.Sure");
    sure.register_module("net", testing::scripted_sequential(one));
    sure.define("def forward(self, x):\n    return torch.sigmoid(self.net.forward(x))\n");
    write("sure.pt", sure);
  }
  void expect_same_points(const Json& found, const Json& expected) const {
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i]["errors"], expected[i]["errors"]) << found[i];
      EXPECT_NEAR(found[i]["loss"], expected[i]["loss"], 1e-5) << found[i];
      for (const char* metric : {"auc", "confusion", "balanced_accuracy"}) {
        EXPECT_EQ(found[i].value(metric, Json()), expected[i].value(metric, Json())) << metric;
      }
    }
  }
};

TEST_F(OneLogitTool, IsAttackedAsItsTwoLogits) {
  for (const Arguments& attack : std::vector<Arguments>{{"--attack", "pgd", "--eps", "0,0.1,0.3"},
                                                        {"--attack", "fgsm", "--eps", "0.2"},
                                                        {"--attack", "arks", "--eps", "0.2"}}) {
    const auto points = [&](const std::string& model) {
      Arguments all{model, "--data", "two.csv", "--bounds", "-9,9"};
      all.insert(all.end(), attack.begin(), attack.end());
      return evaluated(all);
    };
    const auto expected = points("two.pt");
    expect_same_points(points("one.pt"), expected);
    expect_same_points(points("flat.pt"), expected);
  }
}

TEST_F(OneLogitTool, SaysWhichClassItsNumberMeans) {
  const auto result = succeed({"evaluate", "one.pt", "--data", "two.csv", "--eps", "0", "--quiet"});
  EXPECT_NE(result.err.find("note: one.pt gives one number for two classes: 'well' is where it is above 0"),
            std::string::npos)
      << result.err;
}

TEST_F(OneLogitTool, IsTrainedAsItsTwoLogitsAndStaysOneNumber) {
  for (const Arguments& method : std::vector<Arguments>{{"--method", "arks", "--sigma", "0.5", "--inner-opt", "sgd"},
                                                        {"--method", "trades", "--eps", "0.1"},
                                                        {"--method", "mart", "--eps", "0.1"},
                                                        {"--method", "erm", "--class-weights", "balanced"}}) {
    const auto train = [&](const std::string& model) {
      Arguments all{"train",   "--data", "two.csv", "--model", model + ".pt", "--epochs", "3",   "--no-swa",
                    "--quiet", "--seed", "3",       "--lr",    "0.01",        "--out",    model, "--force"};
      all.insert(all.end(), method.begin(), method.end());
      return succeed(all);
    };
    EXPECT_NE(train("one").err.find("one.pt gives one number for two classes: 'well' is where it is above 0"),
              std::string::npos);
    train("two");
    expect_same_points(evaluated({"one", "--eps", "0,0.2"}), evaluated({"two", "--eps", "0,0.2"}));
  }
  const auto run = evaluated({"one", "--eps", "0,0.2"});
  const auto beside = evaluated({"one", "one/model.pt", "--eps", "0"});
  expect_same_points(Json::array({beside[1]}), Json::array({run[0]}));
  succeed({"train", "--resume", "one", "--epochs", "4", "--quiet"});
  EXPECT_NE(succeed({"export", "one", "--out", "out.pt"}).out.find("gives [n, 1], above 0 for the second class"),
            std::string::npos);
  EXPECT_EQ(load_torchscript(folder_ / "out.pt")(torch::zeros({4, 6})).sizes(), (std::vector<int64_t>{4, 1}));
  for (const std::string model : {"one", "two"}) {
    succeed({"predict", model, "--data", "two.csv", "--out", model + "-predicted.csv", "--quiet"});
  }
  auto text = read_file(folder_ / "one-predicted.csv");
  text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
  const auto lines = split(text, '\n');
  EXPECT_EQ(lines[0], "class,probability of ill,probability of well");
  for (size_t i = 1; i + 1 < lines.size(); ++i) {
    const auto fields = split(lines[i], ',');
    const double ill = parse_number(fields[1], "ill"), well = parse_number(fields[2], "well");
    EXPECT_NEAR(ill + well, 1, 1e-6);
    EXPECT_EQ(fields[0], well > ill ? "well" : "ill");
  }
}

/// Its gradient is at most 1 in the logit; that of the cross entropy of two logits at most sqrt 2, and the same network
/// with two of them is no smaller.
TEST_F(OneLogitTool, IsCertifiedWithTheConstantsOfTheLogisticLoss) {
  const auto certified = [&](const std::string& model) {
    return Json::parse(succeed({"certify", model, "--data", "two.csv", "--method", "c-transform", "--cost", "l2",
                                "--rho", "0:0.2:0.1", "--quantity", "loss", "--quiet", "--json", "-"})
                           .out);
  };
  const auto one = certified("one.pt"), two = certified("two.pt");
  EXPECT_NEAR(two["lipschitz"].get<double>() / one["lipschitz"].get<double>(), std::sqrt(2.0), 1e-5);
  for (size_t i = 0; i < one["curve"].size(); ++i) {
    const double of_one = one["curve"][i]["bound"], of_two = two["curve"][i]["bound"];
    if (one["curve"][i]["rho"] == 0) {
      EXPECT_NEAR(of_one, of_two, 1e-5) << "the same loss";
    } else {
      EXPECT_LT(of_one, of_two) << i;
    }
  }
}

TEST_F(OneLogitTool, SaysWhereOneNumberIsNotEnoughOrIsAProbability) {
  EXPECT_NE(succeed({"evaluate", "sure.pt", "--data", "two.csv", "--eps", "0", "--quiet"})
                .err.find("sure.pt: all outputs are from 0 to 1 (a sigmoid at the end?)"),
            std::string::npos);
  refuse({"evaluate", "one.pt", "--data", "table.csv", "--eps", "0"},
         "one.pt returns [2, 1] of type Float for 2 samples of table.csv; its classes need 3 outputs each, [2, 3]");
}

TEST_F(OwnModelTool, TakesAsManyOutputsAsThereAreNumbersToPredict) {
  write("two.pt", testing::scripted_sequential({testing::scripted_linear(4, 2, 1)}));
  write("three.pt", testing::scripted_sequential({testing::scripted_linear(4, 3, 1)}));
  const Arguments data{"--data", "table.csv", "--target", "a,b", "--drop", "class", "--epochs", "1", "--method", "erm"};
  const auto train = [&](const std::string& model) {
    Arguments all{"train", "--model", model, "--out", "numbers", "--force", "--quiet"};
    all.insert(all.end(), data.begin(), data.end());
    return all;
  };
  refuse(train("three.pt"),
         "three.pt returns [2, 3] of type Float for 2 samples of table.csv; this regression needs 2 "
         "numbers each, [2, 2]");
  succeed(train("two.pt"));
  succeed({"evaluate", "numbers", "--eps", "0,0.1", "--quiet"});
}

TEST_F(OwnModelTool, IsNotAveragedUnlessAskedFor) {
  EXPECT_NE(read_file((succeed(training("run")), folder_ / "run/config.toml")).find("swa = false"), std::string::npos);
  refuse(training("averaged", {"--swa"}), "weight averaging");
  write("net.pt", testing::scripted_sequential({testing::scripted_linear(6, 3, 1)}));
  succeed(training("linear"));
  EXPECT_NE(read_file(folder_ / "linear/config.toml").find("swa = true"), std::string::npos);
  expect_same_weights("linear/model.pt", "linear/initial.pt", false);
}

TEST_F(OwnModelTool, ReinitialisesFromTheSeed) {
  succeed(training("one", {"--reinit", "--lr", "1e-12"}));
  succeed(training("two", {"--reinit", "--lr", "1e-12", "--seed", "1"}));
  const auto first = weights("one/model.pt"), second = weights("two/model.pt"), given = weights("net.pt");
  for (const char* name : {"0.weight", "4.bias"}) {
    EXPECT_GT(testing::max_difference(first.at(name), second.at(name)), 0.01) << name;
    EXPECT_GT(testing::max_difference(first.at(name), given.at(name)), 0.01) << name;
  }
  EXPECT_LT(testing::max_difference(first.at("1.weight"), torch::ones({5})), 1e-6);
  succeed({"train", "--config", "one/config.toml", "--out", "again", "--quiet"});
  EXPECT_LT(testing::max_difference(weights("again/model.pt").at("0.weight"), first.at("0.weight")), 1e-6);
}

TEST_F(OwnModelTool, AConfigurationRefusesAnotherFile) {
  succeed(training("run"));
  write("net.pt", testing::scripted_sequential({testing::scripted_linear(6, 3, 1)}));
  refuse({"train", "--config", "run/config.toml", "--out", "again", "--quiet"}, ", expected 0x");
  fs::copy_file(folder_ / "net.pt", folder_ / "run/initial.pt", fs::copy_options::overwrite_existing);
  refuse({"evaluate", "run", "--eps", "0", "--quiet"}, "initial.pt has checksum 0x");
}

TEST_F(OwnModelTool, ItsChecksumIsRefusedBesideANetworkThatIsBuiltIn) {
  refuse({"train", "--data", "iris", "--method", "erm", "--model", "mlp", "--model-checksum", "0x12345678"},
         "--model-checksum is for --model FILE.pt; mlp is built in");
  refuse({"train", "--data", "iris", "--method", "erm", "--model-checksum", "0x12345678"}, "mlp is built in");
  refuse(training("run", {"--activation", "elu"}), "--activation is for built-in networks; net.pt has its own");
  EXPECT_FALSE(fs::exists(folder_ / "run"));
}

TEST_F(OwnModelTool, StandsBehindAScaling) {
  succeed(training("run", {"--mean", "1", "--std", "2"}));
  const auto config = read_file(folder_ / "run/config.toml");
  EXPECT_NE(config.find("mean = [1.0]\nstd = [2.0]"), std::string::npos) << config;
  const auto points = evaluated({"run", "run/model.pt", "--eps", "0,0.5"});
  EXPECT_EQ(points[0]["loss"], points[1]["loss"]);
  EXPECT_EQ(points[2]["loss"], points[3]["loss"]);

  const auto plain = evaluated({"net.pt", "--data", "table.csv", "--eps", "0"});
  const auto scaled = evaluated({"net.pt", "--data", "table.csv", "--eps", "0", "--mean", "0,0,0,0,0,0", "--std", "1"});
  EXPECT_EQ(plain[0]["loss"], scaled[0]["loss"]);
  const auto other = evaluated({"net.pt", "--data", "table.csv", "--eps", "0", "--mean", "0", "--std", "0.1"});
  EXPECT_NE(plain[0]["loss"], other[0]["loss"]);

  const Arguments on_table{"evaluate", "net.pt", "--data", "table.csv", "--quiet"};
  const auto with = [&](const Arguments& more) {
    auto all = on_table;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  refuse(with({"--mean", "0"}), "--std is missing");
  refuse(with({"--mean", "0,1", "--std", "1"}), "2 numbers for mean, but samples of shape [6] have 6 features");
  refuse(with({"--mean", "0", "--std", "0"}), "std must be positive, got 0");
  refuse({"evaluate", "run", "--mean", "0", "--std", "1", "--quiet"}, "run is a run, which has its own scaling");
}

TEST_F(OwnModelTool, IsAlsoASourceOfTransferredAttacks) {
  succeed(training("run"));
  const auto points = evaluated({"run", "--source", "net.pt", "--eps", "0.5", "--white-box"});
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0]["source"], "net.pt");
}

TEST_F(OwnModelTool, NeedsItsDataAndItsFlags) {
  refuse({"evaluate", "net.pt", "--quiet"}, "net.pt is not a run of arks train, so its data are unknown; give --data");
  refuse({"evaluate", "net.pt", "--data", "iris", "--quiet"}, "samples of iris have shape [4]");
  refuse({"certify", "net.pt", "--quiet"}, "give --data");
  succeed(training("run"));
  refuse({"evaluate", "run", "--target", "class", "--quiet"}, "run knows how its data were divided");
  const auto points =
      evaluated({"net.pt", "--data", "table.csv", "--target", "class", "--test-fraction", "0.5", "--eps", "0"});
  EXPECT_EQ(points[0]["n"], 45);
}

TEST_F(OwnModelTool, IsRefusedWhenItCannotBeTrained) {
  auto fixed = testing::script_module("__torch__.Net");
  fixed.define("def forward(self, x):\n    return x[:, :3]\n");
  write("net.pt", fixed);
  refuse(training("run"), "has no parameters to train");
  EXPECT_FALSE(fs::exists(folder_ / "run"));
  auto detached = testing::scripted_linear(6, 3, 1);
  auto outer = testing::script_module("__torch__.Net");
  outer.register_module("dense", detached);
  outer.define("def forward(self, x):\n    return self.dense.forward(x.detach())\n");
  write("net.pt", outer);
  refuse(training("run"), "is not differentiable in its input");
  succeed(training("run", {"--method", "erm"}));
}

TEST_F(OwnModelTool, IsRefusedWhereItsNumbersWouldMeanNothing) {
  const auto net = [&](const std::string& name, int64_t outputs, const std::string& expression) {
    auto script = testing::script_module("__torch__.Net");
    const auto weight = testing::normal({6, outputs}, 1).to(torch::kFloat).set_requires_grad(true);
    script.register_parameter("weight", weight, /*is_buffer=*/false);
    script.define("def forward(self, x):\n    y = x.mm(self.weight)\n    return " + expression + "\n");
    write(name, script);
  };
  net("five.pt", 5, "y");
  net("nan.pt", 3, "y / 0 - y / 0");
  net("detached.pt", 3, "y.detach()");
  net("chosen.pt", 3, "y.argmax(1)");
  const auto expect_refused = [&](const std::string& model, const std::string& part) {
    refuse(training("x", {"--model", model, "--method", "erm"}), part);
    refuse({"evaluate", model, "--data", "table.csv", "--eps", "0"}, part);
    refuse({"certify", model, "--data", "table.csv", "--rho", "0.1", "--label", "estimated"}, part);
    EXPECT_FALSE(fs::exists(folder_ / "x")) << "before anything is written";
  };
  expect_refused("five.pt",
                 "five.pt returns [2, 5] of type Float for 2 samples of table.csv; its classes need 3 "
                 "outputs each, [2, 3]; replace its last layer");
  expect_refused("nan.pt", "nan.pt returns NaN for one of the first samples of table.csv");
  expect_refused("chosen.pt", "of type Long");
  for (const std::string attack : {"gaussian", "pgd", "fgsm", "arks"}) {
    succeed({"evaluate", "detached.pt", "--data", "table.csv", "--attack", attack, "--eps", "0", "--quiet"});
  }
  refuse({"evaluate", "detached.pt", "--data", "table.csv", "--eps", "0,0.1"},
         "detached.pt is not differentiable in its input");
  for (const Arguments& method : std::vector<Arguments>{{"erm"}, {"ki", "--sigma", "1"}, {"free", "--eps", "0.1"}}) {
    Arguments all{"train", "--data", "table.csv", "--model", "detached.pt", "--out", "x", "--quiet", "--method"};
    all.insert(all.end(), method.begin(), method.end());
    refuse(all, "detached.pt");
    EXPECT_FALSE(fs::exists(folder_ / "x")) << method[0];
  }
}

TEST_F(OwnModelTool, LayersThatAreNotTrainedStayAsTheyAre) {
  auto net = testing::scripted_net();
  net.attr("0").toModule().attr("weight").toTensor().set_requires_grad(false);
  write("net.pt", net);
  succeed(training("run", {"--opt", "amsgrad", "--weight-decay", "0.1", "--epochs", "1"}));
  succeed({"train", "--resume", "run", "--epochs", "2", "--quiet"});
  const auto before = weights("net.pt"), after = weights("run/model.pt");
  EXPECT_TRUE(testing::identical(before.at("0.weight"), after.at("0.weight")));
  EXPECT_FALSE(testing::identical(before.at("0.bias"), after.at("0.bias")));
}

TEST_F(OwnModelTool, CertifiesWhatItCanLookInto) {
  const Arguments flags{"--data", "table.csv", "--rho", "0:0.1:0.1", "--sigma", "0.05", "--limit", "3", "--quiet"};
  const auto certify = [&](const std::string& file, const Arguments& more = {}) {
    Arguments all{"certify", file};
    all.insert(all.end(), flags.begin(), flags.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  EXPECT_EQ(Json::parse(succeed(certify("net.pt", {"--json", "-"})).out)["label"], "verified");
  auto residual = testing::script_module("__torch__.Net");
  residual.register_module("dense", testing::scripted_linear(6, 3, 1));
  residual.define("def forward(self, x):\n    return x[:, :3] + self.dense.forward(x)\n");
  write("residual.pt", residual);
  refuse(certify("residual.pt"), "no bound is known: model Net: its forward is not a plain chain of layers (slice)");
  succeed(certify("residual.pt", {"--label", "estimated"}));
}

TEST_F(OwnModelTool, TakesATableAsItIsUnlessAskedOtherwise) {
  succeed(training("run"));
  const auto config = read_toml_line("run/config.toml", "standardise");
  EXPECT_EQ(config, "standardise = false");
  const auto alone = evaluated({"run/model.pt", "--test-data", "table.csv", "--eps", "0"});
  const auto run = evaluated({"run", "--test-data", "table.csv", "--eps", "0"});
  EXPECT_EQ(alone[0]["loss"], run[0]["loss"]);
}

TEST_F(OwnModelTool, ReportsHowTheSamplesWereChosen) {
  const auto result = succeed({"evaluate", "net.pt", "--data", "table.csv", "--split-seed", "3", "--test-fraction",
                               "0.5", "--eps", "0.1", "--attack", "arks", "--json", "-"});
  const auto config = Json::parse(result.out)["config"];
  EXPECT_EQ(config["split-seed"], 3);
  EXPECT_EQ(config["test-fraction"], 0.5);
  EXPECT_EQ(config["standardise"], false);
  EXPECT_EQ(config["steps"], 100);
  EXPECT_EQ(config["alpha"], "eps/20 at most");
}

TEST_F(OwnModelTool, IsExportedInTheUnitsOfTheTable) {
  succeed(training("run", {"--standardise"}));
  const auto result = succeed({"export", "run", "--out", "robust.pt"});
  EXPECT_EQ(result.out,
            "robust.pt: takes [n, 6] float32, in the units of the table; gives [n, 3], a logit for each class: class0, "
            "class1, class2\n");
  const auto raw = evaluated({"robust.pt", "--test-data", "table.csv", "--eps", "0"});
  const auto own = evaluated({"run", "--test-data", "table.csv", "--eps", "0"});
  EXPECT_NEAR(raw[0]["loss"].get<double>(), own[0]["loss"].get<double>(), 1e-5);
  refuse({"export", "run", "--out", "robust.pt"}, "robust.pt exists; --force overwrites it");
  refuse({"export", "run", "--out", "robust.onnx"}, "robust.onnx must end in .pt");
  succeed({"export", "run", "--out", "robust.pt", "--force", "--no-raw-inputs"});
  expect_same_weights("robust.pt", "run/model.pt");
  refuse({"export", "net.pt", "--out", "other.pt"}, "needs no export");
  refuse({"export", "run"}, "--out FILE.pt is needed");
}

TEST_F(OwnModelTool, BuiltInNetworksAreExportedTheSameWay) {
  succeed({"train", "--data", "iris", "--method", "erm", "--epochs", "2", "--out", "iris", "--quiet", "--mean",
           "5,3,4,1", "--std", "1"});
  const auto result = succeed({"export", "iris", "--out", "iris.pt", "--json", "-"});
  EXPECT_EQ(Json::parse(result.out)["outputs"], 3);
  // both by libtorch, which rounds as it does: a plan rounds otherwise
  const auto points = evaluated({"iris", "iris.pt", "--eps", "0,0.3", "--engine", "libtorch"});
  EXPECT_EQ(points[0]["loss"], points[1]["loss"]);
  EXPECT_EQ(points[2]["errors"], points[3]["errors"]);
}

}  // namespace arks
