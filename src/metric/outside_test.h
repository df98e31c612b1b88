#pragma once
// Whether the numbers of one sample lie beyond the least and the greatest of another more often than chance has it.
#include "metric/column_tests.h"

#include <vector>

namespace arks {

/// Of z, the n numbers, k lie below all m of x. Where both come from one distribution, all orders of the pooled numbers
/// are alike, so the k least of them are all of z with probability
///   n/(m+n) · (n−1)/(m+n−1) · … · (n−k+1)/(m+n−k+1).
/// Likewise above. p is twice the smaller of the two, and too large rather than too small with ties. The statistic is
/// how many lie outside on both sides. It sees what tests of all ranks do not: a few numbers from somewhere else.
/// Throws Error for a side without values.
TwoSampleTest outside_test(const std::vector<double>& x, const std::vector<double>& z);

}  // namespace arks
