// The user's own images and test sets, by flags and by the table [data] of a TOML file.
#include "cli/tool.h"
#include "support/data_files.h"
#include "support/file.h"
#include "support/testing.h"
#include "support/text.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace arks {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;
using Json = nlohmann::json;
using testing::write_class;
using testing::write_npy;

class OwnData : public ::testing::Test {
 protected:
  testing::ToolResult arks(const Arguments& arguments, const std::string& where = "") const {
    return testing::arks_tool(arguments, where.empty() ? folder_.path() : folder_ / where,
                              {{"ARKS_DATA_DIR", "/nowhere"}, {"ARKS_CACHE_DIR", (folder_ / "cache").string()}});
  }
  testing::ToolResult succeed(const Arguments& arguments, const std::string& where = "") const {
    auto result = arks(arguments, where);
    EXPECT_EQ(result.exit_code, 0) << join(arguments, " ") << "\n" << result.err;
    return result;
  }
  testing::ToolResult train(const std::string& out, Arguments flags) const {
    Arguments arguments{"train", "--method", "erm", "--epochs", "2", "--model", "linear", "--out", out};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return succeed(arguments);
  }
  void refused(const Arguments& arguments, const std::string& part) const {
    const auto result = arks(arguments);
    EXPECT_EQ(result.exit_code, 2) << join(arguments, " ") << "\n" << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << part << "\n" << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  void train_refused(const Arguments& flags, const std::string& part) const {
    Arguments arguments{"train", "--method", "erm", "--epochs", "1", "--out", "bad", "--quiet"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    refused(arguments, part);
    EXPECT_FALSE(fs::exists(folder_ / "bad"));
  }
  void expect_said(const testing::ToolResult& result, const std::string& part) const {
    EXPECT_NE(result.err.find(part), std::string::npos) << part << "\n" << result.err;
  }
  std::string config(const std::string& run) const {
    return read_checkpoint(folder_ / (run + "/checkpoint.pt")).config;
  }
  void expect_recorded(const std::string& run, const std::string& line) const {
    EXPECT_NE(config(run).find(line + "\n"), std::string::npos) << line << " in\n" << config(run);
  }
  double last_test_loss(const std::string& run) const {
    std::ifstream in(folder_ / (run + "/metrics.jsonl"));
    std::string last;
    for (std::string line; std::getline(in, line);) last = line;
    return Json::parse(last)["test_loss"];
  }
  /// The run goes on, and is tested as it was in training, from another folder.
  void expect_usable(const std::string& run) const {
    fs::create_directories(folder_ / "elsewhere");
    succeed({"train", "--resume", "../" + run, "--epochs", "3", "--quiet"}, "elsewhere");
    const auto json =
        Json::parse(succeed({"evaluate", "../" + run, "--eps", "0,0.1", "--json", "-", "--quiet"}, "elsewhere").out);
    EXPECT_NEAR(json["points"][0]["loss"], last_test_loss(run), 1e-6);
    EXPECT_GT(json["points"][1]["loss"], json["points"][0]["loss"]);
    succeed({"certify", "../" + run, "--rho", "0.1", "--sigma", "0.5", "--limit", "2", "--inner-steps", "2", "--quiet"},
            "elsewhere");
  }
  Json shown(Arguments arguments) const {
    arguments.insert(arguments.begin(), {"data", "show"});
    arguments.insert(arguments.end(), {"--json", "-"});
    return Json::parse(succeed(arguments).out)["data_set"];
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write_photos() const {
    write_class(folder_ / "photos/dark", 10, 0, {3, 6, 4});
    write_class(folder_ / "photos/light", 6, 200, {3, 6, 4});
  }
  void write_arrays() const {
    const auto labels = torch::arange(20) % 2;
    write_npy(folder_ / "x.npy",
              (labels * 200 + torch::arange(20)).to(torch::kByte).view({20, 1, 1}).repeat({1, 5, 4}));
    write_npy(folder_ / "y.npy", labels);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(OwnData, TrainsOnAFolderOfImages) {
  write_photos();
  const auto result = train("run", {"--data", "photos/", "--test-fraction", "0.5", "--split-seed", "3"});
  expect_said(result, "photos: 16 images of 3x6x4 (channels, height, width); 2 classes (dark 10, light 6); divided ");
  expect_said(result, "8 training and 8 test samples");
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
}

TEST_F(OwnData, TakesTheDivisionOfTheFolder) {
  write_class(folder_ / "photos/train/a", 4, 0);
  write_class(folder_ / "photos/train/b", 4, 200);
  write_class(folder_ / "photos/test/a", 2, 10);
  write_class(folder_ / "photos/test/b", 3, 190);
  write_class(folder_ / "photos/valid/a", 3, 190);
  const auto result = train("run", {"--data", "photos", "--test-fraction", "0.5"});
  expect_said(result, "8 training and 5 test samples");
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
  expect_said(result, "16 training and 4 test samples");
  expect_recorded("run", "test-data = \"" + path("more") + "\"");
  expect_usable("run");
  write_class(folder_ / "more/light", 3, 210, {3, 6, 4});
  refused({"evaluate", "run", "--eps", "0"}, "has changed since the run was trained on it");
}

TEST_F(OwnData, RefusesAFolderThatHasChanged) {
  write_photos();
  train("run", {"--data", "photos", "--quiet"});
  std::ofstream(folder_ / "photos/README") << "files beside the classes are not looked at";
  succeed({"evaluate", "run", "--eps", "0", "--quiet"});
  write_class(folder_ / "photos/light", 7, 200, {3, 6, 4});
  for (const Arguments& command : {Arguments{"evaluate", "run"}, Arguments{"certify", "run"},
                                   Arguments{"train", "--resume", "run", "--epochs", "3"}}) {
    refused(command, path("photos") + " has changed since the run was trained on it");
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
  refused({"evaluate", "run"}, path("photos") + " has changed since the run was trained on it");
  fs::remove_all(folder_ / "photos");
  refused({"evaluate", "run", "--eps", "0"},
          "run was trained on " + path("photos") +
              ", which no longer exists; put it back (evaluate and certify take --data instead)");
}

TEST_F(OwnData, FollowsItsSourceToAnotherPlace) {
  write_photos();
  train("run", {"--data", "photos", "--quiet"});
  fs::rename(folder_ / "photos", folder_ / "pictures");
  const auto json =
      Json::parse(succeed({"evaluate", "run", "--data", "pictures", "--eps", "0", "--json", "-", "--quiet"}).out);
  EXPECT_NEAR(json["points"][0]["loss"], last_test_loss("run"), 1e-6);
  write_class(folder_ / "pictures/light", 7, 200, {3, 6, 4});
  refused({"evaluate", "run", "--data", "pictures", "--eps", "0"}, "has changed since the run was trained on it");
}

TEST_F(OwnData, ARunIsNotPutAmongItsImages) {
  write_photos();
  for (const std::string out : {"photos/run", "photos/light", "photos"}) {
    refused({"train", "--method", "erm", "--epochs", "1", "--quiet", "--force", "--data", "photos", "--out", out},
            "--out: " + out + " is inside the folder of the data, " + path("photos"));
  }
}

TEST_F(OwnData, ShowsTheSourceOfATomlFile) {
  write_photos();
  std::ofstream(folder_ / "run.toml") << "[data]\nsource = \"photos\"\nresize = \"3x2\"\n";
  EXPECT_EQ(shown({"--config", "run.toml"})["input_shape"], Json({3, 3, 2}));
}

TEST_F(OwnData, TrainsOnImagesInNpyFiles) {
  write_arrays();
  const auto result = train("run", {"--data", "x.npy", "--targets", "y.npy", "--test-fraction", "0.25"});
  expect_said(result,
              "x.npy: 20 images of 1x5x4 (channels, height, width), uint8; target 'y.npy', 2 classes (0 10, 1 10)");
  expect_said(result, "15 training and 5 test samples");
  expect_recorded("run", "targets = \"" + path("y.npy") + "\"");
  expect_recorded("run", "task = \"classification\"");
  EXPECT_EQ(config("run").find("standardise"), std::string::npos);
  expect_usable("run");
  write_npy(folder_ / "y.npy", (torch::arange(20) + 1) % 2);
  refused({"evaluate", "run", "--eps", "0"}, "has changed since the run was trained on it");
}

TEST_F(OwnData, TakesTestImagesFromNpyFiles) {
  write_arrays();
  write_npy(folder_ / "tx.npy", torch::full({3, 5, 4}, 200, torch::kByte));
  write_npy(folder_ / "ty.npy", torch::tensor({1, 1, 1}));
  const Arguments pair{"--data", "x.npy", "--targets", "y.npy", "--test-data", "tx.npy"};
  auto flags = pair;
  flags.insert(flags.end(), {"--test-targets", "ty.npy"});
  expect_said(train("run", flags), "20 training and 3 test samples");
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
  train_refused(flags, "is that of the channels? Say so by the layout, chw");
  EXPECT_EQ(shown({"x.npy", "--targets", "y.npy", "--layout", "hwc"})["input_shape"], (std::vector<int>{3, 3, 5}));
  EXPECT_EQ(shown({"x.npy", "--targets", "y.npy", "--layout", "chw"})["input_shape"], (std::vector<int>{3, 5, 3}));
  train("run", {"--data", "x.npy", "--targets", "y.npy", "--layout", "hwc", "--quiet"});
  expect_recorded("run", "layout = \"hwc\"");
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
  train_refused({"--data", "train.csv", "--test-data", "test"},
                "--test-data test is neither a folder nor a file ending in");
}

TEST_F(OwnData, WillNotMixRunsOnDifferentDivisions) {
  write_photos();
  train("a", {"--data", "photos", "--quiet"});
  train("b", {"--data", "photos", "--quiet", "--split-seed", "1"});
  train("c", {"--data", "photos", "--quiet", "--resize", "6x5"});
  refused({"evaluate", "a", "b"}, "a and b cannot be compared on one test set: split-seed is 0 and 1");
  refused({"evaluate", "a", "c"}, "resize is - and 6x5");
  refused({"evaluate", "a", "--data", "iris"}, "a was trained on " + path("photos"));
}

TEST_F(OwnData, ChoosesTheNetworkByTheShape) {
  write_class(folder_ / "small/a", 4, 0, {1, 28, 28});
  write_class(folder_ / "small/b", 4, 99, {1, 28, 28});
  EXPECT_EQ(shown({"small"})["model"], "fashion-cnn");
  const auto fits = succeed({"train", "--data", "small", "--method", "erm", "--epochs", "1", "--out", "fits"});
  expect_said(fits, "defaults: model fashion-cnn, batch-size 256, opt amsgrad, lr 0.001");
  EXPECT_EQ(fits.err.find("no network of the paper"), std::string::npos) << fits.err;
  const auto other =
      succeed({"train", "--data", "small", "--resize", "9x9", "--method", "erm", "--epochs", "1", "--out", "other"});
  expect_said(other, "note: no network of the paper takes inputs of 1x9x9, so the model is linear; --model chooses");
}

TEST_F(OwnData, AsksForTheStrengthOfAMethodBeforeReadingImages) {
  write_photos();
  std::ofstream(folder_ / "photos/dark/broken.png") << "no pixels";
  refused({"train", "--data", "photos", "--method", "arks", "--out", "x"}, "--method arks needs --sigma");
  refused({"train", "--data", "photos", "--method", "wrm", "--out", "x"}, "--method wrm needs --gamma");
  refused({"train", "--data", "photos", "--method", "pgd", "--out", "x"}, "--method pgd needs --eps");
  refused({"train", "--data", "photos", "--method", "erm", "--out", "x"}, "photos/dark/broken.png");
  fs::remove(folder_ / "photos/dark/broken.png");
  const auto result = succeed({"train", "--data", "photos", "--method", "arks", "--sigma", "0.3", "--epochs", "1",
                               "--inner-steps", "2", "--out", "x"});
  expect_said(result, "inner-lr 0.01");
}

TEST_F(OwnData, InnerStepsGrowWithTheBounds) {
  write_npy(folder_ / "x.npy", torch::arange(10 * 4 * 5).view({10, 1, 4, 5}).to(torch::kFloat));
  write_npy(folder_ / "y.npy", torch::arange(10) % 2);
  const auto result = succeed({"train", "--data", "x.npy", "--targets", "y.npy", "--method", "arks", "--sigma", "9",
                               "--epochs", "1", "--inner-steps", "2", "--out", "run"});
  expect_said(result, "bounds [0, 199], which is what the values span");
  expect_said(result, "inner-lr 1.99");
}

TEST_F(OwnData, ShowsWhatIsThere) {
  write_photos();
  const auto text = succeed({"data", "show", "photos", "--split-seed", "2"}).out;
  for (const std::string part :
       {"folder of images", "13 samples; 2 classes (dark 8, light 5)", "3 samples; 2 classes (dark 2, light 1)",
        "3x6x4, uint8 in memory", "test fraction 0.2, split seed 2", "[0, 1]", "x/255", "linear"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  const auto json = shown({"photos"});
  EXPECT_EQ(json["data"], path("photos"));
  EXPECT_EQ(json["train"]["samples"], 13);
  EXPECT_EQ(json["test"]["classes"]["dark"], 2);
  EXPECT_EQ(json["classes"], (std::vector<std::string>{"dark", "light"}));
  EXPECT_EQ(json["stored"], "uint8");
  EXPECT_EQ(json["input_shape"], (std::vector<int>{3, 6, 4}));
  EXPECT_EQ(json["bounds"][0][1], 1.0);
  EXPECT_TRUE(json["target"].is_null());
  EXPECT_EQ(json["checksum"].get<std::string>().size(), 10U);
  const auto iris = shown({"iris"});
  EXPECT_EQ(iris["kind"], "built-in table");
  EXPECT_EQ(iris["model"], "mlp");
  EXPECT_EQ(iris["stored"], "float32");
  EXPECT_TRUE(iris["bounds"].is_null());
  EXPECT_EQ(shown({"diabetes"})["task"], "regression");
  testing::write_toy_fashion_mnist(folder_.path(), 12, 8);
  EXPECT_EQ(shown({"fashion-mnist", "--data-dir", folder_.path().string()})["train"]["samples"], 12);
  refused({"data", "show"}, "data show: which data set, file or folder?");
  refused({"data", "show", "photso"}, "unknown data set 'photso'");
  refused({"data", "list", "--resize", "3x3"}, "--resize goes with arks data show");
  refused({"data", "list", "--data-checksum", "0x00000000"}, "--data-checksum goes with arks data show");
}

TEST_F(OwnData, ShowRefusesFlagsThatMeanNothing) {
  write_photos();
  testing::write_toy_fashion_mnist(folder_.path(), 12, 8);
  const auto data_dir = folder_.path().string();
  refused({"data", "show", "iris", "--attribute", "Smiling"}, "--attribute cannot be used with data set iris");
  refused({"data", "show", "photos", "--no-balance"}, "--no-balance cannot be used with data set " + path("photos"));
  refused({"data", "show", "fashion-mnist", "--data-dir", data_dir, "--resize", "3x3"},
          "--resize cannot be used with data set fashion-mnist");
  refused({"data", "show", "fashion-mnist", "--data-dir", data_dir, "--data-checksum", "0x00000000"},
          "--data-checksum cannot be used with data set fashion-mnist");
  refused({"data", "show", "iris", "--data-checksum", "0x00000000"},
          "--data-checksum is for files and folders; iris is built in");
  refused({"data", "show", "iris", "--resize", "3x3"}, "--resize is for folders of images; iris is built in");
  refused({"data", "show", "photso", "--resize", "3x3"}, "unknown data set 'photso'");
  refused({"data", "show", "photos", "--data-checksum", "0x00000000"}, path("photos") + " has changed since");
  const std::string sum = shown({"photos"})["checksum"];
  EXPECT_EQ(shown({"photos", "--data-checksum", sum})["checksum"], sum);
}

TEST_F(OwnData, RefusesFlagsThatDoNotFit) {
  write_photos();
  write_arrays();
  std::ofstream(folder_ / "t.csv") << "a,y\n1,u\n2,v\n3,u\n4,v\n";
  const auto with = [](const std::string& data, const Arguments& flags) {
    Arguments arguments{"--data", data};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return arguments;
  };
  train_refused(with("t.csv", {"--resize", "3x3"}),
                "--resize is for folders of images; " + path("t.csv") + " is a table");
  train_refused(with("t.csv", {"--layout", "chw"}), "--layout is for .npy files of images");
  train_refused(with("photos", {"--targets", "y.npy"}),
                "--targets is for .npy files; " + path("photos") + " is a folder");
  train_refused(with("photos", {"--target", "kind"}), "--target is for tables with named columns");
  train_refused(with("photos", {"--task", "regression"}), "--task is for tables and .npy files");
  train_refused(with("photos", {"--standardise"}), "--standardise is for tables");
  train_refused(with("photos", {"--layout", "hwc"}), "--layout is for .npy files of images");
  train_refused(with("photos", {"--resize", "64"}), "--resize: expected HEIGHTxWIDTH in pixels, e.g. 64x48, got '64'");
  train_refused(with("photos", {"--resize", "0x5"}), "--resize");
  train_refused(with("photos", {"--channels", "2"}), "--channels must be 1 or 3, got 2");
  train_refused(with("photos", {"--test-data", "t.csv"}), "--test-data must have the form of --data: t.csv is a table");
  train_refused(with("photos", {"--test-fraction", "1"}), "--test-fraction must be above 0 and below 1, got 1");
  train_refused(with("x.npy", {"--targets", "y.npy", "--channels", "1"}), "--channels is for folders of images");
  train_refused(with("x.npy", {"--targets", "y.npy", "--layout", "cwh"}),
                "unknown layout 'cwh' (did you mean 'chw'?); known: chw, hwc");
  train_refused(with("x.npy", {"--targets", "y.npy", "--test-targets", "y.npy"}),
                "--test-targets goes with --test-data");
  train_refused(with("x.npy", {}), "the targets are needed too");
}

TEST_F(OwnData, ATableInTomlDoesWhatTheFlagsDo) {
  write_photos();
  fs::create_directory(folder_ / "setup");
  std::ofstream(folder_ / "setup/run.toml") << "method = \"erm\"\nepochs = 2\nmodel = \"linear\"\n"
                                            << "[data]\nsource = \"../photos\"\nresize = \"3x2\"\n"
                                            << "test-fraction = 0.25\ntrain-limit = 9\n";
  succeed({"train", "--config", "setup/run.toml", "--out", "by-toml", "--quiet"});
  train("by-flags",
        {"--data", "photos", "--resize", "3x2", "--test-fraction", "0.25", "--train-limit", "9", "--quiet"});
  EXPECT_EQ(config("by-toml"), config("by-flags"));
  fs::create_directory(folder_ / "elsewhere");
  succeed({"train", "--config", "../setup/run.toml", "--resize", "2x2", "--out", "../flags-win", "--quiet"},
          "elsewhere");
  expect_recorded("flags-win", "resize = \"2x2\"");
  expect_recorded("flags-win", "data = \"" + path("photos") + "\"");
}

TEST_F(OwnData, PathsInTheTomlTableBeginAtTheFile) {
  fs::create_directory(folder_ / "setup");
  std::ofstream(folder_ / "setup/a.csv") << "a,y\n1,u\n2,v\n3,u\n4,v\n";
  std::ofstream(folder_ / "setup/b.csv") << "a,y\n1,u\n2,v\n";
  const auto write = [&](const std::string& text) {
    std::ofstream(folder_ / "setup/run.toml") << "method = \"erm\"\nepochs = 1\n" << text;
  };
  const Arguments command{"train", "--config", "setup/run.toml", "--out", "run", "--quiet", "--force"};
  write("[data]\nsource = \"a.csv\"\ntest-data = \"b.csv\"\n");
  succeed(command);
  expect_recorded("run", "data = \"" + path("setup/a.csv") + "\"");
  expect_recorded("run", "test-data = \"" + path("setup/b.csv") + "\"");
  write("data = \"setup/a.csv\"\n");
  succeed(command);  // outside of the table they begin where the tool runs, as on the command line
  expect_recorded("run", "data = \"" + path("setup/a.csv") + "\"");
  write("[data]\nsource = \"iris\"\n");
  succeed(command);
  expect_recorded("run", "data = \"iris\"");
}

TEST_F(OwnData, RefusesKeysThatTheTomlTableDoesNotHave) {
  const auto toml_refused = [&](const std::string& text, const std::string& part) {
    std::ofstream(folder_ / "run.toml") << text;
    train_refused({"--config", "run.toml"}, part);
  };
  toml_refused("[data]\nsource = \"iris\"\ntest-fracton = 0.5\n",
               "run.toml: unknown key 'test-fracton' in [data] (did you mean 'test-fraction'?)");
  toml_refused("[data]\nepochs = 3\n", "run.toml: 'epochs' does not belong in [data]");
  toml_refused("[data]\ndata = \"iris\"\n", "unknown key 'data' in [data] (did you mean 'source'?)");
  toml_refused("[data]\nsource = \"irs\"\n", "unknown data set 'irs' (did you mean 'iris'?)");
  toml_refused("[data]\nsource = \"no/such\"\n", "no/such is neither a folder nor a file ending in .csv or .npy");
  toml_refused("split-seed = 1\n[data]\nsource = \"iris\"\nsplit-seed = 2\n",
               "'split-seed' is given twice: inside [data]");
  toml_refused("[dat]\nsource = \"iris\"\n", "unknown table [dat] (did you mean 'data'?); the only table is [data]");
  toml_refused("[data.more]\nsource = \"iris\"\n", "unknown table [data.more]");
}

}  // namespace arks
