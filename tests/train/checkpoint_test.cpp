#include "support/file.h"
#include "support/testing.h"

#include <torch/csrc/jit/serialization/pickle.h>

#include <cmath>

namespace arks {

using testing::expect_error;
using testing::identical;
using testing::normal;
using testing::TemporaryFolder;

namespace {

Checkpoint filled() {
  Checkpoint checkpoint;
  checkpoint.architecture = "linear";
  checkpoint.config = "# ünïcode\nmethod = \"arks\"\n";
  checkpoint.weights = {{"dense.weight", normal({4, 6}).to(torch::kFloat)},
                        {"dense.bias", normal({4}).to(torch::kFloat)},
                        {"steps", torch::tensor(7, torch::kLong)}};
  checkpoint.epoch = 3;
  checkpoint.batch = 5;
  checkpoint.sums.samples = 160;
  checkpoint.sums.loss = 0.1 + 0.2;
  checkpoint.sums.surrogate = 1.0 / 3;
  checkpoint.sums.wrong = 17;
  checkpoint.sums.kernel = std::exp(-1.0);
  checkpoint.seconds = 12.5;
  checkpoint.optimizer = torch::arange(100, torch::kByte);
  checkpoint.generator = make_generator(4, Stream::kObjective).get_state();
  checkpoint.start_surrogate = 2.0 / 3;
  checkpoint.start_loss = 1e-300;
  checkpoint.metrics = {"{\"epoch\":1}", "{\"epoch\":2}", ""};
  return checkpoint;
}

Model linear(uint64_t seed, int64_t inputs = 6) {
  return Model(LinearModel(LinearModelOptions(inputs, 4).seed(seed)));
}

Checkpoint of(Problem& problem) {
  auto checkpoint = filled();
  checkpoint.architecture = problem.architecture();
  checkpoint.weights = problem.state();
  return checkpoint;
}

}  // namespace

TEST(Checkpoint, ReadsBackEveryField) {
  const TemporaryFolder folder;
  const auto written = filled();
  write_checkpoint(folder / "checkpoint.pt", written);
  const auto found = read_checkpoint(folder / "checkpoint.pt");
  EXPECT_EQ(found.architecture, written.architecture);
  EXPECT_EQ(found.config, written.config);
  ASSERT_EQ(found.weights.size(), written.weights.size());
  for (size_t i = 0; i < found.weights.size(); ++i) {
    EXPECT_EQ(found.weights[i].first, written.weights[i].first);
    EXPECT_TRUE(identical(found.weights[i].second, written.weights[i].second)) << found.weights[i].first;
  }
  EXPECT_EQ(found.epoch, 3);
  EXPECT_EQ(found.batch, 5);
  EXPECT_EQ(found.sums.samples, 160);
  EXPECT_EQ(found.sums.loss, written.sums.loss);
  EXPECT_EQ(found.sums.surrogate, written.sums.surrogate);
  EXPECT_EQ(found.sums.wrong, written.sums.wrong);
  EXPECT_EQ(found.sums.kernel, written.sums.kernel);
  EXPECT_FALSE(found.sums.cost || found.sums.adversarial_loss);
  EXPECT_EQ(found.seconds, 12.5);
  EXPECT_TRUE(identical(found.optimizer, written.optimizer));
  EXPECT_TRUE(identical(found.generator, written.generator));
  EXPECT_EQ(found.metrics, written.metrics);
  EXPECT_EQ(found.start_surrogate, written.start_surrogate);
  EXPECT_EQ(found.start_loss, written.start_loss);
}

TEST(Checkpoint, ReplacesTheOneBefore) {
  const TemporaryFolder folder;
  auto checkpoint = filled();
  write_checkpoint(folder / "checkpoint.pt", checkpoint);
  checkpoint.epoch = 4;
  write_checkpoint(folder / "checkpoint.pt", checkpoint);
  EXPECT_EQ(read_checkpoint(folder / "checkpoint.pt").epoch, 4);
}

TEST(Checkpoint, RefusesATruncatedFileAtEveryLength) {
  const TemporaryFolder folder;
  const auto path = folder / "checkpoint.pt";
  write_checkpoint(path, filled());
  const auto whole = read_file(path);
  for (size_t length = 0; length < whole.size(); length += 97) {
    write_file_atomically(path, whole.substr(0, length));
    expect_error([&] { read_checkpoint(path); }, path.string());
  }
  write_file_atomically(path, whole.substr(0, whole.size() - 1));
  expect_error([&] { read_checkpoint(path); }, path.string());
}

TEST(Checkpoint, RefusesAFileInWhichOneByteChanged) {
  const TemporaryFolder folder;
  const auto path = folder / "checkpoint.pt";
  write_checkpoint(path, filled());
  const auto whole = read_file(path);
  for (size_t at = 0; at < whole.size(); at += 61) {
    auto damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    write_file_atomically(path, damaged);
    expect_error([&] { read_checkpoint(path); }, path.string());
  }
}

TEST(Checkpoint, RefusesFilesOfAnotherKind) {
  const TemporaryFolder folder;
  const auto path = folder / "checkpoint.pt";
  for (const std::string content : {"", "PK", "hello", "\x80\x02}q."}) {
    write_file_atomically(path, content);
    expect_error([&] { read_checkpoint(path); }, "is damaged or not a checkpoint written by arks train");
  }
  write_file_atomically(path, to_torchscript(linear(0)));
  expect_error([&] { read_checkpoint(path); }, "is damaged or not a checkpoint written by arks train");
  const auto saved = torch::jit::pickle_save(torch::ones({3}));
  write_file_atomically(path, {saved.data(), saved.size()});
  expect_error([&] { read_checkpoint(path); }, "is damaged or not a checkpoint written by arks train");
}

TEST(Checkpoint, RefusesAPathWithoutAFile) {
  const TemporaryFolder folder;
  expect_error([&] { read_checkpoint(folder / "none.pt"); }, (folder / "none.pt").string());
  expect_error([&] { read_checkpoint(folder.path()); }, "is a folder; expected a file");
}

TEST(Checkpoint, CannotBeWrittenWhereThereIsNoFolder) {
  const TemporaryFolder folder;
  EXPECT_THROW(write_checkpoint(folder / "missing/checkpoint.pt", filled()), RunError);
  write_file_atomically(folder / "file", "");
  EXPECT_THROW(write_checkpoint(folder / "file/checkpoint.pt", filled()), RunError);
}

TEST(Checkpoint, ReadsBackTheAverage) {
  const TemporaryFolder folder;
  auto written = filled();
  write_checkpoint(folder / "without.pt", written);
  EXPECT_TRUE(read_checkpoint(folder / "without.pt").average.empty());
  EXPECT_EQ(read_checkpoint(folder / "without.pt").averaged_epochs, 0);
  written.average = {{"dense.weight", normal({4, 6})}, {"dense.bias", normal({4})}};
  written.averaged_epochs = 17;
  write_checkpoint(folder / "with.pt", written);
  const auto found = read_checkpoint(folder / "with.pt");
  ASSERT_EQ(found.average.size(), 2U);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(found.average[i].first, written.average[i].first);
    EXPECT_TRUE(identical(found.average[i].second, written.average[i].second));
  }
  EXPECT_EQ(found.averaged_epochs, 17);
}

