#pragma once
#include <arks/data/celeba.h>
#include <arks/data/data_dir.h>
#include <arks/data/dataset.h>
#include <arks/data/image_files.h>
#include <torch/arg.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace arks {

/// What is learned from samples: their class, or a number.
enum class Task { kClassification, kRegression };

/// "classification", "regression"
std::string to_string(Task task);
Task parse_task(const std::string& name);
std::vector<std::string> task_names();

/// What becomes of a missing cell in an input column of a table.
enum class Missing {
  kError,      ///< the file is refused
  kMedian,     ///< the median of the training rows; of categories the most frequent value
  kMean,       ///< likewise the mean
  kIndicator,  ///< the median, and one more input says that the cell was missing; of categories no value. A column that
               ///< misses nothing in training has no such input; then it is the same as kMedian
};

/// "error", "median", "mean", "indicator"
std::string to_string(Missing missing);
Missing parse_missing(const std::string& name);
std::vector<std::string> missing_names();

using Names = std::vector<std::string>;

/// Which samples of the training part are kept apart for choices: when to stop, which weights, which settings. They are
/// taken class by class where there are classes, and whole groups where there are groups. The test part is not touched.
struct ValidationOptions {
  ValidationOptions() = default;
  TORCH_ARG(double, fraction) = 0;   // of the training part, in [0,1); 0: none, unless there are folds
  TORCH_ARG(int64_t, folds) = 0;     // ≥ 2: cross-validation, the training part is cut into so many; 0: none
  TORCH_ARG(int64_t, fold) = 0;      // which of the folds is the validation part, 0 … folds − 1
  TORCH_ARG(uint64_t, seed) = 0;     // of who is in it
  TORCH_ARG(int64_t, at_least) = 0;  // if > 0, training parts with fewer samples, or one group, stay whole: a default
};

/// How a table becomes a training and a test set.
struct TabularOptions {
  TabularOptions() = default;
  TORCH_ARG(std::string, target);             // name of the target column; empty: the last one. Several numbers are
                                              // predicted together as "a,b"
  TORCH_ARG(std::optional<char>, separator);  // of text files; none: found
  TORCH_ARG(std::optional<char>, decimal);    // their decimal sign, '.' or ','; none: found
  TORCH_ARG(std::optional<bool>, header);     // the first line names the columns; none: found
  TORCH_ARG(Names, drop);                     // columns that are no inputs
  TORCH_ARG(Names, categorical);              // columns whose values are names, also where they look like numbers
  TORCH_ARG(std::optional<bool>, day_first);  // 1/2/2024 is in February; none: dates that leave it open are refused
  TORCH_ARG(Missing, missing) = Missing::kError;
  TORCH_ARG(std::optional<Task>, task);         // none: classification when the targets are text, or whole numbers of
                                                // which at most 20 differ; else regression
  TORCH_ARG(double, test_fraction) = 0.2;       // of the rows; in (0,1)
  TORCH_ARG(uint64_t, split_seed) = 0;          // of the order of the rows, and so of who is in which part
  TORCH_ARG(std::optional<bool>, standardise);  // none: what suits the set (files: yes; iris and diabetes: no)
  TORCH_ARG(std::optional<bool>, standardise_targets);  // of a regression; none: files yes, iris and diabetes no
  TORCH_ARG(std::filesystem::path, test_data);     // a file of the same form with the test rows; empty: a part of this
  TORCH_ARG(std::filesystem::path, test_targets);  // its targets, where those are an .npy file
  TORCH_ARG(std::string, group);  // a column that is no input: rows with one value stay in one part; empty: none
  TORCH_ARG(ValidationOptions, validation);  // split off the training part
  TORCH_ARG(int64_t, train_limit) = 0;       // only the first so many rows of the training part; 0: all
};

/// How a folder of images becomes a training and a test set.
struct ImageFolderOptions {
  TORCH_ARG(std::optional<ImageSize>, resize);  // of every image; none: all must have one size
  TORCH_ARG(int64_t, channels) = 0;             // 1 or 3; 0: 1 when all images are grey, else 3
  TORCH_ARG(double, test_fraction) = 0.2;       // of each class, where the folder is not divided itself; in (0,1)
  TORCH_ARG(uint64_t, split_seed) = 0;          // of the order of the images, and so of who is in which part
  TORCH_ARG(std::filesystem::path, test_data);  // a folder with the test images; empty: they are in this one
  TORCH_ARG(ImageFilesOptions, files);          // how the files are read: threads, cache, progress
};

