#include <arks/kernel/cost.h>
#include <arks/support/error.h>
#include <arks/support/samples.h>
#include <arks/support/text.h>

namespace arks {

namespace {

torch::Tensor difference(const torch::Tensor& u, const torch::Tensor& x) {
  ARKS_CHECK(u.sizes() == x.sizes() && u.dim() >= 1, "cost: u and x must have the same shape [n,...], got ", u.sizes(),
             " and ", x.sizes());
  return rows(u - x);
}

torch::Tensor sum_of_squares(const torch::Tensor& u, const torch::Tensor& x) {
  const auto d = difference(u, x);
  return (d * d).sum(1);
}

}  // namespace

torch::Tensor HalfSquaredL2::operator()(const torch::Tensor& u, const torch::Tensor& x) const {
  return sum_of_squares(u, x) / 2;
}

torch::Tensor SquaredL2::operator()(const torch::Tensor& u, const torch::Tensor& x) const {
  return sum_of_squares(u, x);
}

torch::Tensor L2::operator()(const torch::Tensor& u, const torch::Tensor& x) const {
  const auto squared = sum_of_squares(u, x);
  const auto at_rest = squared == 0;
  // 1 under the root where the distance is zero, so that backward meets no 0/0
  return squared.masked_fill(at_rest, 1).sqrt().masked_fill(at_rest, 0);
}

torch::Tensor L1::operator()(const torch::Tensor& u, const torch::Tensor& x) const {
  return difference(u, x).abs().sum(1);
}

CostPtr make_cost(const std::string& name) {
  if (name == "half-sq-l2") return std::make_shared<HalfSquaredL2>();
  if (name == "sq-l2") return std::make_shared<SquaredL2>();
  if (name == "l2") return std::make_shared<L2>();
  if (name == "l1") return std::make_shared<L1>();
  throw Error("unknown cost '" + name + "'" + did_you_mean(name, cost_names()) + "; known: " + join(cost_names()));
}

std::vector<std::string> cost_names() {
  return {"half-sq-l2", "sq-l2", "l2", "l1"};
}

}  // namespace arks
