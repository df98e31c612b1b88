#include "data/scale.h"

#include "support/testing.h"

namespace arks {

using testing::max_difference;
using testing::normal;

namespace {

torch::Tensor numbers(const std::vector<double>& list) {
  return torch::tensor(list, torch::kDouble);
}

/// Rows of these columns, which are numbers; "x=1" is none.
DatasetInfo info_of(const std::vector<std::string>& columns) {
  DatasetInfo info;
  info.name = "rows";
  info.input_shape = {static_cast<int64_t>(columns.size())};
  for (const auto& name : columns) info.features.push_back({name, name, name.find('=') == std::string::npos, false});
  return info;
}

DatasetInfo scaled(DatasetInfo info, const std::vector<double>& mean, const std::vector<double>& deviation) {
  info.input_mean = numbers(mean);
  info.input_deviation = numbers(deviation);
  return info;
}

/// These numbers as samples of such a set.
DatasetPtr samples_of(const DatasetInfo& info, const torch::Tensor& raw) {
  const auto scale = input_scale(info), targets = target_scale(info);
  return std::make_shared<TensorDataset>(((raw - scale.mean) / scale.deviation).to(torch::kFloat),
                                         ((raw.sum(1) - targets.mean) / targets.deviation).to(torch::kFloat), info);
}

Batch all_of(const DatasetPtr& samples) {
  return samples->get(torch::arange(samples->size()));
}

}  // namespace

TEST(Scale, IsSeenFromAnother) {
  const Scale celsius(numbers({10}), numbers({5})), raw{torch::Tensor(), torch::Tensor()};
  EXPECT_TRUE(celsius.from(celsius).is_identity());
  EXPECT_TRUE(raw.is_identity());
  const auto seen = celsius.from(Scale(numbers({20}), numbers({10})));  // 20 is 0 there and 2 here
  EXPECT_NEAR((0 - seen.mean.item<double>()) / seen.deviation.item<double>(), 2, 1e-12);
}

TEST(Scale, SamplesGetThoseOfOthersByName) {
  auto others = scaled(info_of({"press", "temp", "site=a"}), {1000, 20, 0}, {30, 5, 1});
  auto own = scaled(info_of({"temp", "age"}), {18, 40}, {4, 10});
  others.target_mean = numbers({100});
  others.target_deviation = numbers({8});
  const auto raw = 20 + 5 * normal({6, 2});
  const auto samples = on_scales_of(others, samples_of(own, raw));
  const auto wanted = (raw - numbers({20, 40})) / numbers({5, 10});
  EXPECT_LT(max_difference(all_of(samples).inputs.to(torch::kDouble), wanted), 1e-5);
  EXPECT_LT(max_difference(all_of(samples).targets.to(torch::kDouble), (raw.sum(1) - 100) / 8), 1e-5);
  EXPECT_LT(max_difference(samples->info().input_deviation, numbers({5, 10})), 1e-12) << "age keeps its own";
  EXPECT_EQ(unscaled_among(others, own), "");
  EXPECT_EQ(unscaled_among(others, info_of({"temp", "age"})), "age") << "the others do not know its deviation";
  EXPECT_EQ(unscaled_among(others, info_of({"temp", "site=b"})), "") << "what is 0 or 1 is never scaled";
}

TEST(Scale, SamplesBecomeTheUsersOwnWhereThoseOfOthersAre) {
  const auto own = scaled(info_of({"temp", "age"}), {18, 40}, {4, 10});
  const auto raw = 20 + 5 * normal({6, 2});
  const auto samples = on_scales_of(info_of({"temp"}), samples_of(own, raw));
  EXPECT_LT(max_difference(all_of(samples).inputs.to(torch::kDouble), raw), 1e-4);
  EXPECT_FALSE(samples->info().input_mean.defined());
}

TEST(Scale, SamplesOnTheSameScaleStayThemselves) {
  const auto own = scaled(info_of({"temp", "age"}), {18, 40}, {4, 10});
  const auto samples = samples_of(own, normal({6, 2}));
  EXPECT_EQ(on_scales_of(own, samples), samples);
}

}  // namespace arks
