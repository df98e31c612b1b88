#include <arks/kernel/cost.h>

#include "kernel/differences.h"
#include "support/samples.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <cmath>
#include <limits>

namespace arks {

torch::Tensor difference(const torch::Tensor& u, const torch::Tensor& x) {
  ARKS_CHECK(u.sizes() == x.sizes() && u.dim() >= 1, "cost: u and x must have the same shape [n,...], got ", u.sizes(),
             " and ", x.sizes());
  return rows(u - x);
}

torch::Tensor all_distances(const torch::Tensor& a, const torch::Tensor& b, double order) {
  ARKS_CHECK(a.dim() >= 1 && b.dim() == a.dim() && a.sizes().slice(1).equals(b.sizes().slice(1)),
             "cost: samples of both sides must have the same shape, got ", a.sizes(), " and ", b.sizes());
  constexpr int64_t kWithoutMatrixProduct = 2;  // ‖a‖² + ‖b‖² − 2a·b would lose the digits of small distances
  return torch::cdist(rows(a.detach()), rows(b.detach()), order, kWithoutMatrixProduct);
}

namespace {

torch::Tensor sum_of_squares(const torch::Tensor& u, const torch::Tensor& x) {
  const auto d = difference(u, x);
  return (d * d).sum(1);
}

}  // namespace

torch::Tensor HalfSquaredL2::operator()(const torch::Tensor& u, const torch::Tensor& x) const {
  return sum_of_squares(u, x) / 2;
}

torch::Tensor HalfSquaredL2::pairwise(const torch::Tensor& a, const torch::Tensor& b) const {
  return all_distances(a, b, 2).square_().div_(2);
}

torch::Tensor SquaredL2::operator()(const torch::Tensor& u, const torch::Tensor& x) const {
  return sum_of_squares(u, x);
}

torch::Tensor SquaredL2::pairwise(const torch::Tensor& a, const torch::Tensor& b) const {
  return all_distances(a, b, 2).square_();
}

torch::Tensor L2::operator()(const torch::Tensor& u, const torch::Tensor& x) const {
  const auto squared = sum_of_squares(u, x);
  const auto at_rest = squared == 0;
  // 1 under the root where the distance is zero, so that backward meets no 0/0
  return squared.masked_fill(at_rest, 1).sqrt().masked_fill(at_rest, 0);
}

torch::Tensor L2::pairwise(const torch::Tensor& a, const torch::Tensor& b) const {
  return all_distances(a, b, 2);
}

torch::Tensor L1::operator()(const torch::Tensor& u, const torch::Tensor& x) const {
  return difference(u, x).abs().sum(1);
}

torch::Tensor L1::pairwise(const torch::Tensor& a, const torch::Tensor& b) const {
  return all_distances(a, b, 1);
}

torch::Tensor Linf::operator()(const torch::Tensor& u, const torch::Tensor& x) const {
  return difference(u, x).abs().amax(1);
}

torch::Tensor Linf::pairwise(const torch::Tensor& a, const torch::Tensor& b) const {
  return all_distances(a, b, std::numeric_limits<double>::infinity());
}

LogQuadratic::LogQuadratic(double scale) : scale_(scale) {
  ARKS_CHECK(std::isfinite(scale_) && scale_ > 0, "inverse multiquadric: the scale must be positive and finite, got ",
             scale_);
}

torch::Tensor LogQuadratic::operator()(const torch::Tensor& u, const torch::Tensor& x) const {
  return (sum_of_squares(u, x) / (scale_ * scale_)).log1p() / 2;
}

torch::Tensor LogQuadratic::pairwise(const torch::Tensor& a, const torch::Tensor& b) const {
  return all_distances(a, b, 2).div_(scale_).square_().log1p_().div_(2);
}

CostPtr make_cost(const std::string& name) {
  if (name == "half-sq-l2") return std::make_shared<HalfSquaredL2>();
  if (name == "sq-l2") return std::make_shared<SquaredL2>();
  if (name == "l2") return std::make_shared<L2>();
  if (name == "l1") return std::make_shared<L1>();
  if (name == "linf") return std::make_shared<Linf>();
  place_of(name, cost_names(), "cost");
  throw Error("the cost " + name + " is made from a matrix, not from its name alone");
}

std::vector<std::string> cost_names() {
  return {"half-sq-l2", "sq-l2", "l2", "l1", "linf", "mahalanobis"};
}

}  // namespace arks
