#pragma once
#include <istream>
#include <stdexcept>
#include <string>
#include <vector>

namespace arks_sdp {

/// The input cannot be used; one line that says where and why.
class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One entry of the upper triangle of F_k; all numbers count from 1, but matrix 0 is F_0.
struct Entry {
  int matrix, block, row, column;
  double value;
};

struct Program {
  std::vector<double> objective;  ///< c
  std::vector<int> blocks;        ///< sizes; a negative one is a diagonal block
  std::vector<Entry> entries;
};

/// SDPA's sparse format: comment lines that begin with " or *, the number of variables, the number of blocks, the sizes
/// of the blocks, c, then lines `matrix block row column value`. The punctuation , ( ) { } between numbers counts as
/// space. SDPA has a reader too, but that one ends the program, with success, on what it does not understand.
Program read_program(std::istream& in);

}  // namespace arks_sdp
