#include "data/model_interface.h"

#include "data/dates.h"
#include "support/json_text.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace arks {

namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kFormat = 1;
constexpr const char* kDoubleType = "float64";
constexpr int64_t kMostClasses = 1000000;

std::vector<double> numbers_of(const torch::Tensor& tensor) {
  const auto flat = tensor.to(torch::kDouble).contiguous().flatten();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

torch::Tensor tensor_of(const Json& numbers, torch::IntArrayRef shape) {
  return torch::tensor(numbers.get<std::vector<double>>(), torch::kDouble).reshape(shape);
}

/// What stands for a missing cell: a number, of categories the value; null where that is none of them.
Json filling_of(const ColumnEncoding& column) {
  if (column.kind != ColumnKind::kCategory) return column.fill;
  return column.indicator ? Json() : Json(column.values.at(static_cast<size_t>(column.fill)));
}

/// Back. Older files have the place of a value, also where none stands for a missing cell.
double fill_of(const Json& json, const ColumnEncoding& column) {
  if (column.kind != ColumnKind::kCategory) return json.get<double>();
  if (column.indicator) return 0;
  if (json.is_number()) return json.get<double>();
  const auto found = std::find(column.values.begin(), column.values.end(), json.get<std::string>());
  ARKS_CHECK(found != column.values.end(), "what stands for a missing cell of '", column.name,
             "' is none of its values");
  return static_cast<double>(found - column.values.begin());
}

Json json_of(const ColumnEncoding& column) {
  Json json{{"name", column.name}, {"kind", to_string(column.kind)}};
  if (column.kind == ColumnKind::kDate) json["date_format"] = column.date_format;
  if (!column.unit.empty()) json["unit"] = column.unit;
  if (column.range) json["range"] = {column.range->low, column.range->high, column.range->size};
  if (column.kind == ColumnKind::kCategory) json["values"] = column.values;
  json["missing"] = filling_of(column);
  json["indicator"] = column.indicator;
  return json;
}

ColumnEncoding column_of(const Json& json) {
  ColumnEncoding column;
  column.name = json.at("name");
  column.kind = parse_column_kind(json.at("kind"));
  column.date_format = json.value("date_format", "");
  column.unit = json.value("unit", "");
  column.values = json.value("values", std::vector<std::string>());
  column.indicator = json.at("indicator");
  column.fill = fill_of(json.at("missing"), column);
  if (json.contains("range")) {
    const auto& range = json.at("range");
    column.range = NumberRange{range.at(0), range.at(1), range.at(2)};
  }
  return column;
}

Json json_of(const TableEncoding& table) {
  Json json{{"missing", to_string(table.missing)}, {"columns", Json::array()}, {"left_out", Json::array()}};
  if (table.decimal) json["decimal"] = std::string(1, *table.decimal);
  if (!table.target_units.empty()) json["target_units"] = table.target_units;
  for (const auto& column : table.columns) json["columns"].push_back(json_of(column));
  for (const auto& column : table.left_out) {
    Json left{{"name", column.name}, {"why", column.why}};
    if (!column.value.empty()) left["value"] = column.value;
    json["left_out"].push_back(std::move(left));
  }
  return json;
}

TableEncoding table_of(const Json& json) {
  TableEncoding table;
  table.missing = parse_missing(json.at("missing"));
  if (json.contains("decimal")) table.decimal = parse_decimal(json.at("decimal"));
  table.target_units = json.value("target_units", table.target_units);
  for (const auto& column : json.at("columns")) table.columns.push_back(column_of(column));
  for (const auto& column : json.at("left_out")) {
    table.left_out.push_back({column.at("name"), column.at("why"), column.value("value", "")});
  }
  return table;
}

Json json_of(const std::vector<Feature>& features) {
  Json json = Json::array();
  for (const auto& feature : features) {
    json.push_back(
        {{"name", feature.name}, {"column", feature.column}, {"quantity", feature.quantity}, {"date", feature.date}});
  }
  return json;
}

std::vector<Feature> features_of(const Json& json) {
  std::vector<Feature> features;
  for (const auto& feature : json)
    features.push_back({feature.at("name"), feature.at("column"), feature.at("quantity"), feature.at("date")});
  return features;
}

/// A file may be damaged, or written by somebody else: numbers out of range must not reach whoever computes with them.
void check_column(const ColumnEncoding& column) {
  const auto& name = column.name;
  ARKS_CHECK(std::isfinite(column.fill), "what stands for a missing cell of '", name, "' is not finite");
  if (column.kind == ColumnKind::kDate) ARKS_CHECK(is_date_format(column.date_format), "unknown format of dates");
  if (column.kind != ColumnKind::kCategory) return;
  ARKS_CHECK(!column.values.empty() && column.fill >= 0 && column.fill < static_cast<double>(column.values.size()) &&
                 column.fill == std::floor(column.fill),
             "what stands for a missing cell of '", name, "' is none of its values");
}

void check_scale(const torch::Tensor& mean, const torch::Tensor& deviation, const char* what) {
  if (!mean.defined()) return;
  ARKS_CHECK(mean.isfinite().all().item<bool>() && deviation.isfinite().all().item<bool>() &&
                 (deviation > 0).all().item<bool>(),
             "the scale of the ", what, " is not valid");
}

/// One number for all targets, or one for each.
void check_target_scale(const ModelInterface& interface) {
  check_scale(interface.target_mean, interface.target_deviation, "outputs");
  const auto& mean = interface.target_mean;
  if (!mean.defined()) return;
  const auto targets = std::max<int64_t>(1, static_cast<int64_t>(interface.target_names.size()));
  ARKS_CHECK(interface.num_classes == 0, "classes have a scale, as only numbers have");
  ARKS_CHECK(mean.numel() == targets && interface.target_deviation.numel() == targets, "the scale of the outputs has ",
             mean.numel(), " means and ", interface.target_deviation.numel(), " deviations; there are ", targets,
             " targets");
}

void check_interface(const ModelInterface& interface) {
  constexpr int64_t kMost = int64_t{1} << 32;
  int64_t inputs = 1;
  for (const auto side : interface.input_shape) {
    ARKS_CHECK(side > 0 && side <= kMost / inputs, "no model takes samples of that shape");
    inputs *= side;
  }
  check_scale(interface.input_mean, interface.input_deviation, "inputs");
  ARKS_CHECK(interface.features.empty() || static_cast<int64_t>(interface.features.size()) == inputs,
             "the features are not as many as the inputs that the model takes");
  const auto names = static_cast<int64_t>(interface.class_names.size());
  ARKS_CHECK(interface.num_classes >= 0 && interface.num_classes <= kMostClasses &&
                 (names == 0 || names == interface.num_classes),
             "the number of classes is not that of their names");
  check_target_scale(interface);
  if (!interface.table) return;
  std::set<std::string> seen;
  for (const auto& column : interface.table->columns) {
    check_column(column);
    ARKS_CHECK(seen.insert(column.name).second, "the column '", column.name, "' appears twice");
  }
  ARKS_CHECK(static_cast<int64_t>(interface.table->features().size()) == inputs,
             "the columns do not make as many inputs as the model takes");
  const auto& units = interface.table->target_units;
  ARKS_CHECK(units.empty() || units.size() == interface.target_names.size(),
             "the units of the targets are not as many as these");
}

std::string shape_text(const std::vector<int64_t>& shape) {
  return c10::str("[", c10::Join(", ", shape), "]");
}

/// The names of what a model or a data set has, short enough for a message.
std::string some(const std::vector<std::string>& names) {
  constexpr size_t kMost = 200;
  const auto all = join(names);
  return all.size() > kMost ? all.substr(0, kMost) + "..." : all;
}

std::vector<std::string> names_of(const std::vector<Feature>& features) {
  std::vector<std::string> names;
  for (const auto& feature : features) names.push_back(feature.name);
  return names;
}

const char* scale_word(bool scaled) {
  return scaled ? "standardised" : "raw";
}

ModelInterface interface_from(const Json& json) {
  ModelInterface interface;
  interface.data = json.at("data");
  const auto& inputs = json.at("inputs");
  interface.input_shape = inputs.at("shape").get<std::vector<int64_t>>();
  interface.takes_scaled = inputs.at("numbers") == scale_word(true);
  interface.takes_double = inputs.value("type", "") == kDoubleType;
  interface.stored = inputs.value("stored", "");
  if (inputs.contains("mean")) {
    interface.input_mean = tensor_of(inputs.at("mean"), interface.input_shape);
    interface.input_deviation = tensor_of(inputs.at("deviation"), interface.input_shape);
  }
  if (inputs.contains("features")) interface.features = features_of(inputs.at("features"));
  if (inputs.contains("bounds")) interface.bounds = Bounds(inputs.at("bounds").at(0), inputs.at("bounds").at(1));
  if (json.contains("table")) interface.table = table_of(json.at("table"));
  const auto& outputs = json.at("outputs");
  interface.target = outputs.at("target");
  interface.class_names = outputs.value("class_names", std::vector<std::string>());
  interface.num_classes = outputs.at("classes");
  interface.target_names = outputs.value("target_names", std::vector<std::string>());
  interface.gives_scaled = outputs.at("numbers") == scale_word(true);
  if (outputs.contains("mean")) {
    interface.target_mean = tensor_of(outputs.at("mean"), {-1});
    interface.target_deviation = tensor_of(outputs.at("deviation"), {-1});
  }
  interface.division = json.value("division", interface.division);
  return interface;
}

}  // namespace

