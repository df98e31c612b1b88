#pragma once
#include "engine/op.h"
#include "engine/pooling.h"

#include <arks/model/graph.h>

#include <optional>

namespace arks::engine {

/// y = f(pool(convolution(x)) + rest), where pooling and rest may be missing, and a batch norm with fixed statistics
/// may be folded into the convolution.
struct ConvolutionSettings {
  Convolution layer;
  std::optional<BatchNorm> folded;
  std::optional<Pooling> pooling;
  Activation activation;
  FeatureMap in;
  bool plain_input = false;  // x is as torch has it, [channels][h][w]; else blocked
};

/// The convolution's kernel: Winograd, oneDNN, or the one for few channels.
class ConvolutionKernel {
 public:
  virtual ~ConvolutionKernel() = default;
  virtual const FeatureMap& out() const = 0;
  virtual int64_t scratch_size() const = 0;
  virtual void load(const float* weight, const float* bias) = 0;
  virtual void forward(const float* x, float* y, int64_t images, float* scratch) const = 0;
  virtual void backward_input(const float* dy, float* dx, int64_t images, float* scratch) const = 0;
  virtual int64_t gradient_size() const = 0;
  virtual void backward_weights(const float* x, const float* dy, int64_t images, float* sums, float* bias_sums,
                                float* scratch) const = 0;
  virtual void finish_gradient(const float* sums, float* dw) const = 0;

  /// Straight from the gradient behind a pooling to that of the input, where the kernel can; one image.
  virtual bool can_unpool(const Pooling& /*pooling*/) const { return false; }
  virtual void backward_input_unpooling(const float* /*dy*/, const uint8_t* /*winner*/, float* /*dx*/,
                                        float* /*scratch*/) const {}
};

/// The fastest kernel for this layer; the choice depends on shapes alone, so that results can be repeated. `together`
/// is how many images are usually given at once. Throws Error when there is none.
std::unique_ptr<ConvolutionKernel> make_kernel(const ConvolutionSettings& settings, int64_t together);

/// What a ConvolutionOp writes: the map behind convolution and pooling.
FeatureMap output_map(const ConvolutionSettings& settings);

/// `winner` is a value of output_map().size()/4 floats (rounded up to 8) for the winners of the pooling; `rest` an
/// input that is added before f.
OpPtr make_convolution(const ConvolutionSettings& settings, size_t input, std::optional<size_t> rest, size_t output,
                       std::optional<size_t> winner);

}  // namespace arks::engine
