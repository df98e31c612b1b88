#include "support/testing.h"

#include <arks/train/published.h>

namespace arks {

TEST(PublishedSettings, OfFashionMnistAreThoseOfThePaper) {
  ASSERT_TRUE(has_published_settings("fashion-mnist"));
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
}

TEST(PublishedSettings, NameOptimisersAndModelsThatExist) {
  for (const std::string data : {"fashion-mnist", "something-else"}) {
    const auto found = published_settings(data);
    EXPECT_NO_THROW(parse_optimizer(found.optimizer));
    EXPECT_NO_THROW(parse_ascent_rule(found.inner_optimizer));
    const auto names = model_names();
    EXPECT_NE(std::find(names.begin(), names.end(), found.model), names.end()) << found.model;
  }
}

TEST(PublishedSettings, FallBackToALinearModelForOtherData) {
  EXPECT_FALSE(has_published_settings("something-else"));
  EXPECT_EQ(published_settings("something-else").model, "linear");
}

}  // namespace arks
