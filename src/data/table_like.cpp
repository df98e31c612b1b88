#include "data/table_like.h"

#include "data/column_values.h"
#include "data/far_columns.h"
#include "data/table_targets.h"
#include "support/contains.h"
#include "support/text.h"

#include <algorithm>

namespace arks {

namespace {

/// A sentence on columns of a table that are neither inputs nor targets of the training rows; empty without any.
std::string extra_columns(const CsvTable& table, const TableForm& form) {
  std::vector<std::string> extra;
  for (const auto& column : table.columns) {
    const auto same = [&](const auto& known) { return known.name == column.name; };
    const bool known = std::any_of(form.encoding.columns.begin(), form.encoding.columns.end(), same) ||
                       std::any_of(form.encoding.left_out.begin(), form.encoding.left_out.end(), same) ||
                       contains(form.targets, column.name);
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

/// By the column that kept rows together in training, where it is here and names all rows.
torch::Tensor groups_in(const CsvTable& table, const TableEncoding& encoding) {
  const auto group = encoding.group();
  const auto column = std::find_if(table.columns.begin(), table.columns.end(),
                                   [&](const auto& known) { return !group.empty() && known.name == group; });
  return column == table.columns.end() || column->missing > 0 ? torch::Tensor() : numbered_cells(*column);
}

}  // namespace

namespace {

LikeTable read_like_columns(const std::filesystem::path& path, const TableForm& form, CsvOptions options,
                            bool with_targets, bool with_cells) {
  const bool classes = !form.classes.class_names.empty();
  if (classes) read_as_classes(form.targets[0], form.classes, options);
  auto csv = read_csv(path, csv_options(form.encoding, options, form.targets, with_targets));
  LikeTable like;
  like.notes = csv.notes;
  if (const auto extra = extra_columns(csv, form); !extra.empty()) like.notes.push_back(extra);
  const auto task = classes ? Task::kClassification : Task::kRegression;
  if (with_targets) {
    auto known = form.classes;
    known.units = form.encoding.target_units;
    like.targets = csv_targets(csv, form.targets, task, &known).values;
  }
  if (with_targets) like.marks.groups = groups_in(csv, form.encoding);
  const auto cells = with_cells ? std::optional(TableCells(csv, form.encoding)) : std::nullopt;
  auto encoded = encode(csv, form.encoding);
  if (cells) like.cells = cells->columns(encoded.values);
  if (auto far = far_columns(encoded, form.encoding); !far.empty()) like.warnings.push_back(std::move(far));
  like.inputs = std::move(encoded.values);
  like.lines = std::move(csv.lines);
  like.marks.filled = std::move(encoded.filled);
  like.notes.insert(like.notes.end(), encoded.notes.begin(), encoded.notes.end());
  return like;
}

}  // namespace

LikeTable read_table_like(const std::filesystem::path& path, const TableForm& form, CsvOptions options,
                          bool with_targets, bool with_cells) {
  try {
    return read_like_columns(path, form, options, with_targets, with_cells);
  } catch (const Error& error) {
    throw explained(error, path, options);
  }
}

}  // namespace arks
