// Numbers that are predicted from images: scaled for training as those of tables are, and given back in the user's
// units.
#include "cli/own_data.h"
#include "data/model_interface.h"

#include <arks/data/load.h>

namespace arks {

namespace {

class ImageTargets : public testing::OwnDataTest {
 protected:
  /// How bright an image is, as numbers of about 1000.
  void write_images(int64_t count = 80) const {
    const auto level = torch::arange(count).to(torch::kFloat).mul(17).remainder(100);
    const auto noise = testing::normal({count, 8, 8}, 3).to(torch::kFloat) * 10;
    testing::write_npy(folder_ / "x.npy", (level.view({-1, 1, 1}) + 80 + noise).clamp(0, 255).to(torch::kByte));
    testing::write_npy(folder_ / "y.npy", (1000 + 4 * level).to(torch::kDouble));
    testing::write_npy(folder_ / "classes.npy", (level > 50).to(torch::kLong));
  }
  testing::ToolResult train(const std::string& out, const Arguments& more) const {
    Arguments arguments{"train", "--method", "erm", "--model", "linear", "--data", "x.npy", "--out", out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return succeed(arguments);
  }
};

}  // namespace

TEST_F(ImageTargets, AreScaledInTrainingAndPredictedInTheUnitsOfTheUser) {
  write_images();
  expect_said(train("run", {"--targets", "y.npy", "--epochs", "100", "--lr", "0.02"}),
              "bounds [0, 1]; the target is standardised");
  expect_recorded("run", "standardise-targets = true");
  EXPECT_LT(last_test_loss("run"), 0.2) << "in variances of the target";
  succeed({"export", "run", "--out", "run.pt"});
  for (const std::string model : {"run", "run.pt"}) {
    succeed({"predict", model, "--data", "x.npy", "--out", "p.csv", "--force"});
    const auto lines = split(read_file(folder_ / "p.csv"), '\n');
    double error = 0, count = 0;
    for (size_t i = 1; i < lines.size() && !lines[i].empty(); ++i, ++count) {
      const double level = static_cast<double>((i - 1) * 17 % 100);
      error += std::abs(std::stod(split(lines[i], ',').back()) - (1000 + 4 * level));
    }
    EXPECT_EQ(count, 80) << model;
    EXPECT_LT(error / count, 50) << model << ": their deviation is 115";
  }
  // the whole way: the same loss of a run, its file and its test part given by hand
  const auto loss = [&](const Arguments& what) {
    Arguments arguments{"evaluate", "--attack", "uniform", "--eps", "0", "--json", "e.json", "--force"};
    arguments.insert(arguments.end(), what.begin(), what.end());
    succeed(arguments);
    return Json::parse(read_file(folder_ / "e.json"))["points"][0]["loss"].get<double>();
  };
  EXPECT_NEAR(loss({"run"}), last_test_loss("run"), 1e-5);
  const auto all = loss({"run", "--test-data", "x.npy", "--test-targets", "y.npy"});
  EXPECT_LT(all, 0.2);
  EXPECT_NEAR(loss({"run.pt", "--test-data", "x.npy", "--test-targets", "y.npy"}), all, 1e-4 * all);
}

TEST_F(ImageTargets, AreLearnedOnTheImagesThatAreTrainedOnAndStaySoOnTheWay) {
  write_images();
  const auto trained_for = [&](const std::string& epochs) {
    return Arguments{"--targets", "y.npy", "--validation-fraction", "0.5", "--epochs", epochs};
  };
  train("run", trained_for("2"));
  const auto interface = parse_interface(read_checkpoint(folder_ / "run/checkpoint.pt").interface, "run");
  NpyImagesOptions options;
  const auto parts = load_splits(
      (folder_ / "x.npy").string(),
      DataOptions().targets(folder_ / "y.npy").npy_images(options).validation(ValidationOptions().fraction(0.5)));
  const auto trained = parts.train->get(torch::arange(parts.train->size())).targets.to(torch::kDouble);
  EXPECT_NEAR(interface.target_mean.item<double>(), trained.mean().item<double>(), 1e-6);
  EXPECT_NEAR(interface.target_deviation.item<double>(), trained.std(/*unbiased=*/false).item<double>(), 1e-6);
  succeed({"train", "--resume", "run", "--epochs", "3", "--quiet"});
  train("longer", trained_for("3"));
  EXPECT_EQ(last_test_loss("run"), last_test_loss("longer"));
}

TEST_F(ImageTargets, StayAsTheyAreWhereThatIsAskedForAndClassesAlways) {
  write_images();
  train("raw", {"--targets", "y.npy", "--epochs", "2", "--no-standardise-targets"});
  expect_recorded("raw", "standardise-targets = false");
  EXPECT_GT(last_test_loss("raw"), 1e5);
  train("classes", {"--targets", "classes.npy", "--epochs", "2"});
  EXPECT_EQ(config("classes").find("standardise-targets"), std::string::npos);
}

}  // namespace arks
