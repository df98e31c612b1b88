#include "sdp/semidefinite_program.h"
#include "support/testing.h"

#include <cmath>

namespace arks {

using testing::expect_error;

TEST(SemidefiniteProgram, WritesTheSparseFormat) {
  SemidefiniteProgram program({48, -8.5, 0.1}, {2, 1});
  program.set_constant(0, 0, 0, -11);
  program.set_coefficient(0, 0, 1, 0, 4);  // below the diagonal: the same entry
  program.set_coefficient(2, 1, 0, 0, 1.0 / 3);
  EXPECT_EQ(program.sparse_format(),
            "3\n2\n2 1\n48 -8.5 0.1\n"
            "0 1 1 1 -11\n"
            "1 1 1 2 4\n"
            "3 2 1 1 0.3333333333333333\n");
}

TEST(SemidefiniteProgram, SetsAnEntryAnewAndForgetsZeros) {
  SemidefiniteProgram program({1}, {2});
  program.set_coefficient(0, 0, 0, 1, 4);
  program.set_coefficient(0, 0, 1, 0, 5);
  program.set_constant(0, 0, 0, 7);
  program.set_constant(0, 0, 0, 0);
  EXPECT_EQ(program.sparse_format(), "1\n1\n2\n1\n1 1 1 2 5\n");
}

TEST(SemidefiniteProgram, RefusesWhatDoesNotFit) {
  expect_error([] { SemidefiniteProgram({}, {1}); }, "at least one variable is needed");
  expect_error([] { SemidefiniteProgram({1}, {}); }, "at least one block is needed");
  expect_error([] { SemidefiniteProgram({1}, {0}); }, "a block must have at least one row, got 0");
  expect_error([] { SemidefiniteProgram({std::nan("")}, {1}); }, "the objective must be finite, got nan");
  SemidefiniteProgram program({1, 2}, {2, 3});
  expect_error([&] { program.set_coefficient(2, 0, 0, 0, 1); }, "variable 2 is not one of the 2");
  expect_error([&] { program.set_constant(2, 0, 0, 1); }, "block 2 is not one of the 2");
  expect_error([&] { program.set_constant(0, 0, 2, 1); }, "entry (0, 2) is outside block 0, which is 2×2");
  expect_error([&] { program.set_constant(1, -1, 0, 1); }, "entry (-1, 0) is outside block 1");
  expect_error([&] { program.set_constant(0, 0, 0, INFINITY); }, "entries must be finite, got inf");
}

}  // namespace arks