/// Where the channels of images stand: [n,c,h,w] or [n,h,w,c].
enum class ImageLayout { kChannelsFirst, kChannelsLast };

/// "chw", "hwc"
ImageLayout parse_image_layout(const std::string& name);
std::vector<std::string> image_layout_names();

/// How a pair of NPY files becomes a training and a test set of images.
struct NpyImagesOptions {
  TORCH_ARG(std::optional<ImageLayout>, layout);  // none: found by where the 1, 3 or 4 is
  TORCH_ARG(std::optional<ImageSize>, resize);    // of every image; none: all have the size in the file
  TORCH_ARG(std::optional<Task>, task);           // none: classes for targets of an integer type, else as for tables
  TORCH_ARG(double, test_fraction) = 0.2;         // of the images; in (0,1)
  TORCH_ARG(uint64_t, split_seed) = 0;            // of the order of the images, and so of who is in which part
  TORCH_ARG(std::filesystem::path, test_data);    // a file of the same form with the test images; empty: a part of this
  TORCH_ARG(std::filesystem::path, test_targets);  // its targets
};

/// All that decides what the name of a data set becomes.
struct DataOptions {
  DataOptions() : data_dir_(default_data_dir()) {}
  explicit DataOptions(std::filesystem::path data_dir) : data_dir_(std::move(data_dir)) {}
  TORCH_ARG(std::filesystem::path, data_dir);   // where the files of known sets lie
  TORCH_ARG(std::filesystem::path, targets);    // the .npy file with the targets, beside one with the inputs
  TORCH_ARG(TabularOptions, tabular);           // of tables: files, iris, diabetes
  TORCH_ARG(ImageFolderOptions, image_folder);  // of folders of images
  TORCH_ARG(NpyImagesOptions, npy_images);      // of .npy files that hold images
  TORCH_ARG(CelebaOptions, celeba);             // of celeba
  TORCH_ARG(ValidationOptions, validation);     // of any set; goes before that of `tabular`
  TORCH_ARG(ImageFilesOptions, image_files);    // of sets that are image files: threads, cache, progress, notes
};

struct TableEncoding;

/// The parts of a set that arks reads and divides itself: a table, or the user's own images.
struct DataSplits {
  DatasetPtr train, test;
  DatasetPtr validation;              ///< split off the training part; null where nobody asked for one
  Task task = Task::kClassification;  ///< as given or found
  std::string target;         ///< name of the column or file of the targets; empty where the folder is the class
  bool standardised = false;  ///< the inputs were scaled to mean 0 and deviation 1 on the training samples
  bool divided = true;        ///< by test fraction and split seed; false: the test part was given apart
  std::shared_ptr<const TableEncoding> encoding;  ///< of the columns of a text file; null for other data
  std::vector<std::string> notes;                 ///< what was found on the way, a sentence each
  std::string summary;  ///< one line: "wine.csv: 178 rows, 13 inputs; target 'cultivar', 3 classes; …"
};

/// Both parts of a table or of the user's own images, and what was found in them. `name` is that of a known table
/// ("iris", "diabetes"), of a file ending in .csv (.tsv, .txt) or .npy, or of a folder with a folder of images for each
/// class. Throws Error for an official set, whose parts are loaded by load_dataset, and for files that are not well
/// formed.
DataSplits load_splits(const std::string& name, const DataOptions& options = DataOptions());

/// All parts of any set. Those of an official set are read as they are, and a validation part is split off the training
/// part where options.validation() asks for one.
DataSplits load_parts(const std::string& name, const DataOptions& options = DataOptions());

/// One part of any set, known ("fashion-mnist", "cifar10", "celeba", …) or the user's own.
DatasetPtr load_dataset(const std::string& name, const DataOptions& options, Split split);
DatasetPtr load_dataset(const std::string& name, const std::filesystem::path& data_dir, Split split);

}  // namespace arks
