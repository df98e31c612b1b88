#pragma once
#include "data/fetch.h"
#include "data/published.h"

#include <arks/data/load.h>

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
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

class DatasetSettings;

/// All that the library knows of one data set. Each set makes its own entry in its own file; the table of all of them
/// is datasets.def.
struct DatasetEntry {
  std::string name;                  ///< as after --data
  std::string description;           ///< one line
  std::vector<int64_t> image_shape;  ///< of one image as the paper has them; empty for a table
  int64_t num_classes = 0;           ///< of the images
  std::function<DatasetPtr(const DataOptions& options, Split split)> load;
  std::function<DataSplits(const DataOptions& options)> load_table;            ///< both parts; tables only
  std::function<DatasetStatus(const std::filesystem::path& data_dir)> status;  ///< cheap: looks, reads nothing
  /// Reads everything, writes one line per file, throws Error at the first that is not the official one.
  std::function<void(const std::filesystem::path& data_dir, std::ostream& out)> verify;
  /// Gets the official files and returns their folder. Empty where only the user can: then status says how.
  std::function<std::filesystem::path(const FetchOptions& options)> fetch;
  PublishedSettings published = published_for_images();  ///< the paper's values for it
  /// Settings that this set alone has; empty where there are none.
  std::function<std::unique_ptr<DatasetSettings>()> settings;
  double memory_bytes = 4e8;  ///< about what a training takes that holds all of it
};

/// The table.
const std::vector<DatasetEntry>& known_datasets();

/// The entry of this name. Throws Error with the nearest name and the list when there is none.
const DatasetEntry& find_dataset(const std::string& name);

std::vector<std::string> dataset_names();

/// What stands behind a name after --data.
enum class DataKind {
  kOfficial,  ///< a known set with parts of its own: fashion-mnist, …; also a name that means nothing
  kTable,     ///< rows of numbers: FILE.csv, FILE.npy, iris, diabetes
  kImages,    ///< the user's own images: a folder, or a FILE.npy with images in it (is_npy_images)
};

/// A known name means the known set, whatever files there are. Looks at folders and at headers of .npy files.
DataKind data_kind(const std::string& name);
bool is_table(const std::string& name);

/// True for the name of a file or folder of the user's own: a table, what ends in .npy, and a folder that is there.
bool is_own_data(const std::string& name);

/// The status of every known data set, in the order of the table.
std::vector<DatasetStatus> list_datasets(const std::filesystem::path& data_dir);

/// Compares every file of the set with the official one; see DatasetEntry::verify.
void verify_dataset(const std::string& name, const std::filesystem::path& data_dir, std::ostream& out);

}  // namespace arks
