#include "engine/op.h"

#include "engine/activation.h"
#include "engine/cache_line.h"

#include <cstring>

namespace arks::engine {

Arena::Arena(const std::vector<Value>& values, const std::vector<int64_t>& slots, int64_t images,
             int64_t gradient_images)
    : images_(images), gradient_images_(gradient_images) {
  int64_t size = 0;
  const auto place = [&](std::vector<int64_t>& offsets, int64_t floats) {
    offsets.push_back(size);
    // a few lines apart: buffers of a power of two each would fall on the same cache sets
    size += whole_lines(floats) + kLine * 3;
  };
  for (const auto& value : values) place(values_, value.size * images);
  for (const int64_t slot : slots) place(slots_, slot * gradient_images);
  memory_ = torch::zeros({size + kLine}, torch::kFloat);
  data_ = line_start(memory_.data_ptr<float>());
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