DatasetInfo ModelInterface::info() const {
  DatasetInfo info;
  info.name = data;
  info.input_shape = input_shape;
  info.num_classes = num_classes;
  info.class_names = class_names;
  info.bounds = bounds;
  info.stored = stored;
  info.features = features;
  info.target_names = target_names;
  info.input_mean = input_mean;
  info.input_deviation = input_deviation;
  info.target_mean = target_mean;
  info.target_deviation = target_deviation;
  return info;
}

ModelInterface interface_of(const Dataset& samples, const std::string& target, const TableEncoding* encoding) {
  const auto& info = samples.info();
  ModelInterface interface;
  interface.data = info.name;
  interface.input_shape = info.input_shape;
  if (encoding != nullptr) interface.table = *encoding;
  interface.features = info.features;
  if (info.bounds && !info.bounds->per_feature()) interface.bounds = info.bounds;
  interface.stored = info.stored;
  interface.takes_scaled = info.input_mean.defined();
  interface.input_mean = info.input_mean;
  interface.input_deviation = info.input_deviation;
  interface.class_names = info.class_names;
  interface.num_classes = info.num_classes;
  interface.target = target;
  interface.target_names = info.target_names;
  interface.gives_scaled = info.target_mean.defined();
  interface.target_mean = info.target_mean;
  interface.target_deviation = info.target_deviation;
  return interface;
}

