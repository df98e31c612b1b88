#include "data/tabular.h"

#include "data/csv.h"
#include "data/npy.h"
#include "data/splits.h"
#include "data/targets.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>

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

std::string file_name(const fs::path& path) {
  return path.filename().string();
}

/// The cells of a column of texts, as they stand.
std::vector<std::string> texts_of(const CsvColumn& column) {
  std::vector<std::string> cells;
  cells.reserve(column.codes.size());
  for (const auto code : column.codes) cells.push_back(column.values[static_cast<size_t>(code)]);
  return cells;
}

void check_no_missing(const CsvTable& csv, const CsvColumn& column) {
  for (int64_t row = 0; column.missing > 0 && row < csv.rows(); ++row) {
    const auto at = static_cast<size_t>(row);
    const bool missing = column.texts ? column.codes[at] < 0 : std::isnan(column.numbers[at]);
    ARKS_CHECK(!missing, place(csv, row), ": the target '", column.name, "' ", missing_words(column), ", one of ",
               column.missing, column.missing == 1 ? " cell" : " cells", "; remove the rows without a target");
  }
}

/// A cell that is not missing. Throws Error where it is a text.
double target_number(const CsvTable& csv, const CsvColumn& column, int64_t row) {
  const auto at = static_cast<size_t>(row);
  if (!column.texts) return column.numbers[at];
  const auto& cell = column.values[static_cast<size_t>(column.codes[at])];
  const auto number = cell_number(cell, csv.decimal);
  ARKS_CHECK(number, place(csv, row), ": column ", shown(column.name), " holds the text ", shown(cell),
             "; expected a number");
  return *number;
}

/// The numbers of a target column. Throws Error where it holds texts.
torch::Tensor target_numbers(const CsvTable& csv, const CsvColumn& column) {
  auto values = torch::empty({csv.rows()}, torch::kDouble);
  for (int64_t row = 0; row < csv.rows(); ++row) {
    const double number = target_number(csv, column, row);
    ARKS_CHECK(std::isfinite(number), place(csv, row), ": column ", shown(column.name),
               " is infinite; expected a finite number");
    values.data_ptr<double>()[row] = number;
  }
  return values;
}

/// Texts are classes; a column of numbers and texts is a slip unless a task is given.
Targets one_target(const CsvTable& csv, const CsvColumn& column, std::optional<Task> task, const TargetNames& names,
                   const Targets* like) {
  check_no_missing(csv, column);
  if (task == Task::kRegression || !column.texts) return number_targets(target_numbers(csv, column), task, names, like);
  const auto cells = texts_of(column);
  int64_t numbers = 0, first_text = -1;
  for (int64_t row = 0; row < csv.rows(); ++row) {
    if (is_number(cells[static_cast<size_t>(row)], csv.decimal)) {
      ++numbers;
    } else if (first_text < 0) {
      first_text = row;
    }
  }
  ARKS_CHECK(numbers == 0 || first_text < 0 || task, place(csv, first_text), ": the target '", names.target,
             "' holds the text ", shown(cells[static_cast<size_t>(first_text)]), " among ", numbers,
             " numbers; if these are class names, set the task to classification");
  return text_targets(cells, names, like);
}

/// A target with about as many classes as rows is a name or a number of the row.
void check_classes(const DataTable& table) {
  constexpr int64_t kFew = 20;
  const auto classes = table.info.num_classes;
  constexpr int64_t kTiny = 4;  // rows of which nothing can be told
  const bool all_differ = classes == table.rows() && classes > kTiny;
  ARKS_CHECK(!all_differ && (classes <= kFew || 2 * classes <= table.rows()), table.info.name, ": the target '",
             table.target, "' has ", classes, " classes in ", table.rows(),
             " rows; is it the right column? --target names it, --task regression predicts numbers");
}

/// The groups that a column names, which is then no input.
torch::Tensor groups_of(const CsvTable& csv, const std::string& group, const std::vector<std::string>& targets) {
  const auto& column = csv.columns[find_column(csv, group)];
  ARKS_CHECK(std::find(targets.begin(), targets.end(), group) == targets.end(), csv.name, ": the column '", group,
             "' cannot be both the target and the group");
  ARKS_CHECK(csv.columns.size() > targets.size() + 1, csv.name, ": no input column beside the target and the group");
  std::vector<std::string> cells;
  for (int64_t row = 0; row < csv.rows(); ++row) {
    const auto at = static_cast<size_t>(row);
    const bool missing = column.texts ? column.codes[at] < 0 : std::isnan(column.numbers[at]);
    ARKS_CHECK(!missing, place(csv, row), ": the group '", group, "' ", missing_words(column));
    cells.push_back(column.texts ? column.values[static_cast<size_t>(column.codes[at])] : shortest(column.numbers[at]));
  }
  return numbered(cells);
}

