#include "attack/attack_method.h"
#include "cli/command.h"
#include "cli/evaluation_pictures.h"
#include "cli/load_data.h"
#include "cli/load_run.h"
#include "cli/progress.h"
#include "report/evaluation_report.h"
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

/// Strengths, samples and who the attack is crafted on, whatever the attack.
class EvaluateSettings : public SettingGroup {
 public:
  EvaluateSettings() : SettingGroup("Attack") {}

  Setting<std::string> attack{
      this, text("attack", "attack, or a shift that ignores the model").words(names_of(attacks())).otherwise("pgd")};
  Setting<std::string> eps{this, text("eps", "radii or strengths, as a,b,c or a:b:step")
                                     .unit("input units; scale: none")
                                     .type("LIST")
                                     .otherwise("0:0.3:0.05")};
  Setting<std::string> source{this, text("source", "craft the attack on this model (transfer)").path("RUN|FILE")};
  Setting<bool> white_box{this, yes_no("white-box", "with --source: attack each model itself as well")
                                    .otherwise(false)
                                    .only_if([this] { return source.has_value(); }, "with --source")
                                    .not_in_studies("there is one attack; without source it is white-box")};
  Setting<int64_t> repeats{this, whole("repeats", "repeats of what is random; error and loss are averaged")
                                     .positive()
                                     .otherwise(EvaluateOptions().repeats())};
};

class TestSettings : public SettingGroup {
 public:
  TestSettings() : SettingGroup("Data") {}

  Setting<std::string> data{this, data_setting("data set, file or folder; needed when all models are TorchScript files")
                                      .default_words("the first MODEL's")};
  Setting<int64_t> limit{this, limit_setting("limit", "use the first N test samples; 0 = all").otherwise(0)};
  Setting<RangeList> bounds{this, bounds_setting()};
  Setting<int64_t> batch_size{this, whole("batch-size", "samples at once; changes which random starts are drawn")
                                        .unit("samples")
                                        .positive()
                                        .otherwise(EvaluateOptions().batch_size())};
  Setting<int64_t> seed{this, whole("seed", "seed of random starts and noise").not_negative().otherwise(0)};
};

class EvaluateOutput : public SettingGroup {
  static constexpr const char* kOwnFigures = "tables and figures show all runs together";

 public:
  EvaluateOutput() : SettingGroup("Output") {}

