#include <arks/data/image_files.h>

#include "data/image_cache.h"
#include "decoded_image.h"
#include "resize_plane.h"
#include "support/free_memory.h"
#include "support/text.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

namespace arks {

namespace fs = std::filesystem;

namespace {

std::string described(ImageSize size) {
  return c10::str(size.height, "x", size.width);
}

/// A colour file appeared where all were grey so far.
struct ColourFound {};

/// One call of load_images: what is wanted of every file, and the room for all of them.
class Loading {
 public:
  Loading(const std::vector<fs::path>& files, const ImageFilesOptions& options, ImageSize size, int64_t channels);

  /// Decodes all files. Throws what went wrong with the first in order that failed.
  void run();
  torch::Tensor result() const { return images_; }
  ImageCounts counts() const;

 private:
  void decode_until_done(bool is_caller);
  void report(size_t done) const;
  void decode(size_t number);
  void check_channels(const DecodedImage& image, const fs::path& file) const;
  void fail(size_t number);
  void count(size_t number, const DecodedImage& image);

  const std::vector<fs::path>& files_;
  const ImageFilesOptions& options_;
  const ImageSize size_;
  const int64_t channels_;
  torch::Tensor images_;
  uint8_t* const bytes_;

  std::atomic<size_t> next_{0}, done_{0};
  std::atomic<int64_t> transparent_{0}, grey_{0}, resized_{0};
  std::atomic<size_t> end_;  // the first failed file, or the number of files; none from there on is worth decoding
  std::mutex failing_;
  std::exception_ptr failure_;  // of file end_
  std::mutex counting_;
  size_t first_resized_ = std::numeric_limits<size_t>::max();
  ImageSize first_size_;  // of that file
};

ImageCounts Loading::counts() const {
  return {transparent_, grey_, resized_, first_size_.height, first_size_.width};
}

int64_t checked_bytes(size_t count, int64_t channels, ImageSize size) {
  const double bytes = static_cast<double>(count) * static_cast<double>(channels) * static_cast<double>(size.height) *
                       static_cast<double>(size.width);
  check_fits_memory(bytes, c10::str(count, " images of ", described(size), " pixels"),
                    "resize them to fewer pixels (--resize)");
  return static_cast<int64_t>(bytes);
}

Loading::Loading(const std::vector<fs::path>& files, const ImageFilesOptions& options, ImageSize size, int64_t channels)
    : files_(files),
      options_(options),
      size_(size),
      channels_(channels),
      images_(torch::empty({checked_bytes(files.size(), channels, size)}, torch::kByte)
                  .view({static_cast<int64_t>(files.size()), channels, size.height, size.width})),
      bytes_(images_.data_ptr<uint8_t>()),
      end_(files.size()) {}

void Loading::run() {
  const int64_t wanted = options_.threads() > 0 ? options_.threads() : at::get_num_threads();
  const auto helpers = std::min<size_t>(static_cast<size_t>(wanted), files_.size()) - 1;
  std::vector<std::thread> threads;
  try {
    for (size_t i = 0; i < helpers; ++i) threads.emplace_back([this] { decode_until_done(/*is_caller=*/false); });
  } catch (const std::system_error&) {
    // no more threads to be had: those there are do the work
  }
  decode_until_done(/*is_caller=*/true);
  for (auto& thread : threads) thread.join();
  if (failure_) std::rethrow_exception(failure_);
  report(files_.size());
}

void Loading::report(size_t done) const {
  if (!options_.progress()) return;
  if (options_.progress()(static_cast<int64_t>(done), static_cast<int64_t>(files_.size()))) return;
  throw RunError(c10::str("interrupted after reading ", done, " of ", files_.size(), " images"));
}

void Loading::decode_until_done(bool is_caller) {
  for (size_t number = next_++; number < end_; number = next_++) {
    try {
      decode(number);
      const size_t done = ++done_;
      if (is_caller && done < files_.size()) report(done);
    } catch (...) {
      fail(number);
    }
  }
}

void Loading::fail(size_t number) {
  const std::lock_guard<std::mutex> lock(failing_);
  if (number >= end_) return;
  end_ = number;
  failure_ = std::current_exception();
}

void Loading::check_channels(const DecodedImage& image, const fs::path& file) const {
  if (image.channels == channels_) return;
  if (image.channels == 1) {
    ARKS_CHECK(options_.grey_as_colour(), file.string(), ": a greyscale image where colour (RGB) is expected");
    return;
  }
  if (options_.channels() == 0) throw ColourFound();
}

/// The luma of ITU-R BT.601, in whole numbers and rounded as Pillow does: grey stored as colour comes back exactly.
DecodedImage to_grey(const DecodedImage& image) {
  DecodedImage grey{image.size, 1, image.transparent, {}};
  grey.samples.reserve(image.samples.size() / 3);
  for (size_t i = 0; i + 2 < image.samples.size(); i += 3) {
    const uint8_t* const pixel = &image.samples[i];
    const uint32_t luma = 19595U * pixel[0] + 38470U * pixel[1] + 7471U * pixel[2] + 0x8000U;
    grey.samples.push_back(static_cast<uint8_t>(luma >> 16U));
  }
  return grey;
}

void Loading::count(size_t number, const DecodedImage& image) {
  if (image.transparent) ++transparent_;
  if (image.channels == 1) ++grey_;
  if (image.size == size_) return;
  ++resized_;
  const std::lock_guard<std::mutex> lock(counting_);
  if (number > first_resized_) return;
  first_resized_ = number;
  first_size_ = image.size;
}

void Loading::decode(size_t number) {
  const auto& file = files_[number];
  auto image = decode_image_file(file);
  check_channels(image, file);
  ARKS_CHECK(options_.size() || image.size == size_, file.string(), ": ", described(image.size),
             " pixels (height x width), but the first, ", files_.front().string(), ", has ", described(size_),
             "; choose one size for all, as in --resize ", described(size_));
  count(number, image);
  if (image.channels > channels_) image = to_grey(image);
  const PlaneResizer resizer(image.size, size_);
  const int64_t pixels = size_.height * size_.width;
  uint8_t* const to = bytes_ + static_cast<int64_t>(number) * channels_ * pixels;
  for (int64_t channel = 0; channel < channels_; ++channel) {
    const uint8_t* const first = image.samples.data() + (image.channels == 1 ? 0 : channel);
    resizer({first, image.size.width * image.channels, image.channels}, to + channel * pixels);
  }
}

void check(const std::vector<fs::path>& files, const ImageFilesOptions& options) {
  ARKS_CHECK(!files.empty(), "images: no files given");
  ARKS_CHECK(options.channels() == 0 || options.channels() == 1 || options.channels() == 3,
             "images: channels must be 1, 3, or 0 (as found), got ", options.channels());
  ARKS_CHECK(options.threads() >= 0, "images: threads must not be negative, got ", options.threads());
  if (options.size()) check(*options.size(), "images: size");
}

struct Decoded {
  torch::Tensor images;
  ImageCounts counts;
};

Decoded decode(const std::vector<fs::path>& files, const ImageFilesOptions& options, ImageSize size, int64_t channels) {
  Loading loading(files, options, size, channels);
  loading.run();
  return {loading.result(), loading.counts()};
}

Decoded decode(const std::vector<fs::path>& files, const ImageFilesOptions& options) {
  auto size = options.size();
  int64_t channels = options.channels();
  if (!size || channels == 0) {
    const auto first = decode_image_file(files.front());
    if (!size) size = first.size;
    if (channels == 0) channels = first.channels;
  }
  try {
    return decode(files, options, *size, channels);
  } catch (const ColourFound&) {
    // rare enough to begin again: grey first, colour later
    return decode(files, options, *size, 3);
  }
}

/// What the user may not expect, said each time that such images are used.
torch::Tensor told(const Decoded& decoded, const ImageFilesOptions& options) {
  const auto& [images, counts] = decoded;
  const auto& note = options.note();
  if (!note) return images;
  const auto how_many = [total = images.size(0)](int64_t count) { return c10::str(count, " of ", total, " images "); };
  if (counts.transparent > 0) {
    note(how_many(counts.transparent) + "have an alpha channel; it was left out, colours are as stored",
         /*important=*/true);
  }
  if (images.size(1) == 3 && counts.grey > 0 && counts.grey < images.size(0)) {
    note(how_many(counts.grey) + "are grey, the others are in colour; all are read as colour", /*important=*/true);
  }
  if (const auto coloured = images.size(0) - counts.grey; images.size(1) == 1 && coloured > 0) {
    note(how_many(coloured) + "are in colour; they are read as grey, 0.299 R + 0.587 G + 0.114 B", /*important=*/true);
  }
  if (options.tells_sizes() && counts.resized > 0) {
    note(how_many(counts.resized) + "are resized to " + described({images.size(2), images.size(3)}) +
             " (height x width), the first from " + described({counts.height, counts.width}),
         /*important=*/true);
  }
  return images;
}

}  // namespace

void check(const ImageSize& size, const char* what) {
  ARKS_CHECK(size.height >= 1 && size.height <= kMaxImageSide && size.width >= 1 && size.width <= kMaxImageSide, what,
             ": height and width must be 1 to ", kMaxImageSide, ", got ", size.height, "x", size.width);
}

torch::Tensor load_images(const std::vector<fs::path>& files, const ImageFilesOptions& options) {
  check(files, options);
  if (options.cache_dir().empty()) return told(decode(files, options), options);
  const auto note = [&](const std::string& text, bool important) {
    if (options.note()) options.note()(text, important);
  };
  const ImageCache cache(options.cache_dir(), files, options);
  const auto found = cache.read();
  if (found.images) {
    note(c10::str(files.size(), " images from the cache ", cache.path().string()), /*important=*/false);
    return told({*found.images, found.counts}, options);
  }
  if (!found.reason.empty()) {
    note(c10::str("the cache ", cache.path().string(), " is ", found.reason, "; it is rebuilt"), /*important=*/false);
  }
  const auto decoded = decode(files, options);
  try {
    cache.write(decoded.images, decoded.counts);
    note(c10::str(files.size(), " images decoded, kept in ", cache.path().string()), /*important=*/false);
  } catch (const RunError& error) {
    note(c10::str("decoded images cannot be cached: ", error.what()), /*important=*/true);
  }
  return told(decoded, options);
}

}  // namespace arks
