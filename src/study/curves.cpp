// Curves of several methods in several panels. The file lists
//   [[curve]]  label, and the flags of arks train that make the method
//   [[panel]]  title, `train` (flags on top of those of the curves), `evaluate` (the attack; eps are the points of the
//              axis), `source` (label of the curve on whose model attacks are made: transfer; without it white-box)
//   [[published]]  panel, curve, x, y: numbers of the paper, in the units of the axes
// and besides metric (error | loss), band (deviation | standard-error), x-label, y-label, y-high, seeds.
#include "study/kinds.h"
#include "study/result_table.h"
#include "study/spread.h"
#include "support/contains.h"
#include "support/json_text.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace arks::study {

namespace {

using Json = nlohmann::ordered_json;

struct Method {
  std::string label;
  FlagValues train;
};

struct View {
  std::string title, source;
  FlagValues train, evaluate;
  std::vector<double> strengths;
};

struct Published {
  std::string panel, curve;
  std::vector<double> x, y;
};

/// What the curves are made of: values by panel, method and strength, one for each seed that there is.
using Values = std::map<std::tuple<size_t, size_t, size_t>, std::vector<double>>;

class Curves {
 public:
  explicit Curves(Study& study) : study_(study) {
    read();
    study_.settings_are_read();
  }

  void run() {
    train();
    evaluate();
    if (study_.plan_only() || values_.empty()) return;
    study_.write(study_.experiment().id + ".csv", csv());
    std::string markdown;
    for (size_t v = 0; v < views_.size(); ++v) {
      study_.tell(views_[v].title + ": " + figure_.y_label() + "\n" + table(v).console());
      markdown += "**" + views_[v].title + "**\n\n" + table(v).markdown() + "\n";
    }
    study_.write(study_.experiment().id + ".md", markdown);
    figure_.note(note());
    study_.draw([&](const std::filesystem::path& file) { write_figure_panels(file, panels(), figure_); });
  }

 private:
  void read();
  void train();
  void evaluate();
  std::vector<Step> attacks(size_t view, int64_t seed, const std::vector<size_t>& methods) const;
  std::string note() const;
  std::vector<Panel> panels() const;
  std::string csv() const;
  ResultTable table(size_t view) const;
  std::string cell(size_t view, size_t method, size_t strength) const;

  size_t method_of(const std::string& label, const std::string& where) const;
  void check_panel(const std::string& title, const std::string& where) const;
  Step model(size_t view, size_t method, int64_t seed) const {
    return study_.train_step(merged(methods_[method].train, views_[view].train), seed);
  }

