#include <arks/attack/uniform_noise.h>
#include <arks/support/samples.h>

namespace arks {

UniformNoise::UniformNoise(UniformNoiseOptions options) : options_(options) {
  make_ball(Norm::kLinf, options_.eps(), std::nullopt, options_.eps_scale());  // checks both
}

AttackResult UniformNoise::perturb(Problem& /*problem*/, const torch::Tensor& x, const torch::Tensor& /*y*/,
                                   const std::optional<Bounds>& bounds, torch::Generator& generator) const {
  if (bounds) check_within(*bounds, x, "attack: inputs");
  // not empty_like, so that the draws follow the order of the values whatever the layout of x
  auto noise = torch::empty(x.sizes(), x.options()).uniform_(-1, 1, generator);
  if (options_.eps_scale().defined()) noise.mul_(per_feature(options_.eps_scale(), x, "eps scale"));
  const auto u = x.detach().add(noise, options_.eps());
  return {bounds ? bounds->clamp(u) : u, 0};
}

}  // namespace arks
