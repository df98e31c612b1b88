#include <arks/metric/transport.h>
#include <arks/support/error.h>

namespace arks {

torch::Tensor transport_costs(const Cost& cost, const torch::Tensor& u, const torch::Tensor& x) {
  ARKS_CHECK(u.defined() && x.defined() && u.dim() >= 1 && u.sizes() == x.sizes() && u.numel() > 0,
             "transport cost: u and x must be matched samples of the same shape [n,...], n > 0");
  torch::NoGradGuard no_grad;
  auto costs = cost(u, x);
  ARKS_CHECK(costs.isfinite().all().item<bool>(),
             "transport cost: ", costs.isfinite().logical_not().sum().item<int64_t>(), " of ", costs.size(0),
             " samples have a cost that is not finite");
  return costs;
}

double transport_cost(const Cost& cost, const torch::Tensor& u, const torch::Tensor& x) {
  return transport_costs(cost, u, x).mean(torch::kDouble).item<double>();
}

}  // namespace arks
