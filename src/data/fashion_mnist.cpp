#include <arks/data/fashion_mnist.h>

#include "data/dataset_folders.h"
#include "data/idx.h"
#include "data/registry.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <ostream>

namespace arks {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFashionName = "fashion-mnist";
constexpr const char* kHowToGetFashion = "apt-get install dataset-fashion-mnist, or set --data-dir or ARKS_DATA_DIR";
constexpr int64_t kSide = 28;
constexpr int64_t kFashionClasses = 10;

struct OfficialFile {
  const char* name;
  int64_t samples;
  uint32_t crc32;  // of the decompressed content
};

struct OfficialSplit {
  OfficialFile images, labels;
};

constexpr OfficialSplit kTrainFiles = {{"train-images-idx3-ubyte", 60000, 0xb4f29f28},
                                       {"train-labels-idx1-ubyte", 60000, 0x741a4657}};
constexpr OfficialSplit kTestFiles = {{"t10k-images-idx3-ubyte", 10000, 0x678fe0b1},
                                      {"t10k-labels-idx1-ubyte", 10000, 0x80142c1f}};

DataFolders folders(const fs::path& data_dir) {
  return DataFolders(data_dir, kFashionName);
}

std::string missing(const DataFolders& folders, const OfficialFile& file) {
  return folders.not_found(file.name) + "; " + kHowToGetFashion;
}

fs::path find(const fs::path& data_dir, const OfficialFile& file) {
  const auto path = folders(data_dir).find(file.name);
  ARKS_CHECK(!path.empty(), kFashionName, ": ", missing(folders(data_dir), file));
  return path;
}

void check_images(const torch::Tensor& images, const fs::path& path) {
  ARKS_CHECK(images.dim() == 3 && images.size(1) == kSide && images.size(2) == kSide, path.string(), ": the shape is ",
             images.sizes(), ", expected [n, ", kSide, ", ", kSide, "]");
}

void check_labels(const torch::Tensor& labels, const fs::path& path) {
  ARKS_CHECK(labels.dim() == 1, path.string(), ": the shape is ", labels.sizes(), ", expected [n]");
  const int64_t where = labels.argmax().item<int64_t>();
  const int64_t largest = labels[where].item<int64_t>();
  ARKS_CHECK(largest < kFashionClasses, path.string(), ": sample ", where, " has the label ", largest,
             "; labels are 0 to ", kFashionClasses - 1);
}

DatasetInfo fashion_mnist_info() {
  DatasetInfo info;
  info.name = kFashionName;
  info.input_shape = {1, kSide, kSide};
  info.num_classes = kFashionClasses;
  info.bounds = Bounds{0, 1};
  info.class_names = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                      "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};
  return info;
}

DatasetStatus fashion_mnist_status(const fs::path& data_dir) {
  DatasetStatus status;
  status.name = kFashionName;
  double bytes = 0;
  for (const auto& file : {kTrainFiles.images, kTrainFiles.labels, kTestFiles.images, kTestFiles.labels}) {
    const auto path = folders(data_dir).find(file.name);
    if (path.empty()) {
      status.where.clear();
      status.detail = missing(folders(data_dir), file);
      return status;
    }
    std::error_code unreadable;
    const auto size = fs::file_size(path, unreadable);
    if (!unreadable) bytes += static_cast<double>(size);
    if (status.where.empty()) status.where = path.parent_path().string();
  }
  status.found = true;
  status.detail = "4 files, " + human_bytes(bytes);
  return status;
}

using Check = void (*)(const torch::Tensor& content, const fs::path& path);

void verify_file(const fs::path& data_dir, const OfficialFile& official, Check check, std::ostream& out) {
  const auto path = find(data_dir, official);
  const auto file = read_idx_file(path);
  check(file.tensor, path);
  ARKS_CHECK(file.tensor.size(0) == official.samples, path.string(), ": ", file.tensor.size(0),
             " samples, but the official file has ", official.samples);
  ARKS_CHECK(file.crc32 == official.crc32, path.string(), ": content differs from the official file (CRC-32 ",
             hex(file.crc32), " instead of ", hex(official.crc32), ")");
  out << path.string() << ": " << file.tensor.sizes() << ", CRC-32 " << hex(file.crc32) << ", as published\n";
}

void verify_fashion_mnist(const fs::path& data_dir, std::ostream& out) {
  for (const auto& split : {kTrainFiles, kTestFiles}) {
    verify_file(data_dir, split.images, check_images, out);
    verify_file(data_dir, split.labels, check_labels, out);
  }
}

}  // namespace

DatasetPtr load_fashion_mnist(const fs::path& data_dir, Split split) {
  const auto& files = split == Split::kTrain ? kTrainFiles : kTestFiles;
  const auto images_path = find(data_dir, files.images);
  const auto labels_path = find(data_dir, files.labels);
  const auto labels = read_idx(labels_path);
  check_labels(labels, labels_path);
  const auto images = read_idx(images_path);
  check_images(images, images_path);
  ARKS_CHECK(images.size(0) == labels.size(0), images_path.string(), " has ", images.size(0), " images but ",
             labels_path.string(), " has ", labels.size(0), " labels");
  return std::make_shared<TensorDataset>(images.unsqueeze(1), labels, fashion_mnist_info());
}

DatasetEntry fashion_mnist_entry() {
  DatasetEntry entry;
  entry.name = kFashionName;
  entry.description = "grey images of clothes, 28x28, 10 classes, 60000 to train and 10000 to test";
  entry.image_shape = fashion_mnist_info().input_shape;
  entry.num_classes = kFashionClasses;
  entry.load = [](const DataOptions& options, Split split) { return load_fashion_mnist(options.data_dir(), split); };
  entry.status = fashion_mnist_status;
  entry.verify = verify_fashion_mnist;
  entry.published = published_for_images();
  entry.published.model = "fashion-cnn";
  entry.memory_bytes = 9e8;
  return entry;
}

}  // namespace arks
