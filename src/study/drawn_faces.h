#pragma once
#include <torch/types.h>

namespace arks::study {

constexpr int64_t kFaceHeight = 55, kFaceWidth = 45;  // a quarter of CelebA's 218x178

/// A simple drawing of a face in colours, size and place of its own, with noise: uint8 [55,45,3], rows of RGB.
torch::Tensor draw_face(bool glasses, bool smiling, torch::Generator& generator);

}  // namespace arks::study
