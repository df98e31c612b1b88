// How strong a guard should be: the strength of a method from the data, an expected drift or a field file.
#include "cli/own_data.h"

#include <cmath>
#include <random>

namespace arks {

namespace {

using Json = nlohmann::json;

}  // namespace

class GuardTool : public testing::OwnDataTest {
 protected:
  GuardTool() {
    write("train.csv", 300, 1, 0);
    write("field.csv", 200, 2, 3);
    write("same.csv", 200, 3, 0);
  }

  /// Temperatures of deviation 2 and pressures of deviation 50; failures where both are high.
  void write(const std::string& name, int64_t rows, uint64_t seed, double warmer) const {
    const auto x = testing::normal({rows, 2}, seed);
    std::ofstream out(folder_ / name);
    out << "temperature,pressure,site,fails\n";
    for (int64_t i = 0; i < rows; ++i) {
      const double one = x[i][0].item<double>(), two = x[i][1].item<double>();
      out << 20 + 2 * one + warmer << "," << 1000 + 50 * two << "," << (i % 3 == 0 ? "north" : "south") << ","
          << (one + two > 0 ? "yes" : "no") << "\n";
    }
  }
  testing::ToolResult trained(const std::string& out, Arguments flags) const {
    Arguments arguments{"train", "--data", "train.csv", "--epochs", "1", "--out", out};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return succeed(arguments);
  }
  double recorded(const std::string& run, const std::string& name) const {
    const auto text = config(run);
    const auto at = text.find("\n" + name + " = ");
    EXPECT_NE(at, std::string::npos) << name << " in\n" << text;
    return std::stod(text.substr(at + name.size() + 4));
  }
  Json drift(Arguments arguments) const {
    arguments.insert(arguments.begin(), {"data", "drift"});
    arguments.insert(arguments.end(), {"--json", "-"});
    return Json::parse(succeed(arguments).out)["drift"];
  }
  std::string part(const std::string& text, const std::string& from) const {
    const auto at = text.find(from);
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
  }
};

TEST_F(GuardTool, TakesTheStrengthFromTheDataAndRecordsIt) {
  const auto arks = trained("arks", {});
  const double sigma = recorded("arks", "sigma");
  EXPECT_GT(sigma, 0.01);
  EXPECT_LT(sigma, 1);
  expect_said(arks, "guard: sigma " + shortest(sigma) + " covers moves of about " + shortest(sigma));
  expect_said(arks, "the nearest rows of another class are ");
  expect_said(arks,
              ", a length over all 4 inputs together, in standard deviations of the training rows\nguard: sigma ");
  expect_said(arks, " (half-way to rows of another class) is a sensible range; the nearest rows of another class are ");
  expect_said(trained("strong", {"--sigma", "30"}), " is a sensible range, and 30 is stronger; ");
  expect_said(trained("weak", {"--method", "wrm", "--gamma", "1e6"}), " is a sensible range, and 1e+06 is weaker; ");
  trained("wrm", {"--method", "wrm"});
  // gamma is ln 2 over twice the square of the same length, all to two digits; both classes are about as frequent
  EXPECT_NEAR(recorded("wrm", "gamma"), std::log(2) / (2 * sigma * sigma), 0.15 * recorded("wrm", "gamma"));
  trained("pgd", {"--method", "pgd"});
  EXPECT_NEAR(recorded("pgd", "eps"), sigma / std::sqrt(4), 0.1 * sigma) << "of four inputs";
  trained("ball", {"--method", "pgd", "--norm", "l2"});
  EXPECT_NEAR(recorded("ball", "eps"), sigma, 1e-9);
  trained("again", {"--seed", "3"});
  EXPECT_EQ(recorded("again", "sigma"), sigma) << "the same for every seed";
  succeed({"train", "--config", "arks/config.toml", "--out", "repeated"});
  EXPECT_EQ(config("repeated"), config("arks"));
}

TEST_F(GuardTool, SaysWhatAGivenStrengthCovers) {
  EXPECT_EQ(part(trained("a", {"--sigma", "0.7"}).err, "guard:")
                .find("guard: sigma 0.7 covers moves of about 0.7, a length over all 4 inputs together, in standard"),
            0U);
  EXPECT_EQ(part(trained("b", {"--method", "pgd", "--eps", "0.3"}).err, "guard:")
                .find("guard: eps 0.3 covers moves of about 0.6, "),
            0U)
      << "of four inputs";
  for (const Arguments& other : std::vector<Arguments>{{"--method", "erm"},
                                                       {"--kernel", "laplacian", "--sigma", "1"},
                                                       {"--temperature", "1"},
                                                       {"--method", "ro", "--domain", "-9,9"}}) {
    EXPECT_EQ(trained("c",
                      [&] {
                        auto flags = other;
                        flags.emplace_back("--force");
                        return flags;
                      }())
                  .err.find("guard:"),
              std::string::npos)
        << "has no such strength";
  }
  EXPECT_EQ(succeed({"train", "--resume", "a", "--epochs", "2"}).err.find("guard:"), std::string::npos);
}

TEST_F(GuardTool, TakesTheStrengthOfImagesFromTheirDistances) {
  write_photos();
  const auto result = succeed({"train", "--data", "photos", "--inner-steps", "2", "--epochs", "1", "--out", "run"});
  expect_said(result, "the nearest images of another class are ");
  EXPECT_GT(recorded("run", "sigma"), 0.1);
}

TEST_F(GuardTool, SaysWhenClassesOverlap) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  std::string text = "a,b,class\n";
  for (int i = 0; i < 100; ++i) text += c10::str(normal(random), ",", normal(random), ",", i % 2 == 0 ? "x\n" : "y\n");
  write_file_atomically(folder_ / "lot.csv", text);
  const auto result = succeed({"train", "--data", "lot.csv", "--epochs", "1", "--out", "lot"});
  expect_said(result,
              " % of the rows the nearest one is of another class: they overlap, and an expected drift "
              "(--expect) is a better guide");
}

