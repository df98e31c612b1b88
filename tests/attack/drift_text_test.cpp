// Drifts as a person writes them.
#include "attack/drift_text.h"
#include "attack/samples.h"

#include <cmath>

namespace arks {

using testing::expect_error;

namespace {

const std::vector<Feature>& columns() {
  static const std::vector<Feature> kColumns{
      {"t", "t"}, {"t-inner", "t-inner"}, {"temp, C", "temp, C"}, {"#1", "#1"}, {"12\" pipe", "12\" pipe"}};
  return kColumns;
}

std::string understood(const std::string& text) {
  return to_text(parse_drifts(text, columns(), "--shift"));
}

void refused(const std::string& text, const std::string& part) {
  expect_error([&] { parse_drifts(text, columns(), "--shift"); }, part);
}

/// Of the first column, which is standardised: (x − 10)/4.
DriftOptions options_of(const std::string& text) {
  DatasetInfo info;
  info.features = {columns()[0]};
  info.input_mean = torch::full({1}, 10.0, torch::kDouble);
  info.input_deviation = torch::full({1}, 4.0, torch::kDouble);
  return drift_options(parse_drifts(text, info.features, "--shift"), info);
}

}  // namespace

TEST(DriftText, SaysWhatWasUnderstood) {
  EXPECT_EQ(understood("t+2.5, t - 1, t*1.1, t/4, t±3, t+/-3, t~0.2, t-inner+1"),
            "t +2.5, t -1, t ×1.1, t ×0.25, t ±3, t ±3, t ~0.2, t-inner +1");
  EXPECT_EQ(understood("t*-2, t/+4"), "t ×-2, t ×0.25");
}

TEST(DriftText, NamesMayBeQuoted) {
  EXPECT_EQ(understood("\"temp, C\"+2, \"#1\" * 2, \"t-inner\"~1"), "temp, C +2, #1 ×2, t-inner ~1");
  EXPECT_EQ(understood("\"12\"\" pipe\"+2, 12\" pipe-2"), "12\" pipe +2, 12\" pipe -2");
  refused("\"temp, C+2", "a quote is not closed");
  refused("\"temp, F\"+2",
          "cannot read '\"temp, F\"+2'; expected a column and +a, -a, *a, /a, ±a or ~a (did you mean "
          "'temp, C'?)");
}

TEST(DriftText, ReadsFilesOfOtherSystems) {
  EXPECT_EQ(understood("\xef\xbb\xbft+2  # \"warmer, they say\r\n\r\n\"#1\"*2\r\n"), "t +2, #1 ×2");
}

TEST(DriftText, RefusesWhatMayMeanTwoThings) {
  refused("t+-2.5", "'t+-2.5' may mean two things; write -2.5 to subtract, or ±2.5 for noise");
  refused("t+2.5C",
          "cannot read '2.5C' in 't+2.5C': a number in the column's own units is expected, without a unit: t+2.5");
  refused("t + hot", "cannot read 'hot' in 't + hot': a number in the column's own units is expected");
  refused("t", "'t' does not say how far; write t+2.5, t*1.1 or t±3");
  for (const std::string term : {"t--2", "t++2", "t-+2", "t - -2", "t + -2", "t±+2", "t~+2"}) {
    refused(term, "'" + term + "' has two signs; write +a to add, -a to subtract, or ±a for noise");
  }
  refused("t~-1", "noise must not be negative");
}

TEST(DriftText, TermsApplyFromLeftToRight) {
  const auto first = options_of("t+2, t±2, t~4, t*3"), last = options_of("t*3, t+2, t±2, t~4");
  EXPECT_NEAR(first.factor().item<double>(), 3, 1e-12);
  EXPECT_NEAR(first.offset().item<double>(), 2 * 10 / 4.0 + 3 * 2 / 4.0, 1e-12);
  EXPECT_NEAR(first.uniform().item<double>(), 1.5, 1e-12) << "noise is multiplied, too";
  EXPECT_NEAR(first.normal().item<double>(), 3, 1e-12);
  EXPECT_NEAR(last.offset().item<double>(), 2 * 10 / 4.0 + 2 / 4.0, 1e-12);
  EXPECT_NEAR(last.uniform().item<double>(), 0.5, 1e-12);
  EXPECT_NEAR(last.normal().item<double>(), 1, 1e-12);
}

TEST(DriftOptionsTest, AreChecked) {
  FunctionProblem nobody([](const torch::Tensor& u, const torch::Tensor&) { return u.sum(1); });
  const auto x = testing::normal({5, 2});
  auto generator = make_generator(0, Stream::kAttack);
  const auto moved = [&](const DriftOptions& options) {
    return Drift(options).perturb(nobody, x, torch::zeros({5}), {}, generator).inputs;
  };
  EXPECT_TRUE(torch::equal(moved(DriftOptions()), x)) << "nothing is given";
  EXPECT_TRUE(torch::allclose(moved(DriftOptions().offset(torch::tensor({1.0, 0.0}))),
                              x + torch::tensor({1.0, 0.0}, torch::kDouble)));
  expect_error([] { Drift(DriftOptions().uniform(torch::tensor({-1.0}))); },
               "uniform is noise and must not be negative");
  expect_error([] { Drift(DriftOptions().normal(torch::tensor({-1.0}))); }, "normal is noise and must not be negative");
  expect_error([] { Drift(DriftOptions().factor(torch::tensor({INFINITY}))); }, "factor must be finite");
  expect_error([] { GaussianNoise(GaussianNoiseOptions().eps(-1)); }, "eps must be finite and not negative");
  expect_error([] { GaussianNoise(GaussianNoiseOptions().eps_scale(-torch::ones({1}))); }, "not negative");
}

}  // namespace arks
