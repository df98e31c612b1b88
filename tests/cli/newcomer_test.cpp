// What somebody runs into in the first hour with files of his own: each is said in one line that helps.
#include "cli/own_data.h"

namespace arks {

namespace fs = std::filesystem;
using testing::write_npy;

class Newcomer : public testing::OwnDataTest {
 protected:
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  /// Rows made of their number.
  template <typename Row>
  void write_rows(const std::string& name, const std::string& header, int64_t count, const Row& row) const {
    std::string text = header + "\n";
    for (int64_t i = 0; i < count; ++i) text += row(i) + "\n";
    write(name, text);
  }
  static std::string varied(int64_t i) { return std::to_string(static_cast<double>((i * 37) % 101) / 4); }
  static std::string decimal(double number) { return std::to_string(number); }
};

TEST_F(Newcomer, TargetsThatTeachNothingAreRefused) {
  write_rows("same.csv", "a,b,y", 40, [](auto i) { return varied(i) + "," + varied(i + 7) + ",3.5"; });
  const std::string why =
      "same.csv: the target 'y' is 3.5 in all 32 training rows, so there is nothing to learn; is "
      "it the right column? --target names it";
  train_refused({"--data", "same.csv"}, why);
  const auto shown = arks({"data", "show", "same.csv"});
  EXPECT_EQ(shown.exit_code, 2);
  expect_said(shown, why);
  EXPECT_NE(shown.out.find("standardised"), std::string::npos) << "its columns are shown all the same";
  write_rows("two.csv", "a,u,v", 40, [](auto i) { return varied(i) + "," + varied(i + 7) + ",3.5"; });
  expect_said(train("two", {"--data", "two.csv", "--target", "u,v"}),
              "the target 'v' is 3.5 in all 32 training rows: nothing can be learned of it");
  write_rows("number.csv", "a,number", 40, [](auto i) { return varied(i) + "," + std::to_string(i); });
  expect_said(succeed({"data", "show", "number.csv"}), "the target 'number' counts the rows; is it the right column?");
  write_npy(folder_ / "x.npy", testing::normal({30, 3, 8, 8}).sigmoid());
  write_npy(folder_ / "same.npy", torch::full({30}, 1.5));
  train_refused({"--data", "x.npy", "--targets", "same.npy"},
                "the target 'same.npy' is 1.5 in all 24 training images, so there is nothing to learn; is it the right "
                "file? --targets names it");
  write_npy(folder_ / "id.npy", torch::arange(30));
  train_refused({"--data", "x.npy", "--targets", "id.npy"}, "the target 'id.npy' has 30 classes in 30 rows");
}

TEST_F(Newcomer, BytesInFloatingPointAreBytes) {
  const auto bytes = (testing::normal({30, 3, 8, 8}).sigmoid() * 255).round();
  write_npy(folder_ / "bytes.npy", bytes.to(torch::kByte));
  write_npy(folder_ / "floats.npy", bytes.to(torch::kFloat));
  write_npy(folder_ / "unit.npy", (bytes / 255).to(torch::kFloat));
  write_npy(folder_ / "uneven.npy", (bytes * 0.99 + 0.3).to(torch::kFloat));
  write_npy(folder_ / "y.npy", torch::arange(30) % 2);
  const auto data = [](const std::string& name) {
    return Arguments{"--data", name, "--targets", "y.npy", "--epochs", "1"};
  };
  const std::string as_bytes = "floats.npy: floating point, but all values are whole numbers from ";
  expect_said(train("floats", data("floats.npy")), as_bytes);
  train("bytes", data("bytes.npy"));
  EXPECT_EQ(last_test_loss("floats"), last_test_loss("bytes"));
  expect_said(train("uneven", data("uneven.npy")),
              " are taken as they are; networks learn better from about 0 to 1, so divide them by 255");
  train("unit", data("unit.npy"));
  // each model takes what stands for the same images, and nothing that stands for others
  const auto losses = [&](const std::string& run, const std::string& file) {
    const auto result =
        succeed({"evaluate", run, "--test-data", file, "--test-targets", "y.npy", "--eps", "0", "--json", "-"});
    return Json::parse(result.out)["points"][0]["loss"].get<double>();
  };
  for (const std::string run : {"bytes", "unit"}) {
    const double loss = losses(run, "bytes.npy");
    EXPECT_NEAR(losses(run, "floats.npy"), loss, 1e-5) << run;
    EXPECT_NEAR(losses(run, "unit.npy"), loss, 1e-5) << run;
  }
  EXPECT_NEAR(losses("uneven", "bytes.npy"), losses("uneven", "floats.npy"), 1e-5);
  refused({"evaluate", "bytes", "--test-data", "uneven.npy", "--test-targets", "y.npy"},
          "uneven.npy holds floating point from ");
}

TEST_F(Newcomer, ImagesInArraysAreResizedAsFilesAre) {
  write_npy(folder_ / "small.npy", (testing::normal({30, 8, 8, 3}).sigmoid() * 255).to(torch::kByte));
  const auto large = (testing::normal({30, 12, 16, 3}).sigmoid() * 255).to(torch::kByte);
  write_npy(folder_ / "large.npy", large);
  write_npy(folder_ / "grey.npy", torch::ones({30, 8, 8}, torch::kByte));
  write_npy(folder_ / "y.npy", torch::arange(30) % 2);
  train("run", {"--data", "small.npy", "--targets", "y.npy", "--quiet"});
  const Arguments evaluate{"evaluate", "run", "--test-targets", "y.npy", "--eps", "0", "--test-data"};
  const auto test = [&](const std::string& file) {
    auto arguments = evaluate;
    arguments.push_back(file);
    return arguments;
  };
  expect_said(succeed(test("large.npy")), "images of 12x16 are resized to 8x8 (height x width)");
  refused(test("grey.npy"), "grey.npy: images of 1 channel, but the model was trained on small.npy with 3");
  const auto shown = succeed({"data", "show", "large.npy", "--targets", "y.npy", "--resize", "8x8", "--json", "-"});
  EXPECT_EQ(Json::parse(shown.out)["data_set"]["input_shape"], (std::vector<int64_t>{3, 8, 8}));
  train("resized", {"--data", "large.npy", "--targets", "y.npy", "--resize", "6x5", "--quiet"});
  expect_recorded("resized", "resize = \"6x5\"");
  succeed({"evaluate", "resized", "--eps", "0", "--quiet"});
}

}  // namespace arks
