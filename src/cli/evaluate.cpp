#include "cli/command.h"
#include "cli/evaluation_pictures.h"
#include "cli/interrupt.h"
#include "cli/load_data.h"
#include "cli/load_run.h"
#include "cli/progress.h"

#include <ATen/Parallel.h>
#include <arks/attack/evaluate.h>
#include <arks/attack/fgsm.h>
#include <arks/attack/kernel_attack.h>
#include <arks/attack/pgd.h>
#include <arks/attack/scaling.h>
#include <arks/attack/uniform_noise.h>
#include <arks/data/registry.h>
#include <arks/report/evaluation_report.h>
#include <arks/support/error.h>
#include <arks/support/samples.h>
#include <arks/support/text.h>
#include <arks/data/published.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>

namespace arks::cli {

namespace {

constexpr int64_t kKernelSteps = 100;  // of the attack arks where the paper gives no rate: small steps, and many

class EvaluateCommand : public Command {
 public:
  explicit EvaluateCommand(CommandLine& line);
  int run() override;

 private:
  /// An attack mode: white-box, or crafted on the source.
  struct Mode {
    std::string title;
    Problem* source = nullptr;
  };
  void check_flags() const;
  void load();
  bool is_arks() const { return attack_ == "arks"; }
  bool is_shift() const { return attack_ == "uniform" || attack_ == "scale"; }
  /// Whether the attack draws random numbers.
  bool draws() const { return attack_ == "uniform" || (attack_ == "pgd" && (random_start_ || restarts_ > 1)); }
  /// In L2, and where no step is published, it grows with the ball: 2.5 eps/steps.
  bool alpha_by_eps() const { return norm_ == "l2" || !published_settings(data_).strengths; }
  int64_t repeats() const { return draws() ? repeats_ : 1; }
  std::unique_ptr<Attack> make_attack(double eps) const;
  std::vector<EvaluationPoint> attack_all(const std::vector<double>& radii);
  void draw(const EvaluationReport& report, double largest_eps);
  std::vector<std::pair<std::string, ConfigValue>> config(bool shows_loss) const;
  void warn(const std::vector<double>& radii) const;

  std::vector<std::string> model_names_;
  std::string attack_ = "pgd", eps_ = "0:0.3:0.05", norm_ = "linf", eps_scale_, source_name_, metric_;
  std::string data_, bounds_text_, csv_, figure_, grid_, title_;
  std::optional<double> alpha_;
  std::optional<int64_t> steps_;
  int64_t restarts_ = 1, repeats_ = 1, limit_ = 0, batch_size_ = 256;
  bool random_start_ = false, project_bounds_ = false, white_box_ = false, force_ = false;
  int64_t seed_ = 0;
  TestDataSettings test_data_;  // where no run says how the data were divided
  ModelSettings scaling_;       // in front of TorchScript files

