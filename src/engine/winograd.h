#pragma once
#include "engine/feature_map.h"

#include <vector>

namespace arks::engine {

/// How a map is cut into tiles: tile (i,j) begins at row i·step − padding_h and column j·step − padding_w. What lies
/// outside the map is zero when read and dropped when written.
struct TiledMap {
  FeatureMap map;
  int64_t step = 0, padding_h = 0, padding_w = 0;
};

/// Tiles that are transformed and multiplied together; and in the gradient of the weights, where they are more so that
/// its sums are seldom fetched.
constexpr int64_t kWinogradGroup = 16, kWinogradWeightsGroup = 36;

/// Floats from one frequency to the next: an odd number of lines of the cache, so that those of a tile spread over all
/// of its sets.
constexpr int64_t winograd_stride(int64_t group) {
  return (group + 1 - group % 2) * 16;
}

/// One direction of the convolution, from tiles to tiles.
struct WinogradPass {
  TiledMap from, to;
  int64_t frequencies = 0;        // products for one tile, (m+2)²
  int64_t rows = 0, columns = 0;  // tiles of an image
};

/// 3×3 convolution of stride 1 by Winograd's minimal filtering F(m×m,3×3), m = 6, 4 or 2 (Lavin and Gray 2016): an
/// output tile Y [m,m] from an input tile d [m+2,m+2],
///   Y = Aᵀ[(G g Gᵀ) ⊙ (Bᵀ d B)]A,
/// where the products over the channels are (m+2)² small matrix products. The two gradients are the adjoints of the
/// same map and use the same tiles:
///   ∂d = B[(G g Gᵀ) ⊙ (A ∂Y Aᵀ)]Bᵀ, overlapping tiles added;   ∂g = Gᵀ[(Bᵀ d B) ⊙ (A ∂Y Aᵀ)]G.
/// All maps are blocked (see FeatureMap). Everything runs on the calling thread; `scratch` holds scratch_size() floats
/// of the caller's, aligned to 64 bytes, and nothing is kept in it.
class Winograd {
 public:
  /// tile 6, 4 or 2; padding on all sides, in {0,1,2}. Where the tile divides the output it takes 64/36, 36/16 or 16/4
  /// products for an output and a channel, instead of 9; a larger one rounds more.
  Winograd(int64_t tile, const FeatureMap& in, int64_t out_channels, int64_t padding_h, int64_t padding_w);

  const FeatureMap& out() const { return forward_.to.map; }
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
  WinogradPass forward_, backward_;
  std::vector<float> kernels_;  // [out/16][frequency][in][16], transformed; in and out filled up to whole blocks
  std::vector<float> kernels_adjoint_;  // [in/16][frequency][out][16]
  std::vector<float> bias_;             // [out/16][16], or empty
};

}  // namespace arks::engine
