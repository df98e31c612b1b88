// A network of the user's own, as a TorchScript file, through every command.
#include "cli/own_model.h"

namespace arks {

namespace fs = std::filesystem;
using testing::OwnModelTool;

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

/// Of a traced network batch norm is in one mode all the time, so figures of an epoch do not differ by it.
TEST_F(OwnModelTool, SaysOfBatchNormOnlyWhatHolds) {
  const auto said = [&](const std::string& mode) {
    auto net = testing::script_module("__torch__.Net");
    net.register_parameter("weight", torch::ones({3, 6}).set_requires_grad(true), /*is_buffer=*/false);
    net.register_buffer("running_mean", torch::zeros({6}));
    net.register_buffer("running_var", torch::ones({6}));
    net.define("def forward(self, x):\n    y = torch.batch_norm(x, None, None, self.running_mean, self.running_var, " +
               mode + ", 0.1, 1e-5, True)\n    return torch.linear(y, self.weight)\n");
    write("norm.pt", net);
    return succeed({"train", "--data", "table.csv", "--model", "norm.pt", "--method", "arks", "--sigma", "0.5",
                    "--epochs", "1", "--out", "norm", "--force"})
        .err;
  };
  const std::string two_modes = "batch norm: train error and loss are measured in evaluation mode";
  EXPECT_NE(said("self.training").find(two_modes), std::string::npos);
  EXPECT_EQ(said("self.training").find("arks: warning"), std::string::npos) << said("self.training");
  EXPECT_EQ(said("False").find(two_modes), std::string::npos) << said("False");
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
