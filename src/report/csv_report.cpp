#include "report/csv_field.h"
#include "report/evaluation_report.h"
#include "support/text.h"

namespace arks {

namespace {

std::string line(const EvaluationPoint& point) {
  const bool has_errors = point.errors >= 0;
  const std::vector<std::string> fields = {point.model,
                                           point.attack,
                                           point.norm,
                                           shortest(point.eps),
                                           point.source,
                                           std::to_string(point.n),
                                           has_errors ? std::to_string(point.errors) : "",
                                           has_errors ? shortest(point.error) : "",
                                           shortest(point.loss),
                                           shortest(point.seconds),
                                           std::to_string(point.zero_gradients)};
  return csv_line(fields);
}

}  // namespace

std::string csv_report(const EvaluationReport& report) {
  std::string text = "model,attack,norm,eps,source,n,errors,error,loss,seconds,zero_gradients\r\n";
  for (const auto& point : report.points) text += line(point);
  return text;
}

}  // namespace arks
