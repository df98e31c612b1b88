#include "cli/command.h"
#include "cli/evaluate_settings.h"
#include "cli/evaluation_pictures.h"
#include "cli/field_data.h"
#include "cli/load_data.h"
#include "cli/load_run.h"
#include "cli/messages.h"
#include "cli/progress.h"
#include "report/evaluation_report.h"
#include "report/loss_unit.h"
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

namespace {

class EvaluateCommand : public Command {
 public:
  explicit EvaluateCommand(CommandLine& line);
  void fill_defaults() override;
  void check_together() override;
  int run() override;

 private:
  /// An attack mode: white-box, or crafted on the source.
  struct Mode {
    std::string title;
    Problem* source = nullptr;
  };
  void check_strengths() const;
  void check_units() const;
  void load();
  void prepare_attack();
  bool white_box() const;
  void make_problems(const std::vector<Run>& runs);
  void make_modes(const std::vector<Run>& runs);
  std::vector<TestSet> load_test_sets(const std::vector<Run>& runs);
  void limit_samples();
  std::optional<Bounds> bounds_of(const TestView& view) const;
  /// The samples as this model takes them, in the first test set.
  const Dataset& samples_of(size_t model) const { return test_sets_.front().samples_of(model); }
  const AttackMethod& method() const { return *attack_; }
  std::string attack_name() const { return *settings_.attack; }
  std::vector<double> radii() const { return parse_numbers(*settings_.eps, "--eps"); }
  int64_t repeats() const { return method().draws() ? *settings_.repeats : 1; }
  std::vector<EvaluationPoint> attack_views(const TestSet& set, double eps, EvaluateOptions options,
                                            const std::function<void(int64_t done)>& on_samples);
  void attack_all(EvaluationReport& report);
  void draw(const EvaluationReport& report, double largest_eps);
  ConfigRows config(bool shows_loss) const;
  void warn() const;

  std::vector<std::string> model_names_;
  EvaluateSettings settings_;
  Choice<AttackMethod> attack_{"attack", attacks()};
  TestSettings test_;
  SourceSettings test_data_;                      // where no run says how the data were divided
  ScalingSettings scaling_{"TorchScript files"};  // in front of TorchScript files
  EvaluateOutput output_;

