#include "engine/gemm.h"

#include "engine/blocked.h"

#include <vector>

namespace arks::engine {
namespace {

torch::Tensor random(std::vector<int64_t> shape, uint64_t seed) {
  return testing::normal(std::move(shape), seed).to(torch::kFloat);
}

std::vector<float> packed(const torch::Tensor& b) {
  std::vector<float> result(packed_size(b.size(0), b.size(1)), 7.0f);
  pack(b.data_ptr<float>(), b.stride(0), b.stride(1), b.size(0), b.size(1), result.data());
  return result;
}

/// a·b in the plainest layout; n is filled up to whole blocks.
torch::Tensor product(const torch::Tensor& a, const torch::Tensor& b) {
  const int64_t m = a.size(0), k = a.size(1), n = blocks(b.size(1)) * kBlock;
  const auto panels = packed(b);
  auto c = torch::full({m, n}, 5.0f);
  GemmLayout layout;
  layout.a_row = a.stride(0);
  layout.a_col = a.stride(1);
  layout.b_panel = kPanel * k;
  layout.c_row = n;
  gemm(a.data_ptr<float>(), panels.data(), c.data_ptr<float>(), m, n, k, layout, /*accumulate=*/false);
  return c;
}

TEST(Gemm, IsTheProductForManyShapes) {
  uint64_t seed = 1;
  for (int64_t m : {1, 2, 3, 4, 5, 6, 7, 12, 13, 97}) {
    for (int64_t n : {8, 16, 24, 40}) {
      for (int64_t k : {1, 3, 9, 64, 321, 700}) {
        const auto a = random({m, k}, ++seed), b = random({k, n}, ++seed);
        EXPECT_LT(relative_error(product(a, b), a.to(torch::kDouble).mm(b.to(torch::kDouble))), 2e-6)
            << m << "x" << n << "x" << k;
      }
    }
  }
}

TEST(Gemm, TakesATransposedLeftSide) {
  const auto a = random({50, 19}, 1).t(), b = random({50, 32}, 2);
  EXPECT_TRUE(testing::identical(product(a, b), product(a.contiguous(), b)));
}

TEST(Gemm, AddsToWhatIsThere) {
  for (int64_t k : {9, 1000}) {
    const auto a = random({7, k}, 1), b = random({k, 24}, 2), before = random({7, 24}, 3);
    const auto panels = packed(b);
    auto c = before.clone();
    GemmLayout layout{k, 1, kPanel * k, kPanel, 24, kBlock};
    gemm(a.data_ptr<float>(), panels.data(), c.data_ptr<float>(), 7, 24, k, layout, /*accumulate=*/true);
    const auto reference = before.to(torch::kDouble) + a.to(torch::kDouble).mm(b.to(torch::kDouble));
    EXPECT_LT(relative_error(c, reference), 2e-6);
  }
}

TEST(Gemm, ARowDoesNotDependOnTheOthers) {
  const auto a = random({103, 345}, 1), b = random({345, 40}, 2);
  const auto all = product(a, b);
  for (int64_t rows = 1; rows <= 20; ++rows) {
    EXPECT_TRUE(testing::identical(product(a.narrow(0, 103 - rows, rows), b), all.narrow(0, 103 - rows, rows))) << rows;
  }
}

TEST(Gemm, WritesBlockedPlanesAndNothingBeside) {
  // c [3 blocks][11 positions][8] with a guard behind every block; b's last panel is half, what lies behind it is NaN
  const int64_t m = 11, n = 24, k = 5, block = m * kBlock + 4;
  const auto a = random({m, k}, 1), b = random({k, n}, 2);
  auto panels = packed(b);
  for (int64_t row = 0; row < k; ++row) {
    for (int64_t j = kBlock; j < kPanel; ++j) panels[(k + row) * kPanel + j] = std::nanf("");
  }
  std::vector<float> c(3 * block, -1.0f);
  gemm(a.data_ptr<float>(), panels.data(), c.data(), m, n, k, {k, 1, kPanel * k, kPanel, kBlock, block}, false);
  const auto reference = product(a, b);
  for (int64_t j = 0; j < 3; ++j) {
    const auto plane = torch::from_blob(c.data() + j * block, {m, kBlock}, torch::kFloat);
    EXPECT_TRUE(testing::identical(plane.clone(), reference.narrow(1, j * kBlock, kBlock).contiguous()));
    for (int64_t i = m * kBlock; i < block; ++i) EXPECT_EQ(c[j * block + i], -1.0f);
  }
}

TEST(Gemm, PackingFillsUpWithZeros) {
  const auto b = random({3, 21}, 1);
  const auto panels = packed(b);
  ASSERT_EQ(panels.size(), 2u * 16 * 3);
  for (int64_t row = 0; row < 3; ++row) {
    for (int64_t j = 0; j < 32; ++j) {
      const float expected = j < 21 ? b[row][j].item<float>() : 0.0f;
      EXPECT_EQ(panels[(j / 16) * 48 + row * 16 + j % 16], expected);
    }
  }
}

}  // namespace
}  // namespace arks::engine
