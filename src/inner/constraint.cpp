#include <arks/inner/constraint.h>
#include <arks/support/error.h>
#include <arks/support/samples.h>
#include <arks/support/text.h>

#include <cmath>

namespace arks {

namespace {

double checked_eps(double eps) {
  ARKS_CHECK(std::isfinite(eps) && eps >= 0, "eps must be finite and not negative, got ", eps);
  return eps;
}

torch::Tensor clamped(const torch::Tensor& u, const std::optional<Bounds>& bounds) {
  return bounds ? u.clamp(bounds->low, bounds->high) : u;
}

/// Zero where u stands at an edge of the box and the gradient points out of it.
torch::Tensor within(const torch::Tensor& gradient, const torch::Tensor& u, const std::optional<Bounds>& bounds) {
  if (!bounds) return gradient;
  const auto out = ((u <= bounds->low) & (gradient < 0)) | ((u >= bounds->high) & (gradient > 0));
  return gradient.masked_fill(out, 0);
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

torch::Tensor Unconstrained::followable(const torch::Tensor& gradient, const torch::Tensor& /*u*/,
                                        const torch::Tensor& /*x*/) const {
  return gradient;
}

Box::Box(Bounds bounds) : bounds_(bounds) {
  check(bounds_);
}

torch::Tensor Box::project(const torch::Tensor& u, const torch::Tensor& /*x*/) const {
  return u.clamp(bounds_.low, bounds_.high);
}

torch::Tensor Box::followable(const torch::Tensor& gradient, const torch::Tensor& u, const torch::Tensor& /*x*/) const {
  return within(gradient, u, bounds_);
}

torch::Tensor Box::random_point(const torch::Tensor& x, torch::Generator& generator) const {
  const auto fraction = torch::empty_like(x.detach()).uniform_(0, 1, generator);
  return project(bounds_.low + fraction * (bounds_.high - bounds_.low), x);
}

ConstraintPtr make_domain(const std::optional<Bounds>& bounds) {
  if (bounds) return std::make_shared<Box>(*bounds);
  return std::make_shared<Unconstrained>();
}

LinfBall::LinfBall(double eps, std::optional<Bounds> bounds) : eps_(checked_eps(eps)), bounds_(bounds) {
  if (bounds_) check(*bounds_);
}

torch::Tensor LinfBall::project(const torch::Tensor& u, const torch::Tensor& x) const {
  return clamped(u.clamp(x - eps_, x + eps_), bounds_);
}

torch::Tensor LinfBall::followable(const torch::Tensor& gradient, const torch::Tensor& u,
                                   const torch::Tensor& x) const {
  const auto out = ((u <= x - eps_) & (gradient < 0)) | ((u >= x + eps_) & (gradient > 0));
  return within(gradient.masked_fill(out, 0), u, bounds_);
}

torch::Tensor LinfBall::random_point(const torch::Tensor& x, torch::Generator& generator) const {
  const auto origin = x.detach();
  const auto delta = torch::empty_like(origin).uniform_(-eps_, eps_, generator);
  return project(origin + delta, origin);
}

L2Ball::L2Ball(double eps, std::optional<Bounds> bounds) : eps_(checked_eps(eps)), bounds_(bounds) {
  if (bounds_) check(*bounds_);
}

torch::Tensor L2Ball::project(const torch::Tensor& u, const torch::Tensor& x) const {
  const auto delta = u - x;
  const auto inside = per_sample(sample_norms(delta) <= eps_, x);
  return clamped(torch::where(inside, u, x.add(unit_samples(delta), eps_)), bounds_);
}

torch::Tensor L2Ball::followable(const torch::Tensor& gradient, const torch::Tensor& u, const torch::Tensor& x) const {
  constexpr double kOnSurface = 1 - 1e-5;  // projection ends within rounding of the surface
  const auto delta = u - x;
  const auto normal = unit_samples(delta);
  const auto outwards = (rows(gradient) * rows(normal)).sum(1).clamp_min(0);
  const auto pressing = torch::where(sample_norms(delta) >= eps_ * kOnSurface, outwards, torch::zeros_like(outwards));
  return within(gradient - per_sample(pressing, gradient) * normal, u, bounds_);
}

torch::Tensor L2Ball::random_point(const torch::Tensor& x, torch::Generator& generator) const {
  // a Gaussian direction and a radius u^(1/d): uniform in the ball of d dimensions
  const auto origin = x.detach();
  const auto direction = unit_samples(torch::empty_like(origin).normal_(0, 1, generator));
  const auto dimension = static_cast<double>(rows(origin).size(1));
  const auto radius = torch::empty({x.size(0)}, origin.options()).uniform_(0, 1, generator).pow(1 / dimension) * eps_;
  return project(origin + direction * per_sample(radius, origin), origin);
}

}  // namespace arks
