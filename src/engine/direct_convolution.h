#pragma once
#include "engine/feature_map.h"
#include "engine/window.h"

#include <memory>
#include <vector>

namespace arks::engine {

/// Any convolution without groups, on oneDNN's direct kernels in blocked layout, on the calling thread. `scratch` holds
/// scratch_size() floats of the caller's, aligned to 64 bytes.
class DirectConvolution {
 public:
  /// `together`: at most so many images go through one call of oneDNN; as many as there are of 1, 4 and 16. Throws
  /// Error when the window does not fit, or oneDNN has nothing but its reference code for this shape, which would be
  /// slower than libtorch.
  DirectConvolution(const FeatureMap& in, int64_t out_channels, const Window& window, int64_t together);
  ~DirectConvolution();

  const FeatureMap& out() const { return out_; }
  int64_t scratch_size() const;

  /// Weights as torch has them, [out,in,kh,kw] contiguous, and bias [out] or null.
  void load(const float* weight, const float* bias);

  /// x [images][in.size()] → y [images][out.size()], bias added.
  void forward(const float* x, float* y, int64_t images, float* scratch) const;
  /// dy [images][out.size()] → dx [images][in.size()], overwritten.
  void backward_input(const float* dy, float* dx, int64_t images, float* scratch) const;
  /// Adds to sums [gradient_size()], in oneDNN's order, and to bias_sums [blocks(out)·8] unless null.
  int64_t gradient_size() const;
  void backward_weights(const float* x, const float* dy, int64_t images, float* sums, float* bias_sums,
                        float* scratch) const;
  /// The sums in torch's order: dw [out,in,kh,kw], overwritten.
  void finish_gradient(const float* sums, float* dw) const;

 private:
  struct Primitives;
  const Primitives& primitives(int64_t images) const;

  FeatureMap in_, out_;
  std::vector<std::unique_ptr<Primitives>> sizes_;  // for 1, 4, 16 images
};

}  // namespace arks::engine
