#include "attack/drift_text.h"

#include "support/contains.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>

namespace arks {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool take(std::string_view& text, std::string_view start) {
  if (text.substr(0, start.size()) != start) return false;
  text.remove_prefix(start.size());
  text = trimmed(text);
  return true;
}

constexpr std::string_view kOperators = "+-*/~\xc2";  // the last one begins ±

/// The feature with the longest name that the term begins with and an operator follows; null: none.
const Feature* find_feature(std::string_view term, const std::vector<Feature>& features) {
  const Feature* found = nullptr;
  for (const auto& feature : features) {
    if (term.substr(0, feature.column.size()) != feature.column) continue;
    const auto rest = trimmed(term.substr(feature.column.size()));
    if (rest.empty() || kOperators.find(rest.front()) == std::string_view::npos) continue;
    if (found == nullptr || feature.column.size() > found->column.size()) found = &feature;
  }
  return found;
}

/// The terms: commas and line breaks stand between them, what follows a # is not read; within quotes they are letters.
std::vector<std::string> terms_of(std::string_view text, const std::string& what) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  std::vector<std::string> terms(1);
  bool quoted = false, comment = false;
  for (const char c : text) {
    ARKS_CHECK(!quoted || c != '\n', what, ": a quote is not closed in '", terms.back(), "'");
    const auto before = trimmed(terms.back());
    if (c == '"' && !comment && (before.empty() || before.front() == '"')) quoted = !quoted;
    if (!quoted) comment = c == '\n' ? false : comment || c == '#';
    if (!quoted && (c == ',' || c == '\n')) {
      if (!comment) terms.emplace_back();
    } else if (!comment) {
      terms.back() += c;
    }
  }
  ARKS_CHECK(!quoted, what, ": a quote is not closed in '", terms.back(), "'");
  return terms;
}

/// The name in quotes, where "" is one quote; `rest` is what follows.
std::string quoted_name(std::string_view term, std::string_view& rest) {
  std::string name;
  size_t i = 1;
  for (; i < term.size(); ++i) {
    if (term[i] == '"' && (i + 1 == term.size() || term[i + 1] != '"')) break;
    if (term[i] == '"') ++i;
    name += term[i];
  }
  rest = trimmed(term.substr(std::min(i + 1, term.size())));
  return name;
}

[[noreturn]] void refuse_term(std::string_view term, const std::string& name, const std::vector<Feature>& features,
                              const std::string& what) {
  std::vector<std::string> names;
  for (const auto& known : features) {
    if (names.empty() || names.back() != known.column) names.push_back(known.column);
  }
  ARKS_CHECK(!contains(names, name) || term != name, what, ": '", term, "' does not say how far; write ", name,
             "+2.5, ", name, "*1.1 or ", name, "±3");
  throw Error(c10::str(what, ": cannot read '", term, "'; expected a column and +a, -a, *a, /a, ±a or ~a",
                       did_you_mean(name, names), "; columns: ", join(names).substr(0, 300)));
}

/// The column that a term is of, and the operator and number behind it.
const Feature& feature_of(std::string_view term, const std::vector<Feature>& features, const std::string& what,
                          std::string_view& rest) {
  const Feature* feature = nullptr;
  std::string name;
  if (!term.empty() && term.front() == '"') {
    name = quoted_name(term, rest);
    const auto found =
        std::find_if(features.begin(), features.end(), [&](const auto& known) { return known.column == name; });
    const bool operated = !rest.empty() && kOperators.find(rest.front()) != std::string_view::npos;
    if (found != features.end() && operated) feature = &*found;
  } else {
    name = trimmed(term.substr(0, term.find_first_of(kOperators)));
    feature = find_feature(term, features);
    if (feature != nullptr) rest = trimmed(term.substr(feature->column.size()));
  }
  if (feature == nullptr) refuse_term(term, name, features, what);
  return *feature;
}

double amount_of(std::string_view rest, std::string_view term, const std::string& what) {
  try {
    return parse_number(std::string(rest), "");
  } catch (const Error&) {
    const auto number = rest.substr(0, rest.find_first_not_of("0123456789.+-"));
    const auto advice = number.empty() || number.size() == rest.size()
                            ? std::string()
                            : c10::str(", without a unit: ", term.substr(0, term.size() - rest.size()), number);
    throw Error(c10::str(what, ": cannot read '", rest, "' in '", term,
                         "': a number in the column's own units is expected", advice));
  }
}

