#include "study/stand_in.h"

#include "data/celeba_lists.h"
#include "data/cifar10_files.h"
#include "data/fetch.h"
#include "data/fetch_folder.h"
#include "study/drawn_faces.h"
#include "support/file.h"
#include "support/text.h"

#include <arks/data/cifar10.h>
#include <arks/support/error.h>
#include <arks/support/random.h>
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cstring>

namespace arks::study {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t kSeed = 6;
constexpr const char* kReadme = "README.txt";
constexpr const char* kMark = "These images are made up.";

std::string readme(const std::string& name) {
  return c10::str(kMark, " arks drew them to try out a study where the data set ", name,
                  " was not found.\nThey are in its layout and nothing else of it: what is measured on them says "
                  "nothing about ",
                  name, ".\n");
}

// --- cifar10 ---------------------------------------------------------------------------------------------------------

/// A smooth pattern of colours for each class, the same in the mirror, about ±1: [10,3,32,32].
torch::Tensor class_patterns() {
  auto generator = make_generator(kSeed, Stream::kSamples, 0);
  const auto coarse = torch::empty({10, 3, 4, 4}).uniform_(-1, 1, generator);
  const auto smooth = at::upsample_bilinear2d(coarse, {32, 32}, /*align_corners=*/false);
  return (smooth + smooth.flip(3)) / 1.4;  // a sum of two is √2 as wide
}

/// Records of one file: every class as often as any other, in mixed order.
std::string cifar10_records(const torch::Tensor& patterns, uint64_t file) {
  constexpr int64_t kImages = 200;
  auto generator = make_generator(kSeed, Stream::kSamples, 1 + file);
  const auto labels = torch::randperm(kImages, generator, torch::kLong) % 10;
  const auto brightness = torch::empty({kImages, 1, 1, 1}).normal_(0, 0.08, generator);
  const auto noise = torch::empty({kImages, 3, 32, 32}).normal_(0, 0.1, generator);
  const auto images = (0.5 + 0.2 * patterns.index_select(0, labels) + brightness + noise).clamp(0, 1) * 255;
  const auto records =
      torch::cat({labels.to(torch::kByte).unsqueeze(1), images.round().to(torch::kByte).flatten(1)}, 1);
  return {reinterpret_cast<const char*>(records.data_ptr<uint8_t>()), static_cast<size_t>(records.numel())};
}

void write_cifar10(const fs::path& folder) {
  const auto patterns = class_patterns();
  uint64_t number = 0;
  for (const auto& file : cifar10_files()) {
    write_file_atomically(folder / file.name, cifar10_records(patterns, number++));
  }
  write_file_atomically(folder / "batches.meta.txt", cifar10_meta());
}

// --- celeba ----------------------------------------------------------------------------------------------------------

/// uint8 [h,w,3]
std::string png_of(const torch::Tensor& pixels) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.height = static_cast<png_uint_32>(pixels.size(0));
  image.width = static_cast<png_uint_32>(pixels.size(1));
  image.format = PNG_FORMAT_RGB;
  const auto rows = pixels.contiguous();
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  const int written = png_image_write_to_memory(&image, bytes.data(), &size, /*convert_to_8_bit=*/0,
                                                rows.data_ptr<uint8_t>(), /*row_stride=*/0, /*colormap=*/nullptr);
  if (written == 0) throw RunError(c10::str("libpng cannot write an image: ", image.message));
  bytes.resize(size);
  return bytes;
}

void write_celeba(const fs::path& folder) {
  constexpr int64_t kImages = 80, kTraining = 48, kFirstTest = 16;  // the rest is partition 2
  fs::create_directory(folder / kCelebaImages);
  auto generator = make_generator(kSeed, Stream::kSamples, 100);
  std::string attributes = fmt::format("{}\nEyeglasses Smiling\n", kImages), partitions;
  for (int64_t i = 0; i < kImages; ++i) {
    const auto file = fmt::format("{:06}.jpg", i + 1);
    const bool glasses = i % 2 == 0, smiling = i % 4 < 2;
    write_file_atomically(folder / kCelebaImages / file, png_of(draw_face(glasses, smiling, generator)));
    attributes += fmt::format("{} {:2} {:2}\n", file, glasses ? 1 : -1, smiling ? 1 : -1);
    partitions += fmt::format("{} {}\n", file, i < kTraining ? 0 : i < kTraining + kFirstTest ? 1 : 2);
  }
  write_file_atomically(folder / kCelebaAttributes, attributes);
  write_file_atomically(folder / kCelebaPartitions, partitions);
}

// --- both ------------------------------------------------------------------------------------------------------------

struct StandIn {
  std::string name, folder;
  void (*write)(const fs::path& folder);
};

const std::vector<StandIn>& stand_ins() {
  static const std::vector<StandIn> all = {{kCifar10Name, kCifar10Folder, write_cifar10},
                                           {kCelebaName, kCelebaName, write_celeba}};
  return all;
}

/// Whether the stand-in is there as this program makes it. Throws Error when something else is.
bool is_there(const fs::path& target, const std::string& name) {
  std::error_code ignored;
  if (!fs::exists(target, ignored)) return false;
  const std::string text = fs::exists(target / kReadme, ignored) ? read_file(target / kReadme) : "";
  ARKS_CHECK(text.rfind(kMark, 0) == 0, target.string(),
             " is not a made-up data set and is left unchanged; choose another folder");
  return text == readme(name);
}

}  // namespace

std::vector<std::string> stand_in_names() {
  std::vector<std::string> names;
  for (const auto& stand_in : stand_ins()) names.push_back(stand_in.name);
  return names;
}

fs::path make_stand_in(const std::string& name, const fs::path& folder) {
  const auto& all = stand_ins();
  const auto found = std::find_if(all.begin(), all.end(), [&](const StandIn& s) { return s.name == name; });
  ARKS_CHECK(found != all.end(), "no made-up data for '", name, "'", did_you_mean(name, stand_in_names()),
             "; known: ", join(stand_in_names()));
  const auto target = folder / found->folder;
  if (is_there(target, name)) return target;
  const FetchOptions options(folder);
  FetchFolder work(options, found->folder);
  try {
    const auto made = work / "made";
    fs::remove_all(made);  // what a killed call left
    fs::create_directory(made);
    found->write(made);
    write_file_atomically(made / kReadme, readme(name));
    return work.install(made);
  } catch (const fs::filesystem_error& error) {
    throw RunError(c10::str("cannot create ", target.string(), ": ", error.code().message()));
  }
}

}  // namespace arks::study
