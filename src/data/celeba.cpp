#include <arks/data/celeba.h>

#include "celeba_lists.h"
#include "data/dataset_folders.h"
#include "data/dataset_settings.h"
#include "data/registry.h"
#include "support/text.h"

#include <arks/data/data_dir.h>
#include <arks/support/error.h>
#include <arks/support/random.h>

#include <algorithm>
#include <ostream>

namespace arks {

namespace fs = std::filesystem;

namespace {

constexpr const char* kHowToGetCeleba =
    "download the aligned images and both lists from its authors, then set --data-dir or ARKS_DATA_DIR";

/// What of the three is not in the folder; empty when all are.
std::string lacking(const fs::path& folder) {
  std::error_code ignored;
  for (const char* part : {kCelebaAttributes, kCelebaPartitions, kCelebaImages}) {
    if (!fs::exists(folder / part, ignored)) return part;
  }
  return "";
}

struct Place {
  fs::path folder;      // empty: not found
  std::string problem;  // then why
};

Place find_celeba(const fs::path& data_dir) {
  const auto candidates = dataset_folders(data_dir, {kCelebaName, "celeba-mini"});
  Place place;
  std::error_code ignored;
  for (const auto& folder : candidates) {
    const auto part = lacking(folder);
    if (part.empty()) return {folder, ""};
    const bool begun = fs::exists(folder / kCelebaAttributes, ignored) || fs::exists(folder / kCelebaImages, ignored);
    if (begun && place.problem.empty()) place.problem = c10::str(folder.string(), " has no ", part);
  }
  if (place.problem.empty()) {
    place.problem = c10::str(kCelebaImages, ", ", kCelebaAttributes, " and ", kCelebaPartitions, " were not found in ",
                             alternatives(candidates));
  }
  place.problem += std::string("; ") + kHowToGetCeleba;
  return place;
}

fs::path found_folder(const fs::path& data_dir) {
  const auto place = find_celeba(data_dir);
  ARKS_CHECK(!place.folder.empty(), kCelebaName, ": ", place.problem);
  return place.folder;
}

using FaceList = std::vector<CelebaImage>;

FaceList of_partition(const FaceList& images, int partition) {
  FaceList found;
  std::copy_if(images.begin(), images.end(), std::back_inserter(found),
               [&](const CelebaImage& image) { return image.partition == partition; });
  return found;
}

int64_t count_with(const FaceList& images) {
  return std::count_if(images.begin(), images.end(), [](const CelebaImage& image) { return image.label; });
}

/// As many of one class as of the other, in their order.
FaceList balanced(const FaceList& images, int partition, const CelebaOptions& options) {
  const int64_t with = count_with(images), without = static_cast<int64_t>(images.size()) - with;
  const int64_t kept = std::min(with, without), of = std::max(with, without);
  ARKS_CHECK(kept > 0, kCelebaName, ": partition ", partition, " has ", with, " images with ", options.attribute(),
             " and ", without, " without, which cannot be balanced; use them as they are (--no-balance)");
  auto generator = make_generator(options.balance_seed(), Stream::kSplit, static_cast<uint64_t>(partition));
  const auto order = torch::randperm(of, generator, torch::kLong);
  const auto* const drawn = order.data_ptr<int64_t>();
  std::vector<bool> chosen(static_cast<size_t>(of), false);
  for (int64_t i = 0; i < kept; ++i) chosen[static_cast<size_t>(drawn[i])] = true;
  const bool majority = with > without;
  FaceList result;
  size_t seen = 0;  // of the majority
  for (const auto& image : images) {
    if (image.label != majority || chosen[seen++]) result.push_back(image);
  }
  return result;
}

FaceList chosen_images(const CelebaLists& lists, Split split, const CelebaOptions& options) {
  FaceList chosen;
  for (const int partition : split == Split::kTrain ? std::vector<int>{0} : std::vector<int>{1, 2}) {
    const auto all = of_partition(lists.images, partition);
    if (all.empty()) continue;
    const auto part = options.balance() ? balanced(all, partition, options) : all;
    chosen.insert(chosen.end(), part.begin(), part.end());
  }
  ARKS_CHECK(!chosen.empty(), kCelebaName, ": ", kCelebaPartitions, " has no image for ",
             split == Split::kTrain ? "training, partition 0" : "testing, partitions 1 and 2");
  return chosen;
}

ImageFilesOptions file_options(const CelebaOptions& options) {
  return ImageFilesOptions(options.files()).size(options.size()).channels(3).grey_as_colour(false);
}

DatasetStatus celeba_status(const fs::path& data_dir) {
  const auto place = find_celeba(data_dir);
  DatasetStatus status;
  status.name = kCelebaName;
  status.found = !place.folder.empty();
  status.where = place.folder.string();
  status.detail = status.found ? c10::str(kCelebaImages, " and both lists") : place.problem;
  return status;
}

void verify_celeba(const fs::path& data_dir, std::ostream& out) {
  constexpr size_t kAtOnce = 2048;  // all of them would take 2 GB
  const auto folder = found_folder(data_dir);
  const CelebaOptions options;
  const auto lists = read_celeba_lists(folder, options.attribute());
  check_celeba_images(folder, lists);
  out << (folder / kCelebaAttributes).string() << ": " << lists.images.size() << " images, " << lists.attributes.size()
      << " attributes\n";
  std::vector<fs::path> files;
  for (const auto& image : lists.images) {
    files.push_back(folder / kCelebaImages / image.file);
    if (files.size() < kAtOnce && &image != &lists.images.back()) continue;
    load_images(files, file_options(options));
    files.clear();
  }
  out << (folder / kCelebaImages).string() << ": " << lists.images.size() << " images, all intact and in colour\n";
  for (const int partition : {0, 1, 2}) {
    const auto images = of_partition(lists.images, partition);
    const int64_t with = count_with(images);
    out << "partition " << partition << (partition == 0 ? " (training): " : " (test): ") << images.size() << " images, "
        << with << " with " << options.attribute() << ", " << static_cast<int64_t>(images.size()) - with
        << " without\n";
  }
}

}  // namespace

DatasetPtr load_celeba(const fs::path& data_dir, Split split, const CelebaOptions& options) {
  const auto folder = found_folder(data_dir);
  const auto lists = read_celeba_lists(folder, options.attribute());
  check_celeba_images(folder, lists);
  std::vector<fs::path> files;
  std::vector<int64_t> labels;
  for (const auto& image : chosen_images(lists, split, options)) {
    files.push_back(folder / kCelebaImages / image.file);
    labels.push_back(image.label ? 1 : 0);
  }
  DatasetInfo info;
  info.name = kCelebaName;
  info.input_shape = {3, options.size().height, options.size().width};
  info.num_classes = 2;
  info.bounds = Bounds{0, 1};
  info.class_names = {"no " + options.attribute(), options.attribute()};
  return std::make_shared<TensorDataset>(load_images(files, file_options(options)), torch::tensor(labels, torch::kLong),
                                         info);
}

namespace {

PublishedSettings published_for_celeba() {
  auto settings = published_for_images();
  settings.model = "celeba-cnn";
  settings.batch_size = 128;
  settings.sigma = 0.2;
  settings.sigma_inner_rate = 0.002;
  settings.gamma = 4;
  settings.gamma_inner_rate = 0.002;
  settings.alpha = 0.0005;
  settings.attack_alpha = 0.02;
  take_ball_of_photographs(settings);  // no figures of its own
  return settings;
}

class CelebaSettings : public DatasetSettings {
 public:
  CelebaSettings() : DatasetSettings("Faces (celeba)") {}
  Setting<std::string> attribute{this, text("attribute", "which of the 40 attributes of a face is the label")
                                           .in_data()
                                           .otherwise(CelebaOptions().attribute())};
  Setting<bool> balance{this, yes_no("balance", "leave out faces until half of them have the attribute")
                                  .negatable()
                                  .in_data()
                                  .otherwise(CelebaOptions().balance())};
  Setting<int64_t> balance_seed{this, whole("balance-seed", "decides which faces are left out")
                                          .not_negative()
                                          .in_data()
                                          .otherwise(static_cast<int64_t>(CelebaOptions().balance_seed()))
                                          .only_if([this] { return balance.value_or(true); }, "with --balance")};

  void apply(DataOptions& options) const override {
    options.celeba().attribute(*attribute).balance(*balance);
    if (balance_seed.has_value()) options.celeba().balance_seed(static_cast<uint64_t>(*balance_seed));
  }
  std::vector<std::string> labels() const override { return {attribute.name()}; }
};

}  // namespace

DatasetEntry celeba_entry() {
  DatasetEntry entry;
  entry.name = kCelebaName;
  entry.description = "faces, 64x48 in colour, with or without an attribute (--attribute)";
  entry.image_shape = {3, 64, 48};
  entry.num_classes = 2;
  entry.load = [](const DataOptions& options, Split split) {
    return load_celeba(options.data_dir(), split, CelebaOptions(options.celeba()).files(options.image_files()));
  };
  entry.status = celeba_status;
  entry.verify = verify_celeba;
  entry.published = published_for_celeba();
  entry.memory_bytes = 1.5e9;
  entry.settings = [] { return std::make_unique<CelebaSettings>(); };
  return entry;
}

}  // namespace arks
