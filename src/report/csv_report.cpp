#include <arks/report/evaluation_report.h>
#include <arks/support/text.h>

namespace arks {

namespace {

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string line(const EvaluationPoint& point) {
  const bool has_errors = point.errors >= 0;
  const std::vector<std::string> fields = {field(point.model),
                                           field(point.attack),
                                           field(point.norm),
                                           shortest(point.eps),
                                           field(point.source),
                                           std::to_string(point.n),
                                           has_errors ? std::to_string(point.errors) : "",
                                           has_errors ? shortest(point.error) : "",
                                           shortest(point.loss),
                                           shortest(point.seconds),
                                           std::to_string(point.zero_gradients)};
  return join(fields, ",") + "\r\n";
}

}  // namespace

std::string csv_report(const EvaluationReport& report) {
  std::string text = "model,attack,norm,eps,source,n,errors,error,loss,seconds,zero_gradients\r\n";
  for (const auto& point : report.points) text += line(point);
  return text;
}

}  // namespace arks
