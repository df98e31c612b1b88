// The user's own images and test sets: what is shown of them, flags and the table [data] of a TOML file.
#include "cli/own_data.h"

namespace arks {

namespace fs = std::filesystem;

class OwnDataFiles : public testing::OwnDataTest {};

TEST_F(OwnDataFiles, ShowsTheSourceOfATomlFile) {
  write_photos();
  std::ofstream(folder_ / "run.toml") << "[data]\nsource = \"photos\"\nresize = \"3x2\"\n";
  EXPECT_EQ(shown({"--config", "run.toml"})["input_shape"], Json({3, 3, 2}));
}

/// Whatever the table, and wherever the program runs.
TEST_F(OwnDataFiles, PathsInATomlFileBeginAtItsFolder) {
  fs::create_directories(folder_ / "job/tables");
  std::ofstream rows(folder_ / "job/tables/t.csv");
  rows << "a,b,kind\n";
  for (int i = 0; i < 60; ++i) rows << i % 7 << "," << i << "," << (i % 2 == 0 ? "even" : "odd") << "\n";
  rows.close();
  const auto write = [&](const std::string& name, const std::string& toml) {
    std::ofstream(folder_ / "job" / name) << toml;
    return "job/" + name;
  };
  const std::string few = "method = 'erm'\nepochs = 1\nbatch-size = 16\n";
  succeed({"train", "--config", write("plain.toml", few + "data = 'tables/t.csv'\nout = 'run'\n"), "--quiet"});
  EXPECT_TRUE(fs::exists(folder_ / "job/run/checkpoint.pt"));
  succeed(
      {"train", "--config", write("table.toml", few + "[data]\nsource = 'tables/t.csv'\n"), "--out", "b", "--quiet"});
  // names stay names, and the file of a run holds absolute paths: it may be read from anywhere
  succeed({"train", "--config", write("name.toml", few + "data = 'iris'\nmodel = 'mlp'\n"), "--out", "c", "--quiet"});
  succeed({"train", "--config", "b/config.toml", "--out", "d", "--quiet"});
  EXPECT_EQ(last_test_loss("job/run"), last_test_loss("d"));
  succeed({"evaluate", "--config",
           write("test.toml",
                 "test-data = ['tables/t.csv', 'again=tables/t.csv']\neps = [0]\n"
                 "json = 'result.json'\nfigure = 'a.svg,b.svg'\n"),
           "b", "--quiet"});
  for (const auto* file : {"result.json", "a.svg", "b.svg"}) EXPECT_TRUE(fs::exists(folder_ / "job" / file)) << file;
  const auto search = write("search.toml", "[train]\n" + few + "[grid]\ndata = ['tables/t.csv', 'iris']\n");
  const auto plan = succeed({"sweep", search, "--dry-run"}).out;
  EXPECT_NE(plan.find("--data=" + path("job/tables/t.csv") + " "), std::string::npos) << plan;
  EXPECT_NE(plan.find("--data=iris "), std::string::npos) << plan;
  refused({"train", "--config", write("slip.toml", "data = 'irs'\n"), "--out", "e"}, "did you mean 'iris'?");
  refused({"train", "--config", write("gone.toml", few + "data = 'gone.csv'\n"), "--out", "e"}, "job/gone.csv");
}

TEST_F(OwnDataFiles, ShowsWhatIsThere) {
  write_photos();
  const auto text = succeed({"data", "show", "photos", "--split-seed", "2"}).out;
  for (const std::string part : {"folder of images", "13 images (81 %); 2 classes (dark 8, light 5)",
                                 "3 images (19 %); 2 classes (dark 2, light 1)", "3x6x4, uint8 in memory",
                                 "test fraction 0.2, split seed 2", "[0, 1]", "x/255", "linear"}) {
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
  refused({"data", "show"}, "data show: a data set, file or folder is needed");
  refused({"data", "show", "photso"}, "unknown data set 'photso'");
  refused({"data", "list", "--resize", "3x3"}, "--resize is only for arks data show");
  refused({"data", "list", "--data-checksum", "0x00000000"}, "--data-checksum is only for arks data show");
}

TEST_F(OwnDataFiles, ShowRefusesFlagsThatMeanNothing) {
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
  refused({"data", "show", "iris", "--resize", "3x3"}, "--resize is for images; iris is built in");
  refused({"data", "show", "photso", "--resize", "3x3"}, "unknown data set 'photso'");
  refused({"data", "show", "photos", "--data-checksum", "0x00000000"}, path("photos") + " has checksum 0x");
  const std::string sum = shown({"photos"})["checksum"];
  EXPECT_EQ(shown({"photos", "--data-checksum", sum})["checksum"], sum);
}

TEST_F(OwnDataFiles, RefusesFlagsThatDoNotFit) {
  write_photos();
  write_arrays();
  std::ofstream(folder_ / "t.csv") << "a,y\n1,u\n2,v\n3,u\n4,v\n";
  const auto with = [](const std::string& data, const Arguments& flags) {
    Arguments arguments{"--data", data};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return arguments;
  };
  train_refused(with("t.csv", {"--resize", "3x3"}), "--resize is for images; " + path("t.csv") + " is a table");
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
  train_refused(with("photos", {"--test-data", "t.csv"}),
                "--test-data must have the same form as --data: t.csv is a table");
  train_refused(with("photos", {"--test-fraction", "1"}), "--test-fraction must be above 0 and below 1, got 1");
  train_refused(with("x.npy", {"--targets", "y.npy", "--channels", "1"}), "--channels is for folders of images");
  train_refused(with("x.npy", {"--targets", "y.npy", "--layout", "cwh"}),
                "unknown layout 'cwh' (did you mean 'chw'?); known: chw, hwc");
  train_refused(with("x.npy", {"--targets", "y.npy", "--test-targets", "y.npy"}), "--test-targets needs --test-data");
  train_refused(with("x.npy", {}), "the targets are needed too");
}

TEST_F(OwnDataFiles, ATableInTomlDoesWhatTheFlagsDo) {
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

TEST_F(OwnDataFiles, PathsInTheTomlTableBeginAtTheFile) {
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
  write("data = \"a.csv\"\n");
  succeed(command);  // outside of the table as well
  expect_recorded("run", "data = \"" + path("setup/a.csv") + "\"");
  write("[data]\nsource = \"iris\"\n");
  succeed(command);
  expect_recorded("run", "data = \"iris\"");
}

TEST_F(OwnDataFiles, RefusesKeysThatTheTomlTableDoesNotHave) {
  const auto toml_refused = [&](const std::string& text, const std::string& part) {
    std::ofstream(folder_ / "run.toml") << text;
    train_refused({"--config", "run.toml"}, part);
  };
  toml_refused("[data]\nsource = \"iris\"\ntest-fracton = 0.5\n",
               "run.toml: unknown key 'test-fracton' in [data] (did you mean 'test-fraction'?)");
  toml_refused("[data]\nepochs = 3\n", "run.toml: 'epochs' does not belong in [data]");
  toml_refused("[data]\ndata = \"iris\"\n", "unknown key 'data' in [data] (did you mean 'source'?)");
  toml_refused("[data]\nsource = \"irs\"\n", "unknown data set 'irs' (did you mean 'iris'?)");
  toml_refused("[data]\nsource = \"no/such\"\n", "no/such does not exist");
  toml_refused("split-seed = 1\n[data]\nsource = \"iris\"\nsplit-seed = 2\n",
               "'split-seed' is given twice: inside [data]");
  toml_refused("[dat]\nsource = \"iris\"\n", "unknown table [dat] (did you mean 'data'?); the only table is [data]");
  toml_refused("[data.more]\nsource = \"iris\"\n", "unknown table [data.more]");
}

}  // namespace arks
