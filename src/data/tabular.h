#pragma once
#include "data/table_encoding.h"
#include "data/targets.h"

#include <arks/data/load.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arks {

/// All rows of a table in the order of the file, not yet divided.
struct DataTable {
  torch::Tensor inputs;           ///< [n,...] float64, finite; undefined while they are columns of a text file
  std::shared_ptr<CsvTable> csv;  ///< the columns that become inputs once the training rows are known
  torch::Tensor targets;          ///< [n] int64 class numbers, or [n] or [n,k] float64
  DatasetInfo info;               ///< num_classes 0 for a regression; class names in the order of the class numbers
  SampleMarks marks;              ///< of all rows; groups are those of TabularOptions::group
  std::string target;             ///< name of the target column or file, "a,b" of several
  std::vector<std::string> target_units;  ///< Targets::units
  std::vector<int64_t> lines;             ///< on which the rows of a text file begin
  std::vector<std::string> notes;

  int64_t rows() const { return targets.size(0); }
};

/// Rows of a text file (read_csv) and its target columns; the others become inputs when the table is divided
/// (learn_encoding). Classes are numbered in the order of their values, texts alphabetically. Throws Error when a
/// target is missing, there is no other column, numbers and texts are mixed in the target and no task is given, there
/// is only one class, or there are too many.
DataTable read_csv_table(const std::filesystem::path& path, const TabularOptions& options);

/// The same of a text.
DataTable parse_csv_columns(std::string_view text, const std::string& name, const TabularOptions& options);
/// The same, and the inputs learned on all rows.
DataTable parse_csv_table(std::string_view text, const std::string& name, const TabularOptions& options);

/// Rows of a pair of NPY files (read_npy): inputs [n,...] and targets [n] or [n,1].
DataTable read_npy_table(const std::filesystem::path& inputs, const std::filesystem::path& targets,
                         const TabularOptions& options);

/// Shuffles the rows by the split seed; the first test_fraction of them (rounded, at least one) become the test set,
/// the rest, or the first train_limit of it, the training set, so that sets of different size under one seed lie within
/// one another and share the test set. When asked for, each input is then standardised: (x − mean)/deviation with mean
/// and deviation (divided by n) of the training samples that are used, never of validation or test samples; an input
/// that is constant there is only shifted. Throws Error when a part would be empty or a value does not fit into
/// float32.
DataSplits split_table(DataTable table, const TabularOptions& options, bool standardise_by_default);

/// The same with a test set of its own: all rows of `train` in the order drawn from the split seed, or the first
/// train_limit of them, and all rows of `test` in the order of the file, scaled as the training samples. The test
/// fraction is not used. Throws Error when the inputs are not of one shape.
using ReadTest = std::function<DataTable(const DataTable& train, const TableEncoding* encoding)>;
DataSplits join_tables(DataTable train, const ReadTest& read_test, const TabularOptions& options,
                       bool standardise_by_default);

/// A text file (is_csv_name), or one ending in .npy with `targets` as its partner, read and divided. With test_data all
/// of it is the training set. Then the columns of a text file are found by their names, and classes have the numbers of
/// the training file: a column that is missing and a class that is not in the training file are an Error.
DataSplits load_tabular(const std::filesystem::path& path, const std::filesystem::path& targets = {},
                        const TabularOptions& options = TabularOptions());

/// The rows of a text file from which split_table and join_tables learn what its columns become, when no validation
/// part is taken off; all of them where it cannot be divided.
std::vector<int64_t> training_rows(const CsvTable& csv, const TabularOptions& options);

/// How read_csv is to read a table.
CsvOptions csv_options(const TabularOptions& options);

}  // namespace arks