  Study& study_;
  std::vector<Method> methods_;
  std::vector<View> views_;
  std::vector<Published> published_;
  std::vector<int64_t> seeds_;
  bool shows_loss_ = false, standard_error_ = false;
  FigureOptions figure_;
  std::map<std::tuple<size_t, size_t, int64_t>, bool> trained_;
  Values values_;
};

size_t Curves::method_of(const std::string& label, const std::string& where) const {
  std::vector<std::string> known;
  for (const auto& method : methods_) known.push_back(method.label);
  const auto found = std::find(known.begin(), known.end(), label);
  ARKS_CHECK(found != known.end(), where, ": there is no curve '", label, "'", did_you_mean(label, known),
             "; curves: ", join(known));
  return static_cast<size_t>(found - known.begin());
}

void Curves::check_panel(const std::string& title, const std::string& where) const {
  std::vector<std::string> known;
  for (const auto& view : views_) known.push_back(view.title);
  ARKS_CHECK(contains(known, title), where, ": there is no panel '", title, "'", did_you_mean(title, known),
             "; panels: ", join(known));
}

void Curves::read() {
  const auto& settings = study_.settings();
  seeds_ = study_.seeds();
  study_.data();  // must be there
  const auto train = study_.flags(settings.table("train"), "train");
  const auto evaluate = study_.flags(settings.table("evaluate"), "evaluate");
  for (const auto& table : settings.tables("curve")) {
    const auto label = table.text("label");
    methods_.push_back({label, merged(train, study_.flags(table, "train"))});
  }
  for (const auto& table : settings.tables("panel")) {
    View view;
    view.title = table.text("title");
    view.source = table.text("source", "");
    if (!view.source.empty()) method_of(view.source, table.what());
    view.train = study_.flags(table.table("train"), "train");
    view.evaluate = merged(evaluate, study_.flags(table.table("evaluate"), "evaluate"));
    ARKS_CHECK(view.evaluate.count("eps") > 0, table.what(), ": 'eps' is missing, here or in [evaluate]");
    view.strengths = parse_numbers(view.evaluate.at("eps"), table.what() + ": eps");
    views_.push_back(view);
  }
  ARKS_CHECK(!methods_.empty() && !views_.empty(), settings.what(),
             ": at least one [[curve]] and one [[panel]] are needed");
  for (const auto& table : settings.tables("published")) {
    Published numbers{table.text("panel"), table.text("curve"), table.numbers("x"), table.numbers("y")};
    method_of(numbers.curve, table.what());
    check_panel(numbers.panel, table.what());
    ARKS_CHECK(numbers.x.size() == numbers.y.size(), table.what(), ": x and y differ in length");
    published_.push_back(numbers);
  }
  const auto metric = settings.text("metric", "error"), band = settings.text("band", "deviation");
  ARKS_CHECK(metric == "error" || metric == "loss", settings.what(), ": metric must be error or loss, got ", metric);
  ARKS_CHECK(band == "deviation" || band == "standard-error", settings.what(),
             ": band must be deviation or standard-error, got ", band);
  shows_loss_ = metric == "loss";
  standard_error_ = band == "standard-error";
  figure_.title(settings.text("title", "")).x_label(settings.text("x-label")).y_label(settings.text("y-label"));
  if (!shows_loss_) figure_.y_low(0.0);
  if (settings.has("y-high")) figure_.y_high(settings.number("y-high"));
}

void Curves::train() {
  std::vector<Step> steps;
  for (size_t v = 0; v < views_.size(); ++v) {
    for (size_t m = 0; m < methods_.size(); ++m) {
      for (const auto seed : seeds_) steps.push_back(model(v, m, seed));
    }
  }
  const auto outcomes = study_.run(steps);
  size_t at = 0;
  for (size_t v = 0; v < views_.size(); ++v) {
    for (size_t m = 0; m < methods_.size(); ++m) {
      for (const auto seed : seeds_) trained_[{v, m, seed}] = outcomes[at++].done() || study_.plan_only();
    }
  }
}

/// One step for each strength, on all models of the seed, so that an attack by transfer is made once.
std::vector<Step> Curves::attacks(size_t view, int64_t seed, const std::vector<size_t>& methods) const {
  const auto& [title, source, train, evaluate, strengths] = views_[view];
  std::vector<std::string> models;
  for (const size_t m : methods) models.push_back(key_of(model(view, m, seed)));
  auto flags = evaluate;
  if (!source.empty()) flags["source"] = "@{" + key_of(model(view, method_of(source, title), seed)) + "}";
  std::vector<Step> steps;
  for (const double strength : strengths) {
    flags["eps"] = shortest(strength);
    const auto name = c10::str(study_.data(), "-", value_or(evaluate, "attack", study_.options().defaults.attack),
                               source.empty() ? "" : "-transfer", "-eps-", flags["eps"], "-seed-", seed);
    steps.push_back(study_.model_step("evaluate", models, flags, name));
  }
  return steps;
}

void Curves::evaluate() {
  std::vector<Step> steps;
  struct Subject {
    size_t view, strength;
    std::vector<size_t> methods;
  };
  std::vector<Subject> subjects;  // of each step
  for (size_t v = 0; v < views_.size(); ++v) {
    for (const auto seed : seeds_) {
      std::vector<size_t> there;
      for (size_t m = 0; m < methods_.size(); ++m) {
        if (trained_[{v, m, seed}]) there.push_back(m);
      }
      const auto& source = views_[v].source;
      if (there.empty() || (!source.empty() && !trained_[{v, method_of(source, ""), seed}])) continue;
      auto made = attacks(v, seed, there);
      for (size_t s = 0; s < made.size(); ++s) {
        steps.push_back(std::move(made[s]));
        subjects.push_back({v, s, there});
      }
    }
  }
  const auto outcomes = study_.run(steps);
  if (study_.plan_only()) return;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (!outcomes[i].done()) continue;
    const auto points = parse_json(study_.store().result(outcomes[i].key)).at("points");
    const auto& subject = subjects[i];
    for (size_t m = 0; m < subject.methods.size(); ++m) {
      const auto& value = points.at(m).at(shows_loss_ ? "loss" : "error");  // in the order of the models
      if (!value.is_number()) {
        study_.tell(steps[i].name + ": " + methods_[subject.methods[m]].label + " has no " +
                    (shows_loss_ ? "finite loss" : "error"));
        continue;
      }
      values_[{subject.view, subject.methods[m], subject.strength}].push_back((shows_loss_ ? 1 : 100) *
                                                                              value.get<double>());
    }
  }
}

