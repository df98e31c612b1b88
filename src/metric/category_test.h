#pragma once
// Whether categories, also rare ones, are as frequent in two tables.
#include "metric/column_tests.h"

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace arks {

/// Pearson's χ² on the counts of each category in both samples (chi_squared_test). Where a category is expected less
/// than 5 times in one of them, the limit is wrong by far. Then p of two categories is Fisher's, which is exact
/// (rate_test). Of more, p is found by drawing, with the same margins, which rows belong to x. Of D draws of which k
/// have a χ² at least as large, p = (1 + k)/(1 + D), so P(p ≤ α) ≤ α whatever the counts. After 100 such draws it is
/// known well enough: then p = 100/(draws so far) (Besag and Clifford, "Sequential Monte Carlo p-values", 1991).
/// `draws` are the most; of many categories there are fewer, and of more than 1,000 the rarest in both together count
/// as one.
///
/// Draws can say no less than 1/(1 + D), too much for one of many tests. Where no draw was as large, neighbours in the
/// order of their counts are joined until each is expected 50 times (in two halves of a smaller sample), and p is that
/// of χ² (two: of Fisher) on these where it is less. P(p ≤ α) ≤ α still holds, since without draws p was never that
/// small. A drift within rare categories alone is not seen in this way. Throws Error as chi_squared_test does.
TwoSampleTest category_test(std::vector<int64_t> x, std::vector<int64_t> z, int64_t draws, torch::Generator& generator);

}  // namespace arks
