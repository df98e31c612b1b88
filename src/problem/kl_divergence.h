#pragma once
#include <arks/problem/criterion.h>

namespace arks {

/// Kullback–Leibler divergence of the predicted distribution q = softmax(z) from given ones p, one value per sample:
///   l = KL(p‖q) = Σ_j p_j (ln p_j − ln q_j),      0·ln 0 = 0,      ∂l/∂z = q − p.
/// Logits z [n,classes], y = p [n,classes] floating point, rows that are not negative and sum to 1 → [n]. It is cross
/// entropy with the targets p, less their entropy, and so 0 where q = p. There is no right and wrong.
class KlDivergence : public Criterion {
 public:
  torch::Tensor operator()(const torch::Tensor& logits, const torch::Tensor& y) const override;
  /// Rounding can leave a divergence of nearly nothing slightly negative: that counts as 0.
  torch::Tensor log(const torch::Tensor& logits, const torch::Tensor& y) const override;
  std::shared_ptr<Criterion> clone() const override { return std::make_shared<KlDivergence>(*this); }
};

/// KL(softmax(z)‖softmax(z′)) of every sample, differentiable in both: z, z′ [n,classes] → [n].
torch::Tensor kl_divergence(const torch::Tensor& logits, const torch::Tensor& other_logits);

}  // namespace arks