/// What the bands are, what is missing, and whether the data are real.
std::string Curves::note() const {
  std::vector<std::string> parts;
  if (seeds_.size() > 1) {
    parts.push_back(c10::str("mean of ", seeds_.size(), " seeds ± ", standard_error_ ? "standard error" : "deviation"));
  }
  for (size_t m = 0; m < methods_.size(); ++m) {
    const auto is_of = [&](const auto& entry) { return std::get<1>(entry.first) == m; };
    if (std::none_of(values_.begin(), values_.end(), is_of)) parts.push_back("no result of " + methods_[m].label);
  }
  if (!study_.stand_in_note().empty()) parts.push_back(study_.stand_in_note());
  return join(parts, "; ");
}

std::vector<Panel> Curves::panels() const {
  std::vector<Panel> drawn;
  for (size_t v = 0; v < views_.size(); ++v) {
    Panel panel;
    panel.title = views_[v].title;
    for (size_t m = 0; m < methods_.size(); ++m) {
      Curve curve;
      curve.label = methods_[m].label;
      for (size_t s = 0; s < views_[v].strengths.size(); ++s) {
        const auto found = values_.find({v, m, s});
        const auto all = found == values_.end() ? Spread{std::nan(""), 0, 0, 0} : spread(found->second);
        curve.x.push_back(views_[v].strengths[s]);
        curve.y.push_back(all.mean);
        curve.deviation.push_back(standard_error_ ? all.error : all.deviation);
      }
      if (seeds_.size() == 1) curve.deviation.clear();
      const bool has_values = std::any_of(curve.y.begin(), curve.y.end(), [](double y) { return std::isfinite(y); });
      if (has_values) panel.curves.push_back(curve);
    }
    for (const auto& numbers : published_) {
      const auto is_like = [&](const Curve& curve) { return curve.label == numbers.curve; };
      if (numbers.panel != panel.title) continue;
      if (std::none_of(panel.curves.begin(), panel.curves.end(), is_like)) continue;
      Curve curve;
      curve.label = numbers.curve + ", paper";
      curve.x = numbers.x;
      curve.y = numbers.y;
      curve.kind = CurveKind::kReference;
      curve.like = numbers.curve;
      panel.curves.push_back(curve);
    }
    if (!panel.curves.empty()) drawn.push_back(panel);
  }
  return drawn;
}

/// Panel, curve, x, mean, deviation, standard_error, runs.
std::string Curves::csv() const {
  ResultTable table({"panel", "curve", "x", "mean", "deviation", "standard_error", "runs"});
  for (size_t v = 0; v < views_.size(); ++v) {
    for (size_t m = 0; m < methods_.size(); ++m) {
      for (size_t s = 0; s < views_[v].strengths.size(); ++s) {
        std::vector<std::string> row{views_[v].title, methods_[m].label, shortest(views_[v].strengths[s])};
        const auto found = values_.find({v, m, s});
        if (found == values_.end()) {
          row.insert(row.end(), {"", "", "", "0"});
        } else {
          const auto all = spread(found->second);
          row.insert(row.end(),
                     {shortest(all.mean), shortest(all.deviation), shortest(all.error), std::to_string(all.count)});
        }
        table.add_row(row);
      }
    }
  }
  return table.csv();
}

std::string Curves::cell(size_t view, size_t method, size_t strength) const {
  const auto found = values_.find({view, method, strength});
  if (found == values_.end()) return "-";
  const auto all = spread(found->second);
  const int digits = all.mean >= 1000 ? 0 : shows_loss_ ? 3 : 1;
  return mean_and_band(all.mean, standard_error_ ? all.error : all.deviation, all.count > 1, digits);
}

ResultTable Curves::table(size_t view) const {
  std::vector<std::string> headers{figure_.x_label()};
  for (const double strength : views_[view].strengths) headers.push_back(shortest(strength));
  ResultTable table(headers);
  for (size_t m = 0; m < methods_.size(); ++m) {
    std::vector<std::string> row{methods_[m].label};
    for (size_t s = 0; s < views_[view].strengths.size(); ++s) row.push_back(cell(view, m, s));
    table.add_row(row);
  }
  return table;
}

}  // namespace

void study_curves(Study& study) {
  Curves(study).run();
}

}  // namespace arks::study
