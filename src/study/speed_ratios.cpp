#include "speed_figure.h"
#include "support/json_text.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace arks::study {

namespace {

using Json = nlohmann::ordered_json;

Json parse(const std::string& text, const std::string& what) {
  auto document = try_parse_json(text);
  ARKS_CHECK(!document.is_discarded(), what, ": not a JSON document; script/bench --json writes one");
  return document;
}

/// The benchmark's short names, for readers who do not know them.
std::string readable_opponent(const std::string& name) {
  static const std::pair<const char*, const char*> kNames[] = {
      {"as published", "the code as published"},
      {"as published, Python", "the code as published, in Python"},
      {"libtorch, frozen weights", "libtorch with frozen weights"},
      {"libtorch attack", "the attack in plain libtorch"},
      {"plain libtorch loop", "a plain libtorch loop"},
      {"torch's LBFGS by sample", "torch's L-BFGS, sample by sample"},
  };
  for (const auto& [shown, readable] : kNames) {
    if (name == shown) return readable;
  }
  return name;
}

/// A number alone is that of images in a batch; "eval" and "train" are modes of the network in the inner loop.
std::string readable_part(const std::string& part) {
  if (!part.empty() && std::all_of(part.begin(), part.end(), [](unsigned char c) { return std::isdigit(c); })) {
    return part + " images";
  }
  if (part == "eval") return "evaluation mode";
  return part == "train" ? "training mode" : part;
}

/// "its inner step" after "ARKS batch, Fashion-MNIST, 256 images" is the "ARKS inner step, Fashion-MNIST, 256 images".
std::string part_of(const std::string& part, const std::string& owner) {
  const size_t batch = owner.find(" batch,");
  if (batch == std::string::npos) return part + " of " + owner;
  return owner.substr(0, batch + 1) + part + owner.substr(batch + 6);
}

/// "ARKS batch, ResNet-20, 128, eval" → "ARKS batch, ResNet-20, 128 images, evaluation mode"; what is "its" is said
/// with the last work that stood for itself, which is kept in `owner`.
std::string readable_work(const std::string& work, std::string& owner) {
  if (work.rfind("its ", 0) == 0 && !owner.empty()) return part_of(work.substr(4), owner);
  std::vector<std::string> parts;
  for (const auto& part : split(work, ',')) {
    parts.push_back(readable_part(part.substr(std::min(part.size(), part.find_first_not_of(' ')))));
  }
  return owner = join(parts);
}

/// An entry of the document, with errors that say where it stands.
class Fields {
 public:
  Fields(const Json& entry, std::string where) : entry_(entry), where_(std::move(where)) {
    ARKS_CHECK(entry_.is_object(), where_, ": expected an object");
  }

  bool has(const char* key) const { return entry_.contains(key); }

  std::string text(const char* key) const {
    ARKS_CHECK(has(key), where_, " lacks '", key, "'");
    ARKS_CHECK(entry_[key].is_string(), where_, ": '", key, "' must be a string, got ", json_line(entry_[key]));
    return entry_[key].get<std::string>();
  }

  double positive(const char* key) const {
    ARKS_CHECK(has(key), where_, " lacks '", key, "'");
    const bool number = entry_[key].is_number();
    ARKS_CHECK(number && entry_[key].get<double>() > 0 && std::isfinite(entry_[key].get<double>()), where_, ": '", key,
               "' must be a number > 0, got ", json_line(entry_[key]));
    return entry_[key].get<double>();
  }

  std::optional<double> positive_if_there(const char* key) const {
    return has(key) ? std::optional<double>(positive(key)) : std::nullopt;
  }

