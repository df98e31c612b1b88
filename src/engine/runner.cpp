#include "engine/runner.h"

#include "engine/activation.h"
#include "engine/cache_line.h"
#include "engine/team.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace arks::engine {

void Workspace::prepare(int64_t threads, int64_t scratch, int64_t sums) {
  scratch_ = whole_lines(scratch) + kLine;
  sums_ = whole_lines(sums) + kLine;
  const int64_t floats = threads * (scratch_ + sums_) + kLine;
  if (!memory_.defined() || memory_.numel() < floats) memory_ = torch::empty({floats}, torch::kFloat);
  base_ = line_start(memory_.data_ptr<float>());
}

int64_t threads_for(int64_t images) {
  return std::max<int64_t>(1, std::min<int64_t>(at::get_num_threads(), images));
}

int64_t chunk_for(const Plan& plan, int64_t images, int64_t threads) {
  return std::max<int64_t>(1, std::min(plan.chunk(), (images + threads - 1) / threads));
}

void for_shares(int64_t images, int64_t threads, int64_t chunk, const Run& run) {
  on_threads(threads, [&](int64_t thread) {
    const int64_t end = images * (thread + 1) / threads;
    for (int64_t first = images * thread / threads; first < end; first += chunk) {
      run(thread, first, std::min(chunk, end - first));
    }
  });
}

void for_chunks(int64_t images, int64_t threads, int64_t chunk, const Run& run) {
  std::atomic<int64_t> next{0};
  on_threads(threads, [&](int64_t thread) {
    for (int64_t first = next.fetch_add(chunk); first < images; first = next.fetch_add(chunk)) {
      run(thread, first, std::min(chunk, images - first));
    }
  });
}

void copy_rows(const float* from, int64_t from_stride, float* to, int64_t to_stride, int64_t rows, int64_t numbers) {
  for (int64_t row = 0; row < rows; ++row) {
    std::memcpy(to + row * to_stride, from + row * from_stride, static_cast<size_t>(numbers) * sizeof(float));
  }
}

Arena batch_arena(const Plan& plan, int64_t images) {
  const int64_t threads = threads_for(images), chunk = chunk_for(plan, images, threads);
  auto arena = plan.arena(images, plan.coupled() ? images : threads * chunk);
  arena.threads = threads;
  arena.chunk = chunk;
  return arena;
}

void forward(const Plan& plan, Arena& arena, Workspace& workspace, bool move_statistics) {
  const int64_t images = arena.images(), threads = arena.threads, chunk = arena.chunk;
  workspace.prepare(threads, plan.scratch_size(), 0);
  const auto& ops = plan.ops();
  size_t begin = 0;
  bool settled = false;  // whether ops[begin] has looked at all images already
  while (begin < ops.size()) {
    size_t end = begin + (settled ? 1 : 0);
    while (end < ops.size() && !ops[end]->couples()) ++end;
    for_shares(images, threads, chunk, [&](int64_t thread, int64_t first, int64_t count) {
      const auto pass = plan.pass(arena, first, count, 0, workspace.scratch(thread));
      for (size_t i = begin; i < end; ++i) ops[i]->forward(pass);
      if (end < ops.size()) ops[end]->measure(pass);
    });
    if (end < ops.size()) ops[end]->settle(plan.pass(arena, 0, images, 0, nullptr), move_statistics);
    begin = end;
    settled = true;
  }
}

std::vector<torch::Tensor> backward(const Plan& plan, Arena& arena, Workspace& workspace, const float* dy, float* dx,
                                    bool weights) {
  const int64_t images = arena.images(), threads = arena.threads, chunk = arena.chunk;
  const int64_t sums = weights ? plan.sums_size() : 0;
  workspace.prepare(threads, plan.scratch_size(), sums);
  for (int64_t thread = 0; thread < threads; ++thread) {
    std::memset(workspace.sums(thread), 0, static_cast<size_t>(sums) * sizeof(float));
  }
  const auto& ops = plan.ops();
  const auto stage = [&](int64_t thread, int64_t first, int64_t count, size_t begin, size_t end, bool measure) {
    auto pass = plan.pass(arena, first, count, plan.coupled() ? first : thread * chunk, workspace.scratch(thread));
    pass.sums = weights ? workspace.sums(thread) : nullptr;
    pass.input_gradient = dx != nullptr;
    if (end == ops.size()) {
      copy_rows(dy + first * plan.outputs(), plan.outputs(), pass.gradient(plan.output()), plan.output_stride(), count,
                plan.outputs());
    }
    for (size_t i = end; i > begin; --i) ops[i - 1]->backward(pass);
    if (measure) return ops[begin - 1]->measure_backward(pass);
    if (dx == nullptr) return;
    copy_rows(pass.gradient(0), plan.sample_stride(), dx + first * plan.sample_numbers(), plan.sample_numbers(), count,
              plan.sample_numbers());
  };
  size_t end = ops.size();
  bool settled = false;  // whether ops[end - 1] has looked at all images already
  do {
    size_t begin = end - (settled ? 1 : 0);
    while (begin > 0 && !ops[begin - 1]->couples()) --begin;
    for_shares(images, threads, chunk, [&](int64_t thread, int64_t first, int64_t count) {
      stage(thread, first, count, begin, end, /*measure=*/begin > 0);
    });
    if (begin > 0) ops[begin - 1]->settle_backward(plan.pass(arena, 0, images, 0, nullptr));
    end = begin;
    settled = true;
  } while (end > 0);
  if (!weights) return {};
  for (int64_t thread = 1; thread < threads; ++thread) add(workspace.sums(0), workspace.sums(thread), sums);
  return plan.gradients(workspace.sums(0), plan.pass(arena, 0, images, 0, nullptr));
}

}  // namespace arks::engine