/// A step of every pixel is as long as the root of their number: the default must follow, or no large image moves.
TEST_F(GuardTool, MakesInnerStepsThatFitTheNumberOfPixels) {
  for (const int64_t side : {8, 64}) {
    const auto name = "x" + std::to_string(side) + ".npy", out = "run" + std::to_string(side);
    const auto bright = (torch::arange(24) % 2).view({24, 1, 1}) * 60;
    const auto noise = (20 * testing::normal({24, side, side}, 3)).round();
    testing::write_npy(folder_ / name, (100 + bright + noise).clamp(0, 255).to(torch::kByte));
    testing::write_npy(folder_ / "y.npy", torch::arange(24) % 2);
    const auto result = succeed({"train", "--data", name, "--targets", "y.npy", "--epochs", "3", "--batch-size", "8",
                                 "--model", "linear", "--out", out, "--quiet"});
    EXPECT_NEAR(recorded(out, "inner-lr"), 2 * recorded(out, "sigma") / 15 / static_cast<double>(side),
                0.05 * recorded(out, "inner-lr"));
    EXPECT_EQ(result.err.find("no sample moved"), std::string::npos) << result.err;
  }
  const auto far = succeed({"train", "--data", "x64.npy", "--targets", "y.npy", "--epochs", "3", "--model", "linear",
                            "--sigma", "0.5", "--inner-lr", "1", "--out", "far", "--quiet"});
  expect_said(far,
              "warning: no sample moved in epoch 2, so it was plain training: the first step of --inner-lr 1 over "
              "4096 inputs is 64 long, too far for a reach of 0.5: lower it");
  EXPECT_EQ(far.err.find("no sample moved"), far.err.rfind("no sample moved")) << "once";
}

TEST_F(GuardTool, DoesNotClaimThatAKernelOfKiCoversADrift) {
  const auto expected = trained("ki", {"--method", "ki", "--expect", "temperature+2"});
  expect_said(expected, " is a kernel as wide as that, not how strong ki guards (that is --ki-epsilon)");
  EXPECT_EQ(expected.err.find("covers"), std::string::npos) << expected.err;
  const auto by_data = trained("ki2", {"--method", "ki"});
  expect_said(
      by_data,
      " is the width of the kernel, not how strong ki guards (that is --ki-epsilon), a length over all 4 inputs ");
  EXPECT_EQ(by_data.err.find("covers"), std::string::npos) << by_data.err;
}

TEST_F(GuardTool, GivesAdviceOnOverlapThatCanBeFollowed) {
  testing::write_npy(folder_ / "x.npy", (128 + 20 * testing::normal({60, 8, 8}, 3)).clamp(0, 255).to(torch::kByte));
  testing::write_npy(folder_ / "y.npy", torch::arange(60) % 2);
  const auto images = succeed({"train", "--data", "x.npy", "--targets", "y.npy", "--epochs", "1", "--out", "images"});
  expect_said(images, "they overlap, and data from the field (arks data drift) is a better guide");
  EXPECT_EQ(images.err.find("--expect"), std::string::npos) << "which images refuse";
}