  DatasetPtr data_set_;
  std::vector<std::pair<std::string, std::string>> data_rows_;  // how the samples were chosen
  std::optional<Bounds> bounds_;
  std::vector<std::unique_ptr<SupervisedProblem>> problems_;
  std::vector<NamedProblem> models_;
  std::unique_ptr<SupervisedProblem> source_;
  std::vector<Mode> modes_;
};

EvaluateCommand::EvaluateCommand(CommandLine& line)
    : Command(line.add_command(
          "evaluate", "Attack trained models, or shift their data, and compare errors or losses",
          "Without --source each model is attacked itself (white-box); with it the attack is crafted on that\n"
          "model and shown to all (transfer, black-box). eps 0 is the clean error.\n"
          "arks moves each sample to the worst point of ARKS, the largest loss*kernel; eps is the bandwidth sigma, "
          "and\n"
          "with --grid the picture shows what the training of ARKS sees.\n"
          "The shifts uniform and scale look at no model: x + eps*uniform(-1,1) and (1+eps)*x, clamped to the bounds\n"
          "where the data has some. Noise is the same for every model and, up to its strength, for every eps.\n\n"
          "Example (after the example of arks train --help):\n"
          "  arks evaluate runs/example --attack pgd --eps 0:0.2:0.1 --limit 200")) {
  flags_.arguments("MODEL", model_names_, "run folders, checkpoints, or TorchScript files (with --data)",
                   /*required=*/true);
  flags_.group("Attack");
  flags_.option("--attack", attack_, "pgd | fgsm | arks, or a shift: uniform | scale [pgd]");
  flags_.option("--eps", eps_,
                "radii or strengths, in units of the input (scale: fractions of it; arks: bandwidths): a number, a "
                "list a,b or a range "
                "a:b:step [0:0.3:0.05]",
                "LIST");
  flags_.option("--eps-scale", eps_scale_,
                "linf and uniform: factors s1,s2,... per feature for eps and alpha; 0 holds a feature still [1]",
                "LIST");
  flags_.option("--norm", norm_, "linf | l2 [linf]");
  flags_.option("--steps", steps_, "pgd, arks: ascent steps [15; arks on tables and own images: 100]");
  flags_.option("--alpha", alpha_,
                "pgd: step size, in units of the input [linf: the paper's: 0.03, cifar10 and celeba 0.02; l2, tables "
                "and own images: "
                "2.5 eps/steps]; arks: of AMSGrad [as in training; tables and own images: sigma/20]");
  flags_.flag("--random-start", random_start_, "pgd: start anywhere in the ball, not at the sample");
  flags_.option("--restarts", restarts_, "pgd: starts per sample, the worst counts; all but the first at random [1]");
  flags_.flag("--project-bounds", project_bounds_, "pgd: clamp to the bounds in every step, not only at the end");
  flags_.option("--repeats", repeats_, "what is random is drawn so often; error and loss are means over all [1]");
  flags_.option("--source", source_name_, "craft the attack on this model (transfer)", "RUN|FILE");
  flags_.flag("--white-box", white_box_, "with --source: attack each model itself as well");
  flags_.group("Data");
  flags_.option("--data", data_,
                "data set [the one the first MODEL was trained on; needed when all are TorchScript files]");
  flags_.option("--limit", limit_, "use the first N test samples; 0 = all; the paper attacked 2560 of cifar10 [0]");
  flags_.option("--bounds", bounds_text_,
                "valid range lo,hi of every input value, or one per feature: lo,hi;lo,hi;... [the data set's]",
                "LO,HI");
  flags_.option("--batch-size", batch_size_,
                "samples at once; changes the speed and, with random starts, which are drawn [256]");
  flags_.option("--seed", seed_, "of random starts and noise [0]");
  add_test_data_settings(flags_, test_data_);
  flags_.group("TorchScript files");
  add_scaling_settings(flags_, scaling_);
  flags_.group("Output");
  flags_.option("--csv", csv_, "write the points as CSV; - = stdout", "FILE|-");
  flags_.option("--metric", metric_, "what table and figure show: error | loss [error with classes, else loss]");
  flags_.option("--figure", figure_, "draw error or loss against eps, as .svg or .png; several files with commas",
                "FILE");
  flags_.option(
      "--grid", grid_,
      "draw images that the first MODEL gets right, at the largest eps: clean, perturbed, difference; as --figure",
      "FILE");
  flags_.option("--title", title_, "over figure and grid [data or model, attack, strength]", "TEXT");
  flags_.flag("--force", force_, "overwrite output files");
  add_common_options(flags_, common_);
}

std::vector<std::string> attack_names() {
  return {"pgd", "fgsm", "arks", "uniform", "scale"};
}

void EvaluateCommand::check_flags() const {
  const auto known = attack_names();
  ARKS_CHECK(std::find(known.begin(), known.end(), attack_) != known.end(), "unknown attack '", attack_, "'",
             did_you_mean(attack_, known), "; known: ", join(known));
  ARKS_CHECK(!white_box_ || !source_name_.empty(),
             "--white-box goes with --source; without one every attack is white-box");
  const std::vector<std::string> metrics{"error", "loss"};
  ARKS_CHECK(metric_.empty() || metric_ == "error" || metric_ == "loss", "unknown metric '", metric_, "'",
             did_you_mean(metric_, metrics), "; known: ", join(metrics));
  ARKS_CHECK(repeats_ > 0, "--repeats must be positive, got ", repeats_);
  ARKS_CHECK(batch_size_ > 0, "--batch-size must be positive, got ", batch_size_);
  ARKS_CHECK(seed_ >= 0, "--seed must not be negative, got ", seed_);
  ARKS_CHECK(limit_ >= 0, "--limit must not be negative, got ", limit_);
  for (const double eps : parse_numbers(eps_, "--eps")) make_attack(eps);  // checks everything that an attack takes
  check_output_file(common_.json, force_, "--json");
  check_output_file(csv_, force_, "--csv");
  for (const auto& file : split(figure_, ',')) check_picture_file(file, force_, "--figure");
  for (const auto& file : split(grid_, ',')) check_picture_file(file, force_, "--grid");
  check_distinct_outputs({{common_.json}, {csv_}, split(figure_, ','), split(grid_, ',')});
}

std::unique_ptr<Attack> EvaluateCommand::make_attack(double eps) const {
  const auto norm = parse_norm(norm_);
  const auto eps_scale = parse_factors(eps_scale_, "--eps-scale");
  if (attack_ == "uniform") return std::make_unique<UniformNoise>(UniformNoiseOptions().eps(eps).eps_scale(eps_scale));
  if (attack_ == "scale") return std::make_unique<Scaling>(ScalingOptions().eps(eps));
  if (attack_ == "fgsm") {
    return std::make_unique<FgsmAttack>(FgsmOptions().eps(eps).norm(norm).eps_scale(eps_scale));
  }
  const auto published = published_settings(data_);
  if (attack_ == "arks") {
    const auto ascent =
        AscentOptions()
            .rule(AscentRule::kAmsgrad)
            .steps(steps_.value_or(published.strengths ? published.inner_steps : kKernelSteps))
            .learning_rate(alpha_.value_or(published.strengths || eps == 0 ? published.sigma_inner_rate : eps / 20));
    return std::make_unique<KernelAttack>(eps, ascent);
  }
  const int64_t steps = steps_.value_or(published.attack_steps);
  // 2.5 eps/steps reaches the surface and can still turn (Madry et al. 2018)
  const double by_eps = eps > 0 ? 2.5 * eps / static_cast<double>(std::max<int64_t>(steps, 1)) : 1;
  const double alpha = alpha_.value_or(alpha_by_eps() ? by_eps : published.attack_alpha);
  return std::make_unique<PgdAttack>(PgdOptions()
                                         .eps(eps)
                                         .norm(norm)
                                         .eps_scale(eps_scale)
                                         .steps(steps)
                                         .alpha(alpha)
                                         .random_start(random_start_)
                                         .restarts(restarts_)
                                         .project_bounds(project_bounds_));
}

void EvaluateCommand::load() {
  std::vector<Run> runs;
  for (const auto& name : model_names_) runs.push_back(read_run(name));
  if (!source_name_.empty()) runs.push_back(read_run(source_name_));
  check_scaling(scaling_, runs);
  data_set_ = limited(load_data(runs, Split::kTest, data_, test_data_, common_), limit_);
  data_rows_ = used_data_settings(runs, data_, test_data_);
  bounds_ = data_set_->info().bounds;
  if (!bounds_text_.empty()) {
    bounds_ = parse_bounds(bounds_text_);
    check_inputs(*data_set_, *bounds_);
  }
  const auto& info = data_set_->info();
  ARKS_CHECK(metric_ != "error" || info.num_classes > 0, "--metric error: ", data_,
             " has no classes, so nothing is right or wrong; loss is what there is");
  if (!grid_.empty()) check_grid(info);
  if (!eps_scale_.empty() && attack_ != "scale") {
    const auto one = data_set_->get(torch::zeros({1}, torch::kLong)).inputs;
    per_feature(parse_factors(eps_scale_, "--eps-scale"), one, "--eps-scale");  // checks the number of them
  }
  const bool white_box = !is_shift() && (source_name_.empty() || white_box_);
  for (size_t i = 0; i < model_names_.size(); ++i) {
    problems_.push_back(
        make_checked_problem(runs[i], *data_set_, scaling_, parse_engine(common_.engine), white_box, common_.quiet));
    models_.push_back({runs[i].name, problems_.back().get()});
  }
  if (is_shift()) {
    modes_.push_back({attack_, nullptr});
    return;
  }
  if (!source_name_.empty()) {
    source_name_ = runs.back().name;
    source_ = make_checked_problem(runs.back(), *data_set_, scaling_, parse_engine(common_.engine),
                                   /*needs_gradient=*/true, common_.quiet);
    modes_.push_back({attack_ + " from " + source_name_, source_.get()});
  }
  if (source_name_.empty() || white_box_) modes_.push_back({attack_ + " white-box", nullptr});
}

std::vector<EvaluationPoint> EvaluateCommand::attack_all(const std::vector<double>& radii) {
  const int64_t per_point = data_set_->size() * repeats();
  const int64_t total = static_cast<int64_t>(radii.size() * modes_.size()) * per_point;
  ProgressBar bar("samples", !common_.quiet);
  const bool plain_lines = common_.verbose || (!common_.quiet && ::isatty(STDERR_FILENO) == 0);
  std::vector<EvaluationPoint> points;
  int64_t finished = 0;
  for (const auto& mode : modes_) {
    for (const double eps : radii) {
      const auto options =
          EvaluateOptions()
              .batch_size(batch_size_)
              .seed(static_cast<uint64_t>(seed_))
              .repeats(repeats())
              .source(mode.source)
              .source_name(source_name_)
              .bounds(bounds_)
              .on_samples([&](int64_t done) {
                bar.update(finished + done, total, finished + done, c10::str(mode.title, ", eps ", shortest(eps)));
                if (interrupted()) throw RunError("interrupted; nothing was written");
              });
      const auto found = evaluate_models(models_, data_set_, *make_attack(eps), options);
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
  if (!figure_.empty()) {
    std::vector<std::string> names;
    for (const auto& model : models_) names.push_back(model.name);
    const auto title = title_.empty() ? c10::str(data_, ", ", data_set_->size(), " test samples") : title_;
    draw_curves(split(figure_, ','), report.points, names, title, report.show_loss);
  }
  if (!grid_.empty()) {
    const auto attack = make_attack(largest_eps);
    auto& model = *problems_.front();
    GridScene scene;
    scene.title = c10::str(models_.front().name, " under ", modes_.front().title, ", ",
                           is_arks()    ? "sigma "
                           : is_shift() ? "eps "
                                        : norm_ + " eps ",
                           shortest(largest_eps));
    if (!title_.empty()) scene.title = title_;
    scene.model = &model;
    scene.crafted_on = source_ ? source_.get() : &model;
    scene.attack = attack.get();
    scene.bounds = bounds_;
    scene.seed = static_cast<uint64_t>(seed_);
    draw_grid(split(grid_, ','), *data_set_, scene);
  }
}

std::vector<std::pair<std::string, ConfigValue>> EvaluateCommand::config(bool shows_loss) const {
  const auto published = published_settings(data_);
  std::vector<std::pair<std::string, ConfigValue>> rows{
      {"models", model_names_}, {"data", data_}, {"attack", attack_}, {"eps", eps_}};
  rows.insert(rows.begin() + 2, data_rows_.begin(), data_rows_.end());
  if (!is_shift() && !is_arks()) rows.emplace_back("norm", norm_);
  if (!eps_scale_.empty() && attack_ != "scale")
    rows.emplace_back("eps-scale", parse_numbers(eps_scale_, "--eps-scale"));
  if (is_arks()) {
    rows.emplace_back("steps", steps_.value_or(published.strengths ? published.inner_steps : kKernelSteps));
    if (alpha_ || published.strengths) {
      rows.emplace_back("alpha", alpha_.value_or(published.sigma_inner_rate));
    } else {
      rows.emplace_back("alpha", "eps/20");
    }
  }
  if (attack_ == "pgd") {
    rows.emplace_back("steps", steps_.value_or(published.attack_steps));
    if (alpha_ || !alpha_by_eps()) {
      rows.emplace_back("alpha", alpha_.value_or(published.attack_alpha));
    } else {
      rows.emplace_back("alpha", "2.5*eps/steps");
    }
    rows.emplace_back("random-start", random_start_);
    rows.emplace_back("restarts", restarts_);
    rows.emplace_back("project-bounds", project_bounds_);
  }
  if (draws()) rows.emplace_back("repeats", repeats_);
  if (!source_name_.empty() && !is_shift()) {
    rows.emplace_back("source", source_name_);
    rows.emplace_back("white-box", white_box_);
  }
  if (bounds_) {
    const auto ranges = ranges_of(*bounds_);
    if (ranges.size() == 1) rows.emplace_back("bounds", ranges.front());
    if (ranges.size() > 1) rows.emplace_back("bounds", ranges);
  }
  if (has_scaling(scaling_)) {
    rows.emplace_back("mean", parse_numbers(scaling_.mean, "--mean"));
    rows.emplace_back("std", parse_numbers(scaling_.std, "--std"));
  }
  rows.emplace_back("limit", limit_);
  rows.emplace_back("batch-size", batch_size_);
  rows.emplace_back("metric", shows_loss ? "loss" : "error");
  rows.emplace_back("threads", int64_t{at::get_num_threads()});
  return rows;
}

/// What is allowed but rarely meant.
void EvaluateCommand::warn(const std::vector<double>& radii) const {
  if (common_.quiet) return;
  const auto note = [](const std::string& text) { std::cerr << "arks: note: " << text << "\n"; };
  const auto unused = [&](bool given, const char* flag, bool used) {
    if (given && !used) note(std::string(flag) + " is not used by attack " + attack_);
  };
  const bool pgd = attack_ == "pgd";
  unused(steps_.has_value(), "--steps", pgd || is_arks());
  unused(alpha_.has_value(), "--alpha", pgd || is_arks());
  unused(random_start_, "--random-start", pgd);
  unused(restarts_ != 1, "--restarts", pgd);
  unused(project_bounds_, "--project-bounds", pgd);
  unused(norm_ != "linf", "--norm", !is_shift() && !is_arks());
  unused(!eps_scale_.empty(), "--eps-scale", attack_ != "scale" && !is_arks());
  unused(!source_name_.empty(), "--source", !is_shift());
  unused(white_box_, "--white-box", !is_shift());
  if (repeats_ > 1 && !draws()) {
    note("--repeats changes nothing: " + attack_ + (pgd ? " without --random-start" : "") + " draws nothing at random");
  }
  if (!pgd) return;
  const auto published = published_settings(data_);
  const double reach = static_cast<double>(steps_.value_or(published.attack_steps)) *
                       alpha_.value_or(alpha_by_eps() ? HUGE_VAL : published.attack_alpha);
  const double largest = *std::max_element(radii.begin(), radii.end());
  if (!random_start_ && restarts_ == 1 && reach < largest * (1 - 1e-9)) {
    note(c10::str("the steps of pgd reach ", shortest(reach), " at most, never eps ", shortest(largest),
                  "; a larger --alpha or more --steps is usually meant"));
  }
}

int EvaluateCommand::run() {
  const auto start = std::chrono::steady_clock::now();
  apply(common_);
  check_flags();
  load();
  catch_interrupts();
  const auto radii = parse_numbers(eps_, "--eps");
  warn(radii);
  EvaluationReport report;
  report.points = attack_all(radii);
  report.show_loss = metric_ == "loss" || report.points.front().errors < 0;
  report.config = config(report.show_loss);
  report.seed = static_cast<uint64_t>(seed_);
  report.command = "evaluate";
  report.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (common_.json != "-" && csv_ != "-") {
    std::cout << console_report(report);
  }
  if (!common_.json.empty()) write_output(common_.json, json_report(report));
  if (!csv_.empty()) write_output(csv_, csv_report(report));
  draw(report, *std::max_element(radii.begin(), radii.end()));
  return kDone;
}

}  // namespace

std::unique_ptr<Command> make_evaluate_command(CommandLine& line) {
  return std::make_unique<EvaluateCommand>(line);
}

}  // namespace arks::cli