  std::string data_, source_name_;
  std::vector<TestSet> test_sets_;
  std::vector<std::unique_ptr<SupervisedProblem>> problems_;
  std::vector<NamedProblem> models_;
  std::unique_ptr<SupervisedProblem> source_;
  std::vector<Mode> modes_;
};

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
              "categories, scaling and classes of the training data; the models know these.\n"
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

void EvaluateCommand::fill_defaults() {
  settings_.fill();
  test_.fill();
  output_.fill();
  common_.fill();
  const auto data = test_data_.take_from(model_names_, test_.data.value_or(""));
  if (!data.empty()) test_.data.found(data);
  attack_.choose_with_what_fits(attack_name())
      .prepare(data.empty() ? published_for_images() : published_settings(data));
}

void EvaluateCommand::check_together() {
  settings_.fill();
  test_.fill();
  const auto data = test_.data.value_or("");
  attack_.choose(attack_name()).prepare(data.empty() ? published_for_images() : published_settings(data));
  check_strengths();
}

/// Checks everything that an attack takes.
void EvaluateCommand::check_strengths() const {
  for (const double eps : radii()) attack_->make(eps);
}

/// One radius must mean one thing for all models. Shifts act on the user's own numbers, whatever they are scaled by.
void EvaluateCommand::check_units() const {
  const auto strengths = radii();
  if (method().is_shift() || std::all_of(strengths.begin(), strengths.end(), [](double eps) { return eps == 0; }))
    return;
  const auto& views = test_sets_.front().views;
  for (const auto& view : views) {
    ARKS_CHECK(view.unscaled.empty(), model_names_[view.models.front()], " takes '", view.unscaled, "' as it is, and ",
               model_names_[views.front().models.front()], " takes standardised numbers, so one --eps would mean two ",
               "things; name ", model_names_[view.models.front()], " first");
  }
}

/// The first --limit samples of each, and the bounds that attacks stay in.
void EvaluateCommand::limit_samples() {
  for (auto& set : test_sets_) {
    for (auto& view : set.views) {
      view.samples = limited(view.samples, *test_.limit);
      if (test_.bounds.has_value()) check_inputs(*view.samples, to_bounds(*test_.bounds, "--bounds"));
    }
  }
}

std::optional<Bounds> EvaluateCommand::bounds_of(const TestView& view) const {
  return test_.bounds.has_value() ? to_bounds(*test_.bounds, "--bounds") : view.samples->info().bounds;
}

std::vector<TestSet> EvaluateCommand::load_test_sets(const std::vector<Run>& runs) {
  const bool one_view = settings_.source.has_value();  // what was crafted on one model is shown to all
  if (!has_field_data(runs, test_data_)) {
    data_ = test_.data.value_or("");
    return {load_own_part(runs, *test_.split, one_view, data_, test_data_, common_)};
  }
  ARKS_CHECK(!test_.data.given() && !test_.split.given(), test_.data.given() ? "--data" : "--split",
             ": --test-data says what the models are tested on; leave it out");
  data_ = trained_on(runs);
  return load_field_data(runs, one_view, test_data_, common_);
}

void EvaluateCommand::load() {
  auto typed = model_names_;
  if (settings_.source.has_value()) typed.push_back(*settings_.source);
  const auto runs = read_runs(typed, test_data_.own);
  check_scaling(scaling_, runs);
  test_sets_ = load_test_sets(runs);
  limit_samples();
  prepare_attack();
  check_units();
  make_problems(runs);
  fit_threads(common_, test_sets_.front().first().info(), problems_);
  make_modes(runs);
}

/// Checks what it takes on all samples, and that the outputs asked for can be made of them.
void EvaluateCommand::prepare_attack() {
  auto info = test_sets_.front().first().info();
  ARKS_CHECK(output_.metric.value_or("") != "error" || info.num_classes > 0, "--metric error: ", data_,
             " has no classes, so there are no errors to count; use --metric loss");
  if (output_.grid.has_value()) check_grid(info);
  info.name = data_;  // samples from the field are called by their file
  attack_->prepare(published_settings(info));
  for (const auto& set : test_sets_) {
    for (const auto& view : set.views) {
      attack_->look_at(view.samples->info());
      attack_->check_samples(*view.samples);
      check_strengths();
    }
  }
  attack_->look_at(test_sets_.front().first().info());
}

bool EvaluateCommand::white_box() const {
  return !method().is_shift() && (!settings_.source.has_value() || *settings_.white_box);
}

void EvaluateCommand::make_problems(const std::vector<Run>& runs) {
  std::vector<std::string> typed;
  for (size_t i = 0; i < model_names_.size(); ++i) typed.push_back(runs[i].name);
  const auto names = shown_names(typed, output_.names.value_or(""));
  for (size_t i = 0; i < model_names_.size(); ++i) {
    problems_.push_back(
        make_checked_problem(runs[i], samples_of(i), scaling_, parse_engine(*common_.engine), white_box()));
    models_.push_back({names[i], problems_.back().get()});
    if (*common_.verbose) say(engine_line(names[i], *problems_.back(), samples_of(i).info()));
  }
}

void EvaluateCommand::make_modes(const std::vector<Run>& runs) {
  if (method().is_shift()) {
    modes_.push_back({attack_name(), nullptr});
    return;
  }
  if (settings_.source.has_value()) {
    const auto& source = runs.back();
    const auto shown =
        std::find_if(runs.begin(), runs.end() - 1, [&](const Run& run) { return run.name == source.name; });
    source_name_ = shown == runs.end() - 1 ? source.name : models_[static_cast<size_t>(shown - runs.begin())].name;
    source_ = make_checked_problem(source, samples_of(runs.size() - 1), scaling_, parse_engine(*common_.engine),
                                   /*needs_gradient=*/true);
    modes_.push_back({attack_name() + " from " + source_name_, source_.get()});
  }
  if (white_box()) modes_.push_back({attack_name() + " white-box", nullptr});
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
    for (const auto& point : found) std::cerr << point.model << ": " << point.brief_report(samples);
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
  settings_.fill();
  test_.fill();
  output_.fill();
  ARKS_CHECK(!settings_.white_box.given() || settings_.source.has_value(),
             "--white-box needs --source; without it every attack is white-box");
  const auto strengths = radii();
  attack_.choose(attack_name());
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

}  // namespace

std::unique_ptr<Command> make_evaluate_command(CommandLine& line) {
  return std::make_unique<EvaluateCommand>(line);
}

}  // namespace arks::cli
