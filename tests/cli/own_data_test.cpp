// The user's own images and test sets: trained on, gone on with, refused.
#include "cli/own_data.h"

#include <regex>

namespace arks {

namespace fs = std::filesystem;
using testing::write_class;
using testing::write_npy;

class OwnData : public testing::OwnDataTest {};

TEST_F(OwnData, TrainsOnAFolderOfImages) {
  write_photos();
  const auto result = train("run", {"--data", "photos/", "--test-fraction", "0.5", "--split-seed", "3"});
  expect_said(result, "photos: 16 images of 3x6x4 (channels, height, width); 2 classes (dark 10, light 6); divided ");
  expect_said(result, "8 training and 8 test images");
  for (const std::string& line :
       {"data = \"" + path("photos") + "\"", std::string("test-fraction = 0.5"), std::string("split-seed = 3")}) {
    expect_recorded("run", line);
  }
  EXPECT_EQ(config("run").find("standardise"), std::string::npos);
  expect_usable("run");
}

TEST_F(OwnData, RepeatsARunFromItsConfiguration) {
  write_photos();
  train("a", {"--data", "photos", "--resize", "3x2", "--channels", "3", "--quiet"});
  expect_recorded("a", "resize = \"3x2\"");
  expect_recorded("a", "channels = 3");
  succeed({"train", "--config", "a/config.toml", "--out", "b", "--quiet"});
  EXPECT_EQ(config("a"), config("b"));
  const auto weights = [&](const std::string& run) {
    return read_checkpoint(folder_ / (run + "/checkpoint.pt")).weights[0].second;
  };
  EXPECT_EQ(weights("a").numel(), 2 * 3 * 3 * 2);
  EXPECT_TRUE(testing::identical(weights("a"), weights("b")));
  succeed({"evaluate", "a", "b", "--eps", "0", "--quiet"});
  succeed({"train", "--resume", "b", "--epochs", "9", "--quiet"});
  EXPECT_EQ(std::regex_replace(config("a"), std::regex("epochs = [0-9]+"), "epochs = 9"), config("b"));
}

TEST_F(OwnData, TakesTheDivisionOfTheFolder) {
  write_class(folder_ / "photos/train/a", 4, 0);
  write_class(folder_ / "photos/train/b", 4, 200);
  write_class(folder_ / "photos/test/a", 2, 10);
  write_class(folder_ / "photos/test/b", 3, 190);
  write_class(folder_ / "photos/valid/a", 3, 190);
  const auto result = train("run", {"--data", "photos", "--test-fraction", "0.5"});
  expect_said(result, "8 training and 5 test images");
  expect_said(result, "valid is not used");
  expect_said(result, "note: --test-fraction is not used: the test samples are given separately");
  EXPECT_EQ(config("run").find("test-fraction"), std::string::npos);
  expect_usable("run");
}

TEST_F(OwnData, TakesTestImagesFromAnotherFolder) {
  write_photos();
  write_class(folder_ / "more/dark", 2, 0, {3, 6, 4});
  write_class(folder_ / "more/light", 2, 210, {3, 6, 4});
  const auto result = train("run", {"--data", "photos", "--test-data", "more"});
  expect_said(result, "16 training and 4 test images");
  expect_recorded("run", "test-data = \"" + path("more") + "\"");
  expect_usable("run");
  write_class(folder_ / "more/light", 3, 210, {3, 6, 4});
  refused({"evaluate", "run", "--eps", "0"}, " has checksum 0x");
}

TEST_F(OwnData, RefusesAFolderThatHasChanged) {
  write_photos();
  train("run", {"--data", "photos", "--quiet"});
  std::ofstream(folder_ / "photos/README") << "files beside the classes are not looked at";
  succeed({"evaluate", "run", "--eps", "0", "--quiet"});
  write_class(folder_ / "photos/light", 7, 200, {3, 6, 4});
  for (const Arguments& command : {Arguments{"evaluate", "run"}, Arguments{"certify", "run"},
                                   Arguments{"train", "--resume", "run", "--epochs", "3"}}) {
    refused(command, path("photos") + " has checksum 0x");
  }
  // one of the same size, and of the same time
  fs::remove(folder_ / "photos/light/6.png");
  succeed({"evaluate", "run", "--eps", "0", "--quiet"});
  const auto file = folder_ / "photos/light/0.png";
  const auto time = fs::last_write_time(file);
  auto bytes = read_file(file);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  testing::write_bytes(file, bytes, /*gzip=*/false);
  fs::last_write_time(file, time);
  refused({"evaluate", "run"}, path("photos") + " has checksum 0x");
  fs::remove_all(folder_ / "photos");
  refused({"evaluate", "run", "--eps", "0"},
          "run was trained on " + path("photos") +
              ", which no longer exists; put it back, or give --test-data FILE to test on other rows");
}

TEST_F(OwnData, FollowsItsSourceToAnotherPlace) {
  write_photos();
  train("run", {"--data", "photos", "--quiet"});
  fs::rename(folder_ / "photos", folder_ / "pictures");
  const auto json =
      Json::parse(succeed({"evaluate", "run", "--data", "pictures", "--eps", "0", "--json", "-", "--quiet"}).out);
  EXPECT_NEAR(json["points"][0]["loss"], last_test_loss("run"), 1e-6);
  write_class(folder_ / "pictures/light", 7, 200, {3, 6, 4});
  refused({"evaluate", "run", "--data", "pictures", "--eps", "0"}, " has checksum 0x");
}

TEST_F(OwnData, ARunIsNotPutAmongItsImages) {
  write_photos();
  for (const std::string out : {"photos/run", "photos/light", "photos"}) {
    refused({"train", "--method", "erm", "--epochs", "1", "--quiet", "--force", "--data", "photos", "--out", out},
            "--out: " + out + " is inside the folder of the data, " + path("photos"));
  }
  write_class(folder_ / "held/dark", 4, 0, {3, 6, 4});
  write_class(folder_ / "held/light", 4, 200, {3, 6, 4});
  train_refused({"--data", "photos", "--test-data", "held", "--out", "held/run"},
                "--out: held/run is inside the folder of the data, " + path("held"));
}

TEST_F(OwnData, TrainsOnImagesInNpyFiles) {
  write_arrays();
  const auto result = train("run", {"--data", "x.npy", "--targets", "y.npy", "--test-fraction", "0.25"});
  expect_said(result,
              "x.npy: 20 images of 1x5x4 (channels, height, width), uint8; target 'y.npy', 2 classes (0 10, 1 10)");
  expect_said(result, "15 training and 5 test images");
  expect_recorded("run", "targets = \"" + path("y.npy") + "\"");
  expect_recorded("run", "task = \"classification\"");
  EXPECT_EQ(config("run").find("standardise"), std::string::npos);
  expect_usable("run");
  write_npy(folder_ / "y.npy", (torch::arange(20) + 1) % 2);
  refused({"evaluate", "run", "--eps", "0"}, " has checksum 0x");
}

TEST_F(OwnData, TakesTestImagesFromNpyFiles) {
  write_arrays();
  write_npy(folder_ / "tx.npy", torch::full({3, 5, 4}, 200, torch::kByte));
  write_npy(folder_ / "ty.npy", torch::tensor({1, 1, 1}));
  const Arguments pair{"--data", "x.npy", "--targets", "y.npy", "--test-data", "tx.npy"};
  auto flags = pair;
  flags.insert(flags.end(), {"--test-targets", "ty.npy"});
  expect_said(train("run", flags), "20 training and 3 test images");
  expect_recorded("run", "test-targets = \"" + path("ty.npy") + "\"");
  expect_usable("run");
  train_refused(pair, "--test-data tx.npy needs --test-targets FILE.npy");
}

TEST_F(OwnData, ATimeSeriesIsATable) {
  write_npy(folder_ / "x.npy", torch::arange(20 * 10 * 5).view({20, 10, 5}).to(torch::kFloat));
  write_npy(folder_ / "y.npy", torch::arange(20) % 2);
  const auto table = shown({"x.npy", "--targets", "y.npy"});
  EXPECT_EQ(table["kind"], "table");
  EXPECT_EQ(table["scaling"], "standardised");
  EXPECT_TRUE(table["bounds"].is_null());
}

TEST_F(OwnData, AsksForTheLayoutThatIsNotClear) {
  write_npy(folder_ / "x.npy", torch::zeros({4, 3, 5, 3}, torch::kByte));
  write_npy(folder_ / "y.npy", torch::tensor({0, 1, 0, 1}));
  const Arguments flags{"--data", "x.npy", "--targets", "y.npy"};
  train_refused(flags, "does not show where the channels are; --layout chw is [n, c, h, w], --layout hwc");
  EXPECT_EQ(shown({"x.npy", "--targets", "y.npy", "--layout", "hwc"})["input_shape"], (std::vector<int>{3, 3, 5}));
  EXPECT_EQ(shown({"x.npy", "--targets", "y.npy", "--layout", "chw"})["input_shape"], (std::vector<int>{3, 5, 3}));
  train("run", {"--data", "x.npy", "--targets", "y.npy", "--layout", "hwc", "--quiet"});
  expect_recorded("run", "layout = \"hwc\"");
  // field data have no --layout: the model knows what it takes
  const auto field = (200 * torch::rand({6, 3, 5, 3})).to(torch::kByte);
  write_npy(folder_ / "field.npy", field);
  write_npy(folder_ / "chw.npy", field.permute({0, 3, 1, 2}).contiguous());
  const auto predicted = [&](const std::string& file) { return succeed({"predict", "run", "--data", file}).out; };
  EXPECT_EQ(predicted("field.npy"), predicted("chw.npy"));
  write_npy(folder_ / "other.npy", torch::zeros({6, 5, 5, 4}, torch::kByte));
  refused({"predict", "run", "--data", "other.npy"},
          "other.npy: samples of shape [5, 5, 4], but the model was trained ");
  succeed({"train", "--config", "run/config.toml", "--out", "again", "--quiet"});
  EXPECT_EQ(config("again"), config("run"));
}

TEST_F(OwnData, TestRowsOfTablesComeFromAnotherFile) {
  std::ofstream(folder_ / "train.csv") << "a,b,kind\n1,2,x\n2,3,y\n3,1,x\n4,4,y\n";
  std::ofstream(folder_ / "test.csv") << "b,a,kind\n2,1,x\n3,2,x\n";
  const auto result = train("run", {"--data", "train.csv", "--test-data", "test.csv"});
  expect_said(result, "train.csv: 4 rows, 2 inputs; target 'kind', 2 classes; standardised; 2 test rows in test.csv");
  expect_recorded("run", "test-data = \"" + path("test.csv") + "\"");
  expect_usable("run");
  std::ofstream(folder_ / "test.csv") << "b,a,kind\n2,1,x\n3,2,z\n";
  train_refused({"--data", "train.csv", "--test-data", "test.csv"}, "the class 'z' of the target 'kind' is not in the");
  train_refused({"--data", "iris", "--test-data", "test.csv"},
                "--test-data is for files and folders; iris is built in");
  train_refused({"--data", "train.csv", "--test-data", "test"}, "--test-data test does not exist");
}

TEST_F(OwnData, WillNotMixRunsOnDifferentDivisions) {
  write_photos();
  train("a", {"--data", "photos", "--quiet"});
  train("b", {"--data", "photos", "--quiet", "--split-seed", "1"});
  train("c", {"--data", "photos", "--quiet", "--resize", "6x5"});
  refused({"evaluate", "a", "b"},
          "a and b cannot be compared on one test set: --split-seed is 0 in the first and 1 in the second");
  succeed({"evaluate", "a", "c", "--eps", "0"});  // the same images, each as its model takes them
  refused({"evaluate", "a", "--data", "iris"}, "a was trained on " + path("photos"));
}

TEST_F(OwnData, ChoosesTheNetworkByTheShape) {
  write_class(folder_ / "small/a", 4, 0, {1, 28, 28});
  write_class(folder_ / "small/b", 4, 99, {1, 28, 28});
  EXPECT_EQ(shown({"small"})["model"], "cnn") << "too few for the network of the paper that fits";
  const auto fits = succeed({"train", "--data", "small", "--method", "erm", "--epochs", "1", "--out", "fits"});
  expect_said(fits, "defaults: model cnn, batch-size 256, opt amsgrad, lr 0.001");
  const auto other =
      succeed({"train", "--data", "small", "--resize", "9x16", "--method", "erm", "--epochs", "1", "--out", "other"});
  expect_said(other, "note: model cnn for images of 1x9x16: conv 3×3 1→8, conv 3×3 8→16, dense 256→2; 1762 weights");
  expect_recorded("other", "model = \"cnn\"");
  expect_recorded("other", "width = 8");
  expect_recorded("other", "batch-norm = false");
  const auto tiny =
      succeed({"train", "--data", "small", "--resize", "9x7", "--method", "erm", "--epochs", "1", "--out", "tiny"});
  expect_said(tiny, "note: model linear for images of 1x9x7: dense 63→2; 128 weights");
}

TEST_F(OwnData, TrainsTheCnnWithAWidthAndBatchNormOfTheUsers) {
  write_class(folder_ / "photos/a", 8, 0, {3, 10, 12});
  write_class(folder_ / "photos/b", 8, 99, {3, 10, 12});
  for (const std::string norm : {"--batch-norm", "--no-batch-norm"}) {
    const auto run = norm.substr(2);
    const auto result = succeed({"train", "--data", "photos", "--method", "arks", "--sigma", "1", "--inner-steps", "2",
                                 "--epochs", "2", "--width", "5", norm, "-v", "--out", run});
    expect_said(result, "model cnn for images of 3x10x12: conv 3×3 3→5, ");
    EXPECT_EQ(result.err.find("batch norm 5") != std::string::npos, norm == "--batch-norm") << result.err;
    expect_said(result, "the inner maximisation runs on a plan");
    EXPECT_EQ(result.err.find("libtorch"), std::string::npos) << result.err;
    expect_recorded(run, "width = 5");
    expect_usable(run);
    fs::rename(folder_ / "photos", folder_ / "gone");
    succeed({"predict", run, "--data", "gone/a", "--out", run + ".csv", "--quiet"});
    succeed({"export", run, "--out", run + ".pt", "--quiet"});
    fs::rename(folder_ / "gone", folder_ / "photos");
  }
  refused({"train", "--data", "photos", "--method", "erm", "--width", "1000000", "--out", "x"},
          "cnn: width must be at most 1024 channels, got 1000000");
  const auto other = train("linear", {"--data", "photos", "--width", "5"});
  expect_said(other, "--width is only used with --model cnn");
}

TEST_F(OwnData, TrainsTheCnnOnImagesWithNumbers) {
  write_npy(folder_ / "x.npy", torch::arange(12 * 9 * 11).view({12, 1, 9, 11}).to(torch::kByte));
  write_npy(folder_ / "y.npy", torch::arange(12 * 2).view({12, 2}).to(torch::kFloat));
  const auto result =
      succeed({"train", "--data", "x.npy", "--targets", "y.npy", "--method", "erm", "--epochs", "2", "--out", "run"});
  expect_said(result, "model cnn for images of 1x9x11: conv 3×3 1→8, dense 160→2; 402 weights");
  succeed({"evaluate", "run", "--eps", "0,0.1", "--quiet"});
}

TEST_F(OwnData, AsksForTheStrengthOfAMethodBeforeReadingImages) {
  write_photos();
  std::ofstream(folder_ / "photos/dark/broken.png") << "no pixels";
  refused({"train", "--data", "photos", "--method", "arks", "--kernel", "laplacian", "--out", "x"}, "needs --sigma");
  refused({"train", "--data", "photos", "--method", "wrm", "--cost", "l1", "--out", "x"}, "--method wrm needs --gamma");
  refused({"train", "--data", "photos", "--method", "erm", "--out", "x"}, "photos/dark/broken.png");
  fs::remove(folder_ / "photos/dark/broken.png");
  const auto result = succeed({"train", "--data", "photos", "--method", "arks", "--sigma", "0.3", "--epochs", "1",
                               "--inner-steps", "2", "--out", "x"});
  expect_said(result, "inner-lr 0.012");  // 2·0.3/(6·√72)
}

TEST_F(OwnData, InnerStepsFollowTheStrength) {
  write_npy(folder_ / "x.npy", torch::arange(10 * 4 * 5).view({10, 1, 4, 5}).to(torch::kFloat) - 99.5);
  write_npy(folder_ / "y.npy", torch::arange(10) % 2);
  const auto result = succeed({"train", "--data", "x.npy", "--targets", "y.npy", "--method", "arks", "--sigma", "9",
                               "--epochs", "1", "--inner-steps", "2", "--out", "run"});
  expect_said(result, "bounds [-99.5, 99.5], which is what the values span");
  expect_said(result, "inner-lr 0.67");  // 2·9/(6·√20)
}

}  // namespace arks
