#pragma once
#include "engine/feature_map.h"

#include <torch/types.h>

#include <memory>
#include <vector>

namespace arks::engine {

/// What lies between two operations of a plan, for one sample: `size` floats, a multiple of 8.
struct Value {
  int64_t size = 0;
  int64_t slot = -1;      // where its gradient lies; values that are never needed at once share a slot. -1: it has none
  int64_t slot_size = 0;  // floats per image of that slot: the largest value in it
};

/// Memory for a number of images: every value of each of them, and slots for gradients.
class Arena {
 public:
  /// Gradients for `gradient_images`: as many as images, or fewer where a run of images is taken back through the whole
  /// plan before the next. 0: none.
  Arena(const std::vector<Value>& values, const std::vector<int64_t>& slots, int64_t images, int64_t gradient_images);

  /// How its images are shared out: kept, since the gradients lie by threads and torch's number of threads may change.
  int64_t threads = 1, chunk = 1;

  int64_t images() const { return images_; }
  int64_t gradient_images() const { return gradient_images_; }
  int64_t bytes() const { return static_cast<int64_t>(memory_.nbytes()); }
  float* value(size_t v) const { return data_ + values_[v]; }
  float* slot(size_t s) const { return data_ + slots_[s]; }

 private:
  int64_t images_, gradient_images_;
  std::vector<int64_t> values_, slots_;  // offsets
  torch::Tensor memory_;
  float* data_;
};

/// A run of images on one thread.
struct Pass {
  const std::vector<Value>* values;
  Arena* arena;
  int64_t first = 0, count = 0;  // images of the arena
  int64_t gradient_first = 0;    // where their gradients begin
  float* scratch = nullptr;
  float* sums = nullptr;       // weight gradients of this thread; null: the gradient of the input alone
  bool input_gradient = true;  // whether that of the samples themselves is wanted

  float* value(size_t v) const { return arena->value(v) + first * (*values)[v].size; }
  /// Runs begin where the largest value of the slot would: threads may be at different values of it at the same time.
  float* gradient(size_t v) const {
    const auto& with = (*values)[v];
    return arena->slot(static_cast<size_t>(with.slot)) + gradient_first * with.slot_size;
  }
};

/// One operation of a plan: reads a value, writes another; and back. Weights are kept as the operation wants them;
/// those of the model come in by load().
class Op {
 public:
  virtual ~Op() = default;

  virtual void forward(const Pass& pass) const = 0;
  /// From the gradient of the output (which it may overwrite) to that of the inputs, in their order: two of them may be
  /// one value, and the second is added to the first. With pass.sums the gradients of the weights too.
  virtual void backward(const Pass& pass) const = 0;

  virtual int64_t scratch_size() const { return 0; }

  /// The model's tensors that it computes with, and what takes them over anew.
  virtual std::vector<torch::Tensor> sources() const { return weights(); }
  virtual void load() {}
  /// The model's own tensors that can be trained, without gradients; and what backward adds up for them.
  virtual std::vector<torch::Tensor> weights() const { return {}; }
  virtual int64_t sums_size() const { return 0; }
  /// From the sums over all images to the gradients of weights(), in their order. `batch` holds all images.
  virtual std::vector<torch::Tensor> gradients(const float* /*sums*/, const Pass& /*batch*/) const { return {}; }

  /// An operation that couples the images of a batch looks at all of them before it goes on, both ways:
  ///   measure for every run of images, settle once, then forward; and likewise back.
  /// `batch` is all of them.
  virtual bool couples() const { return false; }
  virtual void measure(const Pass& /*pass*/) const {}
  virtual void settle(const Pass& /*batch*/, bool /*move_statistics*/) const {}
  virtual void measure_backward(const Pass& /*pass*/) const {}
  virtual void settle_backward(const Pass& /*batch*/) const {}

  /// Values it reads, and the one it writes.
  const std::vector<size_t>& inputs() const { return inputs_; }
  size_t output() const { return output_; }
  /// Whether the gradient of input i is added to what is there, since another operation wrote it before.
  void set_accumulates(size_t i, bool on) { accumulates_[i] = on; }

  /// Where the numbers of load(), weights() and gradients() of this operation begin among those of the plan.
  int64_t sums_offset = 0;

 protected:
  Op(std::vector<size_t> inputs, size_t output)
      : inputs_(std::move(inputs)), output_(output), accumulates_(inputs_.size(), false) {}

  const float* in(const Pass& pass, size_t i = 0) const { return pass.value(inputs_[i]); }
  float* out(const Pass& pass) const { return pass.value(output_); }
  float* d_in(const Pass& pass, size_t i = 0) const { return pass.gradient(inputs_[i]); }
  float* d_out(const Pass& pass) const { return pass.gradient(output_); }
  bool accumulates(size_t i = 0) const { return accumulates_[i]; }
  bool wants_gradient(const Pass& pass, size_t i = 0) const { return inputs_[i] != 0 || pass.input_gradient; }

  /// Copies or adds a gradient that is simply passed on to input i.
  void pass_on(const Pass& pass, size_t i, const float* gradient) const;

 private:
  std::vector<size_t> inputs_;
  size_t output_;
  std::vector<bool> accumulates_;
};

using OpPtr = std::unique_ptr<Op>;

}  // namespace arks::engine
