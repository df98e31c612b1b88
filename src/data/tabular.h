#pragma once
#include <arks/data/load.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arks {

/// All rows of a table in the order of the file, not yet divided.
struct DataTable {
  torch::Tensor inputs;   ///< [n,...] float64, finite
  torch::Tensor targets;  ///< [n] int64 class numbers, or float64
  DatasetInfo info;       ///< num_classes 0 for a regression; class names in the order of the class numbers
  std::string target;     ///< name of the target column or file
};

/// Rows of a CSV file (read_csv) and its target column. All other columns are inputs and must be numbers. Classes are
/// numbered in the order of their values, texts alphabetically. Throws Error when a cell is bad, there is no input
/// column, numbers and texts are mixed in the target and no task is given, or there is only one class.
DataTable read_csv_table(const std::filesystem::path& path, const TabularOptions& options);
DataTable parse_csv_table(std::string_view text, const std::string& name, const TabularOptions& options);

/// Rows of a pair of NPY files (read_npy): inputs [n,...] and targets [n] or [n,1].
DataTable read_npy_table(const std::filesystem::path& inputs, const std::filesystem::path& targets,
                         const TabularOptions& options);

/// Shuffles the rows by the split seed; the first test_fraction of them (rounded, at least one) become the test set,
/// the rest, or the first train_limit of it, the training set, so that sets of different size under one seed lie within
/// one another and share the test set. When asked for, each input is then standardised: (x − mean)/deviation with mean
/// and deviation (divided by n) of the training samples that are used, never of the test set; an input that is constant
/// there is only shifted. Throws Error when a part would be empty or a value does not fit into float32.
DataSplits split_table(const DataTable& table, const TabularOptions& options, bool standardise_by_default);

/// The same with a test set of its own: all rows of `train` in the order drawn from the split seed, or the first
/// train_limit of them, and all rows of `test` in the order of the file, scaled as the training samples. The test
/// fraction is not used. Throws Error when the inputs are not of one shape.
DataSplits join_tables(const DataTable& train, const DataTable& test, const TabularOptions& options,
                       bool standardise_by_default);

/// A file ending in .csv, or in .npy with `targets` as its partner, read and divided. With test_data all of it is the
/// training set. Then the columns of a .csv file are found by their names, and classes have the numbers of the training
/// file: a column that one file has and the other has not, and a class that is not in the training file, are an Error.
DataSplits load_tabular(const std::filesystem::path& path, const std::filesystem::path& targets = {},
                        const TabularOptions& options = TabularOptions());

}  // namespace arks
