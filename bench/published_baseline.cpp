#include "published_baseline.h"
#include "data/published.h"

namespace arks::bench {

namespace {

torch::optim::AdamOptions amsgrad(double rate) {
  return torch::optim::AdamOptions(rate).amsgrad(true);
}

}  // namespace

std::unique_ptr<torch::optim::Optimizer> plain_optimizer(const PublishedSettings& settings, const PlainNet& net) {
  if (settings.optimizer == "amsgrad") {
    return std::make_unique<torch::optim::Adam>(net.parameters(), amsgrad(settings.learning_rate));
  }
  return std::make_unique<torch::optim::SGD>(
      net.parameters(),
      torch::optim::SGDOptions(settings.learning_rate).momentum(settings.momentum).weight_decay(settings.weight_decay));
}

torch::Tensor plain_losses(PlainNet& net, const torch::Tensor& u, const torch::Tensor& y) {
  return torch::cross_entropy_loss(net.forward(u), y, /*weight=*/{}, at::Reduction::None);
}

PublishedTraining::PublishedTraining(PlainNetPtr net, const PublishedSettings& settings, InnerMode mode)
    : net_(std::move(net)), settings_(settings), mode_(mode), outer_(plain_optimizer(settings_, *net_)) {}

torch::Tensor PublishedTraining::surrogate(const torch::Tensor& u, const torch::Tensor& x, const torch::Tensor& y) {
  const double sigma = settings_.sigma;
  const auto kernel = (torch::cdist(u.flatten(1), x.flatten(1)).pow(2) / (-2 * sigma * sigma)).exp();
  return plain_losses(*net_, u, y).dot(kernel.diag()) / x.size(0);
}

torch::Tensor PublishedTraining::maximize(const torch::Tensor& x, const torch::Tensor& y, Reduction reduction) {
  net_->train(mode_ == InnerMode::kTrain);
  auto u = x.clone().requires_grad_(true);
  torch::optim::Adam inner({u}, amsgrad(settings_.sigma_inner_rate));
  const double scale = reduction == Reduction::kSum ? static_cast<double>(x.size(0)) : 1;
  for (int64_t step = 0; step < settings_.inner_steps; ++step) {
    inner.zero_grad();
    (surrogate(u, x, y) * -scale).backward();
    inner.step();
  }
  return u.detach();
}

PublishedTraining::CleanMetrics PublishedTraining::step(const torch::Tensor& x, const torch::Tensor& y,
                                                        Reduction reduction) {
  const auto u = maximize(x, y, reduction);
  net_->train();
  outer_->zero_grad();
  surrogate(u, x, y).backward();
  outer_->step();
  const torch::NoGradGuard no_grad;
  net_->eval();
  const auto logits = net_->forward(x);
  return {torch::cross_entropy_loss(logits, y).item<double>(),
          (logits.argmax(1) != y).to(torch::kDouble).mean().item<double>()};
}

}  // namespace arks::bench
