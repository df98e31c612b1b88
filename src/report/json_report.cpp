#include "report/evaluation_report.h"
#include "support/json_text.h"

#include <arks/version.h>
#include <torch/version.h>
#include <nlohmann/json.hpp>

namespace arks {

namespace {

using Json = nlohmann::ordered_json;  // keys in the order in which a reader wants them

Json document_of(const EvaluationPoint& point) {
  const bool has_errors = point.errors >= 0;
  return {{"model", point.model},
          {"attack", point.attack},
          {"norm", point.norm.empty() ? Json(nullptr) : Json(point.norm)},
          {"eps", finite_or_null(point.eps)},
          {"source", point.source.empty() ? Json(nullptr) : Json(point.source)},
          {"n", point.n},
          {"errors", has_errors ? Json(point.errors) : Json(nullptr)},
          {"error", has_errors ? finite_or_null(point.error) : Json(nullptr)},
          {"loss", finite_or_null(point.loss)},
          {"seconds", finite_or_null(point.seconds)},
          {"zero_gradients", point.zero_gradients}};
}

}  // namespace

std::string json_report(const EvaluationReport& report) {
  Json points = Json::array(), config = Json::object();
  for (const auto& point : report.points) points.push_back(document_of(point));
  for (const auto& [name, value] : report.config) {
    std::visit([&, key = name](const auto& kind) { config[key] = kind; }, value);
  }
  const Json document = {{"command", report.command},
                         {"points", points},
                         {"config", config},
                         {"seed", report.seed},
                         {"versions", {{"arks", kVersion}, {"libtorch", TORCH_VERSION}}},
                         {"wall_seconds", finite_or_null(report.wall_seconds)}};
  // a file name may hold bytes that are no UTF-8: replaced, where the default would throw
  return json_text(document);
}

}  // namespace arks