TEST(Checkpoint, ReadsBackWhatAMethodCarriesAndIsAsBeforeWithoutIt) {
  const TemporaryFolder folder;
  auto written = filled();
  write_checkpoint(folder / "without.pt", written);
  const auto without = read_checkpoint(folder / "without.pt");
  EXPECT_TRUE(without.method.empty());
  EXPECT_TRUE(without.before.empty());
  EXPECT_EQ(without.ended, "");
  const auto bytes = read_file(folder / "without.pt");
  for (const std::string field : {"method_names", "before_names", "ended"}) {
    EXPECT_EQ(bytes.find(field), std::string::npos) << "an entry that older versions do not know: " << field;
  }
  written.method = {{"delta", normal({3, 6})}};
  written.before = {{"dense.weight", normal({4, 6}, 2)}, {"dense.bias", normal({4}, 3)}};
  written.ended = "epoch 4 was undone";
  write_checkpoint(folder / "with.pt", written);
  const auto found = read_checkpoint(folder / "with.pt");
  ASSERT_EQ(found.method.size(), 1U);
  EXPECT_EQ(found.method[0].first, "delta");
  EXPECT_TRUE(identical(found.method[0].second, written.method[0].second));
  ASSERT_EQ(found.before.size(), 2U);
  EXPECT_TRUE(identical(found.before[1].second, written.before[1].second));
  EXPECT_EQ(found.ended, written.ended);
}

