#include "frozen_baseline.h"
#include "data/published.h"
#include "published_baseline.h"

namespace arks::bench {

void freeze(PlainNet& net) {
  for (auto& parameter : net.parameters()) parameter.set_requires_grad(false);
}

FrozenAscent::FrozenAscent(PlainNetPtr net, const PublishedSettings& settings)
    : net_(std::move(net)), settings_(settings) {
  net_->eval();
  freeze(*net_);
}

torch::Tensor FrozenAscent::maximize(const torch::Tensor& x, const torch::Tensor& y) {
  const double sigma = settings_.sigma;
  auto u = x.clone().requires_grad_(true);
  torch::optim::Adam inner({u}, torch::optim::AdamOptions(settings_.sigma_inner_rate).amsgrad(true));
  for (int64_t step = 0; step < settings_.inner_steps; ++step) {
    inner.zero_grad();
    const auto kernel = ((u - x).pow(2).flatten(1).sum(1) / (-2 * sigma * sigma)).exp();
    (-(plain_losses(*net_, u, y) * kernel).sum()).backward();
    inner.step();
  }
  return u.detach();
}

}  // namespace arks::bench
