#include "cli/data_show.h"

#include "cli/column_view.h"
#include "cli/narrow.h"
#include "data/built_in_table.h"
#include "data/constant_targets.h"
#include "data/csv.h"
#include "data/labels.h"
#include "data/published.h"
#include "data/registry.h"
#include "data/splits.h"
#include "objective/method_settings.h"
#include "report/table.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>

namespace arks::cli {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

/// All that was loaded.
struct Loaded {
  DatasetPtr train, test;
  std::string kind, target, division;
  std::shared_ptr<const TableEncoding> encoding;
  std::vector<std::string> notes;
  bool standardised = false;
};

std::string kind_of(const std::string& data) {
  if (!is_own_data(data)) return data_kind(data) == DataKind::kTable ? "built-in table" : "known data set";
  if (data_kind(data) == DataKind::kTable) return "table";
  return fs::path(data).extension() == ".npy" ? "images in an .npy file" : "folder of images";
}

Loaded load(const std::string& data, DataSettings& settings, const DataOptions& known) {
  Loaded loaded;
  loaded.kind = kind_of(data);
  if (data_kind(data) == DataKind::kOfficial) {
    loaded.train = load_dataset(data, known, Split::kTrain);
    loaded.test = load_dataset(data, known, Split::kTest);
    loaded.division = "official";
    return loaded;
  }
  auto options = data_options(settings, known.data_dir(), /*train_limit=*/0);
  const auto splits = load_splits(data, options.image_files(known.image_files()));
  check_unchanged(settings, data);
  settings.found(splits, data);
  loaded.train = splits.train;
  loaded.test = splits.test;
  loaded.target = splits.target;
  loaded.encoding = splits.encoding;
  loaded.notes = splits.notes;
  for (const auto& note : check_targets_differ(splits)) loaded.notes.push_back(note);
  loaded.standardised = splits.standardised;
  const auto& group = splits.train->info().group;
  loaded.division = splits.divided ? c10::str("test fraction ", shortest(*settings.test_fraction), ", split seed ",
                                              *settings.split_seed)
                                   : "test samples given separately";
  if (!group.empty()) loaded.division += "; rows with the same '" + group + "' stay in one part";
  return loaded;
}

std::string scaling_of(const Loaded& loaded) {
  if (loaded.train->info().stored == "uint8") return "x/255";
  return loaded.standardised ? "standardised" : "none";
}

Json part_json(const Dataset& part, const std::vector<int64_t>& counts) {
  Json json{{"samples", part.size()}};
  const auto names = class_names_of(part.info());
  for (size_t c = 0; c < counts.size(); ++c) json["classes"][names[c]] = counts[c];
  return json;
}

/// "40 rows (20 %); 2 classes (u 22, v 18)"
std::string part_text(const Dataset& part, int64_t all, const std::vector<int64_t>& counts) {
  const auto share = percent(static_cast<double>(part.size()) / static_cast<double>(all), 0);
  const auto samples = count_of(part.size(), samples_word(part.info())) + " (" + share + ")";
  return counts.empty() ? samples : samples + "; " + describe_classes(class_names_of(part.info()), counts);
}

/// The columns of a text file or a built-in table, read as training reads them.
CsvTable table_of(const std::string& data, const TabularOptions& options, const TableEncoding& encoding,
                  const std::vector<std::string>& targets) {
  if (!is_own_data(data)) return *built_in_columns(data, options).csv;
  return read_csv(data, csv_options(encoding, csv_options(options), targets, /*with_targets=*/true));
}

/// Of a table that cannot be used: its columns, and all that is wrong with them.
DataView show_unusable(const std::string& data, const TabularOptions& options, const Error& error) {
  const auto columns = view_unusable(data, options);
  auto problems = columns.problems;
  if (problems.empty()) problems.emplace_back(error.what());  // not of a column, but of the target or the division
  DataView view;
  view.text = to_text(columns);
  view.error = explained(Error(problems.front()), data, csv_options(options)).what();
  view.notes.assign(problems.begin() + 1, problems.end());
  view.json = {{"data", data}, {"kind", kind_of(data)}, {"columns", to_json(columns)}, {"problems", problems}};
  return view;
}

}  // namespace

DataView show_data(const std::string& data, DataSettings& settings, const DataOptions& known) {
  const auto table_options = [&] { return data_options(settings, known.data_dir(), 0).tabular(); };
  const bool text_file = is_own_data(data) && is_csv_name(data);
  Loaded loaded;
  try {
    loaded = load(data, settings, known);
  } catch (const Error& error) {
    if (!text_file) throw;
    return show_unusable(data, table_options(), error);
  }
  const auto& info = loaded.train->info();
  const auto train_counts = class_counts(*loaded.train), test_counts = class_counts(*loaded.test);
  const auto network = published_settings(data, info, loaded.train->size()).model;
  const std::string task = info.num_classes > 0 ? "classification" : "regression";
  const auto all = loaded.train->size() + loaded.test->size();
  Table table({is_own_data(data) ? fs::path(data).filename().string() : data, ""});
  constexpr size_t kLabel = 17;  // and the blanks behind it
  const auto add = [&](const std::string& what, const std::string& text) {
    add_narrow_row(table, {what, text}, {0, kTerminal - kLabel});
  };
  add("kind", loaded.kind);
  add("training part", part_text(*loaded.train, all, train_counts));
  add("test part", part_text(*loaded.test, all, test_counts));
  add("division", loaded.division);
  add("one sample", c10::str(c10::Join("x", info.input_shape), ", ", info.stored, " in memory"));
  add("task", task);
  if (!loaded.target.empty()) add("target", loaded.target);
  add("bounds", info.bounds ? to_string(*info.bounds) : "none");
  add("scaling", scaling_of(loaded));
  add("default network", network);
  DataView view;
  ColumnView columns;
  if (loaded.encoding) {
    const auto targets = info.num_classes > 0 ? std::vector<std::string>{loaded.target} : info.target_names;
    columns = view_columns(table_of(data, table_options(), *loaded.encoding, targets), loaded.target, *loaded.encoding,
                           loaded.standardised);
  }
  view.text = table.str() + (columns.rows.empty() ? "" : "\n" + to_text(columns));
  view.notes = loaded.notes;
  view.json = {{"data", data},
               {"kind", loaded.kind},
               {"train", part_json(*loaded.train, train_counts)},
               {"test", part_json(*loaded.test, test_counts)},
               {"division", loaded.division},
               {"input_shape", info.input_shape},
               {"stored", info.stored},
               {"task", task},
               {"target", loaded.target.empty() ? Json() : Json(loaded.target)},
               {"columns", to_json(columns)},
               {"classes", class_names_of(info)},
               {"bounds", info.bounds ? Json(to_ranges(*info.bounds).pairs) : Json()},
               {"scaling", scaling_of(loaded)},
               {"model", network},
               {"checksum", settings.checksum.has_value() ? Json(*settings.checksum) : Json()}};
  return view;
}

}  // namespace arks::cli
