#include "cli/guard_text.h"

#include "support/text.h"

namespace arks::cli {

namespace {

std::string short_text(double value) {
  return shortest(two_digits(value));
}

std::string overlap_text(const GuardAdvice& advice, const std::string& samples) {
  return c10::str("; for ", percent(advice.mixed, 0), " of the ", samples,
                  " the nearest neighbour is one of these: they overlap, and ",
                  samples == "rows" ? "an expected drift (--expect)" : "data from the field (arks data drift)",
                  " is a better guide");
}

/// Of a method whose kernel says only what is near.
std::string not_strength(const std::string& method, const GuardStrength& strength) {
  return strength.guard.empty() ? "" : ", not how strong " + method + " guards (that is " + strength.guard + ")";
}

}  // namespace

std::string expected_line(const std::string& name, const Method& method, const GuardReach& expected,
                          const std::string& samples) {
  const auto strength = method.strength();
  const auto value = strength ? strength->scale.covering(expected) : std::nullopt;
  if (!value) return "";
  const auto& setting = *strength->setting;
  const bool used = setting.has_value() && setting.text() == shortest(*value);
  return c10::str("guard: the expected drift moves ", samples, " by ", short_text(expected.length),
                  " in the units of the model's inputs, one input by ", short_text(expected.single), " at most; ",
                  setting.name(), " ", shortest(*value),
                  strength->guard.empty() ? " covers that" : " is a kernel as wide as that",
                  not_strength(name, *strength), used ? "" : c10::str(", the run has ", setting.text()));
}

std::string advice_line(const std::string& name, const Method& method, const GuardAdvice& advice,
                        const std::string& samples) {
  const auto strength = method.strength();
  if (!strength || !strength->setting->has_value() || !advice.reach) return "";
  const auto& setting = *strength->setting;
  if (setting.text() == "inf") return "";  // covers everything
  const double value = parse_number(setting.text(), setting.flag());
  if (!(value > 0)) return "";
  const auto [low, high] = advice.sensible(strength->scale);
  const auto length = short_text(strength->scale.length_of(value, *advice.reach, advice.inputs));
  return c10::str("guard: ", setting.name(), " ", setting.text(),
                  strength->guard.empty() ? " covers moves of about " + length : " is the width of the kernel",
                  " over all ", advice.inputs, " inputs", not_strength(name, *strength), "; the nearest ", samples,
                  advice.classes ? " of another class" : " with a different target", " are ", short_text(advice.other),
                  " away, the nearest others ", short_text(advice.alike), " (medians of ", advice.samples,
                  "), so what differs is ", short_text(advice.apart), " apart: ", shortest(low), " to ", shortest(high),
                  " is a sensible range", advice.overlap() ? overlap_text(advice, samples) : "");
}

}  // namespace arks::cli
