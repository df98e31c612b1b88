#include "lbfgs_workload.h"

#include "benchmark_names.h"

#include <arks/support/random.h>

namespace arks::bench {

namespace {

/// The line searches differ in detail, so after ten steps one is here and there a little ahead of the other.
constexpr double kSameRiseTolerance = 0.02;

torch::nn::Sequential fresh_mlp() {
  torch::nn::Sequential net{torch::nn::Linear(10, 32), torch::nn::ELU(), torch::nn::Linear(32, 32), torch::nn::ELU(),
                            torch::nn::Linear(32, 1)};
  auto generator = make_generator(0, Stream::kObjective);
  const torch::NoGradGuard no_grad;
  for (auto& parameter : net->parameters()) {
    const double width = std::sqrt(3.0 / static_cast<double>(parameter.size(-1)));  // a variance of 1/fan_in
    parameter.uniform_(-width, width, generator);
    parameter.set_requires_grad(false);
  }
  return net;
}

torch::Tensor random_normal(std::vector<int64_t> shape, uint64_t index) {
  auto generator = make_generator(index, Stream::kShuffle);
  return torch::empty(shape).normal_(0, 1, generator);
}

}  // namespace

LbfgsComparison::LbfgsComparison(int64_t samples)
    : net_(fresh_mlp()),
      x_(random_normal({samples, 10}, 0)),
      y_(random_normal({samples}, 1)),
      problem_([net = net_](const torch::Tensor& u, const torch::Tensor& y) mutable {
        return (net->forward(u).squeeze(1) - y).pow(2);
      }) {
  const auto ascent = AscentOptions().rule(AscentRule::kLbfgs).steps(kLbfgsSteps).learning_rate(kLbfgsRate);
  maximizer_ = make_maximizer(problem_, std::make_shared<KernelProduct>(kLbfgsSigma * kLbfgsSigma),
                              make_cost("half-sq-l2"), ascent, std::make_shared<Unconstrained>());
}

torch::Tensor LbfgsComparison::surrogate(const torch::Tensor& u, const torch::Tensor& x, const torch::Tensor& y) {
  const auto kernel = ((u - x).pow(2).sum(1) / (-2 * kLbfgsSigma * kLbfgsSigma)).exp();
  return (net_->forward(u).squeeze(1) - y).pow(2) * kernel;
}

torch::Tensor LbfgsComparison::ours() {
  return maximizer_->maximize(x_, y_).u;
}

torch::Tensor LbfgsComparison::sample_by_sample() {
  std::vector<torch::Tensor> found;
  for (int64_t i = 0; i < x_.size(0); ++i) {
    const auto x = x_.narrow(0, i, 1), y = y_.narrow(0, i, 1);
    auto u = x.clone().set_requires_grad(true);
    torch::optim::LBFGS optimizer(
        {u}, torch::optim::LBFGSOptions(kLbfgsRate).max_iter(kLbfgsSteps).line_search_fn("strong_wolfe"));
    optimizer.step([&] {
      optimizer.zero_grad();
      const auto value = -surrogate(u, x, y).sum();
      value.backward();
      return value;
    });
    found.push_back(u.detach());
  }
  return torch::cat(found);
}

ReachedValues LbfgsComparison::reached() {
  const auto mean = [&](const torch::Tensor& u) { return surrogate(u, x_, y_).mean().item<double>(); };
  return {mean(x_), mean(ours()), mean(sample_by_sample())};
}

void register_lbfgs(Suite& suite) {
  const auto add = [&](int64_t samples, const std::string& ours, const std::string& sample_by_sample) {
    const Lazy<LbfgsComparison> comparison([=, &suite] {
      auto made = std::make_shared<LbfgsComparison>(samples);
      const auto values = made->reached();
      suite.require_same_work("rise of the mean surrogate by L-BFGS, batch " + std::to_string(samples),
                              std::abs((values.ours - values.start) / (values.sample_by_sample - values.start) - 1),
                              kSameRiseTolerance);
      return made;
    });
    suite.add(ours, samples * kLbfgsSteps, [=] { comparison->ours(); });
    suite.add(sample_by_sample, samples * kLbfgsSteps, [=] { comparison->sample_by_sample(); });
  };
  add(80, kLbfgs80Ours, kLbfgs80SampleBySample);
  add(256, kLbfgs256Ours, kLbfgs256SampleBySample);
}

}  // namespace arks::bench
