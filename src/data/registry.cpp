#include <arks/data/celeba.h>
#include <arks/data/diabetes.h>
#include <arks/data/fashion_mnist.h>
#include <arks/data/iris.h>
#include <arks/data/registry.h>
#include <arks/support/error.h>
#include <arks/support/text.h>

#include <algorithm>

namespace arks {

namespace fs = std::filesystem;

namespace {

bool is_table_file(const std::string& name) {
  const auto extension = fs::path(name).extension();
  return extension == ".csv" || extension == ".npy";
}

}  // namespace

const std::vector<DatasetEntry>& known_datasets() {
  static const std::vector<DatasetEntry> table = {
      fashion_mnist_entry(),
      celeba_entry(),
      iris_entry(),
      diabetes_entry(),
  };
  return table;
}

const DatasetEntry& find_dataset(const std::string& name) {
  for (const auto& entry : known_datasets()) {
    if (entry.name == name) return entry;
  }
  throw Error(c10::str("unknown data set '", name, "'", did_you_mean(name, dataset_names()),
                       "; known: ", join(dataset_names()), ", and files ending in .csv or .npy"));
}

std::vector<std::string> dataset_names() {
  std::vector<std::string> names;
  for (const auto& entry : known_datasets()) names.push_back(entry.name);
  return names;
}

bool is_table(const std::string& name) {
  if (is_table_file(name)) return true;
  const auto& table = known_datasets();
  return std::any_of(table.begin(), table.end(),
                     [&](const DatasetEntry& entry) { return entry.name == name && entry.load_table; });
}

TabularSplits load_table(const std::string& name, const DataOptions& options) {
  if (is_table_file(name)) return load_tabular(name, options.targets(), options.tabular());
  const auto& entry = find_dataset(name);
  ARKS_CHECK(entry.load_table, name, " is not a table");
  ARKS_CHECK(options.targets().empty(), "the targets of ", name, " are part of it; a file of targets goes with .npy");
  return entry.load_table(options);
}

DatasetPtr load_dataset(const std::string& name, const DataOptions& options, Split split) {
  if (!is_table(name)) return find_dataset(name).load(options, split);
  const auto splits = load_table(name, options);
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
