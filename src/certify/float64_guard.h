#pragma once
// A problem's weights in float64 for a while.
#include <arks/problem/problem.h>

namespace arks {

/// Gives every floating-point parameter and buffer of the problem float64 values, so that what is called proved does
/// not hang on float32 rounding; when it goes, each tensor has the very memory back that it had before, also when an
/// exception passes. Gradients are not touched.
class Float64Guard {
 public:
  explicit Float64Guard(Problem& problem);
  ~Float64Guard();
  Float64Guard(const Float64Guard&) = delete;
  Float64Guard& operator=(const Float64Guard&) = delete;

 private:
  std::vector<std::pair<torch::Tensor, torch::Tensor>> originals_;  // the tensor, its memory before
};

}  // namespace arks
