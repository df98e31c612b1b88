#include <arks/data/csv.h>
#include <arks/data/npy.h>
#include <arks/data/tabular.h>
#include <arks/support/error.h>
#include <arks/support/file.h>
#include <arks/support/random.h>
#include <arks/support/text.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace arks {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kMostClassesFound = 20;  // with more distinct whole numbers a target is taken for a quantity

/// Class numbers in the order of the values, and the names of the classes.
template <typename Value, typename Name>
void number_classes(const std::vector<Value>& values, const Name& name, DataTable& table) {
  std::map<Value, int64_t> classes;
  for (const auto& value : values) classes.emplace(value, 0);
  for (auto& [value, number] : classes) {
    number = static_cast<int64_t>(table.info.class_names.size());
    table.info.class_names.push_back(name(value));
  }
  ARKS_CHECK(classes.size() >= 2, table.info.name, ": the target '", table.target, "' holds one class only, '",
             table.info.class_names.front(), "'; a classification needs at least two");
  table.info.num_classes = static_cast<int64_t>(classes.size());
  std::vector<int64_t> labels;
  labels.reserve(values.size());
  for (const auto& value : values) labels.push_back(classes.at(value));
  table.targets = torch::tensor(labels, torch::kLong);
}

/// Whole numbers of which few differ.
bool looks_like_classes(const torch::Tensor& numbers) {
  if (!numbers.equal(numbers.round())) return false;
  return std::get<0>(torch::_unique2(numbers)).numel() <= kMostClassesFound;
}

/// Targets that are numbers, [n] float64: classes or quantities.
void take_number_targets(const torch::Tensor& numbers, std::optional<Task> task, DataTable& table) {
  if (task.value_or(looks_like_classes(numbers) ? Task::kClassification : Task::kRegression) == Task::kRegression) {
    table.targets = numbers;
    return;
  }
  const auto* begin = numbers.data_ptr<double>();
  number_classes(std::vector<double>(begin, begin + numbers.numel()), shortest, table);
}

/// The targets of a CSV file: texts are classes, numbers as above; a column of both is a slip unless a task is given.
void take_csv_targets(const CsvTable& csv, size_t column, std::optional<Task> task, DataTable& table) {
  size_t numbers = 0, first_text = csv.rows.size();
  std::vector<std::string> cells;
  for (size_t row = 0; row < csv.rows.size(); ++row) {
    cells.push_back(csv.rows[row][column]);
    ARKS_CHECK(!cells.back().empty(), csv.name, ", line ", csv.lines[row], ": the target '", table.target,
               "' is empty");
    if (is_number(cells.back())) {
      ++numbers;
    } else {
      first_text = std::min(first_text, row);
    }
  }
  if (task == Task::kRegression || numbers == cells.size()) {
    take_number_targets(number_column(csv, column), task, table);
    return;
  }
  ARKS_CHECK(numbers == 0 || task, csv.name, ", line ", csv.lines[first_text], ": the target '", table.target,
             "' holds the text '", cells[first_text].substr(0, 40), "' among ", numbers,
             " numbers; for class names say so with the task classification");
  number_classes(
      cells, [](const std::string& text) { return text; }, table);
}

DataTable table_of(const CsvTable& csv, const std::string& name, const TabularOptions& options) {
  DataTable table;
  table.info.name = name;
  ARKS_CHECK(csv.header.size() >= 2, csv.name, ": one column, '", csv.header[0],
             "', at least one of inputs and one of targets are needed");
  table.target = options.target().empty() ? csv.header.back() : options.target();
  const size_t target = find_column(csv, table.target);
  std::vector<torch::Tensor> columns;
  for (size_t column = 0; column < csv.header.size(); ++column) {
    if (column != target) columns.push_back(number_column(csv, column));
  }
  table.inputs = torch::stack(columns, 1);
  take_csv_targets(csv, target, options.task(), table);
  return table;
}

torch::Tensor finite_doubles(const torch::Tensor& values, const fs::path& path) {
  const auto doubles = values.to(torch::kDouble);
  const auto bad = doubles.isfinite().logical_not().nonzero();
  if (bad.size(0) > 0) {
    const auto row = bad[0][0].item<int64_t>();
    throw Error(c10::str(path.string(), ": row ", row, " (from 0) holds a value that is not finite"));
  }
  return doubles;
}

void check(const TabularOptions& options) {
  ARKS_CHECK(options.test_fraction() > 0 && options.test_fraction() < 1, "test fraction must be between 0 and 1, got ",
             options.test_fraction());
  ARKS_CHECK(options.train_limit() >= 0, "train limit must not be negative, got ", options.train_limit());
}

struct Parts {
  torch::Tensor train, test;  // numbers of rows
};

