#pragma once
#include <cstdint>
#include <vector>

namespace arks {

/// The scalar product of two vectors of `size` numbers.
double dot(const double* a, const double* b, int64_t size);

/// The curvature of φ as the last steps of one sample have met it, and the quasi-Newton direction that follows from
/// it: L-BFGS for a maximum. From pairs s = u⁺ − u and y = ∇φ(u) − ∇φ(u⁺), the direction is H g, where H maps every
/// y to its s as the inverse of −∇²φ would; without pairs it is g. Liu and Nocedal, "On the limited memory BFGS method
/// for large scale optimization", 1989.
///
/// `free` (1 or 0 per coordinate) restricts all of it to the coordinates that can move: s, y and g are taken there
/// alone, so H belongs to the face of the set that u lies on.
class CurvaturePairs {
 public:
  CurvaturePairs(int64_t history, int64_t dimension);

  /// Keeps the pair of a step from (u, g) to (next_u, next_g), and forgets the oldest one when there are too many. A
  /// pair along which φ does not clearly bend downwards is not kept: H would not be positive.
  void add(const double* u, const double* g, const double* next_u, const double* next_g);

  void clear() { count_ = 0; }
  bool empty() const { return count_ == 0; }

  /// H g into `direction`; g is zero where `free` is. Returns how many pairs it rests on.
  int64_t direction(const double* g, const double* free, double* direction);

 private:
  double* step(int64_t age);    // s of the pair that is `age` pairs old
  double* change(int64_t age);  // y

  int64_t history_, dimension_;
  int64_t count_ = 0;   // pairs kept
  int64_t newest_ = 0;  // their ring's head
  std::vector<double> storage_;
  std::vector<double> weights_, bends_;  // per pair, of the two loops
};

}  // namespace arks
