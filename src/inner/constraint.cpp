#include <arks/inner/constraint.h>

#include "support/samples.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <cmath>
#include <limits>

namespace arks {

namespace {

double checked_eps(double eps) {
  ARKS_CHECK(std::isfinite(eps) && eps >= 0, "eps must be finite and not negative, got ", eps);
  return eps;
}

void check_not_negative(const torch::Tensor& values, const char* what) {
  ARKS_CHECK(values.numel() > 0, what, ": one value per feature is needed, got none");
  ARKS_CHECK(values.isfinite().logical_and(values >= 0).all().item<bool>(), what,
             " must be finite and not negative in every feature, got ", values.min().item<double>(), " to ",
             values.max().item<double>());
}

torch::Tensor clamped(const torch::Tensor& u, const std::optional<Bounds>& bounds) {
  return bounds ? bounds->clamp(u) : u;
}

torch::Tensor within(const torch::Tensor& gradient, const torch::Tensor& u, const std::optional<Bounds>& bounds) {
  return bounds ? bounds->followable(gradient, u) : gradient;
}

std::optional<Bounds> checked(std::optional<Bounds> bounds) {
  if (bounds) check(*bounds);
  return bounds;
}

/// The ends of the bounds for every value of x.
SetForm ends(const torch::Tensor& x, const std::optional<Bounds>& bounds) {
  if (!bounds) return {};
  constexpr double kFar = std::numeric_limits<double>::infinity();
  return {bounds->clamp(torch::full_like(x, -kFar)), bounds->clamp(torch::full_like(x, kFar)), std::nullopt};
}

}  // namespace

std::string to_string(Norm norm) {
  return norm == Norm::kLinf ? "linf" : "l2";
}

std::string symbol(Norm norm) {
  return norm == Norm::kLinf ? "L∞" : "L2";
}

Norm parse_norm(const std::string& name) {
  return named_value<Norm>(name, norm_names(), "norm");
}

std::vector<std::string> norm_names() {
  return {"linf", "l2"};
}

ConstraintPtr make_ball(Norm norm, double eps, std::optional<Bounds> bounds, const torch::Tensor& eps_scale) {
  if (eps_scale.defined()) {
    ARKS_CHECK(norm == Norm::kLinf, "eps scale: a radius per feature needs norm linf, not ", to_string(norm));
    check_not_negative(eps_scale, "eps scale");
    ARKS_CHECK((eps_scale > 0).any().item<bool>(), "eps scale: all factors are 0, so nothing could move");
    return std::make_shared<LinfBall>(eps_scale.to(torch::kDouble) * checked_eps(eps), bounds);
  }
  if (norm == Norm::kLinf) return std::make_shared<LinfBall>(eps, bounds);
  return std::make_shared<L2Ball>(eps, bounds);
}

torch::Tensor Constraint::random_point(const torch::Tensor& x, torch::Generator& /*generator*/) const {
  return x.detach().clone();
}

std::optional<SetForm> Constraint::form(const torch::Tensor& /*x*/) const {
  return std::nullopt;
}

std::optional<SetForm> Unconstrained::form(const torch::Tensor& /*x*/) const {
  return SetForm();
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

std::optional<SetForm> Box::form(const torch::Tensor& x) const {
  return ends(x, bounds_);
}

torch::Tensor Box::project(const torch::Tensor& u, const torch::Tensor& /*x*/) const {
  return bounds_.clamp(u);
}

torch::Tensor Box::followable(const torch::Tensor& gradient, const torch::Tensor& u, const torch::Tensor& /*x*/) const {
  return bounds_.followable(gradient, u);
}

torch::Tensor Box::random_point(const torch::Tensor& x, torch::Generator& generator) const {
  const auto fraction = torch::empty_like(x.detach()).uniform_(0, 1, generator);
  return project(bounds_.at(fraction), x);
}

ConstraintPtr make_domain(const std::optional<Bounds>& bounds) {
  if (bounds) return std::make_shared<Box>(*bounds);
  return std::make_shared<Unconstrained>();
}

LinfBall::LinfBall(double eps, std::optional<Bounds> bounds) : eps_(checked_eps(eps)), bounds_(checked(bounds)) {}

LinfBall::LinfBall(const torch::Tensor& radii, std::optional<Bounds> bounds)
    : radii_(radii.detach().clone()), bounds_(checked(bounds)) {
  check_not_negative(radii_, "eps");
}

std::pair<torch::Tensor, torch::Tensor> LinfBall::edges(const torch::Tensor& x) const {
  if (!radii_.defined()) return {x - eps_, x + eps_};
  const auto radii = per_feature(radii_, x, "eps");
  return {x - radii, x + radii};
}

std::optional<SetForm> LinfBall::form(const torch::Tensor& x) const {
  // one clamp behind another is a clamp to the ends of the first, clamped by the second
  const auto [low, high] = edges(x);
  return SetForm{clamped(low, bounds_), clamped(high, bounds_), std::nullopt};
}

torch::Tensor LinfBall::project(const torch::Tensor& u, const torch::Tensor& x) const {
  const auto [low, high] = edges(x);
  return clamped(u.clamp(low, high), bounds_);
}

torch::Tensor LinfBall::followable(const torch::Tensor& gradient, const torch::Tensor& u,
                                   const torch::Tensor& x) const {
  const auto [low, high] = edges(x);
  return within(followable_between(low, high, gradient, u), u, bounds_);
}

torch::Tensor LinfBall::random_point(const torch::Tensor& x, torch::Generator& generator) const {
  const auto origin = x.detach();
  if (!radii_.defined()) return project(origin + torch::empty_like(origin).uniform_(-eps_, eps_, generator), origin);
  const auto share = torch::empty_like(origin).uniform_(-1, 1, generator);
  return project(origin + share * per_feature(radii_, origin, "eps"), origin);
}

L2Ball::L2Ball(double eps, std::optional<Bounds> bounds) : eps_(checked_eps(eps)), bounds_(checked(bounds)) {}

std::optional<SetForm> L2Ball::form(const torch::Tensor& x) const {
  auto found = ends(x, bounds_);
  found.l2_radius = eps_;
  return found;
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