DataTable table_of(CsvTable csv, const std::string& name, const TabularOptions& options) {
  DataTable table;
  table.info.name = name;
  ARKS_CHECK(csv.columns.size() >= 2, csv.name, ": only one column, '", csv.columns[0].name,
             "'; at least one column of inputs and one of targets are needed; --sep names another separator");
  table.target = options.target().empty() ? csv.columns.back().name : options.target();
  const auto columns = target_columns(csv, table.target);
  auto not_inputs = columns;
  if (!options.group().empty()) not_inputs.push_back(options.group());
  check_column_lists(csv, options, not_inputs);
  take(csv_targets(csv, columns, options.task(), nullptr), table);
  if (table.info.num_classes == 0) table.info.target_names = columns;
  check_classes(table);
  if (!options.group().empty()) table.groups = groups_of(csv, options.group(), columns);
  table.notes = csv.notes;
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
  if (!options.group().empty()) encoding.left_out.push_back({options.group(), kGroupColumn});
  auto encoded = encode(*table.csv, encoding);
  table.inputs = std::move(encoded.values);
  table.csv.reset();
  table.info.features = encoding.features();
  table.notes.insert(table.notes.end(), encoded.notes.begin(), encoded.notes.end());
  return encoding;
}

/// Test rows from a file of their own, read as the training rows were.
DataTable read_like(const fs::path& path, const DataTable& train, const TableEncoding& encoding,
                    const TabularOptions& options) {
  auto csv_options = arks::csv_options(options);
  const auto like = targets_of(train);
  const auto names = train.info.num_classes > 0 ? std::vector<std::string>{train.target} : train.info.target_names;
  read_as_classes(train.target, like, csv_options);
  auto csv = read_csv(path, arks::csv_options(encoding, csv_options));
  DataTable test;
  test.info.name = file_name(path);
  test.target = train.target;
  const auto task = train.info.num_classes > 0 ? Task::kClassification : Task::kRegression;
  take(csv_targets(csv, names, task, &like), test);
  test.info.target_names = train.info.target_names;
  test.info.features = train.info.features;
  test.notes = csv.notes;
  if (const auto extra = extra_columns(csv, encoding, names); !extra.empty()) test.notes.push_back(extra);
  auto encoded = encode(csv, encoding);
  test.inputs = std::move(encoded.values);
  test.notes.insert(test.notes.end(), encoded.notes.begin(), encoded.notes.end());
  return test;
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
  for (int64_t i = 0; y.dim() > 1 && i < y.size(1); ++i) {
    table.info.target_names.push_back(c10::str(table.target, " ", i));
  }
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
  split_off_validation(parts, classes, table.groups, options.validation(), table.info.name);
  parts.train = limited_part(parts.train, options);
}

/// Some rows of a table. They are looked at piece by piece, so that no copy of all of them is needed.
struct Rows {
  torch::Tensor values, numbers;

  int64_t size() const { return numbers.size(0); }
  template <typename Take>
  void each_piece(const Take& take) const {
    constexpr int64_t kPiece = 4096;
    for (int64_t begin = 0; begin < size(); begin += kPiece) {
      take(begin, values.index_select(0, numbers.slice(0, begin, begin + kPiece)));
    }
  }
};

/// What takes numbers to mean 0 and deviation 1 on the training samples.
struct Scaling {
  torch::Tensor mean, deviation;  // not defined: numbers stay as they are
  torch::Tensor apply(const torch::Tensor& x) const { return mean.defined() ? (x - mean) / deviation : x; }
};

Scaling learn_scaling(const Rows& train) {
  torch::Tensor low, high, sum, squares;
  train.each_piece([&](int64_t begin, const torch::Tensor& x) {
    low = begin == 0 ? x.amin(0) : torch::minimum(low, x.amin(0));
    high = begin == 0 ? x.amax(0) : torch::maximum(high, x.amax(0));
    sum = begin == 0 ? x.sum(0) : sum + x.sum(0);
  });
  const auto constant = low == high;
  const auto count = static_cast<double>(train.size());
  // of a constant input the mean is itself: rounding of the sum must not make a deviation of it
  const auto mean = torch::where(constant, low, sum / count);
  // squares of entries at most 1 neither overflow nor vanish
  const auto largest = torch::maximum(high - mean, mean - low).masked_fill(constant, 1);
  train.each_piece([&](int64_t begin, const torch::Tensor& x) {
    const auto of_piece = ((x - mean) / largest).pow(2).sum(0);
    squares = begin == 0 ? of_piece : squares + of_piece;
  });
  return {mean, ((squares / count).sqrt() * largest).masked_fill(constant, 1)};
}

/// The same of inputs; what is 0 or 1 stays so.
Scaling learn_input_scaling(const Rows& train, const std::vector<Feature>& features) {
  auto scaling = learn_scaling(train);
  for (size_t i = 0; i < features.size(); ++i) {
    if (features[i].quantity) continue;
    scaling.mean[static_cast<int64_t>(i)] = 0;
    scaling.deviation[static_cast<int64_t>(i)] = 1;
  }
  return scaling;
}

