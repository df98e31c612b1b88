// The figures of the paper's toy, robust least squares. The numbers come from landscape.h and
// robust_least_squares_study.h; runs are steps of their own, so that each is computed once.
#include "study/kinds.h"
#include "study/landscape.h"
#include "study/result_table.h"
#include "study/robust_least_squares_study.h"
#include "study/spread.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace arks::study {

namespace {

std::string with_digits(double value, int digits) {
  return fmt::format("{:.{}f}", value, digits);
}

Curve line(const std::string& label, const std::vector<double>& x, const std::vector<double>& y) {
  Curve curve;
  curve.label = label;
  curve.x = x;
  curve.y = y;
  curve.kind = CurveKind::kLine;
  return curve;
}

/// Runs `work` for every seed; the results of those that succeeded.
std::vector<std::string> runs(Study& study, const std::string& name, const std::string& settings,
                              const std::vector<int64_t>& seeds, const std::function<std::string(uint64_t)>& work) {
  std::vector<Step> steps;
  for (const auto seed : seeds) {
    Step step;
    step.name = name + "-seed-" + std::to_string(seed);
    step.what = settings + ", seed " + std::to_string(seed);
    step.work = [work, seed] { return work(static_cast<uint64_t>(seed)); };
    steps.push_back(std::move(step));
  }
  std::vector<std::string> results;
  for (const auto& outcome : study.run(steps)) {
    if (outcome.done()) results.push_back(study.store().result(outcome.key));
  }
  return results;
}

std::string list(const std::vector<double>& numbers) {
  std::vector<std::string> parts;
  for (const double number : numbers) parts.push_back(shortest(number));
  return join(parts, " ");
}

/// Mean losses of all methods: tables and a curve for each.
void show_tradeoff(Study& study, const std::vector<TradeoffRun>& found) {
  const auto& first = found.front();
  std::vector<std::string> headers{"Δ"};
  for (const double delta : first.deltas) headers.push_back(shortest(delta));
  ResultTable table(headers), numbers({"method", "delta", "mean", "deviation", "standard_error", "runs"});
  Panel panel;
  for (size_t m = 0; m < first.methods.size(); ++m) {
    Curve curve;
    curve.label = first.methods[m];
    std::vector<std::string> row{curve.label};
    for (size_t d = 0; d < first.deltas.size(); ++d) {
      std::vector<double> losses;
      for (const auto& run : found) losses.push_back(run.losses[m][d]);
      const auto all = spread(losses);
      curve.x.push_back(first.deltas[d]);
      curve.y.push_back(all.mean);
      curve.deviation.push_back(all.error);
      row.push_back(mean_and_band(all.mean, all.error, all.count > 1, 3));
      numbers.add_row({curve.label, shortest(first.deltas[d]), shortest(all.mean), shortest(all.deviation),
                       shortest(all.error), std::to_string(all.count)});
    }
    table.add_row(row);
    panel.curves.push_back(curve);
  }
  study.tell(table.console());
  study.write(study.experiment().id + ".csv", numbers.csv());
  study.write(study.experiment().id + ".md", table.markdown());
  study.draw([&](const std::filesystem::path& file) {
    write_figure_panels(file, {panel},
                        FigureOptions()
                            .x_label("shift Δ: test samples are (1+Δ)·U[−½,½]")
                            .y_label("mean loss on test samples")
                            .y_low(0.0)
                            .error_bars(true)
                            .note(c10::str("mean of ", found.size(), " runs ± standard error")));
  });
}

/// Counts in cells of equal width over [−1,1], as a density.
Curve density(const std::string& label, const std::vector<double>& values, int64_t cells) {
  Curve curve;
  curve.label = label;
  curve.kind = CurveKind::kSteps;
  const double width = 2.0 / static_cast<double>(cells);
  std::vector<double> counts(static_cast<size_t>(cells), 0);
  for (const double value : values) {
    const auto cell = static_cast<int64_t>(std::floor((value + 1) / width));
    counts[static_cast<size_t>(std::clamp<int64_t>(cell, 0, cells - 1))] += 1;
  }
  for (size_t i = 0; i < counts.size(); ++i) {
    curve.x.push_back(-1 + width * static_cast<double>(i));
    curve.y.push_back(counts[i] / (static_cast<double>(values.size()) * width));
  }
  return curve;
}

}  // namespace

