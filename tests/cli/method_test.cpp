// Every method, kernel and cost by its name on the command line, on the built-in iris set.
#include "cli/tool.h"
#include "support/file.h"
#include "support/testing.h"
#include "support/text.h"

#include <nlohmann/json.hpp>

namespace arks {

using testing::arks_tool;
using testing::TemporaryFolder;
using testing::ToolResult;
using testing::write_bytes;
using Arguments = std::vector<std::string>;

namespace {

class MethodTool : public ::testing::Test {
 protected:
  ToolResult train(std::vector<std::string> flags, const std::string& out = "run") {
    std::vector<std::string> arguments{"train", "--data",  "iris",  "--epochs", "2",      "--train-limit",
                                       "40",    "--quiet", "--out", out,        "--force"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return arks_tool(arguments, folder_.path());
  }

  void expect_trains(const std::vector<std::string>& flags) {
    const auto result = train(flags);
    EXPECT_EQ(result.exit_code, 0) << join(flags, " ") << ": " << result.err;
  }

  void expect_refused(const std::vector<std::string>& flags, const std::string& part) {
    const auto result = train(flags, "refused");
    EXPECT_EQ(result.exit_code, 2) << join(flags, " ");
    EXPECT_NE(result.err.find(part), std::string::npos) << join(flags, " ") << ": " << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "refused"));
  }

  /// The default that --help shows for a flag beside these.
  std::string default_of(const std::string& flag, std::vector<std::string> flags) {
    flags.insert(flags.begin(), "train");
    flags.emplace_back("--help");
    const auto page = arks_tool(flags, folder_.path()).out;
    const auto begin = page.find("--" + flag + " "), next = page.find("\n  -", begin);
    const auto text = page.substr(begin, next == std::string::npos ? next : next - begin);
    const auto open = text.rfind('['), close = text.rfind(']');
    if (begin == std::string::npos || open == std::string::npos || close == std::string::npos) return "none: " + page;
    return text.substr(open + 1, close - open - 1);
  }

  TemporaryFolder folder_;
};

const std::vector<std::string> kCosts{"half-sq-l2", "sq-l2", "l2", "l1", "linf", "mahalanobis"};

}  // namespace

TEST_F(MethodTool, ArksTakesEveryKernel) {
  expect_trains({"--method", "arks", "--sigma", "0.5"});
  expect_trains({"--method", "arks", "--temperature", "0.25"});
  expect_trains({"--method", "arks", "--kernel", "laplacian", "--sigma", "1"});
  expect_trains({"--method", "arks", "--kernel", "laplacian", "--cost", "l2", "--sigma", "1"});
  expect_trains({"--method", "arks", "--kernel", "imq", "--imq-scale", "0.5", "--domain", "0,10"});
  expect_trains({"--method", "arks", "--sigma", "inf", "--domain", "0,10"});
}

TEST_F(MethodTool, ArksAndWrmTakeEveryCost) {
  for (const auto& cost : kCosts) {
    expect_trains({"--method", "arks", "--kernel", "c-exponential", "--cost", cost, "--temperature", "0.5"});
    expect_trains({"--method", "wrm", "--cost", cost, "--gamma", "2", "--domain", "0,10"});
  }
}

TEST_F(MethodTool, AWarningSaysHowSamplesCanBeMovedFurther) {
  const auto note = [&](const Arguments& chosen) {
    Arguments arguments{"train", "--data", "iris", "--epochs", "1", "--quiet", "--out", "run", "--force"};
    arguments.insert(arguments.end(), chosen.begin(), chosen.end());
    return arks_tool(arguments, folder_.path()).err;
  };
  const std::string usual = "arks: warning: no sample moved in epoch 1, so it was plain training: ";
  for (const auto& [chosen, advice] : std::vector<std::pair<Arguments, std::string>>{
           {{"--method", "arks", "--sigma", "1", "--inner-steps", "0"}, "--inner-steps is 0\n"},
           {{"--method", "wrm", "--gamma", "1", "--inner-steps", "0"}, "--inner-steps is 0\n"},
           {{"--method", "arks", "--sigma", "1", "--inner-lr", "1e9"},
            "--inner-lr 1e+09, the length that lbfgs tries first, is too far: lower it (1 is usual)\n"},
           {{"--method", "arks", "--sigma", "1", "--inner-opt", "sign", "--inner-lr", "100"},
            "the first step of --inner-lr 100 over 4 inputs is 200 long, too far for a reach of 1: lower it\n"}}) {
    EXPECT_NE(note(chosen).find(usual + advice), std::string::npos) << note(chosen);
  }
}

