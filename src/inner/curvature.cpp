#include "inner/curvature.h"

#include <algorithm>
#include <cmath>

namespace arks {

namespace {

// cosine between s and y from which a pair counts; a concave quadratic of condition κ never goes below 2/√κ
constexpr double kLeastCosine = 1e-8;

struct Products {
  double sy, ss, yy;
  bool usable() const { return sy > kLeastCosine * std::sqrt(ss) * std::sqrt(yy); }  // false for NaN
};

Products products(const double* s, const double* y, const double* free, int64_t size) {
  Products sum{0, 0, 0};
  for (int64_t j = 0; j < size; ++j) {
    const double weight = free != nullptr ? free[j] : 1;
    sum.sy += weight * s[j] * y[j];
    sum.ss += weight * s[j] * s[j];
    sum.yy += weight * y[j] * y[j];
  }
  return sum;
}

}  // namespace

double dot(const double* a, const double* b, int64_t size) {
  // four sums side by side: one alone waits for its own last addition
  double sums[4] = {0, 0, 0, 0};
  int64_t j = 0;
  for (; j + 4 <= size; j += 4) {
    for (int64_t k = 0; k < 4; ++k) sums[k] += a[j + k] * b[j + k];
  }
  for (; j < size; ++j) sums[0] += a[j] * b[j];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

CurvaturePairs::CurvaturePairs(int64_t history, int64_t dimension)
    : history_(history),
      dimension_(dimension),
      weights_(static_cast<size_t>(history)),
      bends_(static_cast<size_t>(history)) {}

double* CurvaturePairs::step(int64_t age) {
  return storage_.data() + 2 * dimension_ * ((newest_ + history_ - age) % history_);
}

double* CurvaturePairs::change(int64_t age) {
  return step(age) + dimension_;
}

void CurvaturePairs::add(const double* u, const double* g, const double* next_u, const double* next_g) {
  if (storage_.empty()) storage_.resize(static_cast<size_t>(2 * history_ * dimension_));
  const int64_t before = newest_;
  newest_ = (newest_ + 1) % history_;
  double* const s = step(0);
  double* const y = change(0);
  for (int64_t j = 0; j < dimension_; ++j) {
    s[j] = next_u[j] - u[j];
    y[j] = g[j] - next_g[j];
  }
  if (products(s, y, nullptr, dimension_).usable()) {
    count_ = std::min(count_ + 1, history_);
  } else {
    newest_ = before;
    count_ = std::min(count_, history_ - 1);  // a full ring has lost its oldest pair to the attempt
  }
}

int64_t CurvaturePairs::direction(const double* g, const double* free, double* direction) {
  const int64_t size = dimension_;
  std::copy(g, g + size, direction);
  int64_t used = 0;
  double scale = 1;
  for (int64_t age = 0; age < count_; ++age) {  // newest first
    const double *s = step(age), *y = change(age);
    const auto product = products(s, y, free, size);
    bends_[age] = product.usable() ? product.sy : 0;
    if (bends_[age] == 0) continue;
    if (used++ == 0) scale = product.sy / product.yy;
    const double weight = weights_[age] = dot(s, direction, size) / product.sy;
    for (int64_t j = 0; j < size; ++j) direction[j] -= weight * free[j] * y[j];
  }
  for (int64_t j = 0; j < size; ++j) direction[j] *= scale;
  for (int64_t age = count_ - 1; age >= 0; --age) {
    if (bends_[age] == 0) continue;
    const double *s = step(age), *y = change(age);
    const double weight = weights_[age] - dot(y, direction, size) / bends_[age];
    for (int64_t j = 0; j < size; ++j) direction[j] += weight * free[j] * s[j];
  }
  return used;
}

}  // namespace arks
