#include <arks/data/fashion_mnist.h>
#include <arks/data/registry.h>
#include <arks/support/error.h>
#include <arks/support/text.h>

namespace arks {

namespace fs = std::filesystem;

const std::vector<DatasetEntry>& known_datasets() {
  static const std::vector<DatasetEntry> table = {
      fashion_mnist_entry(),
  };
  return table;
}

const DatasetEntry& find_dataset(const std::string& name) {
  for (const auto& entry : known_datasets()) {
    if (entry.name == name) return entry;
  }
  throw Error(c10::str("unknown data set '", name, "'", did_you_mean(name, dataset_names()),
                       "; known: ", join(dataset_names())));
}

std::vector<std::string> dataset_names() {
  std::vector<std::string> names;
  for (const auto& entry : known_datasets()) names.push_back(entry.name);
  return names;
}

DatasetPtr load_dataset(const std::string& name, const fs::path& data_dir, Split split) {
  return find_dataset(name).load(data_dir, split);
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
