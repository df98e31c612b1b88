#include "data/image_folder.h"

#include "data/splits.h"
#include "image_name.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <map>

namespace arks {

namespace fs = std::filesystem;

namespace {

using Files = std::vector<fs::path>;
using Classes = std::map<std::string, Files>;  // alphabetically, and so are the files

/// What lies in a folder, hidden things apart, by name.
std::vector<fs::path> visible_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  try {
    for (const auto& entry : fs::directory_iterator(folder)) {
      const auto name = entry.path().filename().string();
      // what archives and file servers leave behind
      const bool of_system = name.front() == '.' || name == "__MACOSX" || name == "@eaDir";
      if (!of_system) entries.push_back(entry.path());
    }
  } catch (const fs::filesystem_error& error) {
    throw Error("cannot read the folder " + folder.string() + ": " + error.code().message());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// Files of class folders that are no images by their names: Thumbs.db, readme.txt.
class LeftOut {
 public:
  void add(const fs::path& file) {
    if (count_++ == 0) first_ = file.filename().string();
  }
  /// "3 files are left out, …", or nothing.
  std::string note() const {
    if (count_ == 0) return "";
    const bool one = count_ == 1;
    return c10::str(count_, one ? " file is" : " files are", " left out, no PNG or JPEG by ",
                    one ? "its name (" : "their names (", first_, one ? ")" : ", ...)");
  }

 private:
  int64_t count_ = 0;
  std::string first_;
};

/// Those of a class folder; there may be none.
Files any_images_in(const fs::path& folder, LeftOut& left_out) {
  Files files;
  for (const auto& file : visible_entries(folder)) {
    ARKS_CHECK(!is_folder(file), file.string(), " is a folder inside a class folder; images must be in ",
               folder.parent_path().string(), "/CLASS itself");
    std::error_code ignored;
    ARKS_CHECK(fs::is_regular_file(file, ignored), file.string(), " is not a regular file");
    if (has_image_name(file)) {
      files.push_back(file);
    } else {
      left_out.add(file);
    }
  }
  return files;
}

Files images_in(const fs::path& folder, LeftOut& left_out) {
  auto files = any_images_in(folder, left_out);
  ARKS_CHECK(!files.empty(), "the class folder ", folder.string(),
             visible_entries(folder).empty() ? " is empty" : " has no files that are called .png, .jpg or .jpeg");
  return files;
}

Classes classes_in(const fs::path& folder, LeftOut& left_out) {
  ARKS_CHECK(is_folder(folder), folder.string(), " is not a folder");
  Classes classes;
  fs::path stray;
  for (const auto& entry : visible_entries(folder)) {
    if (is_folder(entry)) {
      classes[entry.filename().string()] = {};
    } else if (stray.empty() && has_image_name(entry)) {
      stray = entry;
    }
  }
  ARKS_CHECK(!classes.empty(), folder.string(), " has no class folders: images are expected in ", folder.string(),
             "/CLASS");
  ARKS_CHECK(stray.empty(), stray.string(), " is next to the class folders; move it into the folder of its class");
  ARKS_CHECK(classes.size() >= 2, folder.string(), " has only one class folder, '", classes.begin()->first,
             "'; classification needs at least two");
  for (auto& [name, files] : classes) files = images_in(folder / name, left_out);
  return classes;
}

bool has_folders(const fs::path& folder) {
  if (!is_folder(folder)) return false;
  const auto entries = visible_entries(folder);
  return std::any_of(entries.begin(), entries.end(), is_folder);
}

/// True for FOLDER/train and FOLDER/test with class folders in them; classes may have these names too.
bool is_divided(const fs::path& folder) {
  const bool train = has_folders(folder / "train"), test = has_folders(folder / "test");
  if (!train && !test) return false;
  ARKS_CHECK(train && test, folder.string(), " has ", train ? "train" : "test", " with class folders but no ",
             train ? "test" : "train", " next to it; to use two folders, give data ", (folder / "train").string(),
             " and test data ", (folder / "test").string());
  return true;
}

/// The folders beside train and test that are known not to be meant; anything else is refused.
std::vector<std::string> folders_left_alone(const fs::path& folder) {
  static const std::vector<std::string> kKnown{"val", "valid", "validation"};
  std::vector<std::string> left;
  for (const auto& entry : visible_entries(folder)) {
    const auto name = entry.filename().string();
    if (!is_folder(entry) || name == "train" || name == "test") continue;
    ARKS_CHECK(std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end(), folder.string(), " has train, test and ",
               name, ": class folders belong in train and test");
    left.push_back(name);
  }
  return left;
}

void check_same_classes(const Classes& train, const fs::path& train_folder, const Classes& test,
                        const fs::path& test_folder) {
  const auto check_one = [](const Classes& one, const fs::path& one_folder, const Classes& other,
                            const fs::path& other_folder) {
    for (const auto& [name, files] : one) {
      ARKS_CHECK(other.count(name) == 1, "the class '", name, "' is in ", one_folder.string(), " but not in ",
                 other_folder.string());
    }
  };
  check_one(test, test_folder, train, train_folder);
  check_one(train, train_folder, test, test_folder);
}

/// All files one class after the other, with their class numbers.
struct Labelled {
  Files files;
  std::vector<int64_t> labels, counts;
  std::vector<std::string> names;

  void add(const Classes& classes) {
    names.clear();
    counts.resize(classes.size());
    for (const auto& [name, images] : classes) {
      const auto number = static_cast<int64_t>(names.size());
      names.push_back(name);
      counts[static_cast<size_t>(number)] += static_cast<int64_t>(images.size());
      files.insert(files.end(), images.begin(), images.end());
      labels.insert(labels.end(), images.size(), number);
    }
  }
  int64_t size() const { return static_cast<int64_t>(files.size()); }
};

struct Found {
  Labelled images;
  int64_t train_count = 0;  // of those that are for training; all of them when the folder is still to be divided
  std::string note;
  LeftOut left_out;
};

Found find_images(const fs::path& folder, const fs::path& test_data) {
  ARKS_CHECK(is_folder(folder), folder.string(), " is not a folder");
  auto train_folder = folder, test_folder = test_data;
  Found found;
  if (is_divided(folder)) {
    ARKS_CHECK(test_folder.empty(), folder.string(), " has a test part of its own, so ", test_folder.string(),
               " cannot be the test data; use ", (folder / "train").string(), " as the training data");
    train_folder = folder / "train";
    test_folder = folder / "test";
    for (const auto& name : folders_left_alone(folder)) found.note += "; " + name + " is not used";
  }
  const auto train = classes_in(train_folder, found.left_out);
  found.images.add(train);
  found.train_count = found.images.size();
  if (test_folder.empty()) return found;
  const auto test = classes_in(test_folder, found.left_out);
  check_same_classes(train, train_folder, test, test_folder);
  found.images.add(test);
  return found;
}

std::string name_of(const fs::path& folder) {
  const auto whole = fs::absolute(folder).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

}  // namespace

DataSplits load_image_folder(const fs::path& folder, const ImageFolderOptions& options) {
  ARKS_CHECK(options.channels() == 0 || options.channels() == 1 || options.channels() == 3,
             "channels must be 1 or 3, got ", options.channels());
  const auto found = find_images(folder, options.test_data());
  const auto& images = found.images;
  const auto labels = torch::tensor(images.labels, torch::kLong);
  const int64_t test_count = images.size() - found.train_count;
  DataSplits splits;
  splits.divided = test_count == 0;
  const uint64_t seed = options.split_seed();
  const auto parts =
      splits.divided
          ? divide_by_class(labels, images.names, options.test_fraction(), seed, folder.string())
          : Parts{mixed_order(found.train_count, seed), mixed_order(test_count, seed) + found.train_count, {}};
  DatasetInfo info;
  info.name = name_of(folder);
  info.class_names = images.names;
  info.num_classes = static_cast<int64_t>(info.class_names.size());
  info.bounds = Bounds(0, 1);
  const auto files = ImageFilesOptions(options.files()).size(options.resize()).channels(options.channels());
  const auto all = std::make_shared<TensorDataset>(load_images(images.files, files), labels, std::move(info));
  splits.train = std::make_shared<Selection>(all, parts.train);
  splits.test = std::make_shared<Selection>(all, parts.test);
  if (const auto note = found.left_out.note(); !note.empty()) splits.notes.push_back(note);
  splits.summary = c10::str(all->info().name, ": ", all->size(), " images of ", c10::Join("x", all->info().input_shape),
                            " (channels, height, width); ", describe_classes(images.names, images.counts),
                            splits.divided ? "; divided class by class" : "; divided as in the folders", found.note,
                            "; bytes as x/255, bounds [0, 1]");
  return splits;
}

std::vector<fs::path> list_image_folder(const fs::path& folder, const fs::path& test_data) {
  return find_images(folder, test_data).images.files;
}

LabelledImages list_labelled_images(const fs::path& folder, bool labels_needed) {
  ARKS_CHECK(is_folder(folder), folder.string(), " is not a folder");
  LabelledImages found;
  LeftOut left_out;
  std::vector<std::string> empty;
  for (const auto& entry : visible_entries(folder)) {
    if (is_folder(entry)) {
      const auto files = any_images_in(entry, left_out);
      found.files.insert(found.files.end(), files.begin(), files.end());
      found.classes.resize(found.files.size(), entry.filename().string());
      if (files.empty()) empty.push_back(entry.filename().string());
    } else if (has_image_name(entry)) {
      ARKS_CHECK(!labels_needed, entry.string(), " is not in a class folder; images are expected in ", folder.string(),
                 "/CLASS");
      found.files.push_back(entry);
      found.classes.emplace_back();
    }
  }
  ARKS_CHECK(!found.files.empty(), folder.string(), " has no images",
             empty.empty() ? "" : c10::str(": nothing is in ", join(empty)));
  if (const auto note = left_out.note(); !note.empty()) found.notes.push_back(note);
  if (!empty.empty()) found.notes.push_back("no images are in " + join(empty));
  return found;
}

}  // namespace arks
