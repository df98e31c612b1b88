#include "data/tabular.h"

#include "data/column_notes.h"
#include "data/column_values.h"
#include "data/npy.h"
#include "data/splits.h"
#include "data/standardise.h"
#include "data/table_like.h"
#include "data/table_targets.h"
#include "support/contains.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>

namespace arks {

namespace fs = std::filesystem;

namespace {

TargetNames names_of(const DataTable& table) {
  return {table.info.name, table.target};
}

Targets targets_of(const DataTable& table) {
  return {table.targets, table.info.class_names, table.targets.dim() > 1 ? table.targets.size(1) : 1};
}

void take(Targets targets, DataTable& table) {
  table.targets = std::move(targets.values);
  table.target_units = std::move(targets.units);
  table.info.class_names = std::move(targets.class_names);
  table.info.num_classes = static_cast<int64_t>(table.info.class_names.size());
}

std::string file_name(const fs::path& path) {
  return path.filename().string();
}

/// The groups that a column names, which is then no input.
torch::Tensor groups_in(const CsvTable& csv, const std::string& group, const std::vector<std::string>& targets) {
  const auto& column = csv.columns[find_column(csv, group)];
  ARKS_CHECK(!contains(targets, group), csv.name, ": the column '", group, "' cannot be both the target and the group");
  ARKS_CHECK(csv.columns.size() > targets.size() + 1, csv.name, ": no input column beside the target and the group");
  for (int64_t row = 0; column.missing > 0 && row < csv.rows(); ++row) {
    ARKS_CHECK(!is_missing_at(column, row), place(csv, row), ": the group '", group, "' ", missing_words(column));
  }
  return numbered_cells(column);
}

DataTable table_of(CsvTable csv, const std::string& name, const TabularOptions& options) {
  DataTable table;
  table.info.name = name;
  ARKS_CHECK(csv.columns.size() >= 2, csv.name, ": only one column, ", shown(csv.columns[0].name),
             "; at least one column of inputs and one of targets are needed; --sep names another separator");
  table.target = options.target().empty() ? csv.columns.back().name : options.target();
  const auto columns = target_columns(csv, table.target);
  auto not_inputs = columns;
  if (!options.group().empty()) not_inputs.push_back(options.group());
  check_column_lists(csv, options, not_inputs);
  auto targets = csv_targets(csv, columns, options.task(), nullptr);
  const auto notes = notes_on_targets(csv, columns, targets);
  take(std::move(targets), table);
  if (table.info.num_classes == 0) table.info.target_names = columns;
  check_number_of_classes(targets_of(table), names_of(table));
  if (!options.group().empty()) {
    table.marks.groups = groups_in(csv, options.group(), columns);
    table.info.group = options.group();
  }
  table.notes = csv.notes;
  table.notes.insert(table.notes.end(), notes.begin(), notes.end());
  table.csv = std::make_shared<CsvTable>(std::move(csv));
  return table;
}

/// Learns on these rows what the columns become, and puts all rows into the table.
TableEncoding encode_inputs(DataTable& table, const torch::Tensor& rows, const TabularOptions& options) {
  const auto* first = rows.data_ptr<int64_t>();
  const std::vector<int64_t> training(first, first + rows.numel());
  auto not_inputs = target_columns(*table.csv, table.target);
  if (!options.group().empty()) not_inputs.push_back(options.group());
  auto encoding = learn_encoding(*table.csv, training, not_inputs, options);
  for (const auto& left : encoding.left_out) {
    if (left.why != kDropped) table.notes.push_back("column " + shown(left.name) + " is left out: " + left.why);
  }
  for (const auto& how : encoding.columns) {
    const auto& column = table.csv->columns[find_column(*table.csv, how.name)];
    for (const auto& note : notes_on_input(column, how, options.day_first())) table.notes.push_back(note);
  }
  encoding.target_units = table.target_units;
  if (!options.group().empty()) encoding.left_out.push_back({options.group(), kGroupColumn});
  auto encoded = encode(*table.csv, encoding);
  table.inputs = std::move(encoded.values);
  table.marks.filled = std::move(encoded.filled);
  table.lines = std::move(table.csv->lines);
  table.csv.reset();
  table.info.features = encoding.features();
  table.notes.insert(table.notes.end(), encoded.notes.begin(), encoded.notes.end());
  return encoding;
}

/// Test rows from a file of their own, read as the training rows were.
DataTable read_like(const fs::path& path, const DataTable& train, const TableEncoding& encoding,
                    const TabularOptions& options) {
  const bool classes = train.info.num_classes > 0;
  const auto targets = classes ? std::vector<std::string>{train.target} : train.info.target_names;
  auto rows =
      read_table_like(path, {encoding, targets, targets_of(train)}, csv_options(options), /*with_targets=*/true);
  DataTable test;
  test.info = train.info;
  test.info.name = file_name(path);
  test.target = train.target;
  test.inputs = std::move(rows.inputs);
  test.targets = std::move(rows.targets);
  test.marks = std::move(rows.marks);
  if (!test.marks.groups.defined()) test.info.group.clear();
  test.lines = std::move(rows.lines);
  test.notes = std::move(rows.notes);
  test.notes.insert(test.notes.end(), rows.warnings.begin(), rows.warnings.end());
  return test;
}

DataTable npy_table(const fs::path& inputs, const fs::path& targets, const TabularOptions& options,
                    const Targets* like) {
  ARKS_CHECK(options.target().empty(), "a target column ('", options.target(), "') cannot be named in an .npy file");
  ARKS_CHECK(!targets.empty(), inputs.string(),
             " holds the inputs; the targets are needed too, in a second .npy file (--targets)");
  DataTable table;
  table.info.name = file_name(inputs);
  table.target = file_name(targets);
  const auto x = read_npy(inputs);
  ARKS_CHECK(x.dim() >= 2, inputs.string(), ": inputs must have shape [n, inputs], got ", x.sizes(),
             read_npy_header(targets).shape.size() > 1 ? "; are --data and --targets exchanged?" : "");
  check_finite(x, inputs.string());
  table.inputs = x.to(torch::kDouble);
  const auto flag = like != nullptr ? "--test-targets" : "--targets";
  const auto y = read_npy_targets(targets.string(), inputs.string(), x.size(0), flag);
  auto found = number_targets(y, options.task(), names_of(table), like);
  table.info.target_names = npy_target_names(found);
  if (auto note = one_hot_note(found, table.target); !note.empty()) table.notes.push_back(std::move(note));
  if (x.dim() == 3 && like == nullptr && x.is_floating_point()) {
    table.notes.push_back(c10::str(table.info.name, ": samples of ", x.size(1), "x", x.size(2),
                                   " are taken for rows of a table; save images as [n, 1, ", x.size(1), ", ", x.size(2),
                                   "], or as bytes"));
  }
  take(std::move(found), table);
  return table;
}

void check_limit(const TabularOptions& options) {
  ARKS_CHECK(options.train_limit() >= 0, "train limit must not be negative, got ", options.train_limit());
}

/// The first train_limit of them.
torch::Tensor limited_part(const torch::Tensor& numbers, const TabularOptions& options) {
  return options.train_limit() > 0 ? numbers.slice(0, 0, options.train_limit()) : numbers;
}

/// Takes the validation part, and what is beyond the limit, out of the training part.
void keep_training_rows(Parts& parts, const DataTable& table, const TabularOptions& options) {
  const auto classes = table.info.num_classes > 0 ? table.targets : torch::Tensor();
  split_off_validation(parts, classes, table.marks.groups, options.validation(), table.info.name);
  parts.train = limited_part(parts.train, options);
}

Parts parts_of(int64_t rows, const torch::Tensor& groups, const std::string& name, const TabularOptions& options) {
  return groups.defined()
             ? divide_by_group(groups, options.test_fraction(), options.split_seed(), name, options.group())
             : divide(rows, options.test_fraction(), options.split_seed(), name);
}

std::string summary_of(const DataTable& table, const DataSplits& splits) {
  const int64_t inputs = table.inputs[0].numel();
  const auto task =
      splits.task == Task::kRegression ? std::string("regression") : c10::str(table.info.num_classes, " classes");
  return c10::str(table.info.name, ": ", table.rows(), " rows, ", inputs, inputs == 1 ? " input" : " inputs",
                  "; target '", splits.target, "', ", task,
                  splits.standardised ? "; standardised" : "; not standardised",
                  splits.train->info().target_mean.defined() ? ", and so is the target" : "",
                  table.info.group.empty() ? "" : "; rows with the same '" + table.info.group + "' stay in one part");
}

/// Rows of tables as training, validation and test set. `by_default` is what happens to files: inputs, and the numbers
/// to predict, are standardised.
DataSplits splits_of(const DataTable& train_table, const Parts& parts, const DataTable& test_table,
                     const TabularOptions& options, bool by_default) {
  DataSplits splits;
  splits.task = train_table.info.num_classes > 0 ? Task::kClassification : Task::kRegression;
  splits.target = train_table.target;
  splits.standardised = options.standardise().value_or(by_default);
  splits.notes = train_table.notes;
  auto train_info = train_table.info, test_info = test_table.info;
  Scaling of_inputs, of_targets;
  if (splits.standardised) {
    of_inputs = learn_input_scaling({train_table.inputs, parts.train}, train_info.features);
    check_deviations(of_inputs.deviation, {train_info.name, {}, columns_of(train_info.features)});
    train_info.input_mean = test_info.input_mean = of_inputs.mean;
    train_info.input_deviation = test_info.input_deviation = of_inputs.deviation;
  }
  const bool scale_targets = options.standardise_targets().value_or(by_default && splits.standardised);
  if (splits.task == Task::kRegression && scale_targets) {
    of_targets = learn_scaling({train_table.targets, parts.train});
    check_deviations(of_targets.deviation, {train_info.name, {}, train_info.target_names});
    train_info.target_mean = test_info.target_mean = of_targets.mean.reshape({-1});
    train_info.target_deviation = test_info.target_deviation = of_targets.deviation.reshape({-1});
  }
  const auto part = [&](const DataTable& table, const torch::Tensor& rows, const DatasetInfo& info) {
    const auto targets = info.num_classes > 0
                             ? table.targets.index_select(0, rows)
                             : as_float({table.targets, rows}, of_targets, {info.name, table.lines, info.target_names});
    const auto inputs = as_float({table.inputs, rows}, of_inputs, {info.name, table.lines, columns_of(info.features)});
    return std::make_shared<TensorDataset>(inputs, targets, info, table.marks.select(rows));
  };
  splits.train = part(train_table, parts.train, train_info);
  splits.test = part(test_table, parts.test, test_info);
  if (parts.validation.defined()) splits.validation = part(train_table, parts.validation, train_info);
  splits.summary = summary_of(train_table, splits);
  return splits;
}

bool is_csv(const fs::path& path) {
  const bool csv = is_csv_name(path);
  ARKS_CHECK(csv || path.extension() == ".npy", "a table must be a file ending in ", kTableEndings, ", got ",
             path.string());
  return csv;
}

}  // namespace

CsvOptions csv_options(const TabularOptions& options) {
  CsvOptions csv;
  csv.separator = options.separator();
  csv.decimal = options.decimal();
  csv.header = options.header();
  csv.as_texts = options.categorical();
  return csv;
}

DataTable read_csv_table(const fs::path& path, const TabularOptions& options) {
  return table_of(read_csv(path, csv_options(options)), file_name(path), options);
}

DataTable parse_csv_columns(std::string_view text, const std::string& name, const TabularOptions& options) {
  return table_of(parse_csv(text, name, csv_options(options)), name, options);
}

DataTable parse_csv_table(std::string_view text, const std::string& name, const TabularOptions& options) {
  auto table = parse_csv_columns(text, name, options);
  encode_inputs(table, torch::arange(table.rows()), options);
  return table;
}

DataTable read_npy_table(const fs::path& inputs, const fs::path& targets, const TabularOptions& options) {
  return npy_table(inputs, targets, options, nullptr);
}

DataSplits split_table(DataTable table, const TabularOptions& options, bool standardise_by_default) {
  check_limit(options);
  ARKS_CHECK(options.test_data().empty(), table.info.name, ": separate test rows (", options.test_data().string(),
             ") need a file of training rows");
  const auto& name = table.info.name;
  auto parts = parts_of(table.rows(), table.marks.groups, name, options);
  keep_training_rows(parts, table, options);
  std::shared_ptr<TableEncoding> encoding;
  if (table.csv) encoding = std::make_shared<TableEncoding>(encode_inputs(table, parts.train, options));
  auto splits = splits_of(table, parts, table, options, standardise_by_default);
  splits.encoding = encoding;
  return splits;
}

DataSplits join_tables(DataTable train, const ReadTest& read_test, const TabularOptions& options,
                       bool standardise_by_default) {
  check_limit(options);
  Parts parts{mixed_order(train.rows(), options.split_seed()), {}, {}};
  keep_training_rows(parts, train, options);
  std::shared_ptr<TableEncoding> encoding;
  if (train.csv) encoding = std::make_shared<TableEncoding>(encode_inputs(train, parts.train, options));
  const auto test = read_test(train, encoding.get());
  ARKS_CHECK(train.inputs.sizes().slice(1) == test.inputs.sizes().slice(1), test.info.name, ": inputs of shape ",
             test.inputs.sizes().slice(1), ", but those of ", train.info.name, " have ", train.inputs.sizes().slice(1));
  parts.test = torch::arange(test.rows());
  auto splits = splits_of(train, parts, test, options, standardise_by_default);
  splits.encoding = encoding;
  splits.divided = false;
  splits.summary += c10::str("; ", test.rows(), " test rows in ", file_name(options.test_data()));
  for (const auto& note : test.notes) splits.notes.push_back(test.info.name + ": " + note);
  return splits;
}

std::vector<int64_t> training_rows(const CsvTable& csv, const TabularOptions& options) {
  auto rows = torch::arange(csv.rows(), torch::kLong);
  try {
    if (options.test_data().empty()) {
      rows = parts_of(csv.rows(), options.group().empty() ? torch::Tensor() : groups_in(csv, options.group(), {}),
                      csv.name, options)
                 .train.contiguous();
    }
  } catch (const Error&) {
    // whoever divides it in earnest says why it cannot be
  }
  const auto* first = rows.data_ptr<int64_t>();
  return {first, first + rows.numel()};
}

namespace {

DataSplits load_unexplained(const fs::path& path, const fs::path& targets, const TabularOptions& options) {
  const bool csv = is_csv(path);
  const auto& test = options.test_data();
  ARKS_CHECK(!csv || (targets.empty() && options.test_targets().empty()), path.string(),
             ": a text file holds its targets in a column; a file of targets is for .npy inputs");
  const auto read = [&] { return csv ? read_csv_table(path, options) : read_npy_table(path, targets, options); };
  if (test.empty()) {
    ARKS_CHECK(options.test_targets().empty(), "test targets (", options.test_targets().string(), ") need test data");
    return split_table(read(), options, /*standardise_by_default=*/true);
  }
  ARKS_CHECK(is_csv(test) == csv, "test data must have the same form as the training data: ", test.string(), " and ",
             path.string());
  const auto read_test = [&](const DataTable& train, const TableEncoding* encoding) {
    if (csv) return read_like(test, train, *encoding, options);
    const auto like = targets_of(train);
    return npy_table(test, options.test_targets(), options, &like);
  };
  return join_tables(read(), read_test, options, /*standardise_by_default=*/true);
}

}  // namespace

DataSplits load_tabular(const fs::path& path, const fs::path& targets, const TabularOptions& options) {
  try {
    return load_unexplained(path, targets, options);
  } catch (const Error& error) {
    throw explained(error, path, csv_options(options));
  }
}

}  // namespace arks
