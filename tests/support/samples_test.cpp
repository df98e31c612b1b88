#include "support/samples.h"
#include "support/testing.h"

#include <limits>

namespace arks {

using testing::identical;
using testing::max_difference;
using testing::normal;

TEST(Samples, AreRowsWhateverTheirShape) {
  EXPECT_EQ(rows(normal({4})).sizes(), torch::IntArrayRef({4, 1}));
  EXPECT_EQ(rows(normal({4, 6})).sizes(), torch::IntArrayRef({4, 6}));
  EXPECT_EQ(rows(normal({4, 2, 3, 5})).sizes(), torch::IntArrayRef({4, 30}));
  EXPECT_EQ(rows(normal({0, 2, 3})).sizes(), torch::IntArrayRef({0, 6}));
}

TEST(Samples, TakeOneFactorEach) {
  const auto factors = torch::tensor({1.0, 2.0}, torch::kDouble);
  for (const auto& shape : std::vector<std::vector<int64_t>>{{2}, {2, 3}, {2, 3, 4}, {2, 3, 4, 5}}) {
    const auto x = normal(shape);
    EXPECT_TRUE(identical(x * per_sample(factors, x), torch::stack({x[0], 2 * x[1]})));
  }
}

TEST(Samples, TakeOneFactorPerFeature) {
  const auto x = normal({4, 2, 3}).to(torch::kFloat);
  const auto factors = normal({2, 3}, 5);
  const auto expected = x * factors.to(torch::kFloat);
  EXPECT_TRUE(identical(x * per_feature(factors, x, "factors"), expected));
  EXPECT_TRUE(identical(x * per_feature(factors.flatten(), x, "factors"), expected));
  EXPECT_TRUE(identical(x * per_feature(factors.slice(0, 0, 1), x, "factors"), x * factors[0].to(torch::kFloat)));
  const auto numbers = normal({4});
  EXPECT_TRUE(identical(numbers * per_feature(torch::tensor(2.0), numbers, "factors"), 2 * numbers));
  EXPECT_TRUE(identical(numbers * per_feature(torch::tensor({2.0}), numbers, "factors"), 2 * numbers));
}

TEST(Samples, RefuseFactorsThatDoNotFit) {
  testing::expect_error(
      [] {
        per_feature(torch::ones({3}), torch::ones({4, 2, 3}), "factors");
      },
      "factors: shape [3] does not fit samples of shape [2, 3]; expected that shape, with 1 for a "
      "dimension along which all values are the same, or a flat list of 6 values");
  testing::expect_error(
      [] {
        per_feature(torch::ones({5}), torch::ones({4, 6}), "factors");
      },
      "shape [5] does not fit");
  testing::expect_error([] { per_feature(torch::ones({2}), torch::ones({4}), "factors"); }, "a flat list of 1 value");
}

TEST(Samples, HaveTheirEuclideanNorm) {
  const auto x = torch::tensor({{3.0, -4.0}, {0.0, 0.0}, {0.0, 2.0}}, torch::kDouble);
  EXPECT_LT(max_difference(sample_norms(x), torch::tensor({5.0, 0.0, 2.0}, torch::kDouble)), 1e-15);
  EXPECT_LT(max_difference(sample_norms(x.view({3, 1, 2})), sample_norms(x)), 1e-15);
  EXPECT_TRUE(identical(sample_norms(x.select(1, 1)), torch::tensor({4.0, 0.0, 2.0}, torch::kDouble)));
}

TEST(Samples, HaveANormAndADirectionWhenTheirSquaresHaveNone) {
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    const double tiny = type == torch::kFloat ? 1e-37 : 1e-300, huge = type == torch::kFloat ? 1e37 : 1e300;
    const auto direction = torch::tensor({{0.6, -0.8}}, torch::kDouble);
    for (const double scale : {tiny, 1.0, huge}) {
      const auto x = (scale * direction).to(type);
      EXPECT_NEAR(sample_norms(x).item<double>() / scale, 1, 1e-6) << scale;
      EXPECT_LT(max_difference(unit_samples(x), direction), 1e-6) << scale;  // float32 rounding
    }
  }
  const auto smallest = torch::tensor({{std::numeric_limits<double>::denorm_min(), 0.0}}, torch::kDouble);
  EXPECT_TRUE(identical(unit_samples(smallest), torch::tensor({{1.0, 0.0}}, torch::kDouble)));
}

TEST(Samples, HaveNoDirectionWhenZero) {
  auto x = normal({3, 2, 2});
  x[1].zero_();
  const auto unit = unit_samples(x);
  EXPECT_TRUE(identical(unit[1], torch::zeros({2, 2}, torch::kDouble)));
  EXPECT_LT(max_difference(sample_norms(unit), torch::tensor({1.0, 0.0, 1.0}, torch::kDouble)), 1e-15);
}

TEST(Samples, KeepTheirShapeInAnyMemoryLayout) {
  const auto x = normal({2, 3, 4, 5});
  const auto other = x.contiguous(torch::MemoryFormat::ChannelsLast);
  EXPECT_LT(max_difference(unit_samples(other), unit_samples(x)), 1e-15);
  EXPECT_LT(max_difference(unit_samples(x.transpose(1, 3)), unit_samples(x).transpose(1, 3)), 1e-15);
}

TEST(Samples, AreDrawnWithoutRepetition) {
  auto one = make_generator(3, Stream::kSamples), two = make_generator(3, Stream::kSamples);
  const auto some = some_numbers(100, 30, one);
  EXPECT_TRUE(some.equal(random_order(100, two).narrow(0, 0, 30)));
  EXPECT_EQ(std::get<0>(torch::_unique2(some)).numel(), 30);
  const auto next = torch::rand({1}, one);
  EXPECT_TRUE(some_numbers(30, 30, two).equal(torch::arange(30)));
  EXPECT_TRUE(torch::rand({1}, two).equal(next)) << "nothing was drawn";
}

}  // namespace arks