  Setting<std::string> csv{this, text("csv", "write the points as CSV; - = stdout").path("FILE|-").output()};
  Setting<std::string> metric{this, text("metric", "shown in table and figure")
                                        .words({"error", "loss"})
                                        .default_words("error with classes, else loss")
                                        .not_in_studies(kOwnFigures)};
  Setting<std::string> figure{
      this, text("figure", "draw error or loss against eps: .svg or .png, comma-separated").path().output()};
  Setting<std::string> grid{
      this, text("grid", "draw images before and after the attack, at the largest eps").path().output()};
  Setting<std::string> title{this, text("title", "title of figure and grid")
                                       .type("TEXT")
                                       .default_words("data or model, attack, strength")
                                       .output()
                                       .not_in_studies(kOwnFigures)};
  Setting<bool> force{this, yes_no("force", "overwrite output files").otherwise(false).output()};
};

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
  void load();
  const AttackMethod& method() const { return *attack_; }
  std::string attack_name() const { return *settings_.attack; }
  std::vector<double> radii() const { return parse_numbers(*settings_.eps, "--eps"); }
  int64_t repeats() const { return method().draws() ? *settings_.repeats : 1; }
  std::vector<EvaluationPoint> attack_all();
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
  DatasetPtr data_set_;
  std::optional<Bounds> bounds_;
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
              "\nShifts are clamped to the bounds if the data have any. Noise is the same for every model and, up\n"
              "to its strength, for every eps.\n"
              "The defaults shown are for the --attack and the MODEL or --data that you give with --help; without\n"
              "data, they are for fashion-mnist.\n\n"
              "Example (after the example of arks train --help):\n"
              "  arks evaluate runs/example --attack pgd --eps 0:0.2:0.1 --limit 200")) {
  flags_.arguments("MODEL", model_names_, "run folders, checkpoints, or TorchScript files (with --data)",
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

void EvaluateCommand::load() {
  std::vector<Run> runs;
  for (const auto& name : model_names_) runs.push_back(read_run(name));
  if (settings_.source.has_value()) runs.push_back(read_run(*settings_.source));
  check_scaling(scaling_, runs);
  data_ = test_.data.value_or("");
  const auto options = find_data(runs, data_, test_data_, common_);
  data_set_ = limited(load_dataset(data_, options, Split::kTest), *test_.limit);
  bounds_ = data_set_->info().bounds;
  if (test_.bounds.has_value()) {
    bounds_ = to_bounds(*test_.bounds, "--bounds");
    check_inputs(*data_set_, *bounds_);
  }
  const auto& info = data_set_->info();
  ARKS_CHECK(output_.metric.value_or("") != "error" || info.num_classes > 0, "--metric error: ", data_,
             " has no classes, so there are no errors to count; use --metric loss");
  if (output_.grid.has_value()) check_grid(info);
  attack_->prepare(published_settings(data_));
  attack_->check_samples(*data_set_);
  check_strengths();
  const bool shift = attack_->is_shift(), transfer = settings_.source.has_value();
  const bool white_box = !shift && (!transfer || *settings_.white_box);
  for (size_t i = 0; i < model_names_.size(); ++i) {
    problems_.push_back(
        make_checked_problem(runs[i], *data_set_, scaling_, parse_engine(*common_.engine), white_box, *common_.quiet));
    models_.push_back({runs[i].name, problems_.back().get()});
  }
  if (shift) {
    modes_.push_back({attack_name(), nullptr});
    return;
  }
  if (transfer) {
    source_name_ = runs.back().name;
    source_ = make_checked_problem(runs.back(), *data_set_, scaling_, parse_engine(*common_.engine),
                                   /*needs_gradient=*/true, *common_.quiet);
    modes_.push_back({attack_name() + " from " + source_name_, source_.get()});
  }
  if (white_box) modes_.push_back({attack_name() + " white-box", nullptr});
}

std::vector<EvaluationPoint> EvaluateCommand::attack_all() {
  const int64_t per_point = data_set_->size() * repeats();
  const int64_t total = static_cast<int64_t>(radii().size() * modes_.size()) * per_point;
  ProgressBar bar("samples", !*common_.quiet);
  const bool plain_lines = *common_.verbose || (!*common_.quiet && ::isatty(STDERR_FILENO) == 0);
  std::vector<EvaluationPoint> points;
  int64_t finished = 0;
  for (const auto& mode : modes_) {
    for (const double eps : radii()) {
      const auto options =
          EvaluateOptions()
              .batch_size(*test_.batch_size)
              .seed(static_cast<uint64_t>(*test_.seed))
              .repeats(repeats())
              .source(mode.source)
              .source_name(source_name_)
              .bounds(bounds_)
              .on_samples([&](int64_t done) {
                bar.update(finished + done, total, finished + done, c10::str(mode.title, ", eps ", shortest(eps)));
                if (interrupted()) throw RunError("interrupted; nothing was written");
              });
      const auto found = evaluate_models(models_, data_set_, *method().make(eps), options);
      points.insert(points.end(), found.begin(), found.end());
      finished += per_point;
      if (plain_lines) {
        bar.clear();
        for (const auto& point : found) std::cerr << point.model << ": " << point.brief_report();
      }
    }
  }
  return points;
}

void EvaluateCommand::draw(const EvaluationReport& report, double largest_eps) {
  if (output_.figure.has_value()) {
    std::vector<std::string> names;
    for (const auto& model : models_) names.push_back(model.name);
    const auto title = output_.title.value_or(c10::str(data_, ", ", data_set_->size(), " test samples"));
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
    scene.bounds = bounds_;
    scene.seed = static_cast<uint64_t>(*test_.seed);
    draw_grid(split(*output_.grid, ','), *data_set_, scene);
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
  if (bounds_) rows.emplace_back("bounds", to_config(to_ranges(*bounds_)));
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
  if (!advice.empty()) note(advice);
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
  check_outputs({&common_.json, &output_.csv, &output_.figure, &output_.grid}, *output_.force);
  load();
  catch_interrupts();
  warn();
  EvaluationReport report;
  report.points = attack_all();
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