Parts divide(int64_t rows, const std::string& name, const TabularOptions& options) {
  const auto generator = make_generator(options.split_seed(), Stream::kSplit);
  const auto order = torch::randperm(rows, generator, torch::kLong);
  const int64_t test = std::max<int64_t>(1, std::llround(static_cast<double>(rows) * options.test_fraction()));
  ARKS_CHECK(test < rows, name, ": ", rows, rows == 1 ? " row" : " rows", " with a test fraction of ",
             shortest(options.test_fraction()), " leave no training sample");
  const int64_t left = rows - test;
  const int64_t train = options.train_limit() > 0 ? std::min(options.train_limit(), left) : left;
  return {order.slice(0, test, test + train), order.slice(0, 0, test)};
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

std::string summary_of(const DataTable& table, const TabularSplits& splits) {
  const int64_t inputs = table.inputs[0].numel();
  return c10::str(
      table.info.name, ": ", table.inputs.size(0), " rows, ", inputs, inputs == 1 ? " input" : " inputs", "; target '",
      splits.target, "', ",
      splits.task == Task::kRegression ? std::string("regression") : c10::str(table.info.num_classes, " classes"),
      splits.standardised ? "; standardised" : "; not standardised");
}

bool ends_in(const fs::path& path, const char* extension) {
  return path.extension() == extension;
}

}  // namespace

std::string to_string(Task task) {
  return task == Task::kClassification ? "classification" : "regression";
}

Task parse_task(const std::string& name) {
  if (name == "classification") return Task::kClassification;
  if (name == "regression") return Task::kRegression;
  const std::vector<std::string> known{"classification", "regression"};
  throw Error("unknown task '" + name + "'" + did_you_mean(name, known) + "; known: " + join(known));
}

DataTable read_csv_table(const fs::path& path, const TabularOptions& options) {
  return table_of(read_csv(path), path.filename().string(), options);
}

DataTable parse_csv_table(std::string_view text, const std::string& name, const TabularOptions& options) {
  return table_of(parse_csv(text, name), name, options);
}

DataTable read_npy_table(const fs::path& inputs, const fs::path& targets, const TabularOptions& options) {
  ARKS_CHECK(!targets.empty(), inputs.string(), " holds the inputs; the targets are needed too, in a second .npy file");
  ARKS_CHECK(options.target().empty(), "a target column ('", options.target(), "') cannot be named in an .npy file");
  DataTable table;
  table.info.name = inputs.filename().string();
  table.target = targets.filename().string();
  const auto x = read_npy(inputs), y = read_npy(targets);
  ARKS_CHECK(x.dim() >= 2, inputs.string(), ": inputs must have shape [n, inputs], got ", x.sizes());
  ARKS_CHECK(y.dim() == 1 || (y.dim() == 2 && y.size(1) == 1), targets.string(),
             ": targets must have shape [n] or [n, 1], got ", y.sizes());
  ARKS_CHECK(x.size(0) == y.size(0), inputs.string(), " has ", x.size(0), " rows but ", targets.string(), " has ",
             y.size(0));
  table.inputs = finite_doubles(x, inputs);
  take_number_targets(finite_doubles(y, targets).flatten(), options.task(), table);
  return table;
}

TabularSplits split_table(const DataTable& table, const TabularOptions& options, bool standardise_by_default) {
  check(options);
  const auto parts = divide(table.inputs.size(0), table.info.name, options);
  auto train = table.inputs.index_select(0, parts.train), test = table.inputs.index_select(0, parts.test);
  TabularSplits splits;
  splits.task = table.info.num_classes > 0 ? Task::kClassification : Task::kRegression;
  splits.target = table.target;
  splits.standardised = options.standardise().value_or(standardise_by_default);
  if (splits.standardised) {
    const auto scaling = learn_scaling(train);
    train = scaling.apply(train);
    test = scaling.apply(test);
  }
  splits.train = as_dataset(train, table.targets.index_select(0, parts.train), table.info);
  splits.test = as_dataset(test, table.targets.index_select(0, parts.test), table.info);
  splits.summary = summary_of(table, splits);
  return splits;
}

TabularSplits load_tabular(const fs::path& path, const fs::path& targets, const TabularOptions& options) {
  check(options);
  const bool csv = ends_in(path, ".csv");
  ARKS_CHECK(csv || ends_in(path, ".npy"), "a table must be a file ending in .csv or .npy, got ", path.string());
  ARKS_CHECK(!csv || targets.empty(), path.string(),
             ": a .csv file holds its targets in a column; a file of targets goes with .npy");
  return split_table(csv ? read_csv_table(path, options) : read_npy_table(path, targets, options), options,
                     /*standardise_by_default=*/true);
}

}  // namespace arks
