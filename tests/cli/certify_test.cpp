// arks certify as a user runs it.
#include "cli/tool.h"
#include "support/file.h"
#include "support/testing.h"
#include "support/text.h"

#include <arks/support/process.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace arks {

using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

class CertifyTool : public ::testing::Test {
 protected:
  // two models for all tests: starting the tool is what costs time
  static void SetUpTestSuite() {
    torch::set_num_threads(1);
    set_blas_threads(1);
    folder_ = std::make_unique<testing::TemporaryFolder>();
    testing::write_toy_fashion_mnist(*folder_ / "data", 128, 32);
    succeed({"train", "--model", "linear", "--epochs", "2", "--batch-size", "32", "--lr", "0.01", "--quiet", "--method",
             "erm", "--out", "linear"});
    succeed({"train", "--data", "iris", "--epochs", "3", "--quiet", "--method", "erm", "--out", "iris"});
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static testing::ToolResult run(Arguments arguments) {
    return testing::arks_tool(arguments, folder_->path(), {{"ARKS_DATA_DIR", (*folder_ / "data").string()}});
  }
  static testing::ToolResult succeed(const Arguments& arguments) {
    auto result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << join(arguments, " ") << "\n" << result.err;
    return result;
  }
  static Json certify(Arguments arguments) {
    arguments.insert(arguments.begin(), "certify");
    arguments.insert(arguments.end(), {"--json", "-", "--quiet"});
    return Json::parse(succeed(arguments).out);
  }
  static void refuses(Arguments arguments, const std::string& part) {
    arguments.insert(arguments.begin(), "certify");
    const auto result = run(arguments);
    EXPECT_EQ(result.exit_code, 2) << join(arguments, " ");
    EXPECT_NE(result.err.find(part), std::string::npos) << join(arguments, " ") << "\n" << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }

  static std::unique_ptr<testing::TemporaryFolder> folder_;
};

std::unique_ptr<testing::TemporaryFolder> CertifyTool::folder_;

TEST_F(CertifyTool, PutsSeveralModelsSideBySideByTheLoss) {
  succeed({"train", "--data", "iris", "--epochs", "3", "--quiet", "--method", "erm", "--seed", "1", "--out", "other"});
  const Arguments both{"iris", "other", "--rho", "0,0.1", "--limit", "4", "--inner-steps", "5", "--names", "a,b"};
  const auto json = certify(both);
  EXPECT_EQ(json["quantity"], "loss");
  EXPECT_EQ(json["loss_unit"], "cross entropy");
  ASSERT_EQ(json["models"].size(), 2U);
  EXPECT_EQ(json["models"][1]["model"], "b");
  EXPECT_EQ(json["curve"], json["models"][0]["curve"]);
  const auto alone =
      certify({"other", "--method", "c-transform", "--rho", "0,0.1", "--limit", "4", "--inner-steps", "5"});
  EXPECT_EQ(alone["curve"], json["models"][1]["curve"]);
  auto shown = both;
  shown.insert(shown.begin(), "certify");
  shown.insert(shown.end(), {"--figure", "both.svg", "-v"});
  const auto result = succeed(shown);
  EXPECT_NE(result.out.find("4 rows"), std::string::npos) << result.out;
  EXPECT_NE(result.err.find("b: engine: "), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("log loss"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("b: certifying 4 rows\n"), std::string::npos) << "in a log, too\n" << result.err;
  const auto log = succeed({"certify", "iris", "other", "--rho", "0", "--sigma", "0.1", "--limit", "2", "--quiet"});
  EXPECT_NE(log.err.find("an overconfident model looks safer"), std::string::npos) << log.err;
}

TEST_F(CertifyTool, MarksWhatSaysNothing) {
  const Arguments capped{"iris", "--method", "c-transform", "--label", "population", "--delta",
                         "0.1",  "--floor",  "0",           "--cap",   "0.5",        "--gamma",
                         "2",    "--rho",    "0,5",         "--limit", "10"};
  const auto json = certify(capped);
  EXPECT_EQ(json["curve"][1]["vacuous"], true) << json["curve"];
  EXPECT_EQ(json["curve"][1]["error_vacuous"], true);
  auto shown = capped;
  shown.insert(shown.begin(), "certify");
  EXPECT_NE(succeed(shown).out.find("vacuous: a bound at its cap"), std::string::npos);
  const auto usual = certify({"iris", "--method", "wrm", "--gamma", "100", "--rho", "0", "--limit", "4"});
  EXPECT_EQ(usual["curve"][0]["vacuous"], usual["curve"][0]["bound"] >= usual["constant"]) << usual;
  EXPECT_NEAR(usual["constant"], std::log(3), 0.1) << "of three classes";
  EXPECT_NEAR(usual["constant_error"], 2.0 / 3, 0.35);
  const auto estimated = certify({"iris", "--method", "wrm", "--label", "estimated", "--rho", "5", "--limit", "4"});
  EXPECT_GT(estimated["curve"][0]["bound"], estimated["constant"]);
  EXPECT_EQ(estimated["curve"][0]["vacuous"], false) << "it is no bound, but what was found";
}

TEST_F(CertifyTool, CurveEqualsTheLibrarys) {
  const auto json = certify({"linear", "--rho", "0,0.1", "--sigma", "0.1,0.5", "--limit", "8"});
  const auto data = limited(load_fashion_mnist(*folder_ / "data", Split::kTest), 8);
  SupervisedProblem problem(make_model("linear", data->info(), 0), CrossEntropy());
  load_weights(read_checkpoint(*folder_ / "linear/checkpoint.pt"), problem, "linear");
  const auto expected = arks::certify(
      problem, *data,
      CertificateOptions::arks().rhos({0, 0.1}).temperatures(temperatures_of_sigmas({0.1, 0.5}, HalfSquaredL2())));
  EXPECT_EQ(json["method"], "arks");
  EXPECT_EQ(json["quantity"], "log_loss");
  EXPECT_TRUE(json["loss_unit"].is_null()) << "its logarithm has none";
  EXPECT_EQ(json["cost"], "half-sq-l2");
  EXPECT_EQ(json["label"], "verified");
  EXPECT_TRUE(json["delta"].is_null());
  EXPECT_EQ(json["samples"], 8);
  EXPECT_DOUBLE_EQ(json["lipschitz"], *expected.lipschitz);
  ASSERT_EQ(json["curve"].size(), 2U);
  for (size_t i = 0; i < 2; ++i) {
    const auto& point = json["curve"][i];
    EXPECT_DOUBLE_EQ(point["bound"], expected.curve[i].bound);
    EXPECT_DOUBLE_EQ(point["bound_paper"], *expected.curve[i].bound_paper);
    EXPECT_DOUBLE_EQ(point["sigma"], std::sqrt(expected.curve[i].temperature));
    EXPECT_GE(point["bound"].get<double>(), point["attained"].get<double>());
  }
  EXPECT_EQ(json["attained"].size(), 3U);
  EXPECT_EQ(json["config"]["sigma"], (nlohmann::json{0.1, 0.5}));
  EXPECT_EQ(json["config"]["engine"], "auto");
  EXPECT_EQ(json["config"]["threads"], 1) << "as many as there were";
  EXPECT_EQ(json["config"]["starts"], 2);
  EXPECT_EQ(json["config"]["label"], "verified");
  EXPECT_TRUE(json["versions"].contains("libtorch"));
}

TEST_F(CertifyTool, SearchesTemperaturesWhereNoneIsGiven) {
  const auto json = certify({"iris", "--rho", "0,0.00001", "--limit", "10"});
  EXPECT_EQ(json["curve"][0]["sigma"], 0);
  const auto& point = json["curve"][1];
  EXPECT_GT(point["sigma"], 0);
  EXPECT_NEAR(point["bound"], point["attained"], 1e-3);
}

TEST_F(CertifyTool, WrmSaysWhatItMeansForTheError) {
  const auto text = succeed({"certify", "iris", "--method", "wrm", "--rho", "0:0.1:0.05", "--gamma", "20", "--csv",
                             "wrm.csv", "--figure", "wrm.svg,wrm.png", "--limit", "10"})
                        .out;
  EXPECT_NE(text.find("P(error) <= E[CE]/ln 2"), std::string::npos) << text;
  EXPECT_NE(text.find("Lipschitz constant G = "), std::string::npos) << text;
  EXPECT_NE(text.find("gamma"), std::string::npos) << text;
  EXPECT_EQ(
      read_file(*folder_ / "wrm.csv")
          .rfind(
              "rho,bound,bound_paper,estimated,attained,temperature,gamma,vacuous,error_bound,model,error_vacuous\r\n",
              0),
      0U);
  EXPECT_NE(read_file(*folder_ / "wrm.svg").find("</svg>"), std::string::npos);
  EXPECT_EQ(read_file(*folder_ / "wrm.png").substr(1, 3), "PNG");
}

TEST_F(CertifyTool, KernelEnvelopeAndOtherTransforms) {
  const auto envelope = certify(
      {"iris", "--method", "ke", "--sigma", "1", "--gamma", "5", "--domain", "-9,9", "--rho", "0.1", "--limit", "5"});
  EXPECT_EQ(envelope["cost"], "1-exp(-half-sq-l2/1)");
  EXPECT_EQ(envelope["curve"][0]["gamma"], 5);
  const auto l1 = certify(
      {"iris", "--method", "c-transform", "--cost", "l1", "--quantity", "log_loss", "--rho", "0.1", "--limit", "5"});
  EXPECT_EQ(l1["quantity"], "log_loss");
  EXPECT_EQ(l1["cost"], "l1");
  const auto mahalanobis =
      certify({"iris", "--cost", "mahalanobis", "--temperature", "0.001", "--rho", "0.01", "--limit", "5"});
  EXPECT_EQ(mahalanobis["cost"], "mahalanobis");
  EXPECT_EQ(mahalanobis["curve"][0]["temperature"], 0.001);
  const auto of_file = certify({"iris/model.pt", "--data", "iris", "--cost", "mahalanobis", "--temperature", "0.001",
                                "--rho", "0.01", "--limit", "5", "--label", "estimated"});
  EXPECT_EQ(of_file["cost"], "mahalanobis");
  const auto imq =
      certify({"iris", "--imq-scale", "1", "--temperature", "1", "--domain", "-9,9", "--rho", "0.01", "--limit", "5"});
  EXPECT_EQ(imq["cost"], "log-quadratic");
}

TEST_F(CertifyTool, PopulationStatementsNameTheirConditions) {
  const auto json = certify({"iris", "--label", "population", "--delta", "0.05", "--floor", "0.001", "--cap", "10",
                             "--sigma", "0.1,0.2", "--rho", "0.01", "--limit", "0"});
  EXPECT_EQ(json["label"], "population");
  EXPECT_EQ(json["delta"], 0.05);
  EXPECT_EQ(json["floor"], 0.001);
  EXPECT_EQ(json["cap"], 10);
}

TEST_F(CertifyTool, ConvexityAnswersPropositionFourPointOne) {
  const auto json = certify({"iris", "--convexity", "--limit", "10"});
  EXPECT_FALSE(json.contains("curve"));
  const auto& found = json["convexity"];
  EXPECT_NEAR(found["largest_sigma"].get<double>(), std::sqrt(1 / found["curvature"].get<double>()), 1e-9);
  EXPECT_EQ(found["agreements"][0]["maximisers"], 1);
  const auto both = certify({"iris", "--convexity", "--rho", "0.01", "--sigma", "0.05", "--limit", "5"});
  EXPECT_TRUE(both.contains("curve"));
  EXPECT_NEAR(both["convexity"]["agreements"][0]["temperature"], 0.0025, 1e-12);
}

TEST_F(CertifyTool, RefusesInOneLine) {
  refuses({"iris", "--sigma", ""}, "--sigma");
  refuses({"iris", "--sigma", "inf"}, "needs a declared domain");
  refuses({"iris", "--method", "ke", "--sigma", "1"}, "--method ke needs --domain");
  refuses({"iris", "--method", "wmr"}, "did you mean 'wrm'");
  refuses({"iris", "--method", "wrm", "--sigma", "1"}, "--sigma is not used by wrm; it is for arks, ke");
  refuses({"iris", "--gamma", "1"}, "--gamma is not used by arks; it is for wrm, ke, c-transform");
  refuses({"iris", "--quantity", "loss"}, "--quantity is not used by arks; it is for c-transform");
  refuses({"iris", "--kernel-temperature", "1"}, "--kernel-temperature is not used by arks; it is for ke");
  refuses({"iris", "--sigma", "1", "--temperature", "1"}, "--temperature and --sigma cannot be used together");
  refuses({"iris", "--imq-scale", "1", "--temperature", "1"}, "declare a domain");
  refuses({"iris", "--delta", "0.1"}, "are for --label population");
  const Arguments population{"iris", "--label", "population", "--sigma", "0.1"};
  const auto with = [&](const Arguments& more) {
    auto all = population;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  refuses(with({"--delta", "1", "--floor", "0.1", "--cap", "1"}), "--delta must be above 0 and below 1, got 1");
  refuses(with({"--delta", "0", "--floor", "0.1", "--cap", "1"}), "--delta must be above 0 and below 1, got 0");
  refuses(with({"--delta", "0.1"}), "needs a floor and a cap");
  refuses(with({"--delta", "0.1", "--floor", "2", "--cap", "1"}), "the floor must be below the cap, got 2 and 1");
  refuses(with({"--delta", "0.1", "--floor", "0.1", "--cap", "1", "--split", "train"}), "not the training split");
  refuses({"iris", "--convexity", "--csv", "x.csv"}, "has no curve");
}

}  // namespace arks