TEST_F(GuardTool, CoversAnExpectedDrift) {
  const auto result = trained("run", {"--expect", "temperature±3, pressure+100", "--test-fraction", "0.5"});
  const auto interface = Json::parse(read_checkpoint(folder_ / "run/checkpoint.pt").interface)["inputs"];
  const double one = 3 / interface["deviation"][0].get<double>(), two = 100 / interface["deviation"][1].get<double>();
  const double length = std::sqrt(one * one + two * two);
  EXPECT_NEAR(recorded("run", "sigma"), length, 0.05) << "two digits of it";
  expect_recorded("run", "expect = \"temperature±3, pressure+100\"");
  expect_said(result, "guard: the expected drift moves rows by " + shortest(recorded("run", "sigma")));
  trained("pgd", {"--expect", "temperature±3, pressure+100", "--test-fraction", "0.5", "--method", "pgd"});
  EXPECT_NEAR(recorded("pgd", "eps"), std::max(one, two), 0.05);
  const auto given = trained("given", {"--expect", "temperature±3", "--sigma", "9"});
  EXPECT_EQ(recorded("given", "sigma"), 9);
  expect_said(given, " covers that, the run has 9");
  expect_said(trained("erm", {"--method", "erm", "--expect", "temperature+1"}),
              "--expect is only used by methods with --sigma, --gamma or --eps");
}

TEST_F(GuardTool, TakesAFileOfExpectedDrifts) {
  testing::write_bytes(folder_ / "drifts.txt", "# winter\ntemperature-3\npressure+100  # pumps\n", false);
  trained("file", {"--expect-file", "drifts.txt"});
  trained("line", {"--expect", "temperature-3, pressure+100"});
  EXPECT_EQ(recorded("file", "sigma"), recorded("line", "sigma"));
  expect_recorded("file", "expect-file = \"" + path("drifts.txt") + "\"");
  succeed({"train", "--config", "file/config.toml", "--out", "again"});
  EXPECT_EQ(config("again"), config("file"));
  std::filesystem::rename(folder_ / "drifts.txt", folder_ / "moved.txt");
  succeed({"train", "--resume", "file", "--epochs", "2"});  // sigma is recorded
  std::filesystem::rename(folder_ / "moved.txt", folder_ / "drifts.txt");
  refused({"train", "--data", "train.csv", "--expect-file", "drifts.txt", "--expect", "temperature+1", "--out", "x"},
          "--expect and --expect-file cannot be used together");
}

TEST_F(GuardTool, RefusesADriftThatCannotBeMeant) {
  const auto expect_refused = [&](const std::string& terms, const std::string& part) {
    refused({"train", "--data", "train.csv", "--epochs", "1", "--expect", terms, "--out", "x", "--quiet"}, part);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "x"));
  };
  expect_refused("temprature+1", "did you mean 'temperature'?");
  expect_refused("site+1", "column 'site' holds names");
  expect_refused("temperature*1", "the drift moves nothing");
  expect_refused("temperature", "'temperature' does not say how far; write temperature+2.5");
  write_photos();
  refused({"train", "--data", "photos", "--expect", "a+1", "--out", "x"}, "--expect needs a table");
  refused({"train", "--data", "fashion-mnist", "--expect", "a+1", "--out", "x"}, "--expect needs a table");
}

TEST_F(GuardTool, FindsTheColumnThatDrifted) {
  const auto found = drift({"train.csv", "field.csv"});
  EXPECT_EQ(found["drifted"], Json({"temperature"}));
  EXPECT_EQ(found["rows"], Json({{"train", 300}, {"field", 200}}));
  EXPECT_EQ(found["columns"].size(), 3U);
  EXPECT_NEAR(found["columns"][0]["difference"], 1.5, 0.3);
  EXPECT_EQ(found["columns"][0]["test"], "kolmogorov-smirnov");
  EXPECT_EQ(found["columns"][2]["test"], "chi-squared");
  EXPECT_LT(found["mmd"]["p_value"], 0.01);
  EXPECT_GE(found["mmd"]["p_adjusted"], found["mmd"]["p_value"]);
  EXPECT_TRUE(found["columns"][2]["draws"].is_null()) << "no value is rare";
  EXPECT_TRUE(found["drift_found"]);
  const auto& transport = found["transport"];
  EXPECT_LT(transport["lower"], transport["upper"]);
  EXPECT_NEAR(transport["length"], 1.5, 0.3);
  EXPECT_NEAR(found["covers"]["sigma"], transport["length"], 0.06);
  EXPECT_NEAR(found["covers"]["eps"]["linf"], 1.5, 0.3);
  const auto text = succeed({"data", "drift", "train.csv", "field.csv"}).out;
  EXPECT_NE(text.find("1 of 3 columns drifted (p < 0.05): temperature"), std::string::npos) << text;
  EXPECT_NE(text.find(" over all inputs together, train with one of these:\n  arks train --method arks --sigma "),
            std::string::npos)
      << text;
}

