#include "data/matrix.h"
#include "support/testing.h"

namespace arks {

using testing::expect_error;
using testing::identical;
using testing::TemporaryFolder;
using testing::write_bytes;

namespace {

torch::Tensor matrix_of(const TemporaryFolder& folder, const std::string& text) {
  write_bytes(folder / "matrix.csv", text, /*gzip=*/false);
  return read_matrix(folder / "matrix.csv");
}

}  // namespace

TEST(Matrix, IsReadWithCommasAndWithBlanks) {
  const TemporaryFolder folder;
  const auto expected = torch::tensor({{1.0, 0.5}, {-2e3, 4.0}}, torch::kDouble);
  EXPECT_TRUE(identical(matrix_of(folder, "1,0.5\n-2e3,4\n"), expected));
  EXPECT_TRUE(identical(matrix_of(folder, "1  0.5\r\n\n -2e3\t4"), expected));
}

TEST(Matrix, RefusesWhatIsNoMatrix) {
  const TemporaryFolder folder;
  expect_error([&] { matrix_of(folder, "1,2\n3\n"); }, "matrix.csv, line 2: 1 numbers, but the first row has 2");
  expect_error([&] { matrix_of(folder, "1,two\n"); }, "matrix.csv, line 1: 'two' is not a number");
  expect_error([&] { matrix_of(folder, "1,nan\n"); }, "'nan' is not a number");
  expect_error([&] { matrix_of(folder, "\n"); }, "there are no rows of numbers");
  expect_error([&] { read_matrix(folder / "absent.csv"); }, "absent.csv");
}

}  // namespace arks