ColumnDrift parse_term(std::string_view term, const std::vector<Feature>& features, const std::string& what) {
  std::string_view rest;
  const auto& feature = feature_of(term, features, what, rest);
  ColumnDrift drift;
  drift.column = feature.column;
  ARKS_CHECK(feature.quantity, what, ": '", term, "': column '", drift.column,
             "' holds names or True and False, which cannot drift by a number");
  ARKS_CHECK(rest.substr(0, 2) != "+-", what, ": '", term, "' may mean two things; write ", rest.substr(1),
             " to subtract, or ±", rest.substr(2), " for noise");
  bool divide = false, minus = false;
  if (take(rest, "±") || take(rest, "+/-")) {
    drift.kind = ColumnDrift::Kind::kUniform;
  } else if (take(rest, "~")) {
    drift.kind = ColumnDrift::Kind::kNormal;
  } else if (take(rest, "*") || (divide = take(rest, "/"))) {
    drift.kind = ColumnDrift::Kind::kMultiply;
    ARKS_CHECK(!feature.date, what, ": '", term, "': a date can be moved by days, but not multiplied");
  } else if (!take(rest, "+")) {
    minus = take(rest, "-");
  }
  const bool noise = drift.kind == ColumnDrift::Kind::kUniform || drift.kind == ColumnDrift::Kind::kNormal;
  const char sign = rest.empty() ? ' ' : rest.front();
  const bool second_sign = sign == '+' || (sign == '-' && !noise);
  ARKS_CHECK(drift.kind == ColumnDrift::Kind::kMultiply || !second_sign, what, ": '", term,
             "' has two signs; write +a to add, -a to subtract, or ±a for noise");
  drift.amount = amount_of(rest, term, what);
  ARKS_CHECK(!noise || drift.amount >= 0, what, ": '", term, "': noise must not be negative");
  ARKS_CHECK(!divide || drift.amount != 0, what, ": '", term, "' divides by 0");
  if (divide) drift.amount = 1 / drift.amount;
  if (minus) drift.amount = -drift.amount;
  return drift;
}

}  // namespace

std::vector<Feature> drifting_features(const DatasetInfo& info) {
  auto features = info.features;
  if (!features.empty() || info.input_shape.size() != 1) return features;
  for (int64_t i = 1; i <= info.input_shape[0]; ++i) {
    const auto name = c10::str("input ", i);
    features.push_back({name, name, /*quantity=*/true, /*date=*/false});
  }
  return features;
}

std::vector<ColumnDrift> parse_drifts(const std::string& text, const std::vector<Feature>& features,
                                      const std::string& what) {
  ARKS_CHECK(!features.empty(), what, ": a drift is one of columns of a table, and these samples have no columns");
  std::vector<ColumnDrift> drifts;
  for (const auto& part : terms_of(text, what)) {
    const auto term = trimmed(part);
    if (!term.empty()) drifts.push_back(parse_term(term, features, what));
  }
  ARKS_CHECK(!drifts.empty(), what, ": no drift is given, such as 'temperature+2.5'");
  return drifts;
}

std::string to_text(const std::vector<ColumnDrift>& drifts) {
  std::vector<std::string> terms;
  for (const auto& drift : drifts) {
    const auto sign = drift.kind == ColumnDrift::Kind::kMultiply  ? "×"
                      : drift.kind == ColumnDrift::Kind::kUniform ? "±"
                      : drift.kind == ColumnDrift::Kind::kNormal  ? "~"
                      : drift.amount < 0                          ? ""
                                                                  : "+";
    terms.push_back(drift.column + " " + sign + six_digits(drift.amount));
  }
  return join(terms);
}

DriftOptions drift_options(const std::vector<ColumnDrift>& drifts, const DatasetInfo& info) {
  const auto features = drifting_features(info);
  const auto count = static_cast<int64_t>(features.size());
  const auto zeros = [&] { return torch::zeros({count}, torch::kDouble); };
  auto factor = zeros() + 1, offset = zeros(), uniform = zeros(), normal = zeros();
  for (const auto& drift : drifts) {
    for (int64_t i = 0; i < count; ++i) {
      const auto& feature = features[static_cast<size_t>(i)];
      if (feature.column != drift.column || !feature.quantity) continue;
      const bool scaled = info.input_mean.defined();
      const double mean = scaled ? info.input_mean[i].item<double>() : 0;
      const double unit = scaled ? 1 / info.input_deviation[i].item<double>() : 1;
      switch (drift.kind) {
        case ColumnDrift::Kind::kAdd:
          offset[i] += drift.amount * unit;
          break;
        case ColumnDrift::Kind::kMultiply:  // a·(x·d + m) = (x'·d + m)
          offset[i] = offset[i] * drift.amount + (drift.amount - 1) * mean * unit;
          factor[i] *= drift.amount;
          uniform[i] *= std::abs(drift.amount);
          normal[i] *= std::abs(drift.amount);
          break;
        case ColumnDrift::Kind::kUniform:
          uniform[i] += drift.amount * unit;
          break;
        case ColumnDrift::Kind::kNormal:
          normal[i] += drift.amount * unit;
          break;
      }
    }
  }
  return DriftOptions().factor(factor).offset(offset).uniform(uniform).normal(normal);
}

}  // namespace arks
