#include <arks/support/process.h>

#include "support/testing.h"

namespace arks {

TEST(Blas, IsNotTheReferenceOneWhereTheBootstrapRan) {
  const auto advice = slow_blas_advice();
  EXPECT_FALSE(advice.has_value()) << *advice;
}

TEST(Blas, GivesTheSameProductsWithOneThread) {
  const auto a = testing::normal({300, 200}, 1), b = testing::normal({200, 100}, 2);
  const auto before = a.matmul(b);
  set_blas_threads(1);
  EXPECT_LT(testing::max_difference(a.matmul(b), before), 1e-12);
}

}  // namespace arks
