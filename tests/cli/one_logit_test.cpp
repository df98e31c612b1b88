// A network of the user's own with one number for two classes.
#include "cli/own_model.h"

namespace arks {

using testing::OwnModelTool;

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

}  // namespace arks
