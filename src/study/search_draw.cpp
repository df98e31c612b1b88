#include "study/search_draw.h"

#include "settings/toml_file.h"
#include "support/check_sum.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <arks/support/random.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace arks::study {

namespace {

double four_digits(double value) {
  return std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr);
}

SearchDraw::Kind kind_of(const std::string& name, const std::string& where) {
  static const std::vector<std::string> kKnown{"log", "uniform", "whole"};
  if (name == "log") return SearchDraw::Kind::kLog;
  if (name == "uniform") return SearchDraw::Kind::kUniform;
  ARKS_CHECK(name == "whole", where, ": unknown kind of range '", name, "'", did_you_mean(name, kKnown),
             "; known: ", join(kKnown));
  return SearchDraw::Kind::kWhole;
}

}  // namespace

std::string SearchDraw::at(double u) const {
  if (kind == Kind::kOneOf) return values[static_cast<size_t>(u * static_cast<double>(values.size()))];
  if (kind == Kind::kWhole) {
    return std::to_string(static_cast<int64_t>(low) + static_cast<int64_t>(std::floor(u * (high - low + 1))));
  }
  const double value =
      kind == Kind::kLog ? std::exp(std::log(low) + u * (std::log(high) - std::log(low))) : low + u * (high - low);
  return shortest(std::clamp(four_digits(value), low, high));
}

SearchDraw read_search_draw(const toml::node& node, const std::string& where) {
  SearchDraw draw;
  if (const auto* list = node.as_array()) {
    ARKS_CHECK(!list->empty(), where, " is an empty list; give the values to draw from");
    for (const auto& item : *list) draw.values.push_back(flag_text(item, where));
    return draw;
  }
  const auto* table = node.as_table();
  ARKS_CHECK(table != nullptr && table->size() == 1, where,
             ": expected a list of values, {log = [a, b]}, {uniform = [a, b]} or {whole = [a, b]}");
  draw.kind = kind_of(std::string(table->begin()->first.str()), where);
  const auto* ends = table->begin()->second.as_array();
  ARKS_CHECK(ends != nullptr && ends->size() == 2, where, ": a range needs two ends, [a, b]");
  draw.low = number_of(*ends->get(0), where);
  draw.high = number_of(*ends->get(1), where);
  ARKS_CHECK(draw.low <= draw.high, where, ": the range [", shortest(draw.low), ", ", shortest(draw.high),
             "] is reversed");
  ARKS_CHECK(draw.kind != SearchDraw::Kind::kLog || draw.low > 0, where,
             ": a logarithmic range must begin above 0, got ", shortest(draw.low));
  const bool whole_ends = draw.low == std::floor(draw.low) && draw.high == std::floor(draw.high);
  constexpr double kExact = 1e15;  // above it not every whole number is a double
  ARKS_CHECK(draw.kind != SearchDraw::Kind::kWhole ||
                 (whole_ends && std::max(std::abs(draw.low), std::abs(draw.high)) < kExact),
             where, ": a range of whole numbers needs whole ends");
  return draw;
}

double search_uniform(uint64_t seed, const std::string& group, const std::string& parameter, uint64_t index) {
  const auto of_group = mix_seed(seed, Stream::kSearch, text_check_sum(group));
  const auto of_parameter = mix_seed(of_group, Stream::kSearch, text_check_sum(parameter));
  return static_cast<double>(mix_seed(of_parameter, Stream::kSearch, index) >> 11) * 0x1p-53;
}

}  // namespace arks::study
