#include "study/stand_in.h"

#include "support/file.h"
#include "support/testing.h"

#include <fstream>

namespace arks::study {

namespace fs = std::filesystem;

using testing::expect_error;
using testing::TemporaryFolder;

namespace {

/// Everything of a set, inputs as float: [n,...], [n].
std::pair<torch::Tensor, torch::Tensor> all_of(const DatasetPtr& set) {
  const auto batch = set->get(torch::arange(set->size(), torch::kLong));
  return {batch.inputs.flatten(1), batch.targets};
}

/// Share of the test set that lies nearest to the mean of its own class.
double nearest_mean_accuracy(const DatasetPtr& train, const DatasetPtr& test, int64_t classes) {
  const auto [x, y] = all_of(train);
  const auto [test_x, test_y] = all_of(test);
  std::vector<torch::Tensor> means;
  for (int64_t c = 0; c < classes; ++c) means.push_back(x.index({y == c}).mean(0));
  const auto nearest = torch::cdist(test_x, torch::stack(means)).argmin(1);
  return (nearest == test_y).to(torch::kDouble).mean().item<double>();
}

/// Share of the test set on the right side of the plane that ridge regression lays between two classes.
double ridge_accuracy(const DatasetPtr& train, const DatasetPtr& test) {
  const auto [x, y] = all_of(train);
  const auto [test_x, test_y] = all_of(test);
  const auto centre = x.mean(0);
  const auto kernel = (x - centre).matmul((x - centre).t()) + torch::eye(x.size(0));
  const auto weights = torch::linalg_solve(kernel, 2 * y.to(torch::kFloat) - 1);
  const auto scores = (test_x - centre).matmul((x - centre).t()).matmul(weights);
  return ((scores > 0) == (test_y == 1)).to(torch::kDouble).mean().item<double>();
}

}  // namespace

TEST(StandIn, OfCifar10IsReadByItsLoaderAndCanBeLearned) {
  const TemporaryFolder folder;
  EXPECT_EQ(make_stand_in("cifar10", folder.path()), folder / "cifar-10-batches-bin");
  const auto train = load_cifar10(folder.path(), Split::kTrain), test = load_cifar10(folder.path(), Split::kTest);
  EXPECT_EQ(train->size(), 1000);
  EXPECT_EQ(test->size(), 200);
  for (const auto& set : {train, test}) {
    const auto counts = torch::bincount(all_of(set).second);
    EXPECT_TRUE(counts.eq(set->size() / 10).all().item<bool>()) << counts;
  }
  EXPECT_GT(nearest_mean_accuracy(train, test, 10), 0.8);
}

TEST(StandIn, OfCelebaIsReadByItsLoaderAndCanBeLearned) {
  const TemporaryFolder folder;
  EXPECT_EQ(make_stand_in("celeba", folder.path()), folder / "celeba");
  const auto train = load_celeba(folder.path(), Split::kTrain), test = load_celeba(folder.path(), Split::kTest);
  EXPECT_EQ(train->size(), 48);
  EXPECT_EQ(test->size(), 32);
  EXPECT_EQ(all_of(train).second.sum().item<int64_t>(), 24);
  EXPECT_EQ(all_of(test).second.sum().item<int64_t>(), 16);
  EXPECT_EQ(load_celeba(folder.path(), Split::kTrain, CelebaOptions().attribute("Smiling"))->size(), 48);
  EXPECT_GT(ridge_accuracy(train, test), 0.8);
}

TEST(StandIn, SaysThatItIsMadeUp) {
  const TemporaryFolder folder;
  for (const auto& name : stand_in_names()) {
    const auto text = read_file(make_stand_in(name, folder.path()) / "README.txt");
    EXPECT_NE(text.find("These images are made up."), std::string::npos);
    EXPECT_NE(text.find(name), std::string::npos);
  }
}

TEST(StandIn, IsAlwaysTheSameAndLeavesNothingElse) {
  const TemporaryFolder one, two;
  for (const auto& name : stand_in_names()) {
    const auto first = make_stand_in(name, one.path()), second = make_stand_in(name, two.path());
    for (const auto& entry : fs::recursive_directory_iterator(first)) {
      if (!entry.is_regular_file()) continue;
      EXPECT_EQ(file_crc32(entry.path()), file_crc32(second / fs::relative(entry.path(), first))) << entry.path();
    }
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(one.path()), fs::directory_iterator()), 2);
}

TEST(StandIn, IsKeptWhenItIsThere) {
  const TemporaryFolder folder;
  const auto file = make_stand_in("cifar10", folder.path()) / "test_batch.bin";
  const auto before = fs::last_write_time(file);
  make_stand_in("cifar10", folder.path());
  EXPECT_EQ(fs::last_write_time(file), before);
}

TEST(StandIn, IsMadeAnewAfterACallThatWasKilled) {
  const TemporaryFolder folder;
  const auto half = folder / ".cifar-10-batches-bin.fetch" / "made";
  fs::create_directories(half);
  std::ofstream(half / "data_batch_1.bin") << "half a file";
  expect_error([&] { load_cifar10(folder.path(), Split::kTrain); }, "was not found");  // it does not count
  make_stand_in("cifar10", folder.path());
  EXPECT_EQ(load_cifar10(folder.path(), Split::kTrain)->size(), 1000);
  EXPECT_FALSE(fs::exists(folder / ".cifar-10-batches-bin.fetch"));
}

TEST(StandIn, NeverTouchesASetThatIsNone) {
  const TemporaryFolder folder;
  const auto real = folder / "cifar-10-batches-bin";
  fs::create_directories(real);
  std::ofstream(real / "test_batch.bin") << "real";
  expect_error([&] { make_stand_in("cifar10", folder.path()); }, "is not a made-up data set and is left unchanged");
  std::ofstream(real / "README.txt") << "the real one";
  expect_error([&] { make_stand_in("cifar10", folder.path()); }, "is not a made-up data set and is left unchanged");
  EXPECT_EQ(read_file(real / "test_batch.bin"), "real");
}

TEST(StandIn, RefusesAnUnknownName) {
  const TemporaryFolder folder;
  expect_error([&] { make_stand_in("cifar-10", folder.path()); },
               "no made-up data for 'cifar-10' (did you mean 'cifar10'?); known: cifar10, celeba");
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace arks::study
