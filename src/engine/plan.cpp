#include "engine/plan.h"

#include "engine/team.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cstring>

namespace arks::engine {

namespace {

/// Activations of a chunk should fit beside the weights into a core's share of the last cache; and dense layers want
/// several samples at once.
constexpr int64_t kChunkBytes = 3 << 20;
constexpr int64_t kSmallestChunk = 8, kLargestChunk = 16;

bool same_numbers(const torch::Tensor& a, const torch::Tensor& b) {
  return std::memcmp(a.data_ptr(), b.data_ptr(), a.nbytes()) == 0;
}

}  // namespace

Plan::Plan(std::vector<OpPtr> ops, std::vector<Value> values, std::vector<int64_t> sample_shape, int64_t outputs)
    : ops_(std::move(ops)), values_(std::move(values)), sample_shape_(std::move(sample_shape)), outputs_(outputs) {
  sample_numbers_ = c10::multiply_integers(sample_shape_);
  output_ = ops_.back()->output();
  coupled_ = std::any_of(ops_.begin(), ops_.end(), [](const OpPtr& op) { return op->couples(); });
  assign_slots();
  int64_t bytes = 0;
  for (const auto& value : values_) bytes += value.size * static_cast<int64_t>(sizeof(float));
  chunk_ = std::clamp(kChunkBytes / bytes / 4 * 4, kSmallestChunk, kLargestChunk);
  for (const auto& op : ops_) {
    scratch_size_ = std::max(scratch_size_, op->scratch_size());
    op->sums_offset = sums_size_;
    sums_size_ += op->sums_size();
    for (const auto& source : op->sources()) {
      if (!source.defined()) continue;
      ARKS_CHECK(source.scalar_type() == torch::kFloat && source.device().is_cpu(),
                 "weights must be float32 on the CPU, got ", source.scalar_type());
      ARKS_CHECK(source.is_contiguous(), "weights must be contiguous");
      loaded_.emplace_back(source, torch::Tensor());
    }
  }
}

/// Gradients are taken from the last operation to the first: one is written by the consumers of a value and read by its
/// producer, and after that its memory is free.
void Plan::assign_slots() {
  std::vector<bool> free;
  // in a coupled plan images are at different operations at the same time: an image must find in a slot of many images
  // the same place whatever value is there
  const auto fits = [&](int64_t slot, int64_t size) { return !coupled_ || slot == size; };
  const auto take = [&](Value& value) {
    size_t slot = 0;
    while (slot < free.size() && !(free[slot] && fits(slots_[slot], value.size))) ++slot;
    if (slot == free.size()) {
      free.push_back(false);
      slots_.push_back(0);
    }
    free[slot] = false;
    slots_[slot] = std::max(slots_[slot], value.size);
    value.slot = static_cast<int64_t>(slot);
  };
  take(values_[output_]);
  for (auto op = ops_.rbegin(); op != ops_.rend(); ++op) {
    for (size_t i = 0; i < (*op)->inputs().size(); ++i) {
      auto& value = values_[(*op)->inputs()[i]];
      (*op)->set_accumulates(i, value.slot >= 0);
      if (value.slot < 0) take(value);
    }
    free[static_cast<size_t>(values_[(*op)->output()].slot)] = true;
  }
  for (auto& value : values_) {
    if (value.slot >= 0) value.slot_size = slots_[static_cast<size_t>(value.slot)];
  }
}

void Plan::load() {
  const bool same = std::all_of(loaded_.begin(), loaded_.end(), [](const auto& pair) {
    return pair.second.defined() && same_numbers(pair.first, pair.second);
  });
  if (same) return;
  torch::NoGradGuard no_grad;
  for (auto& [source, copy] : loaded_) {
    if (copy.defined()) {
      copy.copy_(source);
    } else {
      copy = source.detach().clone();
    }
  }
  on_threads(static_cast<int64_t>(ops_.size()), [&](int64_t i) {
    torch::NoGradGuard no_grad_here;
    ops_[static_cast<size_t>(i)]->load();
  });
}

Pass Plan::pass(Arena& arena, int64_t first, int64_t count, int64_t gradient_first, float* scratch) const {
  Pass pass;
  pass.values = &values_;
  pass.arena = &arena;
  pass.first = first;
  pass.count = count;
  pass.gradient_first = gradient_first;
  pass.scratch = scratch;
  return pass;
}

void Plan::forward(const Pass& pass) const {
  for (const auto& op : ops_) op->forward(pass);
}

void Plan::backward(const Pass& pass) const {
  for (auto op = ops_.rbegin(); op != ops_.rend(); ++op) (*op)->backward(pass);
}

std::vector<torch::Tensor> Plan::weights() const {
  std::vector<torch::Tensor> all;
  for (const auto& op : ops_) {
    for (auto& weight : op->weights()) all.push_back(std::move(weight));
  }
  return all;
}

std::vector<torch::Tensor> Plan::gradients(const float* sums, const Pass& batch) const {
  std::vector<std::vector<torch::Tensor>> of_ops(ops_.size());
  // those that come out of sums one operation to a thread; the others use all threads themselves
  on_threads(static_cast<int64_t>(ops_.size()), [&](int64_t i) {
    const auto& op = *ops_[static_cast<size_t>(i)];
    torch::NoGradGuard no_grad;
    if (op.sums_size() > 0) of_ops[static_cast<size_t>(i)] = op.gradients(sums, batch);
  });
  std::vector<torch::Tensor> all;
  for (size_t i = 0; i < ops_.size(); ++i) {
    if (ops_[i]->sums_size() == 0) of_ops[i] = ops_[i]->gradients(sums, batch);
    for (auto& gradient : of_ops[i]) all.push_back(std::move(gradient));
  }
  return all;
}

}  // namespace arks::engine
