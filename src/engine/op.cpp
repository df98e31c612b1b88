#include "engine/op.h"

#include "engine/activation.h"

#include <cstring>

namespace arks::engine {

namespace {

constexpr int64_t kAlignment = 16;  // floats of a cache line

int64_t aligned(int64_t floats) {
  return (floats + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

Arena::Arena(const std::vector<Value>& values, const std::vector<int64_t>& slots, int64_t images,
             int64_t gradient_images)
    : images_(images), gradient_images_(gradient_images) {
  int64_t size = 0;
  const auto place = [&](std::vector<int64_t>& offsets, int64_t floats) {
    offsets.push_back(size);
    // a few lines apart: buffers of a power of two each would fall on the same cache sets
    size += aligned(floats) + kAlignment * 3;
  };
  for (const auto& value : values) place(values_, value.size * images);
  for (const int64_t slot : slots) place(slots_, slot * gradient_images);
  memory_ = torch::zeros({size + kAlignment}, torch::kFloat);
  const auto address = reinterpret_cast<uintptr_t>(memory_.data_ptr<float>());
  constexpr uintptr_t kLine = kAlignment * sizeof(float);
  data_ = reinterpret_cast<float*>((address + kLine - 1) / kLine * kLine);
}

void Op::pass_on(const Pass& pass, size_t i, const float* gradient) const {
  const int64_t n = pass.count * (*pass.values)[inputs_[i]].size;
  if (accumulates_[i]) {
    add(d_in(pass, i), gradient, n);
  } else {
    std::memcpy(d_in(pass, i), gradient, static_cast<size_t>(n) * sizeof(float));
  }
}

}  // namespace arks::engine
