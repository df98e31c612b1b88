#pragma once
#include <arks/data/dataset.h>

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace arks {

/// What can be said of a data set without reading it.
struct DatasetStatus {
  std::string name;
  bool found = false;  ///< every file is there
  std::string where;   ///< the folder; empty when not found
  std::string detail;  ///< number and size of the files, or what is missing and how to get it
};

/// All that the library knows of one data set. Each set makes its own entry in its own file; the table of all of them
/// is one line per set in registry.cpp.
struct DatasetEntry {
  std::string name;         ///< as after --data
  std::string description;  ///< one line
  std::function<DatasetPtr(const std::filesystem::path& data_dir, Split split)> load;
  std::function<DatasetStatus(const std::filesystem::path& data_dir)> status;  ///< cheap: looks, reads nothing
  /// Reads everything, writes one line per file, throws Error at the first that is not the official one.
  std::function<void(const std::filesystem::path& data_dir, std::ostream& out)> verify;
};

/// The table.
const std::vector<DatasetEntry>& known_datasets();

/// The entry of this name. Throws Error with the nearest name and the list when there is none.
const DatasetEntry& find_dataset(const std::string& name);

std::vector<std::string> dataset_names();

DatasetPtr load_dataset(const std::string& name, const std::filesystem::path& data_dir, Split split);

/// The status of every known data set, in the order of the table.
std::vector<DatasetStatus> list_datasets(const std::filesystem::path& data_dir);

/// Compares every file of the set with the official one; see DatasetEntry::verify.
void verify_dataset(const std::string& name, const std::filesystem::path& data_dir, std::ostream& out);

}  // namespace arks