TEST(LoadTrainedWeights, TakesTheAverageWhereThereIsOne) {
  SupervisedProblem saved(linear(1), CrossEntropy()), other(linear(2), CrossEntropy());
  auto checkpoint = of(saved);
  load_trained_weights(checkpoint, other, "runs/a");
  EXPECT_TRUE(identical(other.parameters()[0], saved.parameters()[0]));
  checkpoint.average = {{"dense.weight", normal({4, 6})}, {"dense.bias", normal({4})}};
  load_trained_weights(checkpoint, other, "runs/a");
  EXPECT_TRUE(identical(other.parameters()[0].detach(), checkpoint.average[0].second.to(torch::kFloat)));
  load_weights(checkpoint, other, "runs/a");
  EXPECT_TRUE(identical(other.parameters()[0], saved.parameters()[0]));
  checkpoint.average[1].second = torch::ones({5}, torch::kDouble);
  expect_error([&] { load_trained_weights(checkpoint, other, "runs/a"); },
               "runs/a, averaged: weight 1 is dense.bias [5], but the model has dense.bias [4]");
}

TEST(LoadWeights, CopiesThemIntoTheModel) {
  SupervisedProblem saved(linear(1), CrossEntropy()), other(linear(2), CrossEntropy());
  load_weights(of(saved), other, "runs/a");
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(identical(other.parameters()[i], saved.parameters()[i]));
    EXPECT_FALSE(other.parameters()[i].is_same(saved.parameters()[i]));
    EXPECT_TRUE(other.parameters()[i].requires_grad());
  }
}

TEST(LoadWeights, RefusesAnotherArchitectureAndChangesNothing) {
  SupervisedProblem saved(linear(1), CrossEntropy()), other{FashionCnn(), CrossEntropy()};
  const auto before = other.parameters()[0].detach().clone();
  expect_error([&] { load_weights(of(saved), other, "runs/a"); },
               "runs/a holds a model of architecture 'linear', not 'fashion-cnn'");
  EXPECT_TRUE(identical(other.parameters()[0].detach(), before));
}

TEST(LoadWeights, RefusesOtherShapesAndNamesAndChangesNothing) {
  SupervisedProblem saved(linear(1), CrossEntropy()), other(linear(2), CrossEntropy());
  const auto weight = other.parameters()[0].detach().clone();
  auto checkpoint = of(saved);
  checkpoint.weights[1].second = torch::ones({5});  // the first would fit
  expect_error([&] { load_weights(checkpoint, other, "runs/a"); },
               "runs/a: weight 1 is dense.bias [5], but the model has dense.bias [4]");
  EXPECT_TRUE(identical(other.parameters()[0].detach(), weight));
  checkpoint = of(saved);
  checkpoint.weights[1].first = "dense.shift";
  expect_error([&] { load_weights(checkpoint, other, "runs/a"); }, "weight 1 is dense.shift");
  checkpoint = of(saved);
  checkpoint.weights.pop_back();
  expect_error([&] { load_weights(checkpoint, other, "runs/a"); },
               "runs/a holds 1 weight tensors, but the model has 2");
  EXPECT_TRUE(identical(other.parameters()[0].detach(), weight));
}

}  // namespace arks