/// The last point of an ascent may lie far beyond what the kernel reaches: then nothing is learned, and nothing else
/// says so.
TEST_F(MethodTool, InnerStepsThatGoTooFarAreNamed) {
  const auto told = [&](const Arguments& chosen) {
    Arguments arguments{"train", "--data", "iris", "--epochs", "3", "--quiet", "--out", "run", "--force"};
    arguments.insert(arguments.end(), chosen.begin(), chosen.end());
    return arks_tool(arguments, folder_.path()).err;
  };
  const std::string far = "far below the clean loss",
                    advice =
                        "so the points found are no worst points: the steps of --inner-lr 10 go past them, and "
                        "--inner-return last keeps "
                        "where they end: lower --inner-lr, or use --inner-return best\n";
  for (const Arguments& method :
       {Arguments{"--method", "arks", "--sigma", "0.1"}, {"--method", "wrm", "--gamma", "1"}}) {
    const auto with = [&](Arguments more) {
      more.insert(more.begin(), method.begin(), method.end());
      return told(more);
    };
    const auto last = with({"--inner-opt", "adam", "--inner-lr", "10", "--inner-return", "last"});
    EXPECT_NE(last.find("arks: warning: in epoch 2 the surrogate is "), std::string::npos) << last;
    EXPECT_NE(last.find(advice), std::string::npos) << last;
    EXPECT_EQ(last.find(far), last.rfind(far)) << "once";
    EXPECT_EQ(with({"--inner-opt", "adam", "--inner-lr", "0.01", "--inner-return", "last"}).find(far),
              std::string::npos);
    EXPECT_EQ(with({"--inner-opt", "adam", "--inner-lr", "10"}).find(far), std::string::npos);
  }
  const auto diverged =
      told({"--method", "wrm", "--gamma", "1", "--inner-opt", "sgd", "--inner-lr", "1e20", "--inner-return", "last"});
  EXPECT_NE(diverged.find("shorter inner steps (inner-lr, now 1e+20), a larger gamma"), std::string::npos) << diverged;
}

TEST_F(MethodTool, OthersAreThere) {
  expect_trains({"--method", "ke", "--sigma", "0.5", "--gamma", "3", "--domain", "0,10"});
  expect_trains({"--method", "ro", "--domain", "0,10", "--inner-restarts", "2"});
  expect_trains({"--method", "ro", "--domain", "4,8;2,5;1,7;0,3", "--inner-opt", "sign", "--inner-lr", "0.1"});
  for (const std::string variant : {"loss", "model", "ridge"}) {
    expect_trains({"--method", "ki", "--sigma", "0.5", "--ki-variant", variant});
  }
}

TEST_F(MethodTool, WithoutABallTrainAsWell) {
  for (const std::string method : {"pgd", "trades", "mart", "fast", "free"}) {
    expect_trains({"--method", method, "--eps", "0"});
  }
}

TEST_F(MethodTool, StepsInABallFollowTheirNumber) {
  for (const std::string method : {"trades", "mart"}) {
    EXPECT_EQ(default_of("inner-steps", {"--method", method}), "40");
    EXPECT_EQ(default_of("inner-lr", {"--method", method}), "0.01") << "published for 40 steps";
    EXPECT_EQ(default_of("inner-lr", {"--method", method, "--inner-steps", "10"}), "0.075");
    EXPECT_EQ(default_of("inner-lr", {"--method", method, "--eps", "0.2"}), "0.0125");
  }
}

TEST_F(MethodTool, SayWhenTheirStepsCannotReachTheSurfaceOfTheBall) {
  for (const std::string method : {"pgd", "trades", "mart"}) {
    const auto result = arks_tool({"train", "--data", "iris", "--epochs", "1", "--out", method, "--method", method,
                                   "--eps", "0.2", "--inner-steps", "4", "--inner-lr", "0.01"},
                                  folder_.path());
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.err.find(method + ": 4 steps of 0.01 reach 0.04, not eps 0.2"), std::string::npos) << result.err;
  }
}