TEST_F(GuardTool, FindsNoDriftWhereThereIsNone) {
  const auto found = drift({"train.csv", "same.csv"});
  EXPECT_TRUE(found["drifted"].empty());
  EXPECT_GT(found["mmd"]["p_value"], 0.05);
  EXPECT_TRUE(found["covers"].is_null());
  EXPECT_NE(
      succeed({"data", "drift", "train.csv", "train.csv"}).out.find("cannot be told apart from the training data"),
      std::string::npos);
}

TEST_F(GuardTool, ComparesWithTheDataOfARun) {
  trained("run", {"--method", "erm", "--drop", "site"});
  const auto found = drift({"run", "field.csv"});
  EXPECT_EQ(found["drifted"], Json({"temperature"}));
  EXPECT_EQ(found["inputs"], 2);
  EXPECT_EQ(drift({"train.csv", "field.csv", "--drop", "site"})["transport"], found["transport"]);
}

TEST_F(GuardTool, ComparesImagesAndArrays) {
  write_photos();
  const auto photos = drift({"photos", "photos/dark"});  // images may lie in the folder directly
  EXPECT_TRUE(photos["columns"].empty());
  EXPECT_EQ(photos["rows"]["field"], 10);
  testing::write_npy(folder_ / "x.npy", testing::normal({60, 3}, 1));
  testing::write_npy(folder_ / "y.npy", torch::arange(60) % 2);
  testing::write_npy(folder_ / "f.npy", testing::normal({40, 3}, 2) + 2);
  const auto table = drift({"x.npy", "f.npy", "--targets", "y.npy"});
  EXPECT_EQ(table["drifted"], Json({"input 1", "input 2", "input 3"}));
  refused({"data", "drift", "photos", "field.csv"}, "field.csv is a table with named columns");
}

TEST_F(GuardTool, CountsWhatIsMissingOrNew) {
  testing::write_bytes(folder_ / "messy.csv",
                       "site;temperature;pressure;more\nnorth;20;1000;1\neast;;990;2\nnorth;19;;3\n", false);
  const auto result = succeed({"data", "drift", "train.csv", "messy.csv", "--json", "d.json"});
  expect_said(result, "'more'");
  const auto found = Json::parse(read_file(folder_ / "d.json"))["drift"];
  EXPECT_EQ(found["columns"][0]["field"]["missing"], 1);
  EXPECT_EQ(found["columns"][1]["field"]["missing"], 1);
  EXPECT_EQ(found["columns"][2]["unseen"], 1);
  EXPECT_GT(found["columns"][2]["draws"], 0) << "three rows are too few for chi-squared as a limit";
  EXPECT_EQ(found["columns"][2]["field"]["counts"], Json({{"north", 2}, {"east", 1}}));
}

TEST_F(GuardTool, SeesThatCellsHaveGoneMissing) {
  const auto write = [&](const std::string& name, int64_t missing_of_ten) {
    const auto x = testing::normal({200, 2}, 7);
    std::ofstream out(folder_ / name);
    out << "temperature,pressure,day,fails\n";
    for (int64_t i = 0; i < 200; ++i) {
      out << (i % 10 < missing_of_ten ? "" : std::to_string(20 + 2 * x[i][0].item<double>())) << ","
          << 1000 + 50 * x[i][1].item<double>() << ",2024-03-0" << 1 + i % 9 << "," << (i % 3 == 0 ? "yes" : "no")
          << "\n";
    }
  };
  write("full.csv", 0);
  for (const int64_t missing : {4, 10}) {
    write("holes.csv", missing);
    const auto found = drift({"full.csv", "holes.csv"});
    EXPECT_EQ(found["drifted"], Json({"temperature"})) << missing;
    EXPECT_TRUE(found["drift_found"]);
    EXPECT_LT(found["columns"][0]["missing_p_adjusted"], 1e-9);
    EXPECT_TRUE(found["columns"][1]["missing_p_value"].is_null());
    const auto text = succeed({"data", "drift", "full.csv", "holes.csv"}).out;
    EXPECT_NE(text.find("< 0.0001 missing"), std::string::npos) << text;
    EXPECT_EQ(text.find("cannot be told apart"), std::string::npos) << text;
    EXPECT_NE(text.find("2024-03-04 (2.59 days)"), std::string::npos) << "a date, and not days since 1970\n" << text;
  }
}

