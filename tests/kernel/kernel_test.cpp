#include "support/testing.h"

namespace arks {

using testing::expect_derivative_matches;
using testing::expect_error;
using testing::normal;

TEST(Kernel, IsOneAtItsCentre) {
  const auto x = normal({4, 3, 2});
  for (const auto& kernel : {Kernel(GaussianKernel(0.5)), Kernel(LaplacianKernel(0.3)),
                             Kernel(LaplacianKernel(0.3, LaplacianNorm::kL2)), Kernel(make_cost("sq-l2"), 2.0)}) {
    EXPECT_TRUE(torch::equal(kernel(x, x), torch::ones({4}, torch::kDouble))) << kernel.cost()->name();
  }
}

}  // namespace arks
