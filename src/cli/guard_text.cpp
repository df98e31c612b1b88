#include "cli/guard_text.h"

#include "support/text.h"

namespace arks::cli {

namespace {

std::string short_text(double value) {
  return shortest(two_digits(value));
}

std::string overlap_text(const GuardAdvice& advice, const std::string& samples) {
  return c10::str("; for ", percent(advice.mixed, 0), " of the ", samples, " the nearest one is ",
                  advice.classes ? "of another class" : "one with a different target", ": they overlap, and ",
                  samples == "rows" ? "an expected drift (--expect)" : "data from the field (arks data drift)",
                  " is a better guide");
}

/// In which lengths are.
std::string length_unit(const DatasetInfo& info) {
  if (info.input_mean.defined()) return "standard deviations of the training rows";
  const bool unit = info.bounds && info.bounds->low() == 0 && info.bounds->high() == 1;
  return unit && info.input_shape.size() == 3 ? "pixel values from 0 to 1" : "the units of the inputs";
}

/// Which strengths make sense, the weakest first, and why.
std::string sensible_line(const GuardStrength& strength, const GuardAdvice& advice, double length,
                          const std::string& samples) {
  const auto& setting = *strength.setting;
  const auto [weakest, strongest] = advice.sensible(strength.scale);
  const std::string others = samples + (advice.classes ? " of another class" : " with a different target");
  const bool stronger = length > 1.1 * advice.strongest(), weaker = length < 0.9 * advice.weakest();
  return c10::str(
      "guard: ", setting.name(), " ", shortest(weakest), " (hardly felt) to ", shortest(strongest), " (half-way to ",
      others, ") is a sensible range", stronger ? ", and " + setting.text() + " is stronger" : "",
      weaker ? ", and " + setting.text() + " is weaker" : "", "; the nearest ", others, " are ",
      short_text(advice.other), " away, the nearest ", advice.classes ? "of the same class " : "with a similar one ",
      short_text(advice.alike), " (medians of ", advice.samples, "), so what tells them apart is ",
      short_text(advice.apart), " long", advice.overlap() ? overlap_text(advice, samples) : "");
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

std::string advice_lines(const std::string& name, const Method& method, const GuardAdvice& advice,
                         const DatasetInfo& info) {
  const auto strength = method.strength();
  if (!strength || !strength->setting->has_value() || !advice.reach) return "";
  const auto& setting = *strength->setting;
  if (setting.text() == "inf") return "";  // covers everything
  const double value = parse_number(setting.text(), setting.flag());
  if (!(value > 0)) return "";
  const double length = strength->scale.length_of(value, *advice.reach, advice.inputs);
  return c10::str(
      "guard: ", setting.name(), " ", setting.text(),
      strength->guard.empty() ? " covers moves of about " + short_text(length) : " is the width of the kernel",
      not_strength(name, *strength), ", a length over all ", advice.inputs, " inputs together, in ", length_unit(info),
      "\n", sensible_line(*strength, advice, length, samples_word(info)));
}

}  // namespace arks::cli
