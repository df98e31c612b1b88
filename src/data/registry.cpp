#include "data/registry.h"

#include "data/csv.h"
#include "data/dataset_settings.h"
#include "data/image_folder.h"
#include "data/labels.h"
#include "data/npy_images.h"
#include "data/scale.h"
#include "data/splits.h"
#include "data/standardise.h"
#include "data/tabular.h"
#include "support/samples.h"
#include "support/text.h"

#include <arks/support/error.h>

namespace arks {

namespace fs = std::filesystem;

#define ARKS_DATASET(name) DatasetEntry name##_entry();
#include "data/datasets.def"
#undef ARKS_DATASET

namespace {

const DatasetEntry* find_entry(const std::string& name) {
  for (const auto& entry : known_datasets()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace

const std::vector<DatasetEntry>& known_datasets() {
  static const std::vector<DatasetEntry> table = {
#define ARKS_DATASET(name) name##_entry(),
#include "data/datasets.def"
#undef ARKS_DATASET
  };
  return table;
}

const std::vector<Choosable<DatasetSettings>>& datasets_with_settings() {
  static const auto table = [] {
    std::vector<Choosable<DatasetSettings>> found;
    for (const auto& entry : known_datasets()) {
      if (entry.settings) found.push_back({entry.name, entry.description, entry.settings});
    }
    return found;
  }();
  return table;
}

const DatasetEntry& find_dataset(const std::string& name) {
  if (const auto* entry = find_entry(name)) return *entry;
  const bool path = name.find('/') != std::string::npos || fs::path(name).has_extension();
  std::error_code ignored;
  const bool exists = fs::exists(name, ignored);
  ARKS_CHECK(exists || !path, name, " does not exist");
  ARKS_CHECK(!exists, name, " is neither a folder nor a file ending in ", kTableEndings);
  throw Error(c10::str("unknown data set '", name, "'", did_you_mean(name, dataset_names()), "; known: ",
                       join(dataset_names()), ", files ending in ", kTableEndings, ", and folders of images"));
}

std::vector<std::string> dataset_names() {
  std::vector<std::string> names;
  for (const auto& entry : known_datasets()) names.push_back(entry.name);
  return names;
}

bool is_own_data(const std::string& name) {
  if (find_entry(name) != nullptr) return false;
  const auto extension = fs::path(name).extension();
  std::error_code ignored;
  return is_csv_name(name) || extension == ".npy" || fs::is_directory(name, ignored);
}

DataKind data_kind(const std::string& name) {
  if (const auto* entry = find_entry(name)) return entry->load_table ? DataKind::kTable : DataKind::kOfficial;
  if (!is_own_data(name)) return DataKind::kOfficial;
  std::error_code ignored;
  return fs::is_directory(name, ignored) || is_npy_images(name) ? DataKind::kImages : DataKind::kTable;
}

bool is_table(const std::string& name) {
  return data_kind(name) == DataKind::kTable;
}

namespace {

bool asks(const ValidationOptions& validation) {
  return validation.fraction() > 0 || validation.folds() > 0;
}

/// A table splits off its validation rows itself, before it learns how to scale.
DataOptions with_validation(const DataOptions& options) {
  if (!asks(options.validation())) return options;
  return DataOptions(options).tabular(TabularOptions(options.tabular()).validation(options.validation()));
}

/// The numbers to predict from images are scaled like those of tables, learned on the images that are trained on.
void standardise_targets(DataSplits& splits) {
  const auto targets = rows(labels_of(*splits.train)).to(torch::kDouble);
  const auto scaling = learn_scaling({targets, torch::arange(targets.size(0))});
  auto info = splits.train->info();
  info.target_mean = scaling.mean.reshape({-1});
  info.target_deviation = scaling.deviation.reshape({-1});
  for (auto* part : {&splits.train, &splits.test, &splits.validation}) {
    if (*part) *part = on_scales_of(info, *part);
  }
  splits.summary += "; the target is standardised";
}

}  // namespace

DataSplits load_splits(const std::string& name, const DataOptions& given) {
  const auto options = with_validation(given);
  if (!is_own_data(name)) {
    const auto& entry = find_dataset(name);
    ARKS_CHECK(entry.load_table, name, " is not divided here: it has an official split");
    ARKS_CHECK(options.targets().empty(), "the targets of ", name,
               " are part of it; a file of targets is for .npy inputs");
    return entry.load_table(options);
  }
  if (data_kind(name) == DataKind::kTable) return load_tabular(name, options.targets(), options.tabular());
  auto splits = fs::path(name).extension() == ".npy"
                    ? load_npy_images(name, options.targets(), options.npy_images())
                    : load_image_folder(name, ImageFolderOptions(options.image_folder()).files(options.image_files()));
  split_off_validation(splits, options.validation(), name);
  if (splits.task == Task::kRegression && options.npy_images().standardise_targets()) standardise_targets(splits);
  return splits;
}

DataSplits load_parts(const std::string& name, const DataOptions& options) {
  if (data_kind(name) != DataKind::kOfficial) return load_splits(name, options);
  const auto& entry = find_dataset(name);
  DataSplits splits;
  splits.train = entry.load(options, Split::kTrain);
  splits.test = entry.load(options, Split::kTest);
  splits.divided = false;
  split_off_validation(splits, options.validation(), name);
  return splits;
}

DatasetPtr load_dataset(const std::string& name, const DataOptions& options, Split split) {
  const bool whole = split == Split::kTest || !asks(options.validation());
  if (data_kind(name) == DataKind::kOfficial && whole) return find_dataset(name).load(options, split);
  const auto splits = load_parts(name, options);
  return split == Split::kTrain ? splits.train : splits.test;
}

DatasetPtr load_dataset(const std::string& name, const fs::path& data_dir, Split split) {
  return load_dataset(name, DataOptions(data_dir), split);
}

std::vector<DatasetStatus> list_datasets(const fs::path& data_dir) {
  std::vector<DatasetStatus> list;
  for (const auto& entry : known_datasets()) list.push_back(entry.status(data_dir));
  return list;
}

void verify_dataset(const std::string& name, const fs::path& data_dir, std::ostream& out) {
  find_dataset(name).verify(data_dir, out);
}

}  // namespace arks