TEST_F(MethodTool, FastSaysWhichSettingsOfTheWatchAreNotUsed) {
  const auto result = arks_tool({"train", "--data", "iris", "--epochs", "1", "--out", "run", "--method", "fast",
                                 "--eps", "0.2", "--watch-batches", "0", "--watch-steps", "3", "--watch-drop", "0.5"},
                                folder_.path());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const std::string flag : {"--watch-steps", "--watch-drop"}) {
    EXPECT_NE(result.err.find(flag + " is only used with --watch-batches above 0"), std::string::npos) << result.err;
  }
  const auto config = read_file(folder_ / "run/config.toml");
  EXPECT_EQ(config.find("watch-steps"), std::string::npos) << config;
}

TEST_F(MethodTool, FreeAndFastHaveTheEpochsTheyArePublishedWith) {
  const auto epochs = [&](const std::vector<std::string>& flags) { return default_of("epochs", flags); };
  const auto steps = [&](const std::vector<std::string>& flags) { return default_of("lr-steps", flags); };
  EXPECT_EQ(epochs({"--method", "pgd", "--data", "cifar10"}), "65");
  EXPECT_EQ(steps({"--method", "pgd", "--data", "cifar10"}), "25,50");
  EXPECT_EQ(epochs({"--method", "free", "--data", "cifar10"}), "9") << "65/8, rounded up";
  EXPECT_EQ(steps({"--method", "free", "--data", "cifar10"}), "4,7");
  EXPECT_EQ(epochs({"--method", "free", "--data", "cifar10", "--replays", "4"}), "17");
  EXPECT_EQ(epochs({"--method", "free", "--data", "iris"}), "250") << "also where --eps is still missing";
  EXPECT_EQ(epochs({"--method", "fast", "--data", "cifar10"}), "15");
  EXPECT_EQ(steps({"--method", "fast", "--data", "cifar10"}), "6,12");
  EXPECT_EQ(epochs({"--method", "fast"}), "15");
  EXPECT_EQ(steps({"--method", "fast"}), "none");
  EXPECT_EQ(epochs({"--method", "fast", "--data", "iris", "--eps", "0.1"}), "2000") << "an epoch is one batch";

  // and the run does what the help says
  const auto result = arks_tool({"train", "--data", "iris", "--method", "free", "--eps", "0.1", "--replays", "100",
                                 "--train-limit", "20", "--quiet", "--out", "run"},
                                folder_.path());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto config = read_file(folder_ / "run/config.toml");
  EXPECT_NE(config.find("epochs = 20\n"), std::string::npos) << config;
  EXPECT_NE(config.find("swa-start = 10\n"), std::string::npos) << config;
}

