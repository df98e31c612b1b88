#include "metric/column_tests.h"

#include "parity/reference.h"

namespace arks {

namespace {

std::vector<double> numbers(const torch::Tensor& values) {
  return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

std::vector<int64_t> counts(const torch::Tensor& values) {
  return {values.data_ptr<int64_t>(), values.data_ptr<int64_t>() + values.numel()};
}

}  // namespace

TEST(ColumnTestsParity, PValuesAreThoseOfAllOrdersAndOfTheDensity) {
  const testing::Reference reference(ARKS_PARITY_FOLDER "/column_tests_reference.pt");
  for (const std::string i : {"0", "1", "2", "3"}) {
    const auto found = kolmogorov_smirnov_test(numbers(reference["x" + i]), numbers(reference["z" + i]));
    EXPECT_NEAR(found.statistic, reference["gap" + i].item<double>(), 1e-12) << i;
    EXPECT_NEAR(found.p_value, reference["p" + i].item<double>(), 1e-12) << i;
  }
  for (int i = 0; i < 8; ++i) {
    const auto name = std::to_string(i);
    const auto found =
        kolmogorov_smirnov_test(numbers(reference["large_x" + name]), numbers(reference["large_z" + name]));
    const double expected = reference["large_p" + name].item<double>();
    EXPECT_NEAR(found.p_value, expected, 1e-9 * expected) << i;
  }
  for (const std::string i : {"0", "1", "2"}) {
    const auto table = reference["counts" + i];
    const auto found = chi_squared_test(counts(table[0].contiguous()), counts(table[1].contiguous()));
    EXPECT_NEAR(found.statistic, reference["chi" + i][0].item<double>(), 1e-9) << i;
    EXPECT_NEAR(found.p_value, reference["chi" + i][1].item<double>(), 1e-9) << i;
  }
}

}  // namespace arks
