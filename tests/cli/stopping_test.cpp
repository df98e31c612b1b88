// How long the user's own data are trained on where nobody says, in which steps, and what is warned of at the end.
#include "cli/validation_tool.h"

namespace arks {

namespace {

class StoppingTool : public testing::ValidationTool {};

}  // namespace

/// With the batches of large sets an epoch of few samples is a step, and training ends before it has learned. What is
/// given stays, and so do the sets of the paper.
TEST_F(StoppingTool, FewSamplesAreTrainedOnInSmallBatches) {
  write_table("t.csv", 300, /*noise=*/true);
  expect_said(train_bare("usual", {"--data", "t.csv"}),
              "epochs at most 2000, patience 100, batch-size 16, ");  // 240 rows, with those for validation
  expect_recorded("usual", "batch-size = 16");
  expect_said(train_bare("all", {"--data", "t.csv", "--epochs", "2"}), "defaults: model mlp, batch-size 16, ");
  train_bare("given", {"--data", "t.csv", "--batch-size", "100", "--patience", "2"});
  expect_recorded("given", "batch-size = 100");
  succeed({"train", "--config", "given/config.toml", "--out", "again", "--quiet"});
  expect_recorded("again", "batch-size = 100");
  train_bare("iris", {"--data", "iris", "--epochs", "1"});
  expect_recorded("iris", "batch-size = 128");
  train_bare("part", {"--data", "t.csv", "--epochs", "1", "--train-limit", "30"});
  expect_recorded("part", "batch-size = 16");
  const auto help = succeed({"train", "--data", "t.csv", "--help"}).out;
  for (const std::string text : {"samples per step [16 to 256 by the samples]", "(epochs) [at most 2000]",
                                 "0 = never [5 to 100 by the samples]", "the last epochs [no]"}) {
    EXPECT_NE(help.find(text), std::string::npos) << text << "\n" << help;
  }
  const auto of_epochs = succeed({"train", "--data", "t.csv", "--epochs", "7", "--help"}).out;
  for (const std::string text : {"(epochs) [7]", "0 = never [0]", "the last epochs [yes]"}) {
    EXPECT_NE(of_epochs.find(text), std::string::npos) << text << "\n" << of_epochs;
  }
}

TEST_F(StoppingTool, ATrainingThatEndsTooEarlySaysSo) {
  write_table("t.csv", 300, /*noise=*/false);
  const Arguments slow{"--data", "t.csv", "--lr", "1e-5", "--epochs", "3", "--quiet"};
  const auto with = [&](Arguments more) {
    more.insert(more.begin(), slow.begin(), slow.end());
    return train_bare("run", more);
  };
  const std::string limit =
      "arks: warning: training ended at the limit of 3 epochs while the validation loss still "
      "fell: the best was epoch 3; --resume goes on with a larger --epochs, or a new run with a "
      "larger --lr (now 1e-05) gets further";
  expect_said(with({"--patience", "2", "--force"}), limit);
  EXPECT_EQ(with({"--validation-fraction", "0.2", "--force"}).err.find("limit"), std::string::npos)
      << "so many were asked for";
}

TEST_F(StoppingTool, AModelThatIsWorseThanAConstantIsNamed) {
  std::string rows = "a,b,y\n";
  for (int i = 0; i < 100; ++i) rows += c10::str(i % 7, ",", i % 11, ",", 1000 + i % 7, "\n");
  write_file_atomically(folder_ / "t.csv", rows);
  const Arguments flags{"--data", "t.csv",    "--task", "regression", "--patience",
                        "3",      "--epochs", "20",     "--quiet",    "--force"};
  const auto with = [&](Arguments more) {
    more.insert(more.begin(), flags.begin(), flags.end());
    return train_bare("run", more).err;
  };
  const std::string worse = "arks: warning: the model is no better than none: its validation loss is ";
  const auto raw = with({"--no-standardise-targets", "--lr", "1e-4"});
  EXPECT_NE(raw.find(worse), std::string::npos) << raw;
  EXPECT_NE(raw.find(", and that of the mean target, predicted for all rows, is "), std::string::npos) << raw;
  const auto learned = with({"--lr", "0.01"});
  EXPECT_EQ(learned.find(worse), std::string::npos) << learned;
}

}  // namespace arks