void study_landscape(Study& study) {
  LandscapeSettings settings;
  settings.sigmas = study.settings().numbers("sigma");
  settings.points = study.settings().whole("points");
  settings.sample = study.settings().number("sample");
  settings.inner_sigma = study.settings().number("inner-sigma");
  study.settings_are_read();
  if (study.plan_only()) return;
  const auto found = compute_landscape(settings);
  Panel left, right;
  left.title = "the loss and its k-transforms";
  left.curves.push_back(line("loss l(u)", found.u, found.loss));
  ResultTable numbers({"curve", "u", "value"});
  for (size_t s = 0; s < found.sigmas.size(); ++s) {
    left.curves.push_back(line("k-transform, σ " + shortest(found.sigmas[s]), found.u, found.transforms[s]));
  }
  right.title = "the inner maximisation for one sample";
  right.curves.push_back(line("loss l(u)", found.u, found.loss));
  right.curves.push_back(line("l(u)·k(u,ξ), σ " + shortest(found.inner_sigma), found.u, found.inner));
  right.marks.push_back({found.sample, found.sample_loss, "sample ξ", MarkKind::kBlackCross});
  right.marks.push_back({found.worst, found.worst_inner, "worst case u*", MarkKind::kRedCross});
  for (const auto* panel : {&left, &right}) {
    for (const auto& curve : panel->curves) {
      if (panel == &right && curve.label == left.curves.front().label) continue;
      for (size_t i = 0; i < curve.x.size(); ++i) {
        numbers.add_row({curve.label, shortest(curve.x[i]), shortest(curve.y[i])});
      }
    }
  }
  numbers.add_row({"sample", shortest(found.sample), shortest(found.sample_loss)});
  numbers.add_row({"worst case", shortest(found.worst), shortest(found.worst_inner)});
  study.write(study.experiment().id + ".csv", numbers.csv());
  study.tell(c10::str("sample ", shortest(found.sample), ": loss ", with_digits(found.sample_loss, 3), "; worst case ",
                      with_digits(found.worst, 3), ": loss ", with_digits(found.worst_loss, 3), ", times the kernel ",
                      with_digits(found.worst_inner, 3)));
  study.draw([&](const std::filesystem::path& file) {
    write_figure_panels(file, {left, right}, FigureOptions().x_label("u").y_label("loss").y_low(0.0));
  });
}

void study_tradeoff(Study& study) {
  TradeoffSettings settings;
  settings.sigmas = study.settings().numbers("sigma");
  settings.deltas = study.settings().numbers("delta");
  settings.train_samples = study.settings().whole("train-samples");
  settings.test_samples = study.settings().whole("test-samples");
  settings.one_start = study.settings().yes("one-start", false);
  const auto seeds = study.seeds();
  study.settings_are_read();
  const auto what =
      c10::str("trade-off, sigma ", list(settings.sigmas), ", delta ", list(settings.deltas), ", samples ",
               settings.train_samples, " ", settings.test_samples, settings.one_start ? ", one start" : "");
  std::vector<TradeoffRun> found;
  for (const auto& text : runs(study, "tradeoff", what, seeds,
                               [settings](uint64_t seed) { return to_json(run_tradeoff(settings, seed)); })) {
    found.push_back(parse_tradeoff_run(text));
  }
  if (study.plan_only() || found.empty()) return;
  show_tradeoff(study, found);
  const auto missing = missing_statements(found);
  for (const auto& statement : missing) study.tell("the trade-off does not show: " + statement);
  if (missing.empty()) {
    study.tell(
        "the trade-off shows: from ERM through ARKS with growing σ to RO, the loss rises more and more slowly with Δ");
  }
}

void study_histogram(Study& study) {
  const double sigma = study.settings().number("sigma");
  const auto train_samples = study.settings().whole("train-samples"), cells = study.settings().whole("cells");
  const bool one_start = study.settings().yes("one-start", false);
  const auto seeds = study.seeds();
  ARKS_CHECK(cells > 1 && cells <= 1000, study.settings().what(), ": cells must be 2 to 1000, got ", cells);
  study.settings_are_read();
  const auto what =
      c10::str("histogram, sigma ", shortest(sigma), ", samples ", train_samples, one_start ? ", one start" : "");
  std::vector<double> samples, adversarial, mmds;
  ResultTable numbers({"seed", "kind", "value"});
  for (const auto& text : runs(study, "histogram", what, seeds, [=](uint64_t seed) {
         return to_json(run_histogram(sigma, train_samples, one_start, seed));
       })) {
    const auto run = parse_histogram_run(text);
    samples.insert(samples.end(), run.samples.begin(), run.samples.end());
    adversarial.insert(adversarial.end(), run.adversarial.begin(), run.adversarial.end());
    mmds.push_back(run.mmd);
    const auto seed = std::to_string(run.seed);
    for (const double value : run.samples) numbers.add_row({seed, "sample", shortest(value)});
    for (const double value : run.adversarial) numbers.add_row({seed, "adversarial", shortest(value)});
    numbers.add_row({seed, "mmd", shortest(run.mmd)});
  }
  if (study.plan_only() || mmds.empty()) return;
  const auto mmd = spread(mmds);
  const auto sentence = c10::str("MMD ", with_digits(mmd.mean, 3), " ± ", with_digits(mmd.deviation, 3),
                                 " (deviation over ", mmd.count, " runs); the paper reports 0.167 ± 0.02");
  study.tell(sentence);
  study.write(study.experiment().id + ".csv", numbers.csv());
  Panel panel;
  panel.curves = {density("samples ξ", samples, cells), density("adversarial samples u*", adversarial, cells)};
  study.draw([&](const std::filesystem::path& file) {
    write_figure_panels(file, {panel},
                        FigureOptions().x_label("ξ, u").y_label("density").y_low(0.0).note(
                            c10::str("ARKS, σ ", shortest(sigma), "; ", sentence)));
  });
}

}  // namespace arks::study