std::vector<std::string> target_columns(const ModelInterface& interface) {
  return interface.num_classes > 0 ? std::vector<std::string>{interface.target} : interface.target_names;
}

std::string to_json(const ModelInterface& interface) {
  Json inputs{{"shape", interface.input_shape},
              {"type", interface.takes_double ? kDoubleType : "float32"},
              {"numbers", scale_word(interface.takes_scaled)}};
  if (!interface.stored.empty()) inputs["stored"] = interface.stored;
  if (interface.bounds) inputs["bounds"] = {interface.bounds->low(), interface.bounds->high()};
  if (interface.input_mean.defined()) {
    inputs["mean"] = numbers_of(interface.input_mean);
    inputs["deviation"] = numbers_of(interface.input_deviation);
  }
  if (!interface.features.empty()) inputs["features"] = json_of(interface.features);
  Json outputs{{"target", interface.target},
               {"classes", interface.num_classes},
               {"class_names", interface.class_names},
               {"target_names", interface.target_names},
               {"numbers", scale_word(interface.gives_scaled)}};
  if (interface.target_mean.defined()) {
    outputs["mean"] = numbers_of(interface.target_mean);
    outputs["deviation"] = numbers_of(interface.target_deviation);
  }
  Json json{{"arks_interface", kFormat}, {"data", interface.data}, {"inputs", inputs}};
  if (interface.table) json["table"] = json_of(*interface.table);
  json["outputs"] = outputs;
  if (!interface.division.empty()) json["division"] = interface.division;
  return json_line(json);
}

