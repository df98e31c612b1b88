#pragma once
#include <torch/types.h>

#include <memory>
#include <utility>

namespace arks {

/// What the inner maximisation maximises: φ(loss, cost), per sample, with both partial derivatives. Whoever evaluates
/// the network (libtorch here, a compiled plan elsewhere) needs no more than these to get
///   ∇_u φ = ∂φ/∂loss · ∇_u loss + ∂φ/∂cost · ∇_u cost.
class InnerObjective {
 public:
  struct Partials {
    torch::Tensor loss;  ///< [n] ∂φ/∂loss
    torch::Tensor cost;  ///< [n] ∂φ/∂cost; undefined when φ does not look at the cost
  };
  struct AtPoint {
    double value;  ///< φ
    double loss;   ///< ∂φ/∂loss
    double cost;   ///< ∂φ/∂cost; 0 when φ does not look at the cost
  };
  virtual ~InnerObjective() = default;

  /// loss, cost [n] → φ [n].
  virtual torch::Tensor value(const torch::Tensor& loss, const torch::Tensor& cost) const = 0;
  virtual Partials partials(const torch::Tensor& loss, const torch::Tensor& cost) const = 0;

  /// The same for one sample, in float64. The default asks the other two; whoever is called once for every sample and
  /// step should override it.
  virtual AtPoint at(double loss, double cost) const;

  /// True when the first argument is ln l and not l.
  virtual bool takes_log_loss() const { return false; }
};

using InnerObjectivePtr = std::shared_ptr<const InnerObjective>;

/// φ = l · exp(−c/τ): the k-transform as it is written (ARKS, product form).
class KernelProduct : public InnerObjective {
 public:
  explicit KernelProduct(double temperature);
  torch::Tensor value(const torch::Tensor& loss, const torch::Tensor& cost) const override;
  Partials partials(const torch::Tensor& loss, const torch::Tensor& cost) const override;
  AtPoint at(double loss, double cost) const override;

 private:
  double temperature_;
};

/// φ = ln l − c/τ: the logarithm of the product, so the same maximiser. It neither under- nor overflows, and is the
/// form that certificates rest on.
class LogKernelProduct : public InnerObjective {
 public:
  explicit LogKernelProduct(double temperature);
  torch::Tensor value(const torch::Tensor& log_loss, const torch::Tensor& cost) const override;
  Partials partials(const torch::Tensor& log_loss, const torch::Tensor& cost) const override;
  AtPoint at(double loss, double cost) const override;
  bool takes_log_loss() const override { return true; }

 private:
  double temperature_;
};

/// φ = l − γ·c: the Lagrangian penalty of WRM (Sinha et al. 2017). γ → ∞ leaves u = x; γ = 0 is unconstrained ascent.
class LinearPenalty : public InnerObjective {
 public:
  explicit LinearPenalty(double gamma);
  torch::Tensor value(const torch::Tensor& loss, const torch::Tensor& cost) const override;
  Partials partials(const torch::Tensor& loss, const torch::Tensor& cost) const override;
  AtPoint at(double loss, double cost) const override;

 private:
  double gamma_;
};

/// φ = l − γ·(1 − exp(−c/τ)): the penalty of the kernel distance envelope (KE). It is at most γ however far u goes.
class KernelDistance : public InnerObjective {
 public:
  KernelDistance(double gamma, double temperature);
  torch::Tensor value(const torch::Tensor& loss, const torch::Tensor& cost) const override;
  Partials partials(const torch::Tensor& loss, const torch::Tensor& cost) const override;
  AtPoint at(double loss, double cost) const override;

 private:
  double gamma_, temperature_;
};

/// φ = l: plain ascent on the loss; the constraint set alone holds u near x (PGD, FGSM).
class LossAlone : public InnerObjective {
 public:
  torch::Tensor value(const torch::Tensor& loss, const torch::Tensor& cost) const override;
  Partials partials(const torch::Tensor& loss, const torch::Tensor& cost) const override;
  AtPoint at(double loss, double cost) const override;
};

}  // namespace arks
