#include "report/evaluation_report.h"
#include "support/json_text.h"

#include <arks/version.h>
#include <torch/version.h>
#include <nlohmann/json.hpp>

namespace arks {

namespace {

using Json = nlohmann::ordered_json;  // keys in the order in which a reader wants them

Json number_or_null(const std::optional<double>& value) {
  return value ? finite_or_null(*value) : Json(nullptr);
}

Json word_or_null(const std::string& word) {
  return word.empty() ? Json(nullptr) : Json(word);
}

/// Of all draws, as the mean of one.
Json per_draw(int64_t count, int64_t repeats) {
  if (count % repeats == 0) return count / repeats;
  return static_cast<double>(count) / static_cast<double>(repeats);
}

Json confusion_of(const EvaluationPoint& point) {
  Json rows = Json::array();
  for (const auto& counts : point.classification->confusion) {
    Json row = Json::array();
    for (const auto count : counts) row.push_back(per_draw(count, point.repeats));
    rows.push_back(row);
  }
  return rows;
}

Json document_of(const EvaluationPoint& point) {
  const bool has_errors = point.errors >= 0;
  const auto& interval = point.error_interval;
  Json document = {{"model", point.model},
                   {"attack", point.attack},
                   {"norm", word_or_null(point.norm)},
                   {"eps", finite_or_null(point.eps)},
                   {"source", word_or_null(point.source)},
                   {"n", point.n},
                   {"errors", has_errors ? per_draw(point.errors, point.repeats) : Json(nullptr)},
                   {"error", has_errors ? finite_or_null(point.error) : Json(nullptr)},
                   {"loss", finite_or_null(point.loss)},
                   {"seconds", finite_or_null(point.seconds)},
                   {"zero_gradients", point.zero_gradients},
                   {"data", word_or_null(point.data)},
                   {"repeats", point.repeats},
                   {"groups", point.groups},
                   {"error_low", interval ? Json(interval->low) : Json(nullptr)},
                   {"error_high", interval ? Json(interval->high) : Json(nullptr)},
                   {"loss_standard_error", number_or_null(point.loss_standard_error)}};
  if (point.classification) {
    document["confusion"] = confusion_of(point);
    document["balanced_accuracy"] = point.classification->balanced_accuracy;
    document["auc"] = number_or_null(point.classification->auc);
  }
  if (point.regression) {
    document["mae"] = Json::array();
    document["r2"] = Json::array();
    for (const double mae : point.regression->mae) document["mae"].push_back(finite_or_null(mae));
    for (const auto& r2 : point.regression->r2) document["r2"].push_back(number_or_null(r2));
  }
  return document;
}

Json document_of(const ModelComparison& comparison) {
  const auto& result = comparison.result;
  return {{"first", comparison.first},
          {"second", comparison.second},
          {"attack", comparison.attack},
          {"source", word_or_null(comparison.source)},
          {"data", word_or_null(comparison.data)},
          {"eps", finite_or_null(comparison.eps)},
          {"quantity", comparison.quantity},
          {"test", result.test},
          {"difference", finite_or_null(result.difference)},
          {"low", result.interval ? finite_or_null(result.interval->low) : Json(nullptr)},
          {"high", result.interval ? finite_or_null(result.interval->high) : Json(nullptr)},
          {"p_value", number_or_null(result.p_value)}};
}

}  // namespace

std::string json_report(const EvaluationReport& report) {
  Json points = Json::array(), comparisons = Json::array(), config = Json::object();
  for (const auto& point : report.points) points.push_back(document_of(point));
  for (const auto& comparison : report.comparisons) comparisons.push_back(document_of(comparison));
  for (const auto& [name, value] : report.config) {
    std::visit([&, key = name](const auto& kind) { config[key] = kind; }, value);
  }
  const Json document = {{"command", report.command},
                         {"points", points},
                         {"comparisons", comparisons},
                         {"eps_unit", word_or_null(report.eps_unit)},
                         {"loss_unit", word_or_null(report.loss_unit)},
                         {"shift", word_or_null(report.shift)},
                         {"config", config},
                         {"seed", report.seed},
                         {"versions", {{"arks", kVersion}, {"libtorch", TORCH_VERSION}}},
                         {"wall_seconds", finite_or_null(report.wall_seconds)}};
  // a file name may hold bytes that are no UTF-8: replaced, where the default would throw
  return json_text(document);
}

}  // namespace arks
