#pragma once
#include <arks/data/dataset.h>
#include <torch/arg.h>

#include <cstdint>

namespace arks {

struct CropFlipOptions {
  CropFlipOptions() = default;
  TORCH_ARG(int64_t, padding) = 4;  // pixels of zeros on every side before the crop; 0 to the shorter side − 1; 0: none
  TORCH_ARG(bool, flip) = true;     // mirror left and right with probability ½
};

/// Throws Error naming the option when these options cannot be used for images of the set: samples are [c,h,w], the
/// padding is below h and w, and zero, with which is padded, lies within the set's bounds.
void check(const CropFlipOptions& options, const DatasetInfo& info);

/// A view in which every image is cropped at random from itself with zeros around it, and mirrored at random:
///   out[c,y,x] = padded[c, y + dy, x + dx],   dy, dx uniform on 0 … 2·padding, and x ← w−1−x with probability ½.
/// The size stays. What a sample becomes depends on (seed, its number) alone, not on the batch or the order in which
/// samples are asked for: a view of another seed is another draw for all of them. Targets are left alone. The usual
/// augmentation of CIFAR-10 (He, Zhang, Ren, Sun, "Deep Residual Learning for Image Recognition", 2016).
class Augmented : public Dataset {
 public:
  /// Throws Error as check() does.
  Augmented(DatasetPtr source, CropFlipOptions options, uint64_t seed);

  int64_t size() const override { return source_->size(); }
  Batch get(const torch::Tensor& indices) const override;
  const DatasetInfo& info() const override { return source_->info(); }

 private:
  DatasetPtr source_;
  CropFlipOptions options_;
  uint64_t seed_;
};

/// What sample number `index` undergoes.
struct CropFlip {
  int64_t dy = 0, dx = 0;  ///< where the crop begins in the padded image
  bool flip = false;
};

CropFlip draw_crop_flip(const CropFlipOptions& options, uint64_t seed, int64_t index);

}  // namespace arks
