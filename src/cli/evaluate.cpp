#include "cli/evaluate_command.h"

#include "cli/evaluation_pictures.h"
#include "cli/messages.h"
#include "cli/progress.h"
#include "report/loss_unit.h"
#include "support/contains.h"
#include "support/interrupt.h"
#include "support/stopwatch.h"
#include "support/text.h"

#include <arks/attack/evaluate.h>
#include <arks/support/error.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

namespace arks::cli {

EvaluateCommand::EvaluateCommand(CommandLine& line)
    : Command(line.add_command(
          "evaluate", "Attack trained models, or shift their data, and compare errors or losses",
          "Without --source, each model itself is attacked (white-box). With it, the attack is crafted on that\n"
          "model and applied to all (transfer, black-box). eps 0 is the clean error.\n"
          "Attacks and shifts:\n" +
              table_text(attacks()) +
              "\nOn tables, the eps of pgd, fgsm and arks is in standard deviations; shifts act on your own numbers.\n"
              "Shifts are clamped to the bounds if the data have any. Noise is the same for every model of the same\n"
              "inputs and, up to its strength, for every eps.\n"
              "--test-data FILE, or winter=FILE,siteB=FILE, tests on data from the field. They get the columns,\n"
              "categories, scaling and classes of the training data; the models know these. Without --attack, --eps\n"
              "and the like they are not attacked: eps is 0.\n"
              "The defaults shown are for the --attack and the MODEL or --data that you give with --help; without\n"
              "data, they are for fashion-mnist.\n\n"
              "Example (after the example of arks train --help):\n"
              "  arks evaluate runs/example --attack pgd --eps 0:0.2:0.1 --limit 200")) {
  flags_.arguments("MODEL", model_names_, "run folders, checkpoints, or TorchScript files (others' with --data)",
                   /*required=*/true);
  flags_.add(settings_);
  flags_.add(attack_);
  flags_.add(test_);
  test_data_.add_to(flags_);
  flags_.add(scaling_);
  flags_.add(output_);
  flags_.add(common_);
}

/// What is asked of field data alone is how the models do on them as they are. Columns that drift are an attack.
void EvaluateCommand::fill_settings() {
  const auto given = attack_.given_flags();
  settings_.drifted = contains(given, "--shift") || contains(given, "--shift-file");
  settings_.clean =
      test_data_.own.test_data.given() && !settings_.attack.given() && !settings_.source.given() && given.empty();
  settings_.fill();
  test_.fill();
}

void EvaluateCommand::fill_defaults() {
  fill_settings();
  output_.fill();
  common_.fill();
  const auto data = test_data_.take_from(model_names_, test_.data.value_or(""));
  if (!data.empty()) test_.data.found(data);
  attack_.choose_with_what_fits(attack_name())
      .prepare(data.empty() ? published_for_images() : published_settings(data));
}

void EvaluateCommand::check_together() {
  fill_settings();
  const auto data = test_.data.value_or("");
  choose_attack().prepare(data.empty() ? published_for_images() : published_settings(data));
  check_strengths();
}

AttackMethod& EvaluateCommand::choose_attack() {
  ARKS_CHECK(!settings_.drifted || attack_name() == "drift",
             "--shift and --shift-file are for --attack drift, not for ", attack_name(), "; leave one of them out");
  return attack_.choose(attack_name());
}

/// Checks everything that an attack takes.
void EvaluateCommand::check_strengths() const {
  for (const double eps : radii()) attack_->make(eps);
}

bool EvaluateCommand::white_box() const {
  return !method().is_shift() && (!settings_.source.has_value() || *settings_.white_box);
}

bool EvaluateCommand::needs_gradients() const {
  const auto strengths = radii();
  return !method().is_shift() && std::any_of(strengths.begin(), strengths.end(), [](double eps) { return eps != 0; });
}

/// One strength on one test set: the points of all models, in their order. `on_samples` hears of the samples of all
/// views.
std::vector<EvaluationPoint> EvaluateCommand::attack_views(const TestSet& set, double eps, EvaluateOptions options,
                                                           const std::function<void(int64_t done)>& on_samples) {
  std::vector<EvaluationPoint> points(models_.size());
  int64_t before = 0;
  for (const auto& view : set.views) {
    std::vector<NamedProblem> models;
    std::vector<size_t> places;
    for (const auto model : view.models) {
      if (model >= models_.size()) continue;  // the source of a transfer attack, which is not itself tested
      models.push_back(models_[model]);
      places.push_back(model);
    }
    if (models.empty()) continue;
    attack_->look_at(view.samples->info());
    options.bounds(bounds_of(view)).on_samples([&](int64_t done) { on_samples(before + done); });
    auto found = evaluate_models(models, view.samples, *method().make(eps), options);
    before += set.size() * repeats();
    for (size_t i = 0; i < places.size(); ++i) points[places[i]] = std::move(found[i]);
  }
  return points;
}

/// Points and comparisons.
void EvaluateCommand::attack_all(EvaluationReport& report) {
  int64_t count = 0;
  for (const auto& set : test_sets_) count += set.size() * static_cast<int64_t>(set.views.size());
  const int64_t total = static_cast<int64_t>(radii().size() * modes_.size()) * count * repeats();
  const auto samples = samples_word(test_sets_.front().first().info());
  ProgressBar bar(samples, !*common_.quiet);
  const bool plain_lines = *common_.verbose || (!*common_.quiet && ::isatty(STDERR_FILENO) == 0);
  int64_t finished = 0;
  const auto attack_one = [&](const TestSet& set, const Mode& mode, double eps) {
    const auto options = EvaluateOptions()
                             .batch_size(*test_.batch_size)
                             .seed(static_cast<uint64_t>(*test_.seed))
                             .repeats(repeats())
                             .source(mode.source)
                             .source_name(source_name_)
                             .data_name(set.name);
    auto found = attack_views(set, eps, options, [&](int64_t done) {
      bar.update(finished + done, total, finished + done, c10::str(mode.title, ", eps ", shortest(eps)));
      if (interrupted()) throw RunError("interrupted; nothing was written");
    });
    for (auto& comparison : compare_models(found)) report.comparisons.push_back(std::move(comparison));
    for (auto& point : found)
      point.row_errors = point.row_losses = point.row_groups = torch::Tensor();  // compared; they may be large
    report.points.insert(report.points.end(), found.begin(), found.end());
    finished += set.size() * static_cast<int64_t>(set.views.size()) * repeats();
    if (!plain_lines) return;
    bar.clear();
    const auto where = test_sets_.size() > 1 ? " on " + set.name : std::string();
    for (const auto& point : found) std::cerr << point.model << where << ": " << point.brief_report(samples);
  };
  for (const auto& set : test_sets_) {
    for (const auto& mode : modes_) {
      for (const double eps : radii()) attack_one(set, mode, eps);
    }
  }
}

void EvaluateCommand::draw(const EvaluationReport& report, double largest_eps) {
  if (output_.figure.has_value()) {
    std::vector<std::string> names;
    for (const auto& model : models_) names.push_back(model.name);
    const auto title = output_.title.value_or(title_of(test_sets_, data_, *test_.split));
    draw_curves(split(*output_.figure, ','), report.points, names,
                {title, method().strength(), /*loss=*/report.show_loss});
  }
  if (output_.grid.has_value()) {
    const auto attack = method().make(largest_eps);
    auto& model = *problems_.front();
    GridScene scene;
    scene.title = output_.title.value_or(c10::str(models_.front().name, " under ", modes_.front().title, ", ",
                                                  method().strength_label(), " ", shortest(largest_eps)));
    scene.model = &model;
    scene.crafted_on = source_ ? source_.get() : &model;
    scene.attack = attack.get();
    scene.bounds = bounds_of(test_sets_.front().views.front());
    scene.seed = static_cast<uint64_t>(*test_.seed);
    draw_grid(split(*output_.grid, ','), samples_of(0), scene);
  }
}

ConfigRows EvaluateCommand::config(bool shows_loss) const {
  ConfigRows rows{{"models", model_names_}, {"data", data_}};
  add_in_force(rows, test_data_.groups(data_));
  rows.emplace_back("attack", attack_name());
  rows.emplace_back("eps", *settings_.eps);
  add_in_force(rows, {&method()});
  for (const auto* setting : method().all()) {
    if (!setting->has_value() && !setting->default_words().empty()) {
      rows.emplace_back(setting->name(), setting->default_words());
    }
  }
  rows.emplace_back("repeats", repeats());  // those that were made
  if (source_) rows.emplace_back("source", source_name_);
  const auto bounds = bounds_of(test_sets_.front().views.front());
  if (bounds) rows.emplace_back("bounds", to_config(to_ranges(*bounds)));
  rows.emplace_back("metric", shows_loss ? "loss" : "error");
  add_in_force(rows, {&settings_, &scaling_, &test_, &common_});
  return rows;
}

/// What has no effect, and what is allowed but rarely meant.
void EvaluateCommand::warn() const {
  const auto note = [&](const std::string& text) { say("arks: note: " + text); };
  if (settings_.clean && !settings_.eps.given()) {
    note("the samples of --test-data are taken as they are, eps 0; --attack or --eps attack or shift them as well");
  }
  auto unused = attack_.unused();
  if (method().is_shift() && settings_.source.given()) unused.push_back(settings_.source.flag());
  if (method().is_shift() && settings_.white_box.given()) unused.push_back(settings_.white_box.flag());
  for (const auto& flag : unused) note(flag + " is not used by attack " + attack_name());
  if (*settings_.repeats > 1 && !method().draws()) {
    note("--repeats changes nothing: " + attack_name() + method().draws_when() + " draws nothing at random");
  }
  const auto strengths = radii();
  const auto advice = method().advice(*std::max_element(strengths.begin(), strengths.end()));
  if (!advice.empty()) warn_of(advice);
}

int EvaluateCommand::run() {
  const Stopwatch watch;
  apply(common_);
  fill_settings();
  output_.fill();
  ARKS_CHECK(!settings_.white_box.given() || settings_.source.has_value(),
             "--white-box needs --source; without it every attack is white-box");
  const auto strengths = radii();
  choose_attack();
  check_outputs({&common_.json, &output_.csv, &output_.figure, &output_.grid}, *output_.force,
                files_read(model_names_));
  load();
  catch_interrupts();
  warn();
  EvaluationReport report;
  attack_all(report);
  const auto& info = test_sets_.front().first().info();
  report.samples = samples_word(info);
  attack_->look_at(info);
  report.eps_unit = method().eps_unit();
  report.loss_unit = loss_unit(info);
  report.shift = method().understood();
  report.details = *output_.details;
  report.class_names = info.class_names;
  report.target_names = info.target_names;
  report.show_loss = output_.metric.value_or("") == "loss" || report.points.front().errors < 0;
  report.config = config(report.show_loss);
  report.seed = static_cast<uint64_t>(*test_.seed);
  report.command = "evaluate";
  report.wall_seconds = watch.seconds();
  const auto json = common_.json.value_or(""), csv = output_.csv.value_or("");
  if (json != "-" && csv != "-") std::cout << console_report(report);
  if (!json.empty()) write_output(json, json_report(report));
  if (!csv.empty()) write_output(csv, csv_report(report));
  draw(report, *std::max_element(strengths.begin(), strengths.end()));
  return kDone;
}

std::unique_ptr<Command> make_evaluate_command(CommandLine& line) {
  return std::make_unique<EvaluateCommand>(line);
}

}  // namespace arks::cli
