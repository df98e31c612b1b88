#pragma once
#include <arks/data/bounds.h>
#include <torch/types.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace arks {

/// How the radius of a ball is measured, per sample.
enum class Norm { kLinf, kL2 };

/// "linf", "l2"
std::string to_string(Norm norm);
/// For figures: "L∞", "L2".
std::string symbol(Norm norm);
Norm parse_norm(const std::string& name);
std::vector<std::string> norm_names();

/// A set as a compiled plan takes it: the projection scales u − x down to the L2 radius, then clamps to low … high.
struct SetForm {
  torch::Tensor low, high;          ///< [n,...], or of a shape that broadcasts to it; undefined: no ends
  std::optional<double> l2_radius;  ///< none: no ball
};

/// The set that u must stay in, around each sample x. Every set holds x itself when x lies within the bounds.
class Constraint {
 public:
  virtual ~Constraint() = default;

  /// A point of the set near u: u, x [n,...] → [n,...]. A point of the set stays where it is.
  virtual torch::Tensor project(const torch::Tensor& u, const torch::Tensor& x) const = 0;

  /// What is left of a gradient at a point u of the set when a short step along it may not leave the set: entries that
  /// press against an edge are zero. u, x, gradient [n,...] → [n,...].
  virtual torch::Tensor followable(const torch::Tensor& gradient, const torch::Tensor& u,
                                   const torch::Tensor& x) const = 0;

  /// The set around x in this form, where it has one.
  virtual std::optional<SetForm> form(const torch::Tensor& x) const;

  /// A random point of the set, for random starts: uniform in the ball, then projected; uniform in a box. x itself
  /// where nothing bounds the set.
  virtual torch::Tensor random_point(const torch::Tensor& x, torch::Generator& generator) const;
};

using ConstraintPtr = std::shared_ptr<const Constraint>;

/// All of space.
class Unconstrained : public Constraint {
 public:
  std::optional<SetForm> form(const torch::Tensor& x) const override;
  torch::Tensor project(const torch::Tensor& u, const torch::Tensor& x) const override;
  torch::Tensor followable(const torch::Tensor& gradient, const torch::Tensor& u,
                           const torch::Tensor& x) const override;
};

/// low ≤ u ≤ high in every coordinate, with one range for all or one per feature: a declared compact domain. Random
/// points are uniform in all of it.
class Box : public Constraint {
 public:
  explicit Box(Bounds bounds);
  std::optional<SetForm> form(const torch::Tensor& x) const override;
  torch::Tensor project(const torch::Tensor& u, const torch::Tensor& x) const override;
  torch::Tensor followable(const torch::Tensor& gradient, const torch::Tensor& u,
                           const torch::Tensor& x) const override;
  torch::Tensor random_point(const torch::Tensor& x, torch::Generator& generator) const override;

 private:
  Bounds bounds_;
};

/// The box, or all of space when there is none.
ConstraintPtr make_domain(const std::optional<Bounds>& bounds);

/// ‖u−x‖_∞ ≤ eps, or |u_j−x_j| ≤ eps_j with a radius per feature, intersected with the box when bounds are given. The
/// projection is exact.
class LinfBall : public Constraint {
 public:
  explicit LinfBall(double eps, std::optional<Bounds> bounds = std::nullopt);
  /// radii ≥ 0, of the shape of one sample or flat (see per_feature); where one is 0 the feature must not change.
  explicit LinfBall(const torch::Tensor& radii, std::optional<Bounds> bounds = std::nullopt);
  std::optional<SetForm> form(const torch::Tensor& x) const override;
  torch::Tensor project(const torch::Tensor& u, const torch::Tensor& x) const override;
  torch::Tensor followable(const torch::Tensor& gradient, const torch::Tensor& u,
                           const torch::Tensor& x) const override;
  torch::Tensor random_point(const torch::Tensor& x, torch::Generator& generator) const override;

 private:
  /// x − radius and x + radius.
  std::pair<torch::Tensor, torch::Tensor> edges(const torch::Tensor& x) const;

  double eps_ = 0;
  torch::Tensor radii_;  // defined only for radii per feature
  std::optional<Bounds> bounds_;
};

/// ‖u−x‖₂ ≤ eps per sample, intersected with the box when bounds are given: scaled into the ball, then clamped.
/// Clamping moves every coordinate towards x, so the point stays in the ball; it is in the set, though with bounds not
/// always the nearest point of it.
class L2Ball : public Constraint {
 public:
  explicit L2Ball(double eps, std::optional<Bounds> bounds = std::nullopt);
  std::optional<SetForm> form(const torch::Tensor& x) const override;
  torch::Tensor project(const torch::Tensor& u, const torch::Tensor& x) const override;
  torch::Tensor followable(const torch::Tensor& gradient, const torch::Tensor& u,
                           const torch::Tensor& x) const override;
  torch::Tensor random_point(const torch::Tensor& x, torch::Generator& generator) const override;

 private:
  double eps_;
  std::optional<Bounds> bounds_;
};

/// The ball of that norm. With eps_scale (L∞ only, Error else) the radius of feature j is eps·scale_j.
ConstraintPtr make_ball(Norm norm, double eps, std::optional<Bounds> bounds = std::nullopt,
                        const torch::Tensor& eps_scale = {});

}  // namespace arks