/// -9999 where a cell is missing, in many rows or in few: a test sees the many, and nobody calls the few alike.
TEST_F(GuardTool, SeesCodesForMissingValues) {
  const auto write = [&](const std::string& name, int64_t seed, int64_t codes) {
    const auto x = testing::normal({200, 2}, seed);
    std::ofstream out(folder_ / name);
    out << "temperature,pressure,fails\n";
    for (int64_t i = 0; i < 200; ++i) {
      out << (i < codes ? -9999 : 20 + 2 * x[i][0].item<double>()) << "," << 1000 + 50 * x[i][1].item<double>() << ","
          << (i % 3 == 0 ? "yes" : "no") << "\n";
    }
  };
  write("whole.csv", 7, 0);
  for (const int64_t codes : {0, 2, 15}) {
    write("codes.csv", 12, codes);
    const auto found = drift({"whole.csv", "codes.csv"});
    EXPECT_EQ(found["drift_found"], codes == 15);
    EXPECT_EQ(found["columns"][0]["far_outside"], codes);
    const auto text = succeed({"data", "drift", "whole.csv", "codes.csv"}).out;
    EXPECT_EQ(text.find("cannot be told apart") != std::string::npos, codes == 0) << text;
    EXPECT_EQ(text.find("too few for the tests") != std::string::npos, codes == 2) << text;
    EXPECT_NE(text.find("no strength follows from them"), std::string::npos) << text;
    EXPECT_TRUE(found["covers"].is_null());
    EXPECT_EQ(text.find(" outside  ") != std::string::npos, codes == 15) << text;
    const bool named = text.find(c10::str("  temperature: ", codes, " of 200 beyond ")) != std::string::npos;
    EXPECT_EQ(named && text.find(", such as -9999\n") != std::string::npos, codes > 0) << text;
  }
}

TEST_F(GuardTool, NeverSaysAtLeastMoreThanAtMost) {
  write("few.csv", 4, 1, 0);
  write("other.csv", 3, 9, 1);
  const auto transport = drift({"few.csv", "other.csv"})["transport"];
  EXPECT_LE(transport["lower"].get<double>(), transport["upper"].get<double>());
}

TEST_F(GuardTool, RefusesFieldDataThatCannotBeCompared) {
  testing::write_bytes(folder_ / "empty.csv", "temperature,pressure,site\n", false);
  testing::write_bytes(folder_ / "one.csv", "temperature,pressure,site\n20,1000,north\n", false);
  testing::write_bytes(folder_ / "other.csv", "a,b\n1,2\n3,4\n", false);
  testing::write_bytes(folder_ / "text.csv", "temperature,pressure,site\nhot,1000,north\n21,1000,south\n", false);
  refused({"data", "drift", "train.csv", "empty.csv"}, "empty.csv");
  refused({"data", "drift", "train.csv", "one.csv"}, "one.csv: at least two rows are needed to compare, got 1");
  refused({"data", "drift", "train.csv", "other.csv"}, "other.csv: no column 'temperature'");
  refused({"data", "drift", "train.csv", "text.csv"}, "text.csv, line 2: column 'temperature' holds the text 'hot'");
  refused({"data", "drift", "train.csv", "absent.csv"}, "absent.csv does not exist");
  refused({"data", "drift", "absent.csv", "field.csv"}, "absent.csv");
  refused({"data", "drift", "train.csv"}, "data from the field are needed");
  refused({"data", "drift", "train.csv", "field.csv", "--target", "fals"}, "did you mean 'fails'?");
  refused({"data", "show", "train.csv", "field.csv"}, "one name is expected");
  refused({"data", "drift", "train.csv", "field.csv", "--json", "train.csv"}, "train.csv");
}

}  // namespace arks
