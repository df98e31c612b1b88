#pragma once
#include "engine/feature_map.h"

#include <vector>

namespace arks::engine {

/// 3×3 convolution of stride 1 by Winograd's minimal filtering F(m×m,3×3), m = 4 or 2 (Lavin and Gray 2016): an output
/// tile Y [m,m] from an input tile d [m+2,m+2],
///   Y = Aᵀ[(G g Gᵀ) ⊙ (Bᵀ d B)]A,
/// where the products over the channels are (m+2)² small matrix products. The two gradients are the adjoints of the
/// same map and use the same tiles:
///   ∂d = B[(G g Gᵀ) ⊙ (A ∂Y Aᵀ)]Bᵀ, overlapping tiles added;   ∂g = Gᵀ[(Bᵀ d B) ⊙ (A ∂Y Aᵀ)]G.
/// All maps are blocked (see FeatureMap). Everything runs on the calling thread; `scratch` holds scratch_size() floats
/// of the caller's, aligned to 64 bytes, and nothing is kept in it.
class Winograd {
 public:
  /// tile 4 or 2; padding on all sides, in {0,1,2}.
  Winograd(int64_t tile, const FeatureMap& in, int64_t out_channels, int64_t padding_h, int64_t padding_w);

  const FeatureMap& out() const { return out_; }
  int64_t scratch_size() const;

  /// Takes over weights as torch has them, [out,in,3,3] contiguous, and bias [out] or null.
  void load(const float* weight, const float* bias);

  /// x [images][in.size()] → y [images][out.size()], bias added. Padded channels of y are zero.
  void forward(const float* x, float* y, int64_t images, float* scratch) const;

  /// dy [images][out.size()] → dx [images][in.size()], overwritten.
  void backward_input(const float* dy, float* dx, int64_t images, float* scratch) const;

  /// Adds to `sums` [gradient_size()], in the transformed domain; and to bias_sums [blocks(out)·8] unless null.
  int64_t gradient_size() const;
  void backward_weights(const float* x, const float* dy, int64_t images, float* sums, float* bias_sums,
                        float* scratch) const;
  /// The sums back in the domain of the weights: dw [out,in,3,3], overwritten.
  void finish_gradient(const float* sums, float* dw) const;

 private:
  int64_t tile_;
  FeatureMap in_, out_;
  int64_t padding_h_, padding_w_;
  std::vector<float> kernels_, kernels_adjoint_, bias_;  // transformed; packed for the products
};

}  // namespace arks::engine