/// The rows, scaled, in float32.
torch::Tensor as_float(const Rows& rows, const Scaling& scaling, const std::string& what) {
  auto shape = rows.values.sizes().vec();
  shape[0] = rows.size();
  auto narrow = torch::empty(shape, torch::kFloat);
  rows.each_piece([&](int64_t begin, const torch::Tensor& x) {
    auto piece = narrow.slice(0, begin, begin + x.size(0));
    piece.copy_(scaling.apply(x));
    ARKS_CHECK(piece.isfinite().all().item<bool>(), what, " are too large for float32; scale them down");
  });
  return narrow;
}

std::string summary_of(const DataTable& table, const DataSplits& splits) {
  const int64_t inputs = table.inputs[0].numel();
  const auto task =
      splits.task == Task::kRegression ? std::string("regression") : c10::str(table.info.num_classes, " classes");
  return c10::str(table.info.name, ": ", table.rows(), " rows, ", inputs, inputs == 1 ? " input" : " inputs",
                  "; target '", splits.target, "', ", task,
                  splits.standardised ? "; standardised" : "; not standardised",
                  splits.train->info().target_mean.defined() ? ", and so is the target" : "");
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
    train_info.input_mean = test_info.input_mean = of_inputs.mean;
    train_info.input_deviation = test_info.input_deviation = of_inputs.deviation;
  }
  const bool scale_targets = options.standardise_targets().value_or(by_default && splits.standardised);
  if (splits.task == Task::kRegression && scale_targets) {
    of_targets = learn_scaling({train_table.targets, parts.train});
    train_info.target_mean = test_info.target_mean = of_targets.mean.reshape({-1});
    train_info.target_deviation = test_info.target_deviation = of_targets.deviation.reshape({-1});
  }
  const auto part = [&](const DataTable& table, const torch::Tensor& rows, const DatasetInfo& info) {
    const auto targets = info.num_classes > 0 ? table.targets.index_select(0, rows)
                                              : as_float({table.targets, rows}, of_targets, info.name + ": targets");
    const auto inputs = as_float({table.inputs, rows}, of_inputs, info.name + ": inputs");
    return std::make_shared<TensorDataset>(inputs, targets, info);
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

void read_as_classes(const std::string& target, const Targets& like, CsvOptions& options) {
  if (!has_text_classes(like)) return;
  const auto& classes = like.class_names;
  options.as_texts.push_back(target);
  if (std::find(classes.begin(), classes.end(), "-") != classes.end()) options.dashes.push_back(target);
}

std::vector<std::string> target_columns(const CsvTable& table, const std::string& target) {
  const auto named = [&](const std::string& name) {
    return std::any_of(table.columns.begin(), table.columns.end(), [&](const auto& c) { return c.name == name; });
  };
  if (named(target) || target.find(',') == std::string::npos) {
    find_column(table, target);
    return {target};
  }
  const auto names = split(target, ',');
  for (const auto& name : names) {
    find_column(table, name);
    ARKS_CHECK(std::count(names.begin(), names.end(), name) == 1, "--target: '", name, "' is named twice");
  }
  return names;
}

Targets csv_targets(const CsvTable& table, const std::vector<std::string>& columns, std::optional<Task> task,
                    const Targets* like) {
  const auto& first = table.columns[find_column(table, columns[0])];
  if (columns.size() == 1) return one_target(table, first, task, {table.name, columns[0]}, like);
  ARKS_CHECK(task.value_or(Task::kRegression) == Task::kRegression, table.name,
             ": several targets are numbers that are predicted together; classes have one target");
  std::vector<torch::Tensor> numbers;
  for (const auto& name : columns) {
    const auto& column = table.columns[find_column(table, name)];
    check_no_missing(table, column);
    numbers.push_back(target_numbers(table, column));
  }
  return {torch::stack(numbers, 1), {}};
}

std::string extra_columns(const CsvTable& table, const TableEncoding& encoding,
                          const std::vector<std::string>& targets) {
  std::vector<std::string> extra;
  for (const auto& column : table.columns) {
    const auto same = [&](const auto& known) { return known.name == column.name; };
    const bool known = std::any_of(encoding.columns.begin(), encoding.columns.end(), same) ||
                       std::any_of(encoding.left_out.begin(), encoding.left_out.end(), same) ||
                       std::find(targets.begin(), targets.end(), column.name) != targets.end();
    if (!known) extra.push_back(shown(column.name));
  }
  constexpr size_t kShown = 10;
  if (extra.empty()) return "";
  const auto count = extra.size();
  extra.resize(std::min(count, kShown));
  return c10::str(count == 1 ? "a column that the training rows do not have is ignored: "
                             : "columns that the training rows do not have are ignored: ",
                  join(extra), count > kShown ? ", ..." : "");
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
  auto parts = table.groups.defined()
                   ? divide_by_group(table.groups, options.test_fraction(), options.split_seed(), name, options.group())
                   : divide(table.rows(), options.test_fraction(), options.split_seed(), name);
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

DataSplits load_tabular(const fs::path& path, const fs::path& targets, const TabularOptions& options) {
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

}  // namespace arks
