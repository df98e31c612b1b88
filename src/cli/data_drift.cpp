#include "cli/data_drift.h"

#include "cli/guard_text.h"
#include "data/dates.h"
#include "metric/shift.h"
#include "objective/method.h"
#include "report/p_value.h"
#include "report/table.h"
#include "support/text.h"
#include "train/run_folder.h"

#include <arks/support/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace arks::cli {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

/// Training data and how others are made like them.
struct Reference {
  std::string data;
  DataSplits splits;
  ModelInterface interface;
  CsvOptions csv;     // of the training file
  LikeOptions field;  // how the other is written, as given; else found in the file

  bool has_columns() const { return interface.table && is_own_data(data); }
};

void check_enough(const std::string& name, const DatasetInfo& info, int64_t samples) {
  ARKS_CHECK(samples >= 2, name, ": at least two ", samples_word(info), " are needed to compare, got ", samples);
}

Reference load_reference(const std::string& name, SourceSettings& settings, CommonSettings& common) {
  Reference reference;
  DataOptions options;
  auto& own = settings.own;
  reference.field = like_options(own.separator, own.decimal, own.header, common);
  reference.field.targets = false;
  if (holds_a_run(name) || fs::path(name).extension() == ".pt") {
    const auto run = read_run(name);
    ARKS_CHECK(!run.is_file(), name, " is no run of arks train; give its training data instead");
    own.header.reset();  // they are for the other file: a run knows how its own is written
    own.separator.reset();
    own.decimal.reset();
    options = find_data({run}, reference.data, settings, common);
  } else {
    reference.data = resolved_data(name);
    settings.check_used(reference.data);
    if (data_kind(reference.data) == DataKind::kOfficial) {
      options = settings.options_of_known(common.data_folder());
    } else {
      settings.own.fill_scaling(reference.data, /*program=*/false);
      options = data_options(settings.own, common.data_folder(), /*train_limit=*/0);
    }
    options.image_files(image_files_options(common)).validation(ValidationOptions());
  }
  reference.csv.separator = options.tabular().separator();
  reference.csv.decimal = options.tabular().decimal();
  reference.csv.header = options.tabular().header();
  reference.splits = load_parts(reference.data, options);
  const auto& splits = reference.splits;
  reference.interface = interface_of(*splits.train, splits.target, splits.encoding.get());
  if (reference.interface.table) reference.interface.table = filling_missing(*reference.interface.table);
  return reference;
}

LikeData load_field(const Reference& reference, const std::string& field) {
  auto options = reference.field;
  options.cells = reference.has_columns();
  auto data = load_like(reference.interface, field, options);
  check_enough(field, data.samples->info(), data.samples->size());
  return data;
}

std::vector<ColumnShift> columns_of(const Reference& reference, const std::vector<ColumnCells>& field,
                                    const torch::Tensor& one, const torch::Tensor& two) {
  const auto& info = reference.splits.train->info();
  if (reference.has_columns()) {
    const auto& interface = reference.interface;
    return compare_columns(read_cells(reference.data, *interface.table, reference.csv, target_columns(interface)),
                           field);
  }
  if (info.input_shape.size() != 1) return {};  // pixels are no columns
  return compare_columns(cells_of(one, info), cells_of(two, info));
}

