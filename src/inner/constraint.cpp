#include <arks/inner/constraint.h>
#include <arks/support/error.h>
#include <arks/support/text.h>

#include <cmath>

namespace arks {

namespace {

double checked_eps(double eps) {
  ARKS_CHECK(std::isfinite(eps) && eps >= 0, "eps must not be negative, got ", eps);
  return eps;
}

torch::Tensor clamped(const torch::Tensor& u, const std::optional<Bounds>& bounds) {
  return bounds ? u.clamp(bounds->low, bounds->high) : u;
}

/// [n] → [n,1,1,...] for multiplying samples of the shape of x
torch::Tensor per_sample(const torch::Tensor& values, const torch::Tensor& x) {
  std::vector<int64_t> shape(static_cast<size_t>(x.dim()), 1);
  shape[0] = x.size(0);
  return values.view(shape);
}

}  // namespace

void check(const Bounds& bounds) {
  ARKS_CHECK(std::isfinite(bounds.low) && std::isfinite(bounds.high) && bounds.low < bounds.high,
             "bounds: need low < high, got ", bounds.low, ",", bounds.high);
}

void check_within(const Bounds& bounds, const torch::Tensor& x, const std::string& what) {
  if (x.numel() == 0) return;
  const auto [low, high] = torch::aminmax(x.detach());
  // !(a >= b), so that NaN is caught as well
  ARKS_CHECK(!(!(low.item<double>() >= bounds.low) || !(high.item<double>() <= bounds.high)), what,
             " lie outside the declared bounds [", bounds.low, ", ", bounds.high, "]: they span [", low.item<double>(),
             ", ", high.item<double>(), "]; scale them or declare other bounds");
}

std::string to_string(Norm norm) {
  return norm == Norm::kLinf ? "linf" : "l2";
}

Norm parse_norm(const std::string& name) {
  if (name == "linf") return Norm::kLinf;
  if (name == "l2") return Norm::kL2;
  throw Error("unknown norm '" + name + "'" + did_you_mean(name, {"linf", "l2"}) + "; known: linf, l2");
}

ConstraintPtr make_ball(Norm norm, double eps, std::optional<Bounds> bounds) {
  if (norm == Norm::kLinf) return std::make_shared<LinfBall>(eps, bounds);
  return std::make_shared<L2Ball>(eps, bounds);
}

torch::Tensor Constraint::random_point(const torch::Tensor& x, torch::Generator& /*generator*/) const {
  return x.detach().clone();
}

torch::Tensor Unconstrained::project(const torch::Tensor& u, const torch::Tensor& /*x*/) const {
  return u;
}

Box::Box(Bounds bounds) : bounds_(bounds) {
  check(bounds_);
}

torch::Tensor Box::project(const torch::Tensor& u, const torch::Tensor& /*x*/) const {
  return u.clamp(bounds_.low, bounds_.high);
}

LinfBall::LinfBall(double eps, std::optional<Bounds> bounds) : eps_(checked_eps(eps)), bounds_(bounds) {
  if (bounds_) check(*bounds_);
}

torch::Tensor LinfBall::project(const torch::Tensor& u, const torch::Tensor& x) const {
  return clamped(x + (u - x).clamp(-eps_, eps_), bounds_);
}

torch::Tensor LinfBall::random_point(const torch::Tensor& x, torch::Generator& generator) const {
  const auto delta = torch::empty_like(x).uniform_(-eps_, eps_, generator);
  return project(x + delta, x);
}

L2Ball::L2Ball(double eps, std::optional<Bounds> bounds) : eps_(checked_eps(eps)), bounds_(bounds) {
  if (bounds_) check(*bounds_);
}

torch::Tensor L2Ball::project(const torch::Tensor& u, const torch::Tensor& x) const {
  const auto delta = u - x;
  const auto norm = delta.flatten(1).norm(2, 1);
  const auto scale = (eps_ / norm.clamp_min(1e-30)).clamp_max(1);
  return clamped(x + delta * per_sample(scale, x), bounds_);
}

torch::Tensor L2Ball::random_point(const torch::Tensor& x, torch::Generator& generator) const {
  // a Gaussian direction and a radius u^(1/d): uniform in the ball of d dimensions
  const auto direction = torch::empty_like(x).normal_(0, 1, generator);
  const auto norm = direction.flatten(1).norm(2, 1).clamp_min(1e-30);
  const auto dimension = static_cast<double>(x.numel() / std::max<int64_t>(x.size(0), 1));
  const auto radius = torch::empty_like(norm).uniform_(0, 1, generator).pow(1 / dimension) * eps_;
  return project(x + direction * per_sample(radius / norm, x), x);
}

}  // namespace arks