ModelInterface parse_interface(const std::string& text, const std::string& what) {
  const auto json = try_parse_json(text);
  ARKS_CHECK(!json.is_discarded() && json.is_object() && json.contains("arks_interface"), what,
             ": its description of the inputs cannot be read");
  ARKS_CHECK(json["arks_interface"] == kFormat, what, ": its inputs are described in format ",
             json["arks_interface"].dump(), "; this version reads ", kFormat);
  try {
    auto interface = interface_from(json);
    check_interface(interface);
    return interface;
  } catch (const Json::exception& error) {
    throw Error(what + ": its description of the inputs is damaged: " + error.what());
  } catch (const Error& error) {
    throw Error(what + ": its description of the inputs is damaged: " + error.what());
  } catch (const std::exception&) {  // of torch
    throw Error(what + ": its description of the inputs is damaged: numbers that do not fit the shape");
  }
}

void check_same_outputs(const std::string& one, const DatasetInfo& own, const std::string& other,
                        const DatasetInfo& data) {
  ARKS_CHECK(own.num_classes == data.num_classes && own.class_names == data.class_names, one, " and ", other,
             " have different classes: ", own.num_classes == 0 ? "none" : some(own.class_names), " and ",
             data.num_classes == 0 ? "none" : some(data.class_names));
  const bool named = !own.target_names.empty() && !data.target_names.empty();
  ARKS_CHECK(!named || own.target_names == data.target_names, one, " and ", other,
             " have different targets: ", some(own.target_names), " and ", some(data.target_names));
}

void check_same_inputs(const std::string& one, const DatasetInfo& own, const std::string& other,
                       const DatasetInfo& data) {
  const auto names = names_of(own.features), others = names_of(data.features);
  const bool named = !names.empty() && !others.empty();
  ARKS_CHECK(own.input_shape == data.input_shape && (!named || names == others), one, " and ", other,
             " have different inputs: ", shape_text(own.input_shape), " ", some(names), " and ",
             shape_text(data.input_shape), " ", some(others));
}

void check_starts_on(const ModelInterface& own, const std::string& name, const DatasetInfo& data) {
  const auto info = own.info();
  check_same_inputs(name, info, data.name, data);
  check_same_outputs(name, info, data.name, data);
  const auto check = [&](bool takes_scaled, const torch::Tensor& mean, const torch::Tensor& of_data, const char* what,
                         const char* flag) {
    if (takes_scaled) {
      ARKS_CHECK(of_data.defined() && torch::allclose(mean.flatten(), of_data.flatten()), name, ": its ", what,
                 " are standardised as in its own training; start from the file that arks export writes, whose ", what,
                 " are in the units of the table");
    } else {
      ARKS_CHECK(!mean.defined() || !of_data.defined(), flag, ": ", name, " scales its ", what,
                 " itself; leave it out");
    }
  };
  check(own.takes_scaled, own.input_mean, data.input_mean, "inputs", "--standardise");
  check(own.gives_scaled, own.target_mean, data.target_mean, "outputs", "--standardise-targets");
}

}  // namespace arks