std::string side_text(const ColumnCells& cells, std::optional<double> mean, std::optional<double> deviation) {
  if (mean && cells.kind == ColumnKind::kDate) return fmt::format("{} ({:.3g} days)", date_text(*mean), *deviation);
  if (mean) return fmt::format("{:.4g} ({:.3g})", *mean, *deviation);
  std::vector<std::pair<std::string, int64_t>> most(cells.texts.begin(), cells.texts.end());
  std::stable_sort(most.begin(), most.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr size_t kShown = 3;
  double all = 0;
  for (const auto& [text, count] : most) all += static_cast<double>(count);
  std::vector<std::string> parts;
  for (size_t i = 0; i < std::min(kShown, most.size()); ++i) {
    parts.push_back(most[i].first + " " + percent(static_cast<double>(most[i].second) / all, 0));
  }
  return parts.empty() ? "-" : join(parts) + (most.size() > kShown ? ", ..." : "");
}

std::string column_p_text(const ColumnShift& column) {
  if (column.drifted_by_missing()) return p_value_text(column.missing_p_adjusted) + " missing";
  if (column.drifted_by_outside()) return p_value_text(column.outside_p_adjusted) + " outside";
  return column.test ? p_value_text(column.p_adjusted) : "-";
}

std::string columns_text(const std::vector<ColumnShift>& columns) {
  if (columns.empty()) return "";
  constexpr size_t kShown = 60;
  std::vector<const ColumnShift*> shown;
  for (const auto& column : columns) shown.push_back(&column);
  if (shown.size() > kShown) {  // those that have drifted most
    std::stable_sort(shown.begin(), shown.end(), [](auto* a, auto* b) { return a->smallest_p() < b->smallest_p(); });
    shown.resize(kShown);
  }
  Table table({"column", "kind", "training", "field", "difference", "p (adjusted)", "missing", "unseen"});
  for (const auto* column : shown) {
    std::string difference = "-";
    if (column->difference) {
      difference = column->is_number() ? fmt::format("{:+.2f}", *column->difference) : percent(*column->difference, 1);
    }
    table.add_row({column->one.name, to_string(column->one.kind),
                   side_text(column->one, column->mean_one, column->deviation_one),
                   side_text(column->two, column->mean_two, column->deviation_two), difference, column_p_text(*column),
                   c10::str(column->one.missing, " and ", column->two.missing), std::to_string(column->unseen)});
  }
  const auto more = columns.size() - shown.size();
  return table.str() + (more > 0 ? c10::str("and ", more, " more columns, with larger p\n") : "") +
         "numbers: mean (deviation), and the difference of the means in deviations; categories: shares, and the part "
         "of the\nrows that differ; p: Kolmogorov-Smirnov and chi-squared (of rare values by random draws of the "
         "rows), of "
         "missing\ncells Fisher's, of numbers outside the training range that so many are; adjusted for the number of "
         "tests, with\nthat of all inputs (Holm)\n\n";
}

std::vector<std::string> drifted(const std::vector<ColumnShift>& columns) {
  std::vector<std::string> names;
  for (const auto& column : columns) {
    if (column.drifted()) names.push_back(column.one.name);
  }
  return names;
}

std::string overall_text(const SampleShift& shift, const std::vector<ColumnShift>& columns, const std::string& word) {
  constexpr size_t kShown = 20;
  std::string text;
  if (!columns.empty()) {
    auto names = drifted(columns);
    const auto count = names.size();
    names.resize(std::min(count, kShown));
    text += c10::str(count, " of ", columns.size(), " columns drifted (p < ", kSignificant, ")",
                     count > 0 ? ": " + join(names) : "", count > kShown ? ", ..." : "", "\n");
  }
  const auto& transport = shift.transport;
  text += fmt::format("all inputs together: MMD {:.3g} (bandwidth {:.3g}), {}{} by {} permutations of {} and {} {}\n",
                      shift.mmd.mmd(), shift.mmd.bandwidth, p_value_phrase(shift.p_adjusted),
                      columns.empty() ? "" : " (adjusted)", shift.mmd.permutations, shift.mmd_samples_one,
                      shift.mmd_samples_two, word);
  text += fmt::format(
      "transport, root mean square: at least {:.3g} (each input alone; {:.3g} for two samples of the training data)\n"
      "  and at most {:.3g} (best assignment of {} {}; {:.3g} for two samples of the training data);\n"
      "  after subtracting the part due to sampling, about {:.3g}, a mean squared cost of {:.3g}\n",
      transport.lower, transport.lower_sampling, transport.at_most(), transport.assigned, word, transport.sampling,
      transport.length(), transport.length() * transport.length());
  return text;
}

/// The first method whose strength is called so.
std::string method_with(const std::string& strength) {
  for (const auto& entry : methods()) {
    const auto method = entry.make();
    const auto found = method->strength();
    if (found && found->setting->name() == strength) return entry.name;
  }
  return "none";
}

/// What is true of few numbers as of many, whether tests see them or not; empty without any.
std::string far_text(const std::vector<ColumnShift>& columns) {
  constexpr size_t kShown = 5;
  std::vector<std::string> far;
  for (const auto& column : columns) {
    if (column.far.count == 0) continue;
    const auto& training = column.one.numbers;
    const auto [low, high] = std::minmax_element(training.begin(), training.end());
    far.push_back(c10::str("  ", column.one.name, ": ", column.far.count, " of ", column.two.numbers.size(), " beyond ",
                           six_digits(*low), " to ", six_digits(*high), ", such as ", six_digits(column.far.farthest),
                           "\n"));
  }
  if (far.empty()) return "";
  const auto count = far.size();
  far.resize(std::min(count, kShown));
  return "Numbers beyond the range of training by more than that range (codes for missing values, or other units?):\n" +
         join(far, "") + (count > kShown ? c10::str("  and in ", count - kShown, " more columns\n") : "");
}

std::string cover_text(const GuardReach& reach, bool drifts, bool covered, bool far) {
  if (far) {  // a strength that covers a code or another unit would be absurd
    return c10::str(drifts ? "" : "They are too few for the tests, which see no drift. ",
                    "Mend them in the file first, or leave the rows out: no strength follows from them.\n");
  }
  if (!drifts) return "The field data cannot be told apart from the training data, so no strength follows from them.\n";
  if (!covered) return "The drift is within what random sampling alone would produce, so it suggests no strength.\n";
  const auto with = [](const char* strength) {
    return c10::str("  arks train --method ", method_with(strength), " --", strength, " ");
  };
  return c10::str("To cover this drift, a length of ", shortest(two_digits(reach.length)),
                  " over all inputs together, train with one of these:\n", with("sigma"), shortest(reach.sigma()), "\n",
                  with("gamma"), shortest(*reach.gamma("sq-l2")), "\n", with("eps"), shortest(reach.eps("linf")),
                  "              (each input by itself), or\n", with("eps"), shortest(reach.eps("l2")),
                  " --norm l2    (all together)\n",
                  "A starting point, not an optimum; arks sweep finds better values around it.\n");
}

Json number_or_null(std::optional<double> value) {
  return value ? Json(*value) : Json();
}

Json side_json(const ColumnCells& cells, std::optional<double> mean, std::optional<double> deviation) {
  Json json{{"missing", cells.missing}};
  if (mean) {
    json["mean"] = *mean;
    json["deviation"] = *deviation;
  }
  for (const auto& [text, count] : cells.texts) json["counts"][text] = count;
  return json;
}

Json columns_json(const std::vector<ColumnShift>& columns) {
  Json json = Json::array();
  for (const auto& column : columns) {
    json.push_back({{"name", column.one.name},
                    {"kind", to_string(column.one.kind)},
                    {"train", side_json(column.one, column.mean_one, column.deviation_one)},
                    {"field", side_json(column.two, column.mean_two, column.deviation_two)},
                    {"difference", number_or_null(column.difference)},
                    {"test", column.is_number() ? "kolmogorov-smirnov" : "chi-squared"},
                    {"statistic", column.test ? Json(column.test->statistic) : Json()},
                    {"p_value", column.test ? Json(column.test->p_value) : Json()},
                    {"draws", column.test && column.test->draws > 0 ? Json(column.test->draws) : Json()},
                    {"p_adjusted", column.test ? Json(column.p_adjusted) : Json()},
                    {"missing_p_value", column.missing_test ? Json(column.missing_test->p_value) : Json()},
                    {"missing_p_adjusted", column.missing_test ? Json(column.missing_p_adjusted) : Json()},
                    {"outside", column.outside_test ? Json(std::llround(column.outside_test->statistic)) : Json()},
                    {"outside_p_value", column.outside_test ? Json(column.outside_test->p_value) : Json()},
                    {"outside_p_adjusted", column.outside_test ? Json(column.outside_p_adjusted) : Json()},
                    {"far_outside", column.far.count},
                    {"drifted", column.drifted()},
                    {"unseen", column.unseen}});
  }
  return json;
}

Json overall_json(const SampleShift& shift, const GuardReach& reach, bool drifts, bool covered) {
  const auto& transport = shift.transport;
  Json json;
  json["mmd"] = {{"mmd", shift.mmd.mmd()},
                 {"squared", shift.mmd.squared},
                 {"bandwidth", shift.mmd.bandwidth},
                 {"p_value", shift.mmd.p_value},
                 {"p_adjusted", shift.p_adjusted},
                 {"permutations", shift.mmd.permutations},
                 {"rows", {shift.mmd_samples_one, shift.mmd_samples_two}}};
  json["transport"] = {{"lower", transport.lower},           {"lower_sampling", transport.lower_sampling},
                       {"upper", transport.at_most()},       {"sampling", transport.sampling},
                       {"mean_shift", transport.mean_shift}, {"rows", transport.assigned},
                       {"length", transport.length()},       {"squared_cost", transport.length() * transport.length()}};
  json["drift_found"] = drifts;
  json["covers"] = Json();
  if (covered) {
    json["covers"] = {{"length", reach.length},
                      {"single_input", reach.single},
                      {"sigma", reach.sigma()},
                      {"gamma", *reach.gamma("sq-l2")},
                      {"eps", {{"linf", reach.eps("linf")}, {"l2", reach.eps("l2")}}}};
  }
  return json;
}

}  // namespace

