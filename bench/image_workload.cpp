#include "image_workload.h"
#include "benchmark_names.h"
#include "support/file.h"
#include "support/text.h"

#include <arks/data/data_dir.h>
#include <arks/data/image_files.h>
#include <arks/support/error.h>
#include <arks/support/random.h>
#include <jpeglib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>  // jpeglib.h needs it before
#include <cstdlib>
#include <iostream>
#include <string>

namespace arks::bench {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kHeight = 218, kWidth = 178;
constexpr int kQuality = 87;
constexpr size_t kMostFiles = 1000;
constexpr int64_t kMade = 400;

/// uint8 [h,w,3]: a smooth ground, a face-like ellipse with an edge, fine noise.
torch::Tensor made_picture(uint64_t seed) {
  auto generator = make_generator(seed, Stream::kSamples);
  const auto coarse = torch::rand({1, 3, 7, 6}, generator);
  const auto medium = torch::rand({1, 3, 28, 23}, generator);
  const auto enlarged = [](const torch::Tensor& field) {
    return torch::upsample_bicubic2d(field, {kHeight, kWidth}, /*align_corners=*/false)[0];
  };
  const auto y = torch::linspace(-1, 1, kHeight).view({kHeight, 1}), x = torch::linspace(-1, 1, kWidth);
  const auto face = (x.pow(2) / 0.35 + y.pow(2) / 0.5).lt(1).to(torch::kFloat);
  const auto noise = torch::randn({1, kHeight, kWidth}, generator);
  const auto picture = 0.15 + 0.5 * enlarged(coarse) + 0.2 * enlarged(medium) + 0.15 * face + 0.012 * noise;
  return picture.mul(255).clamp(0, 255).to(torch::kByte).permute({1, 2, 0}).contiguous();
}

std::string encoded(const torch::Tensor& picture) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* memory = nullptr;
  unsigned long size = 0;  // NOLINT: libjpeg's type
  jpeg_mem_dest(&info, &memory, &size);
  info.image_height = kHeight;
  info.image_width = kWidth;
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, kQuality, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = picture.data_ptr<uint8_t>() + info.next_scanline * 3 * kWidth;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  const std::string bytes(reinterpret_cast<const char*>(memory), size);
  jpeg_destroy_compress(&info);
  std::free(memory);  // NOLINT: libjpeg took it by malloc
  return bytes;
}

}  // namespace

ImageWorkload::ImageWorkload(int64_t made) {
  auto name = (fs::temp_directory_path() / "arks-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw RunError("cannot make a temporary folder " + name);
  temporary_ = name;
  for (int64_t i = 0; i < made; ++i) {
    files_.push_back(temporary_ / (std::to_string(i) + ".jpg"));
    write_file_atomically(files_.back(), encoded(made_picture(static_cast<uint64_t>(i))));
  }
}

ImageWorkload::ImageWorkload(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) files_.push_back(entry.path());
  std::sort(files_.begin(), files_.end());
  files_.resize(std::min(files_.size(), kMostFiles));
}

ImageWorkload::~ImageWorkload() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

double ImageWorkload::mean_bytes() const {
  double bytes = 0;
  for (const auto& file : files_) bytes += static_cast<double>(fs::file_size(file));
  return bytes / static_cast<double>(files_.size());
}

void ImageWorkload::decode(int64_t threads) const {
  load_images(files_, ImageFilesOptions().size(ImageSize{64, 48}).channels(3).threads(threads));
}

fs::path celeba_folder() {
  for (const char* name : {"celeba-mini", "celeba", "."}) {
    const auto folder = default_data_dir() / name / "img_align_celeba";
    std::error_code ignored;
    if (fs::is_directory(folder, ignored) && !fs::is_empty(folder, ignored)) return folder;
  }
  return {};
}

void register_decoding(Suite& suite) {
  const auto add = [&](std::function<std::shared_ptr<ImageWorkload>()> make, int64_t count,
                       const std::string& two_threads, const std::string& one_thread) {
    const Lazy<ImageWorkload> images([=] {
      auto made = make();
      std::cout << two_threads << ": " << made->count() << " files, " << human_bytes(made->mean_bytes()) << " each"
                << std::endl;
      return made;
    });
    suite.add(two_threads, count, [=] { images->decode(2); });
    suite.add(one_thread, count, [=] { images->decode(1); });
  };
  add([] { return std::make_shared<ImageWorkload>(kMade); }, kMade, kDecodeMadeTwo, kDecodeMadeOne);
  if (const auto faces = celeba_folder(); !faces.empty()) {
    const auto workload = std::make_shared<ImageWorkload>(faces);
    add([=] { return workload; }, workload->count(), kDecodeRealTwo, kDecodeRealOne);
  }
}

}  // namespace arks::bench
