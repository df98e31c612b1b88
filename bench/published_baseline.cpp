#include "published_baseline.h"

namespace arks::bench {

namespace {

namespace F = torch::nn::functional;

torch::Tensor cross_entropy(const torch::Tensor& logits, const torch::Tensor& y) {
  return F::cross_entropy(logits, y, F::CrossEntropyFuncOptions().reduction(torch::kNone));
}

torch::optim::AdamOptions amsgrad(double rate) {
  return torch::optim::AdamOptions(rate).amsgrad(true);
}

}  // namespace

PublishedCnnImpl::PublishedCnnImpl()
    : conv1_(torch::nn::Conv2dOptions(1, 32, 3).padding(1)),
      conv2_(torch::nn::Conv2dOptions(32, 64, 3)),
      dense1_(2304, 128),
      dense2_(128, 10) {
  register_module("conv1", conv1_);
  register_module("conv2", conv2_);
  register_module("dense1", dense1_);
  register_module("dense2", dense2_);
}

torch::Tensor PublishedCnnImpl::forward(const torch::Tensor& x) {
  auto h = torch::max_pool2d(torch::elu(conv1_(x)), 2);
  h = torch::max_pool2d(torch::elu(conv2_(h)), 2);
  h = torch::elu(dense1_(h.flatten(1)));
  return dense2_(h);
}

void PublishedCnnImpl::take_weights(const torch::nn::Module& fashion_cnn) {
  const torch::NoGradGuard no_grad;
  const auto source = fashion_cnn.named_parameters();
  for (auto& item : named_parameters()) item.value().set_data(source[item.key()].detach().clone());
}

PublishedTraining::PublishedTraining(PublishedCnn net, double sigma, int64_t inner_steps, double inner_rate)
    : net_(std::move(net)),
      sigma_(sigma),
      inner_steps_(inner_steps),
      inner_rate_(inner_rate),
      outer_(net_->parameters(), amsgrad(1e-3)) {}

torch::Tensor PublishedTraining::surrogate(const torch::Tensor& u, const torch::Tensor& x, const torch::Tensor& y) {
  const auto loss = cross_entropy(net_->forward(u), y);
  const auto kernel = (torch::cdist(u.flatten(1), x.flatten(1)).pow(2) / (-2 * sigma_ * sigma_)).exp();
  return loss.dot(kernel.diag()) / x.size(0);
}

torch::Tensor PublishedTraining::maximize(const torch::Tensor& x, const torch::Tensor& y, Reduction reduction) {
  auto u = x.clone().requires_grad_(true);
  torch::optim::Adam inner({u}, amsgrad(inner_rate_));
  const double scale = reduction == Reduction::kSum ? static_cast<double>(x.size(0)) : 1;
  for (int64_t step = 0; step < inner_steps_; ++step) {
    inner.zero_grad();
    (surrogate(u, x, y) * -scale).backward();
    inner.step();
  }
  return u.detach();
}

PublishedTraining::CleanMetrics PublishedTraining::step(const torch::Tensor& x, const torch::Tensor& y) {
  net_->train();
  const auto u = maximize(x, y);
  outer_.zero_grad();
  surrogate(u, x, y).backward();
  outer_.step();
  const torch::NoGradGuard no_grad;
  net_->eval();
  const auto logits = net_->forward(x);
  return {cross_entropy(logits, y).mean().item<double>(),
          (logits.argmax(1) != y).to(torch::kDouble).mean().item<double>()};
}

}  // namespace arks::bench