DataView compare_data(const std::string& data, const std::string& field, SourceSettings& settings,
                      CommonSettings& common) {
  const auto reference = load_reference(data, settings, common);
  const auto like = load_field(reference, field);
  const auto one = samples_to_compare(reference.splits), two = samples_to_compare(*like.samples);
  check_enough(data, reference.splits.train->info(), one.inputs.size(0));
  auto columns = columns_of(reference, like.cells, one.inputs, two.inputs);
  auto shift = compare_samples(one.inputs, two.inputs);
  adjust_together(columns, shift);
  const auto& info = reference.splits.train->info();
  const auto reach = covering(shift, blind_loss(one.targets, info.num_classes));
  const bool drifts = shift.found() || !drifted(columns).empty();
  const bool covered = drifts && reach.length > 0 && reach.blind_loss > 0;
  const auto word = samples_word(info);
  const int64_t inputs = c10::multiply_integers(info.input_shape);
  const std::string scaling = info.input_mean.defined() ? "standardised" : "as they are";
  const auto far = far_text(columns);
  DataView view;
  view.text = c10::str(one.inputs.size(0), " training and ", two.inputs.size(0), " field ", word, ", ", inputs,
                       " inputs, ", scaling, "\n\n") +
              columns_text(columns) + overall_text(shift, columns, word) + far +
              cover_text(reach, drifts, covered, !far.empty());
  view.notes = reference.splits.notes;
  for (const auto& warning : like.warnings) view.notes.push_back(fs::path(field).filename().string() + ": " + warning);
  for (const auto& note : like.notes) view.notes.push_back(fs::path(field).filename().string() + ": " + note);
  view.json = {{"data", reference.data},
               {"field", field},
               {"rows", {{"train", one.inputs.size(0)}, {"field", two.inputs.size(0)}}},
               {"inputs", inputs},
               {"scaling", scaling},
               {"columns", columns_json(columns)},
               {"drifted", drifted(columns)}};
  view.json.update(overall_json(shift, reach, drifts, covered && far.empty()));
  return view;
}

}  // namespace arks::cli