 private:
  const Json& entry_;
  std::string where_;
};

/// Rounds whose median is this number. The document does not say which benchmark a comparison took, but it has the
/// median to the last digit.
std::vector<std::vector<double>> rounds_with_median(const Json& document, double median) {
  std::vector<std::vector<double>> found;
  const auto benchmarks = document.find("benchmarks");
  if (benchmarks == document.end() || !benchmarks->is_array()) return found;
  for (const auto& benchmark : *benchmarks) {
    if (!benchmark.is_object() || !benchmark.contains("seconds") || !benchmark.contains("median_seconds")) continue;
    if (benchmark["median_seconds"] != median || !benchmark["seconds"].is_array()) continue;
    const auto& seconds = benchmark["seconds"];
    const bool numbers = std::all_of(seconds.begin(), seconds.end(),
                                     [](const Json& value) { return value.is_number() && value.get<double>() > 0; });
    if (numbers && !seconds.empty()) found.push_back(seconds.get<std::vector<double>>());
  }
  return found;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Lowest and highest round, if rounds of both are there and their ratios have the median that the document states:
/// without that it is not certain that they are the right ones. `factor` turns times into shares.
void add_spread(SpeedRatio& ratio, const Json& document, double factor) {
  for (const auto& ours : rounds_with_median(document, ratio.ours_seconds)) {
    for (const auto& theirs : rounds_with_median(document, ratio.theirs_seconds)) {
      if (ours.size() != theirs.size()) continue;
      std::vector<double> ratios;
      for (size_t i = 0; i < ours.size(); ++i) ratios.push_back(factor * theirs[i] / ours[i]);
      if (std::abs(median(ratios) - ratio.ratio) > 1e-9 * ratio.ratio) continue;
      ratio.lowest_round = *std::min_element(ratios.begin(), ratios.end());
      ratio.highest_round = *std::max_element(ratios.begin(), ratios.end());
      return;
    }
  }
}

SpeedRatio read_ratio(const Fields& fields, const Json& document, std::string& owner) {
  SpeedRatio ratio;
  ratio.work = readable_work(fields.text("work"), owner);
  ratio.against = readable_opponent(fields.text("against"));
  ratio.ratio = fields.positive("ratio");
  ratio.least = fields.positive_if_there("at_least");
  ratio.aim = fields.positive_if_there("aim");
  ratio.ours_seconds = fields.positive("ours_seconds");
  ratio.theirs_seconds = fields.positive("theirs_seconds");
  ratio.rounds = static_cast<int64_t>(fields.positive_if_there("rounds").value_or(0));
  ratio.is_share = fields.has("ours_gflops");
  ratio.name = ratio.work + (ratio.is_share ? ", as a share of the speed of " : ", against ") + ratio.against;
  double factor = 1;
  if (ratio.is_share) {
    factor =
        fields.positive("ours_gflops") * ratio.ours_seconds / (fields.positive("theirs_gflops") * ratio.theirs_seconds);
  }
  add_spread(ratio, document, factor);
  return ratio;
}

}  // namespace

std::vector<SpeedRatio> read_speed_ratios(const std::string& text, const std::string& what) {
  const auto document = parse(text, what);
  const bool there = document.is_object() && document.contains("comparisons");
  ARKS_CHECK(there && document["comparisons"].is_array() && !document["comparisons"].empty(), what,
             ": has no 'comparisons'; script/bench --json writes them");
  std::vector<SpeedRatio> ratios;
  std::string owner;
  for (const auto& entry : document["comparisons"]) {
    const Fields fields(entry, c10::str(what, ": comparison ", ratios.size() + 1));
    ratios.push_back(read_ratio(fields, document, owner));
  }
  return ratios;
}

std::string speed_footnote(const std::string& text, const std::string& what) {
  const auto document = parse(text, what);
  const auto value = [&](const char* path) -> std::string {
    const Json::json_pointer pointer(path);
    if (!document.contains(pointer)) return "";
    const auto& found = document[pointer];
    return found.is_string() ? found.get<std::string>() : found.is_number_integer() ? json_line(found) : "";
  };
  std::vector<std::string> parts;
  const auto add = [&](const std::string& before, const std::string& found, const std::string& after) {
    if (!found.empty()) parts.push_back(before + found + after);
  };
  add("", value("/machine/cpu"), "");
  add("", value("/machine/threads"), value("/machine/threads") == "1" ? " thread" : " threads");
  add("", value("/date").substr(0, 10), "");
  ARKS_CHECK(!value("/machine/cpu").empty() || !value("/date").empty(), what,
             ": has neither 'machine' nor 'date'; script/bench --json writes both");
  add("arks ", value("/versions/arks"), "");
  add("torch ", value("/versions/torch"), "");
  return join(parts);
}

}  // namespace arks::study
