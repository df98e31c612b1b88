#include <arks/data/augmented.h>
#include <arks/support/error.h>
#include <arks/support/random.h>

#include <algorithm>
#include <cstring>

namespace arks {

namespace {

/// 32 random bits to 0 … count − 1; what is uneven in it is below count/2³².
int64_t spread(uint64_t bits, int64_t count) {
  return static_cast<int64_t>((bits * static_cast<uint64_t>(count)) >> 32);
}

/// One row of the result: `from` moved left by `shift` (right when negative), zeros where it has nothing; mirrored
/// afterwards. `from` is nullptr for a row that is all padding.
template <typename Word>
void crop_row(const Word* from, int64_t width, int64_t shift, bool flip, Word* to) {
  const int64_t begin = std::max<int64_t>(0, -shift), end = std::min(width, width - shift);
  if (from == nullptr) {
    std::fill(to, to + width, Word{0});
  } else if (flip) {
    std::fill(to, to + (width - end), Word{0});
    std::reverse_copy(from + begin + shift, from + end + shift, to + (width - end));
    std::fill(to + (width - begin), to + width, Word{0});
  } else {
    std::fill(to, to + begin, Word{0});
    std::memcpy(to + begin, from + begin + shift, static_cast<size_t>(end - begin) * sizeof(Word));
    std::fill(to + end, to + width, Word{0});
  }
}

/// images [n,c,h,w] → the same, each as drawn. Word has the size of a number; all bits zero is the number zero.
template <typename Word>
void crop_images(const torch::Tensor& images, const std::vector<CropFlip>& draws, int64_t padding, torch::Tensor& out) {
  const int64_t channels = images.size(1), height = images.size(2), width = images.size(3);
  const auto* from = static_cast<const Word*>(images.data_ptr());
  auto* to = static_cast<Word*>(out.data_ptr());
  for (const auto& draw : draws) {
    for (int64_t c = 0; c < channels; ++c, from += height * width) {
      for (int64_t y = 0; y < height; ++y, to += width) {
        const int64_t row = y + draw.dy - padding;
        const bool inside = row >= 0 && row < height;
        crop_row<Word>(inside ? from + row * width : nullptr, width, draw.dx - padding, draw.flip, to);
      }
    }
  }
}

}  // namespace

void check(const CropFlipOptions& options, const DatasetInfo& info) {
  const auto& shape = info.input_shape;
  ARKS_CHECK(shape.size() == 3, "augmentation needs images [c,h,w], but the samples of ", info.name, " have the shape ",
             c10::IntArrayRef(shape));
  const int64_t side = std::min(shape[1], shape[2]);
  ARKS_CHECK(options.padding() >= 0 && options.padding() < side, "the padding of the crop must be 0 to ", side - 1,
             " for images of ", shape[1], "x", shape[2], ", got ", options.padding());
  if (options.padding() == 0 || !info.bounds) return;
  ARKS_CHECK(info.bounds->lows().max().item<double>() <= 0 && info.bounds->highs().min().item<double>() >= 0,
             "the crop pads with zeros, which are outside the bounds of ", info.name, ", ", to_string(*info.bounds));
}

CropFlip draw_crop_flip(const CropFlipOptions& options, uint64_t seed, int64_t index) {
  // two words: all three draws from one would have to share its bits
  const uint64_t place = mix_seed(seed, Stream::kAugmentation, 2 * static_cast<uint64_t>(index));
  const uint64_t side = mix_seed(seed, Stream::kAugmentation, 2 * static_cast<uint64_t>(index) + 1);
  const int64_t offsets = 2 * options.padding() + 1;
  return {spread(place >> 32, offsets), spread(place & 0xffffffffU, offsets), options.flip() && (side >> 63) != 0};
}

Augmented::Augmented(DatasetPtr source, CropFlipOptions options, uint64_t seed)
    : source_(std::move(source)), options_(options), seed_(seed) {
  ARKS_CHECK(source_ != nullptr, "augmentation: no data set given");
  check(options_, source_->info());
}

Batch Augmented::get(const torch::Tensor& indices) const {
  auto batch = source_->get(indices);
  const auto numbers = indices.to(torch::kLong).contiguous();
  std::vector<CropFlip> draws;
  draws.reserve(static_cast<size_t>(numbers.numel()));
  for (int64_t i = 0; i < numbers.numel(); ++i) {
    draws.push_back(draw_crop_flip(options_, seed_, numbers.data_ptr<int64_t>()[i]));
  }
  const auto images = batch.inputs.contiguous();
  auto out = torch::empty_like(images);
  switch (images.element_size()) {
    case 2:
      crop_images<uint16_t>(images, draws, options_.padding(), out);
      break;
    case 4:
      crop_images<uint32_t>(images, draws, options_.padding(), out);
      break;
    case 8:
      crop_images<uint64_t>(images, draws, options_.padding(), out);
      break;
    default:
      throw Error(c10::str("augmentation does not support images of type ", images.scalar_type()));
  }
  batch.inputs = out;
  return batch;
}

}  // namespace arks
