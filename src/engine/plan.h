#pragma once
#include "engine/op.h"

#include <arks/model/graph.h>

#include <memory>
#include <string>
#include <vector>

namespace arks::engine {

/// What a plan is for.
enum class Purpose {
  kFrozen,    ///< evaluation mode, gradients of the input only; batch norm is folded into the convolution before it
  kTraining,  ///< training mode, gradients of the weights too; batch norm takes the statistics of the batch
};

/// A network as a static program for samples of one shape: operations in order, with all buffers known. It runs on one
/// thread at a time per Pass; the caller spreads runs of images over threads.
class Plan {
 public:
  Plan(std::vector<OpPtr> ops, std::vector<Value> values, std::vector<int64_t> sample_shape, int64_t outputs);

  const std::vector<int64_t>& sample_shape() const { return sample_shape_; }
  int64_t sample_numbers() const { return sample_numbers_; }
  /// Floats from one sample to the next: sample_numbers() rounded up to a multiple of 8, zeros behind.
  int64_t sample_stride() const { return values_.front().size; }
  int64_t outputs() const { return outputs_; }
  int64_t output_stride() const { return values_[output_].size; }
  size_t output() const { return output_; }

  /// True when batch norm makes every image depend on the others; then forward(Pass) alone is not enough.
  bool coupled() const { return coupled_; }

  /// Images that go through together: as many as keep the weights of dense layers busy without leaving the cache.
  int64_t chunk() const { return chunk_; }

  /// Takes over the model's weights when they differ from those it has.
  void load();

  Arena arena(int64_t images, int64_t gradient_images) const { return {values_, slots_, images, gradient_images}; }
  int64_t scratch_size() const { return scratch_size_; }
  int64_t sums_size() const { return sums_size_; }
  Pass pass(Arena& arena, int64_t first, int64_t count, int64_t gradient_first, float* scratch) const;

  /// All operations on a run of images; input value → output value, and back. Not for coupled plans.
  void forward(const Pass& pass) const;
  void backward(const Pass& pass) const;

  /// The operations, for those who run coupled plans stage by stage.
  const std::vector<OpPtr>& ops() const { return ops_; }

  /// The model's tensors that have gradients here, in the order of gradients().
  std::vector<torch::Tensor> weights() const;
  std::vector<torch::Tensor> gradients(const float* sums, const Pass& batch) const;

 private:
  void assign_slots();

  std::vector<OpPtr> ops_;
  std::vector<Value> values_;
  std::vector<int64_t> slots_;  // floats per image
  std::vector<int64_t> sample_shape_;
  int64_t sample_numbers_ = 0, outputs_, chunk_ = 1, scratch_size_ = 0, sums_size_ = 0;
  size_t output_ = 0;
  bool coupled_ = false;
  std::vector<std::pair<torch::Tensor, torch::Tensor>> loaded_;  // the model's weights and what they were when loaded
};

/// The plan of a network. Throws Error with the reason when an operation cannot be compiled.
std::unique_ptr<Plan> compile(const Graph& graph, torch::IntArrayRef sample_shape, Purpose purpose);

}  // namespace arks::engine
