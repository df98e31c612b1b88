// Every kind of bad input: one line that says what is wrong and what would be right, exit code 2, nothing written.
#include "cli/tool.h"
#include "support/file.h"
#include "support/testing.h"
#include "support/text.h"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>

namespace arks {

namespace fs = std::filesystem;
using testing::arks_tool;
using Arguments = std::vector<std::string>;

class BadInput : public ::testing::Test {
 protected:
  BadInput() { testing::write_toy_fashion_mnist(data()); }

  fs::path data() const { return folder_ / "data"; }
  fs::path images() const { return data() / "fashion-mnist" / "train-images-idx3-ubyte.gz"; }
  fs::path labels() const { return data() / "fashion-mnist" / "train-labels-idx1-ubyte.gz"; }

  /// arks with these arguments on the toy data ends with `code`, one line on stderr that holds `part`, nothing written.
  void refused(Arguments arguments, const std::string& part, int code = 2) {
    const auto before = listing();
    const auto result = arks_tool(arguments, folder_.path(), {{"ARKS_DATA_DIR", data().string()}});
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.err.rfind("arks: ", 0), 0U) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(listing(), before);
  }
  void train_refused(const Arguments& flags, const std::string& part) {
    Arguments arguments{"train", "--model", "linear", "--epochs", "1", "--out", "run", "--quiet"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    refused(arguments, part);
  }
  /// A finished run of a linear model.
  void train(const std::string& name, const Arguments& flags = {}) {
    Arguments arguments{"train", "--model", "linear", "--method", "erm", "--epochs", "1", "--out", name, "--quiet"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const auto result = arks_tool(arguments, folder_.path(), {{"ARKS_DATA_DIR", data().string()}});
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  /// Every file with its size, so that a touched one shows.
  std::string listing() const {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      files.push_back(entry.path().string() + (entry.is_regular_file() ? std::to_string(entry.file_size()) : ""));
    }
    std::sort(files.begin(), files.end());
    return join(files, "\n");
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

  testing::TemporaryFolder folder_;
};

TEST_F(BadInput, MissingDataFolderSaysHowToGetIt) {
  refused({"train", "--data-dir", "nowhere", "--out", "run"}, "apt-get install dataset-fashion-mnist");
}

TEST_F(BadInput, TruncatedGzip) {
  fs::resize_file(images(), fs::file_size(images()) / 2);
  train_refused({}, "train-images-idx3-ubyte.gz");
}

TEST_F(BadInput, CorruptGzip) {
  auto bytes = read_file(images());
  for (size_t i = bytes.size() / 2; i < bytes.size() / 2 + 64; ++i) bytes[i] = static_cast<char>(~bytes[i]);
  testing::write_bytes(images(), bytes, /*gzip=*/false);
  train_refused({}, "train-images-idx3-ubyte.gz");
}

TEST_F(BadInput, WrongMagic) {
  testing::write_bytes(images(), "this is no IDX file at all", /*gzip=*/true);
  train_refused({}, "magic");
}

TEST_F(BadInput, CountsThatDiffer) {
  testing::write_idx(labels(), {7}, std::string(7, '\1'));
  train_refused({}, "128");
}

TEST_F(BadInput, HeaderThatAsksForMoreThanThereIs) {
  testing::write_idx(images(), {1 << 30, 1 << 12, 1 << 12}, "");
  train_refused({}, "train-images-idx3-ubyte.gz");
}

TEST_F(BadInput, LabelsOutOfRange) {
  testing::write_idx(labels(), {128}, std::string(128, '\12'));
  train_refused({}, "labels");
}

TEST_F(BadInput, MethodOptionsOutOfRange) {
  train_refused({"--method", "arks", "--sigma", "0"}, "sigma must be positive, got 0");
  train_refused({"--method", "arks", "--sigma", "-1"}, "sigma must be positive, got -1");
  train_refused({"--method", "arks", "--temperature", "0"}, "temperature must be positive");
  train_refused({"--method", "wrm", "--gamma", "-0.5"}, "gamma must not be negative, got -0.5");
  train_refused({"--method", "pgd", "--eps", "-0.1"}, "--eps must not be negative, got -0.1");
  train_refused({"--method", "arks", "--inner-lr", "0"}, "--inner-lr must be positive, got 0");
  train_refused({"--method", "arks", "--inner-steps", "-1"}, "--inner-steps must not be negative, got -1");
  train_refused({"--method", "arks", "--inner-opt", "lbfgs", "--inner-mode", "train"}, "lbfgs needs inner mode eval");
  train_refused({"--method", "arks", "--sigma", "1", "--temperature", "1"},
                "--sigma and --temperature cannot be used together");
  train_refused({"--method", "arks", "--cost", "l1"}, "cannot be used with --kernel gaussian");
}

TEST_F(BadInput, TrainingOptionsOutOfRange) {
  train_refused({"--epochs", "0"}, "epochs must be positive, got 0");
  train_refused({"--batch-size", "0"}, "--batch-size must be positive, got 0");
  train_refused({"--lr", "-1"}, "--lr must be positive, got -1");
  train_refused({"--lr-steps", "2.5"}, "--lr-steps: expected epochs as in 25,50, or none, got 2.5");
  train_refused({"--train-limit", "-3"}, "--train-limit must not be negative, got -3");
  train_refused({"--device", "cuda"}, "--device can only be cpu, got cuda");
  train_refused({"--epochs", "many"}, "--epochs: expected a whole number, got 'many'");
  train_refused({"--epochs", "99999999999999999999"}, "--epochs: 99999999999999999999 does not fit");
  train_refused({"--sigma", ""}, "--sigma: a value is missing");
  train_refused({"--sigma", "inf"}, "--sigma inf needs --domain");
  train_refused({"--sigma"}, "--sigma: a value is missing");
  train_refused({"--sigma=", "3"}, "--sigma: a value is missing");
  train_refused({"--sigma", "--lr", "1"}, "--sigma: a value is missing");
  train_refused({"--config", "--force"}, "--config: a value is missing");
  train_refused({"one-too-many"}, "unexpected argument 'one-too-many'");
  train_refused({"--kernel", "laplacian"}, "--kernel laplacian needs --sigma");
}

TEST_F(BadInput, UnknownNamesSuggestTheNearest) {
  train_refused({"--method", "arsk"}, "unknown method 'arsk' (did you mean 'arks'?)");
  train_refused({"--sigam", "1"}, "unknown flag '--sigam' (did you mean '--sigma'?)");
  train_refused({"--ab", "1"}, "unknown flag '--ab'; see arks train --help");
  train_refused({"--Sigma", "1"}, "unknown flag '--Sigma' (did you mean '--sigma'?)");
  train_refused({"--model", "fashion-cn"}, "unknown model 'fashion-cn' (did you mean 'fashion-cnn'?)");
  train_refused({"--model", "mlp", "--activation", "leaky"}, "unknown activation 'leaky'");
  train_refused({"--activation", "relu"},
                "linear has a fixed activation or none; it can be chosen for celeba-cnn, cnn, mlp, resnet20");
  train_refused({"--data", "fashion-minst"}, "did you mean 'fashion-mnist'?");
  train_refused({"--kernel", "gausian"}, "did you mean 'gaussian'?");
  train_refused({"--opt", "amsgrd"}, "did you mean 'amsgrad'?");
  refused({"trian"}, "unknown command 'trian' (did you mean 'train'?)");
  refused({"data", "verify", "fashion-mist"}, "did you mean 'fashion-mnist'?");
}

TEST_F(BadInput, UnknownTomlKey) {
  write("run.toml", "epochs = 1\nsigam = 0.5\n");
  train_refused({"--config", "run.toml"}, "run.toml: unknown key 'sigam' (did you mean 'sigma'?)");
}

TEST_F(BadInput, TomlValuesThatAreEmpty) {
  write("run.toml", "lr-steps = \"\"\n");
  train_refused({"--config", "run.toml"}, "run.toml: 'lr-steps' has no value");
  write("run.toml", "lr-steps = []\n");
  train_refused({"--config", "run.toml"}, "run.toml: 'lr-steps' has no value");
}

TEST_F(BadInput, TomlThatSaysTooMuchOrInTheWrongPlace) {
  write("run.toml", "sigma = 1\nsigma = 2\n");
  train_refused({"--config", "run.toml"}, "run.toml, line 2: 'sigma' is given twice");
  write("run.toml", "data = \"iris\"\n[data]\nlimit = 4\n");
  train_refused({"--config", "run.toml"}, "run.toml, line 2: 'data' is given as a value and as a table");
  write("run.toml", "data = \"iris\"\ndata.limit = 4\n");
  train_refused({"--config", "run.toml"}, "run.toml, line 2: the name before the dot is already given");
  refused({"sweep", "run.toml"}, "run.toml, line 2: the name before the dot is already given");
  const auto help = arks_tool({"train", "--config", "run.toml", "--help"}, folder_.path());
  EXPECT_EQ(help.exit_code, 0) << help.err;
  write("run.toml", "limit = 3\n[data]\nlimit = 4\n");
  train_refused({"--config", "run.toml"}, "run.toml: 'limit' is given twice: inside [data] and outside it");
  write("run.toml", "[data]\nsigma = 1\n");
  train_refused({"--config", "run.toml"}, "'sigma' does not belong in [data]; put it above that table");
  write("run.toml", "[kernel]\nsigma = 1\n");
  train_refused({"--config", "run.toml"}, "unknown table [kernel]");
  write("run.toml", "source = \"iris\"\n");
  train_refused({"--config", "run.toml"}, "'source' is a key of the table [data]");
}

TEST_F(BadInput, ATextWithoutQuotes) {
  for (const char* value : {"trades", "iris", "arks", "sgd", "nan-x", "64x48", "0:1:0.1", "/data", "[pgd]"}) {
    write("run.toml", std::string("epochs = 1\nmethod = ") + value + "\n");
    train_refused({"--config", "run.toml"}, "run.toml, line 2: this value cannot be read; a string must be in quotes");
  }
}

TEST_F(BadInput, AWordWhereAListIsWanted) {
  write("run.toml", "lr-steps = \"late\"\n");
  train_refused({"--config", "run.toml"}, "run.toml: --lr-steps: expected epochs as in 25,50, or none, got late");
  write("run.toml", "mean = \"grey\"\n");
  train_refused({"--config", "run.toml"}, "--mean: 'grey' is not a number");
  train_refused({"--method", "pgd", "--eps-scale", "all"}, "--eps-scale: 'all' is not a number");
  train_refused({"--bounds", "wide"}, "--bounds: 'wide' is not a number");
  train_refused({"--bounds", "0,1,2"}, "--bounds: expected lo,hi or one pair per feature lo,hi;lo,hi, got '0,1,2'");
}

TEST_F(BadInput, MethodsSinceThePaper) {
  train_refused({"--method", "trades", "--beta", "-1"}, "--beta must not be negative, got -1");
  train_refused({"--method", "mart", "--beta", "-0.5"}, "--beta must not be negative, got -0.5");
  train_refused({"--method", "free", "--replays", "0"}, "--replays must be positive, got 0");
  train_refused({"--method", "free", "--inner-opt", "adam"}, "method free: --inner-opt can only be sign, got adam");
  train_refused({"--method", "fast", "--norm", "l2"}, "method fast: --norm can only be linf, got l2");
  train_refused({"--method", "fast", "--watch-drop", "0"}, "--watch-drop must be above 0 and at most 1, got 0");
  train_refused({"--method", "fast", "--watch-drop", "1.5"}, "--watch-drop must be above 0 and at most 1, got 1.5");
  train_refused({"--method", "arks", "--awp-gamma", "-1"}, "--awp-gamma must not be negative, got -1");
}

TEST_F(BadInput, TomlKeysThatBelongOnTheCommandLine) {
  write("run.toml", "resume = \"other\"\n");
  train_refused({"--config", "run.toml"}, "'resume' belongs on the command line");
}

TEST_F(BadInput, NumbersThatMakeNoSense) {
  train_refused({"--opt", "sgd", "--momentum", "1"}, "--momentum must be at least 0 and below 1, got 1");
  train_refused({"--opt", "sgd", "--momentum", "-0.1"}, "--momentum must be at least 0 and below 1, got -0.1");
  train_refused({"--test-fraction", "0"}, "--test-fraction must be above 0 and below 1, got 0");
  train_refused({"--swa", "--swa-start", "0"}, "--swa-start must be positive, got 0");
  train_refused({"--mean", "0,0", "--std", "1,0"}, "--std must be positive, got 1,0");
  train_refused({"--seed", "-1"}, "--seed must not be negative, got -1");
  train_refused({"--threads", "100000"}, "--threads must be 0 to 1024, got 100000");
}

TEST_F(BadInput, TomlThatIsNone) {
  write("run.toml", "epochs = = 1\n");
  train_refused({"--config", "run.toml"}, "run.toml, line 1");
  train_refused({"--config", "missing.toml"}, "missing.toml");
}

TEST_F(BadInput, ValuesInAFileAreRefusedWithItsName) {
  write("run.toml", "sigma = \"wide\"\n");
  train_refused({"--config", "run.toml"}, "run.toml: --sigma: 'wide' is not a number");
  for (const std::string line : {"sigma = [0.5]", "epochs = [1, 2]", "method = [\"arks\"]", "swa = [true]"}) {
    write("run.toml", line + "\n");
    train_refused({"--config", "run.toml"},
                  "run.toml: '" + line.substr(0, line.find(' ')) + "' takes one value, got the list [");
  }
  write("run.toml", "lr-steps = [0, 2]\n");
  train_refused({"--config", "run.toml"}, "run.toml: --lr-steps: expected epochs as in 25,50, or none, got 0,2");
}

TEST_F(BadInput, NoCommandAtAll) {
  refused({}, "a command is needed: train, evaluate, predict, certify, reproduce, sweep, export, data");
  refused({"--frobnicate"}, "unknown flag '--frobnicate'; known: --help, --version");
  refused({"--verison"}, "unknown flag '--verison' (did you mean '--version'?)");
}

TEST_F(BadInput, InputsOutsideTheBounds) {
  train_refused({"--bounds", "0,0.5"}, "outside the given range [0, 0.5]");
  train_refused({"--bounds", "1,0"}, "--bounds: need low < high, got 1,0");
  train_refused({"--data", "nowhere", "--bounds", "0,1;2,1"}, "--bounds: need low <= high in every feature, got 2,1");
  train_refused({"--data", "nowhere", "--resize", "zz"}, "--resize: expected HEIGHTxWIDTH in pixels, e.g. 64x48");
  train("run");
  refused({"evaluate", "run", "--bounds", "0,0.5"}, "outside the given range [0, 0.5]");
}

TEST_F(BadInput, RangesAndScalesPerFeature) {
  using testing::repeated;
  const auto narrow = repeated("0,1", 300, ";") + ";2,3;" + repeated("0,1", 483, ";");
  train_refused({"--bounds", narrow}, "are outside the given range: feature [0, 10, 20] (counted from 0) spans [");
  train_refused({"--bounds", "0,1;0,1;0,1"}, "bounds: shape [3] does not fit samples of shape [1, 28, 28]");
  train_refused({"--bounds", "0,1;0"}, "--bounds: expected lo,hi or one pair per feature lo,hi;lo,hi, got '0'");
  train_refused({"--bounds", "0,1;"}, "--bounds: expected a number");
  train_refused({"--method", "pgd", "--eps-scale", "1,2"}, "--eps-scale: shape [2] does not fit samples of shape");
  train_refused({"--method", "pgd", "--norm", "l2", "--eps-scale", repeated("1", 784, ",")},
                "a radius per feature needs norm linf, not l2");
  train("run");
  refused({"evaluate", "run", "--bounds", narrow}, "its range is [2, 3]; scale it or give a wider range");
  refused({"evaluate", "run", "--eps-scale", "1,2"},
          "--eps-scale: shape [2] does not fit samples of shape [1, 28, 28]");
}

TEST_F(BadInput, OutputFolderThatExists) {
  train("run");
  train_refused({}, "run exists; --force replaces the run in it (");
  fs::create_directories(folder_ / "letters");
  write("letters/first.txt", "dear");
  train_refused({"--out", "letters"}, "letters exists and is not a run folder; choose another one");
  train_refused({"--out", "letters", "--force"}, "letters exists and is not a run folder");
}

TEST_F(BadInput, OutputFolderWithFilesOfTheUsersByTheNamesOfARun) {
  fs::create_directories(folder_ / "own");
  for (const std::string name : {"config.toml", "checkpoint.pt", "initial.pt", "model.pt"}) {
    write("own/" + name, "mine");
    train_refused({"--out", "own", "--force"}, "own exists and is not a run folder");
    EXPECT_EQ(read_file(folder_ / "own" / name), "mine");
  }
}

TEST_F(BadInput, OutputFolderOfARunThatWasKilledWhileItWrote) {
  for (const std::string name : {"config.toml.partial", "initial.pt.partial"}) {
    fs::create_directories(folder_ / name);
    write(name + "/" + name, "half");
    train(name);
    EXPECT_FALSE(fs::exists(folder_ / name / name));
    write(name + "/" + name, "half");
    train(name, {"--force"});
    EXPECT_FALSE(fs::exists(folder_ / name / name));
  }
  fs::create_directories(folder_ / "letters");
  write("letters/config.toml.partial", "half");
  write("letters/letter.txt.partial", "dear");
  train_refused({"--out", "letters", "--force"}, "letters exists and is not a run folder");
}

TEST_F(BadInput, OutputThatCannotBeWritten) {
  write("file", "");
  train_refused({"--out", "file/run"}, "is not a folder");
  train_refused({"--out", "/proc/run"}, "--out: ");
  train("run");
  refused({"evaluate", "run", "--eps", "0", "--json", "nowhere/out.json"}, "the folder nowhere does not exist");
  refused({"evaluate", "run", "--eps", "0", "--figure", "out.jpeg"}, ".svg");
}

TEST_F(BadInput, StandardOutputThatIsFull) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "SKIPPED: there is no /dev/full";
  const auto complaint = folder_ / "complaint";
  const auto command = "'" ARKS_TOOL "' data list >/dev/full 2>'" + complaint.string() + "'";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
  EXPECT_EQ(read_file(complaint), "arks: cannot write to standard output\n");
}

TEST_F(BadInput, OutputFileThatExists) {
  train("run");
  write("out.json", "precious");
  refused({"evaluate", "run", "--eps", "0", "--json", "out.json"}, "out.json exists; --force overwrites it");
  EXPECT_EQ(read_file(folder_ / "out.json"), "precious");
}

TEST_F(BadInput, EvaluateOptionsOutOfRange) {
  train("run");
  refused({"evaluate", "run", "--eps", "-0.1"}, "eps must be finite and not negative, got -0.1");
  refused({"evaluate", "run", "--eps", "0:1"}, "--eps: a range is a:b:step");
  refused({"evaluate", "run", "--attack", "pdg"}, "unknown attack 'pdg' (did you mean 'pgd'?)");
  refused({"evaluate", "run", "--steps", "0"}, "steps must be positive");
  refused({"evaluate", "run", "--alpha", "0"}, "alpha must be positive");
  refused({"evaluate", "run", "--restarts", "0"}, "restarts must be positive");
  refused({"evaluate", "run", "--norm", "l7"}, "unknown norm 'l7'");
  refused({"evaluate", "run", "--white-box"}, "--white-box needs --source");
  refused({"evaluate", "run", "--attack", "uniform", "--eps", "-1"}, "eps must be finite and not negative, got -1");
  refused({"evaluate", "run", "--attack", "scale", "--eps", "-2"}, "scale: eps must be finite and at least -1, got -2");
  refused({"evaluate", "run", "--repeats", "0"}, "--repeats must be positive, got 0");
  refused({"evaluate", "run", "--metric", "los"}, "unknown metric 'los' (did you mean 'loss'?)");
  refused({"evaluate"}, "MODEL is required; see arks evaluate --help");
  refused({"evaluate", "run", "--grid", "a.png", "--figure", "a.svg,a.png"}, "the same place, a.png");
  refused({"evaluate", "run", "--grid", "a.png", "--figure", "./a.png"}, "the same place, a.png");
  refused({"evaluate", "run", "--json", "-", "--csv", "-"}, "the same place, standard output");
}

TEST_F(BadInput, ModelsThatAreNone) {
  train("run");
  write("file", "not a checkpoint");
  fs::create_directory(folder_ / "empty");
  refused({"evaluate", "missing"}, "model missing does not exist");
  refused({"evaluate", "file"}, "file is neither a checkpoint of arks train nor a TorchScript file");
  refused({"evaluate", "empty"}, "it has no checkpoint.pt");
  const auto checkpoint = folder_ / "run/checkpoint.pt";
  fs::resize_file(checkpoint, fs::file_size(checkpoint) / 2);
  refused({"evaluate", "run"}, "damaged");
  refused({"train", "--resume", "run"}, "damaged");
}

TEST_F(BadInput, CheckpointOfAnotherArchitecture) {
  train("run");
  auto checkpoint = read_checkpoint(folder_ / "run/checkpoint.pt");
  checkpoint.architecture = "fashion-cnn";
  write_checkpoint(folder_ / "run/checkpoint.pt", checkpoint);
  refused({"evaluate", "run"}, "holds a model of architecture 'fashion-cnn', not 'linear'");
  refused({"train", "--resume", "run", "--epochs", "3", "--quiet"}, "holds a model of architecture 'fashion-cnn'");
}

TEST_F(BadInput, ResumeOfWhatIsNoRun) {
  refused({"train", "--resume", "missing"}, "--resume: missing does not exist");
  train("run");
  refused({"train", "--resume", "run/checkpoint.pt"}, "is a file; give the run folder that holds it");
  refused({"train", "--resume", "run", "--sigma", "2"}, "--sigma cannot be changed");
  refused({"train", "--resume", "run", "--out", "other"}, "--out cannot be changed");
  refused({"train", "--resume", "run", "--engine", "libtorch"},
          "--engine cannot be changed in a run that has begun; only --epochs, machine and output settings can, "
          "except --engine, --out and --config");
}

TEST_F(BadInput, LossThatBecomesNotANumberKeepsTheLastGoodCheckpoint) {
  const auto result = arks_tool({"train", "--model", "linear", "--method", "erm", "--opt", "sgd", "--lr", "1e38",
                                 "--epochs", "3", "--batch-size", "16", "--out", "run", "--quiet"},
                                folder_.path(), {{"ARKS_DATA_DIR", data().string()}});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("method erm, epoch 1, batch "), std::string::npos) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  const auto kept = read_checkpoint(folder_ / "run/checkpoint.pt");
  EXPECT_EQ(kept.epoch, 0);
  for (const auto& [name, tensor] : kept.weights) EXPECT_TRUE(tensor.isfinite().all().item<bool>()) << name;
}

}  // namespace arks
