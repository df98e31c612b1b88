#include <arks/data/cifar10.h>

#include "data/cifar10_files.h"
#include "data/dataset_folders.h"
#include "data/fetch_cifar10.h"
#include "data/registry.h"
#include "support/file.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <ostream>

namespace arks {

namespace fs = std::filesystem;

namespace {

constexpr const char* kMeta = "batches.meta.txt";
constexpr const char* kHowToGetCifar10 =
    "arks data fetch cifar10 gets the set; --data-dir or ARKS_DATA_DIR names its folder";
constexpr int64_t kImageBytes = kCifar10RecordBytes - 1;
constexpr size_t kTestFile = 5;  // after the five of the training set

const std::vector<std::string>& class_names() {
  static const std::vector<std::string> names = {"airplane", "automobile", "bird",  "cat",  "deer",
                                                 "dog",      "frog",       "horse", "ship", "truck"};
  return names;
}

bool is_there(const fs::path& path) {
  std::error_code ignored;  // what cannot be looked at is not there
  return fs::exists(path, ignored);
}

std::vector<fs::path> places(const fs::path& data_dir) {
  return dataset_folders(data_dir, {kCifar10Folder, kCifar10Name});
}

/// The first folder with all files, else the first with any: parts of two sets are never put together.
fs::path find_cifar10(const fs::path& data_dir) {
  const auto files = cifar10_files();
  fs::path some;
  for (const auto& folder : places(data_dir)) {
    const auto found =
        std::count_if(files.begin(), files.end(), [&](const auto& f) { return is_there(folder / f.name); });
    if (found == static_cast<int64_t>(files.size())) return folder;
    if (found > 0 && some.empty()) some = folder;
  }
  return some;
}

std::string missing(const std::string& file, const fs::path& folder, const fs::path& data_dir) {
  const auto where = folder.empty() ? alternatives(places(data_dir)) : folder.string();
  return file + " was not found in " + where + "; " + kHowToGetCifar10;
}

/// How many records a file holds, by its size.
int64_t count_records(const fs::path& path) {
  std::error_code failure;
  const auto bytes = fs::file_size(path, failure);
  ARKS_CHECK(!failure, "cannot read ", path.string(), ": ", failure.message());
  ARKS_CHECK(bytes > 0, path.string(), " is empty");
  ARKS_CHECK(bytes % kCifar10RecordBytes == 0, path.string(), ": ", bytes, " bytes are ", bytes / kCifar10RecordBytes,
             " records of ", kCifar10RecordBytes, " bytes and ", bytes % kCifar10RecordBytes,
             " more; the file is cut off or not CIFAR-10 in the binary format");
  return static_cast<int64_t>(bytes / kCifar10RecordBytes);
}

void check_label(uint8_t label, int64_t record, const fs::path& path) {
  ARKS_CHECK(label < kCifar10Classes, path.string(), ": record ", record, " (counted from 0) has the label ",
             static_cast<int>(label), "; labels are 0 to ", kCifar10Classes - 1);
}

/// The first `count` records: images to images[count·3072], labels to labels[count]. Hands every piece of the file to
/// `seen` too.
template <typename Seen>
void read_records(const fs::path& path, int64_t count, uint8_t* images, int64_t* labels, Seen seen) {
  std::ifstream in(path, std::ios::binary);
  ARKS_CHECK(in, "cannot read ", path.string(), ": ", std::strerror(errno));
  constexpr int64_t kAtOnce = 64;
  std::vector<char> piece(kAtOnce * kCifar10RecordBytes);
  for (int64_t record = 0; record < count;) {
    const int64_t wanted = std::min(kAtOnce, count - record);
    in.read(piece.data(), wanted * kCifar10RecordBytes);
    ARKS_CHECK(in.gcount() == wanted * kCifar10RecordBytes, path.string(), ": ends in record ",
               record + in.gcount() / kCifar10RecordBytes, " of ", count);
    seen(piece.data(), static_cast<size_t>(in.gcount()));
    for (const char* at = piece.data(); at < piece.data() + in.gcount(); at += kCifar10RecordBytes, ++record) {
      const auto label = static_cast<uint8_t>(*at);
      check_label(label, record, path);
      labels[record] = label;
      std::memcpy(images + record * kImageBytes, at + 1, static_cast<size_t>(kImageBytes));
    }
  }
}

void verify_file(const fs::path& path, const Cifar10File& official, std::ostream& out) {
  const int64_t records = count_records(path);
  ARKS_CHECK(records == official.records, path.string(), ": ", records, " records, but the official file has ",
             official.records);
  auto images = torch::empty({records, kImageBytes}, torch::kByte);
  auto labels = torch::empty({records}, torch::kLong);
  uLong sum = 0;
  read_records(path, records, images.data_ptr<uint8_t>(), labels.data_ptr<int64_t>(),
               [&](const char* data, size_t size) { sum = crc32_z(sum, reinterpret_cast<const Bytef*>(data), size); });
  ARKS_CHECK(sum == official.crc32, path.string(), ": content differs from the official file (CRC-32 ",
             hex(static_cast<uint32_t>(sum)), " instead of ", hex(official.crc32), ")");
  out << path.string() << ": " << records << " images, CRC-32 " << hex(static_cast<uint32_t>(sum))
      << ", as published\n";
}

void verify_meta(const fs::path& path, std::ostream& out) {
  auto text = read_file(path);
  text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
  while (!text.empty() && text.back() == '\n') text.pop_back();
  ARKS_CHECK(text == join(class_names(), "\n"), path.string(), ": does not name the ten classes in their order, ",
             join(class_names()));
  out << path.string() << ": 10 classes, as published\n";
}

void verify_cifar10(const fs::path& data_dir, std::ostream& out) {
  const auto folder = find_cifar10(data_dir);
  ARKS_CHECK(!folder.empty(), kCifar10Name, ": ", missing(cifar10_files().front().name, folder, data_dir));
  verify_cifar10_files(folder, cifar10_files(), out);
}

/// Records of one part of the set: those that there are, by the sizes of the files, and those of the official one.
struct PartSize {
  int64_t found = 0, official = 0;
  std::string text() const { return c10::str(found, " of ", official); }
};

DatasetStatus cifar10_status(const fs::path& data_dir) {
  DatasetStatus status;
  status.name = kCifar10Name;
  const auto folder = find_cifar10(data_dir);
  const auto files = cifar10_files();
  double bytes = 0;
  PartSize train, test;
  for (size_t i = 0; i < files.size(); ++i) {
    if (folder.empty() || !is_there(folder / files[i].name)) {
      status.detail = missing(files[i].name, folder, data_dir);
      return status;
    }
    auto& part = i < kTestFile ? train : test;
    part.official += files[i].records;
    std::error_code unreadable;
    const auto size = fs::file_size(folder / files[i].name, unreadable);
    if (unreadable) continue;
    bytes += static_cast<double>(size);
    part.found += static_cast<int64_t>(size) / kCifar10RecordBytes;
  }
  status.found = true;
  status.where = folder.string();
  status.detail = c10::str(files.size(), " files, ", human_bytes(bytes));
  if (train.found < train.official || test.found < test.official) {
    status.detail += "; a cut-down copy: " + train.text() + " and " + test.text() + " images";
  }
  return status;
}

DatasetInfo cifar10_info() {
  DatasetInfo info;
  info.name = kCifar10Name;
  info.input_shape = {3, 32, 32};
  info.num_classes = kCifar10Classes;
  info.bounds = Bounds{0, 1};
  info.class_names = class_names();
  return info;
}

}  // namespace

std::vector<Cifar10File> cifar10_files() {
  // of files whose SHA-1 are those that other projects publish for the official archive: aadd24ac…, c0ba65cc…,
  // 1dd00a74…, aab85764…, 26e2849e…, 67eb016d…
  constexpr int64_t kRecords = 10000;
  return {{"data_batch_1.bin", kRecords, 0xb3220c1f}, {"data_batch_2.bin", kRecords, 0xc439a348},
          {"data_batch_3.bin", kRecords, 0x8c6f54f0}, {"data_batch_4.bin", kRecords, 0x6a83637e},
          {"data_batch_5.bin", kRecords, 0x2f355afd}, {"test_batch.bin", kRecords, 0x19777d49}};
}

std::string cifar10_meta() {
  return join(class_names(), "\n") + "\n\n";
}

void verify_cifar10_files(const fs::path& folder, const std::vector<Cifar10File>& files, std::ostream& out) {
  for (const auto& file : files) {
    ARKS_CHECK(is_there(folder / file.name), kCifar10Name, ": ", file.name, " was not found in ", folder.string(), "; ",
               kHowToGetCifar10);
    verify_file(folder / file.name, file, out);
  }
  if (is_there(folder / kMeta)) verify_meta(folder / kMeta, out);
}

DatasetPtr load_cifar10(const fs::path& data_dir, Split split) {
  const auto folder = find_cifar10(data_dir);
  const auto all = cifar10_files();
  const auto begin = split == Split::kTrain ? all.begin() : all.begin() + kTestFile;
  const auto end = split == Split::kTrain ? all.begin() + kTestFile : all.end();
  int64_t count = 0;
  for (auto file = begin; file != end; ++file) {
    ARKS_CHECK(!folder.empty() && is_there(folder / file->name), kCifar10Name, ": ",
               missing(file->name, folder, data_dir));
    count += count_records(folder / file->name);
  }
  const auto images = torch::empty({count, 3, 32, 32}, torch::kByte);
  const auto labels = torch::empty({count}, torch::kLong);
  int64_t done = 0;
  for (auto file = begin; file != end; ++file) {
    const auto path = folder / file->name;
    const int64_t records = count_records(path);
    ARKS_CHECK(records <= count - done, path.string(), " grew while the set was being read");
    read_records(path, records, images.data_ptr<uint8_t>() + done * kImageBytes, labels.data_ptr<int64_t>() + done,
                 [](const char* /*data*/, size_t /*size*/) {});
    done += records;
  }
  ARKS_CHECK(done == count, folder.string(), ": files shrank while the set was being read");
  return std::make_shared<TensorDataset>(images, labels, cifar10_info());
}

namespace {

PublishedSettings published_for_cifar10() {
  auto settings = published_for_images();
  settings.model = "resnet20";
  settings.epochs = 65;
  settings.batch_size = 128;
  settings.optimizer = "sgd";
  settings.learning_rate = 0.1;
  settings.weight_decay = 1e-4;
  settings.decay_epochs = {25, 50};
  settings.augment = "crop-flip";
  settings.sigma = 0.1;
  settings.sigma_inner_rate = 0.001;
  settings.gamma = 50;
  settings.gamma_inner_rate = 0.001;
  settings.alpha = 0.0001;
  settings.attack_alpha = 0.02;
  take_ball_of_photographs(settings);
  return settings;
}

}  // namespace

DatasetEntry cifar10_entry() {
  DatasetEntry entry;
  entry.name = kCifar10Name;
  entry.description = "photographs in colour, 32x32, 10 classes, 50000 to train and 10000 to test";
  entry.image_shape = cifar10_info().input_shape;
  entry.num_classes = kCifar10Classes;
  entry.load = [](const DataOptions& options, Split split) { return load_cifar10(options.data_dir(), split); };
  entry.status = cifar10_status;
  entry.verify = verify_cifar10;
  entry.fetch = [](const FetchOptions& options) { return fetch_cifar10(options); };
  entry.published = published_for_cifar10();
  entry.memory_bytes = 1.2e9;
  return entry;
}

}  // namespace arks
