#include "cli/guard_text.h"

#include "support/text.h"

#include <algorithm>

namespace arks::cli {

namespace {

std::string text_of(const Method& method, const std::string& name, const std::string& otherwise) {
  const auto* setting = method.find(name);
  return setting != nullptr && setting->has_value() ? setting->text() : otherwise;
}

std::string short_text(double value) {
  return shortest(two_digits(value));
}

/// The strength of the method that covers a reach; nothing where it has none.
std::optional<double> covering(const Method& method, const AnySetting& strength, const GuardReach& reach) {
  if (strength.name() == "sigma") return reach.sigma();
  if (strength.name() == "eps") return reach.eps(text_of(method, "norm", "linf"));
  return reach.gamma(text_of(method, "cost", "sq-l2"));
}

std::string overlap_text(const GuardAdvice& advice, const std::string& samples) {
  return c10::str("; for ", percent(advice.mixed, 0), " of the ", samples,
                  " the nearest neighbour is one of these: they overlap, and ",
                  samples == "rows" ? "an expected drift (--expect)" : "data from the field (arks data drift)",
                  " is a better guide");
}

/// How far a strength reaches.
double length_of(const Method& method, const AnySetting& strength, double value, const GuardReach& like,
                 int64_t inputs) {
  if (strength.name() == "sigma") return value;
  if (strength.name() == "eps") return GuardReach::length_of_eps(value, text_of(method, "norm", "linf"), inputs);
  return like.length_of_gamma(value, text_of(method, "cost", "sq-l2"));
}

// of ki the kernel says only what is near
constexpr const char* kWidthOfKi = " is the width of the kernel";
constexpr const char* kNotStrength = ", not how strong ki guards (that is --ki-epsilon)";

bool is_scale_only(const Method& method) {
  return method.find("ki-variant") != nullptr;
}

}  // namespace

const AnySetting* strength_of(const Method& method) {
  for (const char* name : {"sigma", "eps", "gamma"}) {
    const auto* setting = method.find(name);
    if (setting == nullptr) continue;
    if (setting->name() == "sigma" && text_of(method, "kernel", "gaussian") != "gaussian") return nullptr;
    if (setting->name() == "sigma" && method.find("temperature")->has_value()) return nullptr;
    if (setting->name() == "gamma" && !GuardReach{1, 1}.gamma(text_of(method, "cost", "sq-l2"))) return nullptr;
    return setting;
  }
  return nullptr;
}

std::string expected_line(const Method& method, const GuardReach& expected, const std::string& samples) {
  const auto* strength = strength_of(method);
  const auto value = strength == nullptr ? std::nullopt : covering(method, *strength, expected);
  if (!value) return "";
  const bool used = strength->has_value() && strength->text() == shortest(*value);
  return c10::str("guard: the expected drift moves ", samples, " by ", short_text(expected.length),
                  " in the units of the model's inputs, one input by ", short_text(expected.single), " at most; ",
                  strength->name(), " ", shortest(*value),
                  is_scale_only(method) ? std::string(" is a kernel as wide as that") + kNotStrength : " covers that",
                  used ? "" : c10::str(", the run has ", strength->text()));
}

std::string advice_line(const Method& method, const GuardAdvice& advice, const std::string& samples) {
  const auto* strength = strength_of(method);
  if (strength == nullptr || !strength->has_value() || !advice.reach) return "";
  if (strength->text() == "inf") return "";  // covers everything
  const double value = parse_number(strength->text(), strength->flag());
  if (!(value > 0)) return "";
  const auto at = [&](double length) { return covering(method, *strength, advice.reach_of(length)).value_or(0); };
  const double one = at(advice.weakest()), two = at(advice.strongest());
  const auto length = short_text(length_of(method, *strength, value, *advice.reach, advice.inputs));
  return c10::str("guard: ", strength->name(), " ", strength->text(),
                  is_scale_only(method) ? kWidthOfKi : " covers moves of about " + length, " over all ", advice.inputs,
                  " inputs", is_scale_only(method) ? kNotStrength : "", "; the nearest ", samples,
                  advice.classes ? " of another class" : " with a different target", " are ", short_text(advice.other),
                  " away, the nearest others ", short_text(advice.alike), " (medians of ", advice.samples,
                  "), so what differs is ", short_text(advice.apart), " apart: ", shortest(std::min(one, two)), " to ",
                  shortest(std::max(one, two)), " is a sensible range",
                  advice.overlap() ? overlap_text(advice, samples) : "");
}

}  // namespace arks::cli
