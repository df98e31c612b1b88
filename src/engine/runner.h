#pragma once
#include "engine/plan.h"

#include <functional>
#include <vector>

namespace arks::engine {

/// Buffers of every thread: what operations need while they run, and sums of weight gradients.
class Workspace {
 public:
  void prepare(int64_t threads, int64_t scratch, int64_t sums);
  float* scratch(int64_t thread) { return address(thread); }
  float* sums(int64_t thread) { return address(thread) + scratch_; }
  int64_t bytes() const { return memory_.defined() ? static_cast<int64_t>(memory_.nbytes()) : 0; }

 private:
  float* address(int64_t thread) { return base_ + thread * (scratch_ + sums_); }

  torch::Tensor memory_;
  float* base_ = nullptr;
  int64_t scratch_ = 0, sums_ = 0;
};

/// As many threads as torch uses, but no more than images.
int64_t threads_for(int64_t images);

/// Images that one thread takes at a time, so that every thread gets some.
int64_t chunk_for(const Plan& plan, int64_t images, int64_t threads);

using Run = std::function<void(int64_t thread, int64_t first, int64_t count)>;

/// Splits the images into one contiguous share per thread and runs each in chunks: the same split for the same numbers.
void for_shares(int64_t images, int64_t threads, int64_t chunk, const Run& run);

/// Chunks in order to whichever thread is free: for work whose result does not depend on the thread.
void for_chunks(int64_t images, int64_t threads, int64_t chunk, const Run& run);

/// Rows of `from` into rows of `to`, `numbers` each; what is left of a row of `to` stays.
void copy_rows(const float* from, int64_t from_stride, float* to, int64_t to_stride, int64_t rows, int64_t numbers);

/// An arena for all images of a batch, from which backward() can be run.
Arena batch_arena(const Plan& plan, int64_t images);

/// All images of the arena, whose input values are there, through the plan. A coupled plan goes stage by stage, and
/// moves the running statistics of batch norm when asked to.
void forward(const Plan& plan, Arena& arena, Workspace& workspace, bool move_statistics);

/// Back: `dy` [images, outputs] contiguous; the gradient of the input goes to `dx` [images, numbers] unless null. With
/// `weights` returns their gradients, in the order of plan.weights().
std::vector<torch::Tensor> backward(const Plan& plan, Arena& arena, Workspace& workspace, const float* dy, float* dx,
                                    bool weights);

}  // namespace arks::engine
