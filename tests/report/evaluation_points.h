#pragma once
// Reports with made-up numbers, and a reader of their tables.
#include "report/evaluation_report.h"

#include <string>
#include <vector>

namespace arks::testing {

inline EvaluationPoint point(const std::string& model, double eps, int64_t errors, const std::string& source = "") {
  EvaluationPoint p;
  p.model = model;
  p.attack = "pgd";
  p.norm = "linf";
  p.eps = eps;
  p.source = source;
  p.n = 1000;
  p.errors = errors;
  p.error = static_cast<double>(errors) / 1000;
  p.loss = 0.1 + eps;
  p.seconds = 1.5;
  return p;
}

inline EvaluationReport report_of(std::vector<EvaluationPoint> points) {
  EvaluationReport report;
  report.points = std::move(points);
  report.config = {{"attack", "pgd"},
                   {"steps", int64_t{15}},
                   {"alpha", 0.03},
                   {"random-start", false},
                   {"models", std::vector<std::string>{"a", "b"}}};
  report.seed = 18446744073709551615ULL;
  report.wall_seconds = 12.25;
  report.command = "arks evaluate \"runs/a b\"";
  return report;
}

/// A reader of RFC 4180, written apart from the writer.
inline std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> records(1, {""});
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    auto& field = records.back().back();
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      field += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      records.back().emplace_back();
    } else if (!quoted && c == '\r' && text[i + 1] == '\n') {
      records.push_back({""});
      ++i;
    } else {
      field += c;
    }
  }
  records.pop_back();
  return records;
}

}  // namespace arks::testing