TEST_F(MethodTool, OfClassesRefuseARegression) {
  const auto refusal = [&](const Arguments& chosen) {
    Arguments arguments{"train", "--data", "diabetes", "--eps", "0.1", "--epochs", "1", "--out", "regression"};
    arguments.insert(arguments.end(), chosen.begin(), chosen.end());
    const auto result = arks_tool(arguments, folder_.path());
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  for (const std::string method : {"trades", "mart"}) {
    const auto said = refusal({"--method", method});
    EXPECT_NE(said.find("--method " + method + " compares probabilities of classes"), std::string::npos) << said;
  }
  const auto said = refusal({"--method", "fast"});
  EXPECT_NE(said.find("--watch-batches 0 trains without it"), std::string::npos) << said;
}

TEST_F(MethodTool, OfOneNormRefuseAnother) {
  for (const std::string method : {"fast", "free"}) {
    const auto result =
        arks_tool({"train", "--data", "iris", "--method", method, "--eps", "0.1", "--norm", "l2", "--out", "run"},
                  folder_.path());
    EXPECT_EQ(result.exit_code, 2) << method;
    EXPECT_NE(result.err.find("--norm can only be linf, got l2"), std::string::npos) << result.err;
    expect_trains({"--method", method, "--eps", "0.1", "--norm", "linf"});
  }
}

TEST_F(MethodTool, WithoutWeightPerturbationIsCalledByItsOwnName) {
  const auto said = [&](const std::string& gamma) {
    return arks_tool(
        {"train", "--data", "iris", "--method", "erm", "--epochs", "1", "--awp-gamma", gamma, "--out", "awp" + gamma},
        folder_.path());
  };
  EXPECT_NE(said("0").out.find("erm: 1 epoch"), std::string::npos);
  EXPECT_NE(said("0.01").err.find("erm+awp on iris"), std::string::npos);
}

TEST_F(MethodTool, ARunThatWasTakenBackIsNotCompleted) {
  const auto first = arks_tool(
      {"train", "--data", "iris", "--method", "fast", "--eps", "2", "--epochs", "1", "--quiet", "--out", "run"},
      folder_.path());
  ASSERT_EQ(first.exit_code, 0) << first.err;
  auto checkpoint = read_checkpoint(folder_ / "run/checkpoint.pt");
  ASSERT_EQ(checkpoint.method.size(), 1U);
  checkpoint.method[0].second.fill_(1);  // as if it had been perfect, so that the next epoch falls short
  write_checkpoint(folder_ / "run/checkpoint.pt", checkpoint);
  const auto result =
      arks_tool({"train", "--resume", "run", "--epochs", "3", "--quiet", "--json", "-"}, folder_.path());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto document = nlohmann::json::parse(result.out);
  EXPECT_EQ(document["completed"], false);
  EXPECT_EQ(document["ended"].get<std::string>().find("epoch 2 was undone"), 0U) << document["ended"];
  EXPECT_EQ(document["epochs"].size(), 1U);
  EXPECT_TRUE(document["epochs"][0].contains("watched_accuracy"));
  const auto more = arks_tool({"train", "--resume", "run", "--epochs", "5", "--quiet"}, folder_.path());
  EXPECT_EQ(more.exit_code, 2);
  EXPECT_NE(more.err.find("--resume: epoch 2 was undone"), std::string::npos) << more.err;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run/model.pt")) << "the weights before it are good";
}

TEST_F(MethodTool, ResumesWithItsKernelAndDomain) {
  ASSERT_EQ(
      train({"--method", "ke", "--kernel", "imq", "--imq-scale", "0.5", "--gamma", "3", "--domain", "4,8;2,5;1,7;0,3"})
          .exit_code,
      0);
  const auto result = arks_tool({"train", "--resume", "run", "--epochs", "3", "--quiet"}, folder_.path());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  ASSERT_EQ(train({"--method", "arks", "--sigma", "inf", "--domain", "0,10"}).exit_code, 0);
  EXPECT_EQ(arks_tool({"train", "--resume", "run", "--epochs", "3", "--quiet"}, folder_.path()).exit_code, 0);
}

TEST_F(MethodTool, TheActivationIsRememberedByConfigResumeAndEvaluate) {
  const auto config = [&] { return read_checkpoint(folder_ / "run/checkpoint.pt").config; };
  ASSERT_EQ(train({"--method", "erm", "--no-swa"}).exit_code, 0);
  EXPECT_EQ(config().find("activation"), std::string::npos) << "the network's own";
  const auto result = train({"--method", "erm", "--no-swa", "--activation", "leaky-relu"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(config().find("activation = \"leaky-relu\"\n"), std::string::npos) << config();
  const auto resumed = arks_tool({"train", "--resume", "run", "--epochs", "3", "--quiet"}, folder_.path());
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_NE(config().find("activation = \"leaky-relu\"\n"), std::string::npos) << config();

  const auto evaluated = arks_tool({"evaluate", "run", "--eps", "0", "--json", "-", "--quiet"}, folder_.path());
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  const auto metrics = read_file(folder_ / "run/metrics.jsonl");
  const auto last = nlohmann::json::parse(metrics.substr(metrics.rfind('\n', metrics.size() - 2) + 1));
  const double loss = nlohmann::json::parse(evaluated.out)["points"][0]["loss"];
  EXPECT_NEAR(loss, last["test_loss"].get<double>(), 1e-6) << "the same function as in training";
}

TEST_F(MethodTool, TheScheduleIsWrittenDownAlsoWhenThereIsNone) {
  const auto config = [&] { return read_checkpoint(folder_ / "run/checkpoint.pt").config; };
  expect_trains({"--method", "erm"});
  EXPECT_NE(config().find("lr-steps = \"none\"\n"), std::string::npos) << config();
  EXPECT_NE(config().find("weight-decay = 0.0\n"), std::string::npos) << config();
  EXPECT_EQ(arks_tool({"train", "--resume", "run", "--epochs", "3", "--quiet"}, folder_.path()).exit_code, 0);
  expect_trains({"--method", "erm", "--lr-steps", "1,2", "--weight-decay", "0.01"});
  EXPECT_NE(config().find("lr-steps = \"1,2\"\n"), std::string::npos) << config();
  expect_trains({"--method", "erm", "--lr-steps", "none"});
}

TEST_F(MethodTool, TakesAMahalanobisMatrixFromAFile) {
  write_bytes(folder_ / "good.csv", "2,0,0,0\n0,1,0,0\n0,0,1,0.5\n0,0,0.5,1\n", false);
  write_bytes(folder_ / "flat.csv", "1,1,0,0\n1,1,0,0\n0,0,1,0\n0,0,0,1\n", false);
  write_bytes(folder_ / "small.csv", "1,0\n0,1\n", false);
  const std::vector<std::string> arks{"--kernel",      "c-exponential", "--cost",       "mahalanobis",
                                      "--temperature", "0.5",           "--mahalanobis"};
  const auto with = [&](const std::string& file) {
    auto flags = arks;
    flags.push_back(file);
    return flags;
  };
  expect_trains(with("good.csv"));
  expect_refused(with("flat.csv"), "not positive definite");
  expect_refused(with("absent.csv"), "absent.csv");
  expect_refused(with("small.csv"), "is a matrix for 2 numbers per sample, but iris has 4");
}

TEST_F(MethodTool, WithoutADomainRefusesWhatIsInfinite) {
  expect_refused({"--method", "ke", "--sigma", "1", "--gamma", "1"}, "--method ke needs --domain lo,hi");
  expect_refused({"--method", "ro"}, "--method ro needs --domain lo,hi");
  expect_refused({"--method", "arks", "--sigma", "inf"}, "--sigma inf needs --domain lo,hi");
  expect_refused({"--method", "arks", "--kernel", "imq", "--imq-scale", "1"}, "--kernel imq needs --domain lo,hi");
}

TEST_F(MethodTool, SaysWhichParameterIsMissingOrTooMuch) {
  expect_refused({"--method", "wrm", "--cost", "l1"}, "--method wrm needs --gamma with --cost l1");
  expect_refused({"--method", "ke", "--sigma", "1", "--domain", "0,9"}, "--method ke needs --gamma");
  expect_refused({"--method", "arks", "--kernel", "imq", "--domain", "0,9"}, "--kernel imq needs --imq-scale");
  expect_refused({"--kernel", "imq", "--imq-scale", "1", "--sigma", "1", "--domain", "0,9"}, "takes only --imq-scale");
  expect_refused({"--kernel", "c-exponential", "--temperature", "1"}, "it needs --cost and --temperature");
  expect_refused({"--kernel", "gaussian", "--sigma", "1", "--cost", "l1"}, "cannot be used with --kernel gaussian");
  expect_refused({"--sigma", "1", "--temperature", "1"}, "cannot be used together");
  expect_refused({"--kernel", "gausian", "--sigma", "1"}, "did you mean 'gaussian'?");
  expect_refused({"--method", "ki", "--sigma", "1", "--ki-variant", "los"}, "did you mean 'loss'?");
  expect_refused({"--method", "wrm", "--gamma", "1", "--mahalanobis-ridge", "1"}, "are for --cost mahalanobis");
  expect_refused({"--method", "ro", "--domain", "5,1"}, "--domain");
}

TEST_F(MethodTool, RefusesSamplesOutsideTheDomain) {
  expect_refused({"--method", "ro", "--domain", "0,1"}, "outside");
}

}  // namespace arks
