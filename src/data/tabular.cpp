#include "data/tabular.h"

#include "data/csv.h"
#include "data/npy.h"
#include "data/splits.h"
#include "data/targets.h"

#include <arks/support/error.h>

#include <algorithm>

namespace arks {

namespace fs = std::filesystem;

namespace {

TargetNames names_of(const DataTable& table) {
  return {table.info.name, table.target};
}

Targets targets_of(const DataTable& table) {
  return {table.targets, table.info.class_names};
}

void take(Targets targets, DataTable& table) {
  table.targets = std::move(targets.values);
  table.info.class_names = std::move(targets.class_names);
  table.info.num_classes = static_cast<int64_t>(table.info.class_names.size());
}

/// The targets of a CSV file: texts are classes, numbers either; a column of both is a slip unless a task is given.
Targets csv_targets(const CsvTable& csv, size_t column, std::optional<Task> task, const TargetNames& names,
                    const Targets* like) {
  const auto numeric = [](const std::string& name) { return is_number(name); };
  // classes that were texts in the training file are texts here too, whatever they look like
  const bool as_texts = like != nullptr && !std::all_of(like->class_names.begin(), like->class_names.end(), numeric);
  size_t numbers = 0, first_text = csv.rows.size();
  std::vector<std::string> cells;
  for (size_t row = 0; row < csv.rows.size(); ++row) {
    cells.push_back(csv.rows[row][column]);
    ARKS_CHECK(!cells.back().empty(), csv.name, ", line ", csv.lines[row], ": the target '", names.target,
               "' is empty");
    if (is_number(cells.back())) {
      ++numbers;
    } else {
      first_text = std::min(first_text, row);
    }
  }
  if (task == Task::kRegression || (numbers == cells.size() && !as_texts)) {
    return number_targets(number_column(csv, column), task, names, like);
  }
  ARKS_CHECK(numbers == 0 || task, csv.name, ", line ", csv.lines[first_text], ": the target '", names.target,
             "' holds the text '", cells[first_text].substr(0, 40), "' among ", numbers,
             " numbers; if these are class names, set the task to classification");
  return text_targets(cells, names, like);
}

/// The columns of the inputs, in the order of the header.
std::vector<size_t> input_columns(const CsvTable& csv, size_t target) {
  std::vector<size_t> columns;
  for (size_t column = 0; column < csv.header.size(); ++column) {
    if (column != target) columns.push_back(column);
  }
  return columns;
}

/// Those of `csv` that have the names of the inputs of `train`, in its order.
std::vector<size_t> columns_like(const CsvTable& train, const CsvTable& csv, size_t target) {
  std::vector<size_t> columns;
  for (const size_t column : input_columns(train, target)) columns.push_back(find_column(csv, train.header[column]));
  for (const auto& name : csv.header) {
    ARKS_CHECK(std::find(train.header.begin(), train.header.end(), name) != train.header.end(), csv.name,
               ": the column '", name, "' is not in ", train.name);
  }
  return columns;
}

torch::Tensor stacked_columns(const CsvTable& csv, const std::vector<size_t>& columns) {
  std::vector<torch::Tensor> inputs;
  inputs.reserve(columns.size());
  for (const size_t column : columns) inputs.push_back(number_column(csv, column));
  return torch::stack(inputs, 1);
}

DataTable table_of(const CsvTable& csv, const std::string& name, const TabularOptions& options) {
  DataTable table;
  table.info.name = name;
  ARKS_CHECK(csv.header.size() >= 2, csv.name, ": only one column, '", csv.header[0],
             "'; at least one column of inputs and one of targets are needed");
  table.target = options.target().empty() ? csv.header.back() : options.target();
  const size_t target = find_column(csv, table.target);
  table.inputs = stacked_columns(csv, input_columns(csv, target));
  take(csv_targets(csv, target, options.task(), names_of(table), nullptr), table);
  return table;
}

std::string file_name(const fs::path& path) {
  return path.filename().string();
}

/// Training and test rows from a CSV file each.
DataSplits load_csv_pair(const fs::path& path, const TabularOptions& options) {
  const auto csv = read_csv(path), test_csv = read_csv(options.test_data());
  const auto train = table_of(csv, file_name(path), options);
  DataTable test;
  test.info.name = test_csv.name;
  test.target = train.target;
  const size_t target = find_column(test_csv, train.target);
  test.inputs = stacked_columns(test_csv, columns_like(csv, test_csv, find_column(csv, train.target)));
  const auto like = targets_of(train);
  const auto task = train.info.num_classes > 0 ? Task::kClassification : Task::kRegression;
  take(csv_targets(test_csv, target, task, names_of(test), &like), test);
  return join_tables(train, test, options, /*standardise_by_default=*/true);
}

DataTable npy_table(const fs::path& inputs, const fs::path& targets, const TabularOptions& options,
                    const Targets* like) {
  ARKS_CHECK(options.target().empty(), "a target column ('", options.target(), "') cannot be named in an .npy file");
  ARKS_CHECK(!targets.empty(), inputs.string(), " holds the inputs; the targets are needed too, in a second .npy file");
  DataTable table;
  table.info.name = file_name(inputs);
  table.target = file_name(targets);
  const auto x = read_npy(inputs);
  ARKS_CHECK(x.dim() >= 2, inputs.string(), ": inputs must have shape [n, inputs], got ", x.sizes());
  check_finite(x, inputs.string());
  table.inputs = x.to(torch::kDouble);
  const auto y = read_npy_targets(targets.string(), inputs.string(), x.size(0));
  take(number_targets(y, options.task(), names_of(table), like), table);
  return table;
}

void check_limit(const TabularOptions& options) {
  ARKS_CHECK(options.train_limit() >= 0, "train limit must not be negative, got ", options.train_limit());
}

/// The first train_limit of them.
torch::Tensor limited_part(const torch::Tensor& numbers, const TabularOptions& options) {
  return options.train_limit() > 0 ? numbers.slice(0, 0, options.train_limit()) : numbers;
}

/// What takes each input to mean 0 and deviation 1 on the training samples.
struct Scaling {
  torch::Tensor mean, deviation;
  torch::Tensor apply(const torch::Tensor& x) const { return (x - mean) / deviation; }
};

Scaling learn_scaling(const torch::Tensor& train) {
  const auto low = std::get<0>(train.min(0)), high = std::get<0>(train.max(0));
  const auto constant = low == high;
  // of a constant input the mean is itself: rounding of the sum must not make a deviation of it
  const auto mean = torch::where(constant, low, train.mean(0));
  // squares of entries at most 1 neither overflow nor vanish
  const auto largest = (train - mean).abs().amax(0).masked_fill(constant, 1);
  const auto deviation = ((train - mean) / largest).pow(2).mean(0).sqrt() * largest;
  return {mean, deviation.masked_fill(constant, 1)};
}

DatasetPtr as_dataset(const torch::Tensor& inputs, const torch::Tensor& targets, const DatasetInfo& info) {
  const auto as_float = [&](const torch::Tensor& values, const char* what) {
    const auto narrow = values.to(torch::kFloat);
    ARKS_CHECK(narrow.isfinite().all().item<bool>(), info.name, ": ", what,
               " are too large for float32; scale them down");
    return narrow;
  };
  return std::make_shared<TensorDataset>(as_float(inputs, "inputs"),
                                         info.num_classes > 0 ? targets : as_float(targets, "targets"), info);
}

std::string summary_of(const DataTable& table, const DataSplits& splits) {
  const int64_t inputs = table.inputs[0].numel();
  return c10::str(
      table.info.name, ": ", table.inputs.size(0), " rows, ", inputs, inputs == 1 ? " input" : " inputs", "; target '",
      splits.target, "', ",
      splits.task == Task::kRegression ? std::string("regression") : c10::str(table.info.num_classes, " classes"),
      splits.standardised ? "; standardised" : "; not standardised");
}

/// Rows of tables as training and test set.
DataSplits splits_of(const DataTable& train_table, const torch::Tensor& train_rows, const DataTable& test_table,
                     const torch::Tensor& test_rows, bool standardise) {
  auto train = train_table.inputs.index_select(0, train_rows), test = test_table.inputs.index_select(0, test_rows);
  DataSplits splits;
  splits.task = train_table.info.num_classes > 0 ? Task::kClassification : Task::kRegression;
  splits.target = train_table.target;
  splits.standardised = standardise;
  auto train_info = train_table.info, test_info = test_table.info;
  if (standardise) {
    const auto scaling = learn_scaling(train);
    train_info.input_mean = test_info.input_mean = scaling.mean;
    train_info.input_deviation = test_info.input_deviation = scaling.deviation;
    train = scaling.apply(train);
    test = scaling.apply(test);
  }
  splits.train = as_dataset(train, train_table.targets.index_select(0, train_rows), train_info);
  splits.test = as_dataset(test, test_table.targets.index_select(0, test_rows), test_info);
  splits.summary = summary_of(train_table, splits);
  return splits;
}

bool is_csv(const fs::path& path) {
  const bool csv = path.extension() == ".csv";
  ARKS_CHECK(csv || path.extension() == ".npy", "a table must be a file ending in .csv or .npy, got ", path.string());
  return csv;
}

}  // namespace

DataTable read_csv_table(const fs::path& path, const TabularOptions& options) {
  return table_of(read_csv(path), file_name(path), options);
}

DataTable parse_csv_table(std::string_view text, const std::string& name, const TabularOptions& options) {
  return table_of(parse_csv(text, name), name, options);
}

DataTable read_npy_table(const fs::path& inputs, const fs::path& targets, const TabularOptions& options) {
  return npy_table(inputs, targets, options, nullptr);
}

DataSplits split_table(const DataTable& table, const TabularOptions& options, bool standardise_by_default) {
  check_limit(options);
  ARKS_CHECK(options.test_data().empty(), table.info.name, ": separate test rows (", options.test_data().string(),
             ") need a file of training rows");
  const auto parts = divide(table.inputs.size(0), options.test_fraction(), options.split_seed(), table.info.name);
  return splits_of(table, limited_part(parts.train, options), table, parts.test,
                   options.standardise().value_or(standardise_by_default));
}

DataSplits join_tables(const DataTable& train, const DataTable& test, const TabularOptions& options,
                       bool standardise_by_default) {
  check_limit(options);
  ARKS_CHECK(train.inputs.sizes().slice(1) == test.inputs.sizes().slice(1), test.info.name, ": inputs of shape ",
             test.inputs.sizes().slice(1), ", but those of ", train.info.name, " have ", train.inputs.sizes().slice(1));
  const auto order = mixed_order(train.inputs.size(0), options.split_seed());
  auto splits = splits_of(train, limited_part(order, options), test, torch::arange(test.inputs.size(0)),
                          options.standardise().value_or(standardise_by_default));
  splits.divided = false;
  splits.summary += c10::str("; ", test.inputs.size(0), " test rows in ", file_name(options.test_data()));
  return splits;
}

DataSplits load_tabular(const fs::path& path, const fs::path& targets, const TabularOptions& options) {
  const bool csv = is_csv(path);
  const auto& test = options.test_data();
  ARKS_CHECK(!csv || (targets.empty() && options.test_targets().empty()), path.string(),
             ": a .csv file holds its targets in a column; a file of targets is for .npy inputs");
  if (test.empty()) {
    ARKS_CHECK(options.test_targets().empty(), "test targets (", options.test_targets().string(), ") need test data");
    return split_table(csv ? read_csv_table(path, options) : read_npy_table(path, targets, options), options,
                       /*standardise_by_default=*/true);
  }
  ARKS_CHECK(is_csv(test) == csv, "test data must have the same form as the training data: ", test.string(), " and ",
             path.string());
  if (csv) return load_csv_pair(path, options);
  const auto train = read_npy_table(path, targets, options);
  const auto like = targets_of(train);
  return join_tables(train, npy_table(test, options.test_targets(), options, &like), options,
                     /*standardise_by_default=*/true);
}

}  // namespace arks
