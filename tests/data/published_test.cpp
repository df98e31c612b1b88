#include "data/published.h"
#include "support/testing.h"

namespace arks {

TEST(PublishedSettings, OfFashionMnistAreThoseOfThePaper) {
  const auto found = published_settings("fashion-mnist");
  EXPECT_EQ(found.model, "fashion-cnn");
  EXPECT_EQ(found.epochs, 45);
  EXPECT_EQ(found.batch_size, 256);
  EXPECT_EQ(found.optimizer, "amsgrad");
  EXPECT_EQ(found.learning_rate, 1e-3);
  EXPECT_EQ(found.inner_steps, 15);
  EXPECT_EQ(found.inner_optimizer, "amsgrad");
  EXPECT_EQ(found.sigma, 0.5);
  EXPECT_EQ(found.sigma_inner_rate, 0.01);
  EXPECT_EQ(found.gamma, 1.0);
  EXPECT_EQ(found.gamma_inner_rate, 0.05);
  EXPECT_EQ(found.eps, 0.3);
  EXPECT_EQ(found.alpha, 0.001);
  EXPECT_EQ(found.attack_steps, 15);
  EXPECT_EQ(found.attack_alpha, 0.03);
  EXPECT_EQ(found.weight_decay, 0);
  EXPECT_TRUE(found.decay_epochs.empty());
  EXPECT_FALSE(found.average);
  EXPECT_TRUE(found.strengths);
}

TEST(PublishedSettings, OfCifar10AreThoseOfThePaper) {
  const auto found = published_settings("cifar10");
  EXPECT_EQ(found.model, "resnet20");
  EXPECT_EQ(found.epochs, 65);
  EXPECT_EQ(found.batch_size, 128);
  EXPECT_EQ(found.optimizer, "sgd");
  EXPECT_EQ(found.learning_rate, 0.1);
  EXPECT_EQ(found.momentum, 0.9);
  EXPECT_EQ(found.weight_decay, 1e-4);
  EXPECT_EQ(found.decay_epochs, (std::vector<int64_t>{25, 50}));
  EXPECT_EQ(found.inner_steps, 15);
  EXPECT_EQ(found.inner_optimizer, "amsgrad");
  EXPECT_EQ(found.sigma, 0.1);
  EXPECT_EQ(found.sigma_inner_rate, 0.001);
  EXPECT_EQ(found.gamma, 50);
  EXPECT_EQ(found.gamma_inner_rate, 0.001);
  EXPECT_EQ(found.eps, 0.3);
  EXPECT_EQ(found.alpha, 0.0001);
  EXPECT_EQ(found.attack_steps, 15);
  EXPECT_EQ(found.attack_alpha, 0.02);
  EXPECT_FALSE(found.average);
  EXPECT_TRUE(found.strengths);
}

TEST(PublishedSettings, OfCelebaAreThoseOfThePaper) {
  const auto found = published_settings("celeba");
  EXPECT_EQ(found.model, "celeba-cnn");
  EXPECT_EQ(found.epochs, 45);
  EXPECT_EQ(found.batch_size, 128);
  EXPECT_EQ(found.optimizer, "amsgrad");
  EXPECT_EQ(found.learning_rate, 1e-3);
  EXPECT_EQ(found.weight_decay, 0);
  EXPECT_TRUE(found.decay_epochs.empty());
  EXPECT_EQ(found.inner_steps, 15);
  EXPECT_EQ(found.inner_optimizer, "amsgrad");
  EXPECT_EQ(found.sigma, 0.2);
  EXPECT_EQ(found.sigma_inner_rate, 0.002);
  EXPECT_EQ(found.gamma, 4);
  EXPECT_EQ(found.gamma_inner_rate, 0.002);
  EXPECT_EQ(found.eps, 0.3);
  EXPECT_EQ(found.alpha, 0.0005);
  EXPECT_EQ(found.attack_steps, 15);
  EXPECT_EQ(found.attack_alpha, 0.02);
  EXPECT_FALSE(found.average);
  EXPECT_TRUE(found.strengths);
}

TEST(PublishedSettings, OfIrisAndDiabetesAreThoseOfThePaper) {
  for (const std::string data : {"iris", "diabetes"}) {
    const auto found = published_settings(data);
    EXPECT_EQ(found.model, "mlp");
    EXPECT_EQ(found.epochs, 2000);
    EXPECT_EQ(found.inner_steps, 10);
    EXPECT_EQ(found.inner_optimizer, "lbfgs");
    EXPECT_EQ(found.sigma_inner_rate, 1);
    EXPECT_TRUE(found.average);
    EXPECT_FALSE(found.strengths) << "no bandwidth is published";
  }
  const auto iris = published_settings("iris"), diabetes = published_settings("diabetes");
  EXPECT_EQ(iris.batch_size, 128);
  EXPECT_EQ(iris.optimizer, "sgd");
  EXPECT_EQ(iris.learning_rate, 0.1);
  EXPECT_EQ(iris.momentum, 0);
  EXPECT_EQ(diabetes.batch_size, 256);
  EXPECT_EQ(diabetes.optimizer, "adam");
  EXPECT_EQ(diabetes.learning_rate, 1e-3);
}

TEST(PublishedSettings, FallBackToThoseOfDiabetesForOtherTables) {
  for (const std::string data : {"wine.csv", "folder/x.npy"}) {
    EXPECT_EQ(published_settings(data).model, "mlp");
    EXPECT_EQ(published_settings(data).optimizer, "adam");
  }
}

TEST(PublishedSettings, NameOptimisersAndModelsThatExist) {
  for (const std::string data :
       {"fashion-mnist", "cifar10", "celeba", "iris", "diabetes", "wine.csv", "something-else"}) {
    const auto found = published_settings(data);
    EXPECT_NO_THROW(parse_optimizer(found.optimizer));
    EXPECT_NO_THROW(parse_ascent_rule(found.inner_optimizer));
    const auto names = model_names();
    EXPECT_NE(std::find(names.begin(), names.end(), found.model), names.end()) << found.model;
  }
}

TEST(PublishedSettings, FallBackToALinearModelForOtherData) {
  EXPECT_EQ(published_settings("something-else").model, "linear");
}

TEST(PublishedSettings, AugmentTheImagesOfCifar10Alone) {
  EXPECT_EQ(published_settings("cifar10").augment, "crop-flip");
  for (const std::string data : {"fashion-mnist", "iris", "wine.csv", "something-else"}) {
    EXPECT_EQ(published_settings(data).augment, "none") << data;
  }
}

TEST(PublishedSettings, OfColourImagesHaveTheBallOfPhotographs) {
  const testing::TemporaryFolder folder;  // a folder is taken for one of images
  DatasetInfo info;
  info.num_classes = 2;
  info.input_shape = {3, 48, 64};
  for (const auto& found : {published_settings("cifar10"), published_settings("celeba"),
                            published_settings(folder.path().string(), info)}) {
    EXPECT_EQ(found.ball_eps, 0.031);
    EXPECT_EQ(found.ball_steps, 10);
    EXPECT_EQ(found.ball_alpha, 0.007);
    EXPECT_EQ(found.ball_beta, 6);
  }
  info.input_shape = {1, 48, 64};
  for (const auto& found : {published_settings("fashion-mnist"), published_settings(folder.path().string(), info)}) {
    EXPECT_EQ(found.ball_eps, 0.3);
    EXPECT_EQ(found.ball_steps, 40);
    EXPECT_EQ(found.ball_alpha, 0.01);
    EXPECT_EQ(found.ball_beta, 1);
  }
}

TEST(PublishedSettings, OfOwnImagesFollowTheirShapeAndBounds) {
  const testing::TemporaryFolder folder;  // a folder is taken for one of images
  const auto name = folder.path().string();
  EXPECT_FALSE(published_settings(name).strengths) << "how strong is for the user to say";
  DatasetInfo info;
  info.num_classes = 2;
  info.bounds = Bounds(-1, 1);
  for (const auto& [shape, network] :
       {std::pair{std::vector<int64_t>{1, 28, 28}, "fashion-cnn"},
        std::pair{std::vector<int64_t>{3, 32, 32}, "resnet20"},
        std::pair{std::vector<int64_t>{3, 64, 48}, "celeba-cnn"}, std::pair{std::vector<int64_t>{3, 48, 64}, "cnn"},
        std::pair{std::vector<int64_t>{1, 8, 200}, "cnn"}, std::pair{std::vector<int64_t>{1, 7, 200}, "linear"}}) {
    info.input_shape = shape;
    EXPECT_EQ(published_settings(name, info, kManyImages).model, network);
    const auto of_few = published_settings(name, info, kManyImages - 1).model;
    EXPECT_EQ(of_few, std::string(network) == "linear" ? "linear" : "cnn") << "too few for the networks of the paper";
  }
  EXPECT_EQ(published_settings(name, info).sigma_inner_rate, 0.02) << "twice as wide as [0,1]";
  info.input_shape = {1, 28, 28};
  info.num_classes = 0;
  EXPECT_EQ(published_settings(name, info, kManyImages).model, "cnn") << "the networks of the paper are classifiers";
  EXPECT_EQ(published_settings("iris", info).model, "mlp");
  EXPECT_EQ(published_settings("fashion-mnist", info).sigma_inner_rate, 0.01);
}

}  // namespace arks
